// Conditionals and sequential loops in emitted C; values that are computed when they are first needed.
#pragma once

#include "printers/c/c_parts.hpp"

namespace irrewrite::printers {

class CControl : public CParts {
  public:
    using CParts::CParts;
    void print_if(const ScheduledNode& scheduled, Region region);
    using CParts::print_region;
    void print_while(const ScheduledNode& scheduled, Region region, std::uint32_t position);
    void print_for(const ScheduledNode& scheduled, Region region, std::uint32_t position);

  private:
    std::vector<std::string> declare_carried(NodeId node, BlockId step, std::size_t first, Region region,
                                             std::uint32_t position);
};

// As a block is entered that needs such a value, a flag says whether it is there; if not, it is computed. If a loop needs
// it as soon as it runs at all, that is before the loop.
class CDemands : public CParts {
  public:
    using CParts::CParts;
    void declare(const ScheduledNode& scheduled); // its variables
    void print_demands(std::span<const std::uint32_t> demands);
    // The values that a loop's body needs are computed before it, if it runs at all, `n` times. Which these are.
    std::vector<std::uint32_t> print_before(Region body, Region region, const std::string& n);
    void forget(std::span<const std::uint32_t> settled);
    bool waits_within(std::span<const std::uint32_t> regions) const; // for a value from outside of these

  private:
    void print_kept(std::uint32_t demanded);
    void store_results(NodeId node, std::span<const std::string> names);
    void collect(std::span<const std::uint32_t> demands, Region region, std::vector<std::uint32_t>& list) const;

    std::unordered_map<std::uint32_t, std::vector<std::string>> variables_;
};

} // namespace irrewrite::printers
