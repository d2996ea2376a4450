// Fission of loops of emitted C++ in which some results can be vectorized and others, such as histogram bins and
// groups, cannot: block by block of indices, first the vector loop, then the scalar one. Blocks are small enough that
// data read by both comes from memory once.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

// Each counter of the block, and what it is added to.
std::vector<std::pair<std::string, std::string>> BlockPrinter::declare_block_counters(const ScheduledNode& loop,
                                                                                      std::span<Generator> generators) {
    std::vector<std::pair<std::string, std::string>> counters;
    for (Generator& generator : generators) {
        if (!planner_.counts_in_block(loop, generator)) continue;
        const std::string name = out_.fresh("count");
        out_.line("std::uint16_t " + name + " = 0;");
        counters.emplace_back(name, generator.state[0].name);
        generator.state[0] = {name, types_.scalar(TypeKind::U16), "0"};
    }
    return counters;
}

void BlockPrinter::print_apart(const ScheduledNode& loop, FissionPlan& apart, std::string_view begin,
                               std::string_view end) {
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop"), size = std::to_string(block_size);
    out_.line("// In blocks: what vector lanes make, then the rest.");
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + size + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " +
              std::string(end) + ");");
    const auto counters = declare_block_counters(loop, apart.lanes);
    for (std::vector<Generator>* part : {&apart.lanes, &apart.others}) {
        const std::unordered_set<NodeId> needed = code_.needs(*part);
        at_.only = &needed;
        f_.loops.print_body(loop, *part, block, stop);
        at_.only = nullptr;
        if (part == &apart.others) continue;
        for (const auto& [count, sum] : counters) out_.line(sum + " = wrap_add(" + sum + ", " + count + ");");
    }
    out_.close();
    out_.close_names();
}

} // namespace irrewrite::printers
