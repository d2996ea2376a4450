// Reductions by `and` and `or`, which stop as soon as they are decided.
#pragma once

#include "printers/cpp/values.hpp"

namespace irrewrite::printers {

class DecisionPrinter : public Values {
  public:
    using Values::Values;
    // False, and nothing printed: it is no such loop, or its body is too long to stand there several times.
    bool print_decision(const ScheduledNode& loop, const ThreadPlan& threads, std::span<const Generator> generators,
                        std::span<const Region> regions, const std::string& end);
    std::string undecided(const Generator& generator) const;
    void print_until_decided(const std::string& index, const std::string& next, const std::string& step,
                             const Generator& generator, std::string_view begin, std::string_view end);

  private:
    std::string copies_for(const ScheduledNode& loop, std::span<const Region> regions, std::string_view body);
};

} // namespace irrewrite::printers
