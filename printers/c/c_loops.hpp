// `loop` in emitted C: the variables of its generators, then one `for` in which they are fed.
//
// A loop runs in parallel where its plan says so and its results are elements of their own index, or reductions of scalars:
// each thread takes a contiguous part, and what the parts come to is combined in order.
#pragma once

#include "printers/c/c_parts.hpp"

namespace irrewrite::printers {

class CLoops : public CParts {
  public:
    using CParts::CParts;
    void print_loop(const ScheduledNode& loop, Region region, std::uint32_t position);

  private:
    std::vector<Generator> generators(const ScheduledNode& loop, Region region, std::uint32_t position);
    void plan(Generator& generator, const std::vector<std::string>& names, std::span<const TypeId> types, bool exact);
    void declare(Generator& generator, const std::string& n);
    // The iterations from `begin` to `end`, by their plan; `threads`: a pragma that says how threads share them.
    void print_body(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& begin,
                    const std::string& end, const std::string& threads = {});
    void print_plain(const ScheduledNode& loop, std::vector<Generator>& list, const Range& range,
                     const std::string& begin, const std::string& end, const std::string& pragma);
    void print_peeled(const ScheduledNode& loop, std::vector<Generator>& list, const Range& range,
                      const std::string& begin, const std::string& end, bool lanes);
    void print_if_parts_are_there(const ScheduledNode& loop, const IfPartsAreThere& plan, std::vector<Generator>& list,
                                  const std::string& begin, const std::string& end);
    void print_parts(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& n,
                     std::uint64_t enough);
    std::string simd(std::span<const Generator> list);
    std::string undecided(std::span<const Generator> list);
    void finish(const Generator& generator, std::vector<Binding>& results);
};

} // namespace irrewrite::printers
