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

// The iterations of a block at which the condition holds: of eight indices at a time, those whose byte is not 0.
void BlockPrinter::print_found(const ScheduledNode& loop, FissionPlan& apart, const std::string& buffer,
                               const std::string& block, const std::string& stop) {
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    out_.open_names();
    const std::string end = out_.fresh("end"), eight = out_.fresh("eight"), found = out_.fresh("found");
    out_.open("for (std::int64_t " + end + " = " + stop + " - " + block + "; " + end + " % 8 != 0; ++" + end + ") {");
    out_.line(buffer + "[" + end + "] = false;");
    out_.close();
    out_.open("for (std::int64_t " + eight + " = " + block + "; " + eight + " < " + stop + "; " + eight + " += 8) {");
    const std::string index = index_of(loop);
    out_.open("for (std::uint64_t " + found + " = eight_bytes(&" + buffer + "[" + eight + " - " + block + "]); " +
              found + " != 0; " + found + " &= " + found + " - 1) {");
    out_.line("const std::int64_t " + index + " = " + eight + " + first_byte(" + found + ");");
    const Scope scope(env_, ranges_);
    define(apart.kept[0], {{"true"}, types_.boolean()});
    const NodeId outer = std::exchange(state_.found, apart.kept[0]);
    ranges_.enter(Condition{apart.kept[0], true});
    f_.loops.print_round(loop, apart.others, {param, extent, 0, 0}, index, false);
    ranges_.leave_condition();
    state_.found = outer;
    out_.close();
    out_.close();
    out_.close_names();
}

void BlockPrinter::print_apart(const ScheduledNode& loop, FissionPlan& apart, std::string_view begin,
                               std::string_view end) {
    PutBy put_by{loop.node, false, {}};
    for (NodeId node : apart.kept)
        put_by.buffers.emplace_back(node, out_.fresh("values")); // known behind the loop, too
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop");
    const std::string size = apart.kept.empty() || apart.finds ? std::to_string(block_size) : std::string(lane_block);
    out_.line("// In blocks: what vector lanes make, then the rest.");
    put_by.block = block;
    for (const auto& [node, buffer] : put_by.buffers)
        out_.line("std::array<" + value_type(g_.type(node)) + ", " + size + "> " + buffer + ";");
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + size + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " +
              std::string(end) + ");");
    const auto counters = declare_block_counters(loop, apart.lanes);
    const KeptValues kept(state_);
    const bool outer = std::exchange(at_.puts_by, !apart.kept.empty());
    if (!apart.kept.empty()) {
        const std::string where = origins(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}));
        module_.notes.push_back(
            {function_.name, (where.empty() ? "a loop" : "the loop of " + where) +
                                 (apart.finds ? ": vector lanes find the indices at which a condition holds"
                                              : ": dear values are computed once, in vector lanes, and put by")});
    }
    const auto print = [&](std::vector<Generator>& generators, const std::unordered_set<NodeId>& needed) {
        at_.only = &needed;
        std::swap(state_.put_by, put_by);
        f_.loops.print_body(loop, generators, block, stop);
        std::swap(state_.put_by, put_by);
        at_.only = nullptr;
    };
    print(apart.lanes, kept.lane_needs(apart));
    for (const auto& [count, sum] : counters) out_.line(sum + " = wrap_add(" + sum + ", " + count + ");");
    put_by.reads = true;
    const std::unordered_set<NodeId> others = kept.other_needs(apart);
    std::vector<NodeId> there;
    std::ranges::copy_if(apart.kept, std::back_inserter(there),
                         [&](NodeId node) { return at_.hoisted.insert(node).second; });
    if (apart.finds) {
        at_.only = &others;
        print_found(loop, apart, put_by.buffers[0].second, block, stop);
        at_.only = nullptr;
    } else {
        print(apart.others, others);
    }
    for (NodeId node : there) at_.hoisted.erase(node);
    at_.puts_by = outer;
    out_.close();
    out_.close_names();
}

} // namespace irrewrite::printers
