// Fission of loops of emitted C++ that call scalar functions, such as `std::exp`: block by block of indices, each level
// of arithmetic in vector lanes, then the calls that need only that level.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {
constexpr std::size_t least_arithmetic_of_call = 4; // operations for each call: fewer are not worth what is put by
} // namespace

bool CppFunction::is_call(NodeId node) const {
    return g_.core(node) == Core::None && g_.operation(node).has(Trait::Approximate) &&
           module_.form(g_, node).is_of_library;
}

// Read again where it is needed rather than put by.
bool CppFunction::is_read(NodeId node) const {
    return g_.core(node) != Core::None || module_.shapes[g_.op(node).index] == OpKind::At ||
           module_.shapes[g_.op(node).index] == OpKind::Len;
}

// True if the loop fills arrays with the results of straight arithmetic and calls.
bool CppFunction::may_call_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    const ScheduledBlock& block = schedule_.blocks[loop.blocks[0]];
    const auto collects = [](const Generator& generator) {
        return generator.shape == OpKind::Collect && !generator.index.empty() && generator.count.empty();
    };
    const auto is_plain = [](const ScheduledNode& scheduled) {
        return scheduled.blocks.empty() && !scheduled.is_on_demand();
    };
    return !module_.options.cuda && only_ == nullptr && hot_ == 1 && block.guarded.empty() &&
           std::ranges::all_of(generators, collects) && std::ranges::all_of(block.nodes, is_plain) &&
           runs_in_lanes(loop, generators);
}

// The level of each node: the number of calls before it of which each needs the one before; then as late as its users
// allow, so that few values are buffered. Empty if the calls are not worth it.
std::optional<Levels> CppFunction::call_levels(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (!may_call_apart(loop, generators)) return {};
    Levels levels;
    std::size_t calls = 0, arithmetic = 0;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        unsigned level = 0;
        for (NodeId operand : g_.operands(scheduled.node))
            if (const auto found = levels.of.find(operand); found != levels.of.end())
                level = std::max(level, found->second + (is_call(operand) ? 1 : 0));
        levels.of[scheduled.node] = level;
        levels.last = std::max(levels.last, level + (is_call(scheduled.node) ? 1 : 0));
        if (!is_read(scheduled.node)) ++(is_call(scheduled.node) ? calls : arithmetic);
    }
    if (calls == 0 || arithmetic < least_arithmetic_of_call * calls) return {};
    delay(loop, levels);
    const auto use = [&](NodeId value, bool later) {
        const auto found = levels.of.find(value);
        if (found != levels.of.end() && !is_read(value) && (later || is_call(value))) levels.stored.insert(value);
    };
    for (const auto& [node, level] : levels.of)
        for (NodeId operand : g_.operands(node))
            if (const auto found = levels.of.find(operand); found != levels.of.end())
                use(operand, is_call(node) || is_read(node) || found->second < level);
    for (const Generator& generator : generators)
        for (NodeId value : g_.operands(generator.emission))
            if (const auto found = levels.of.find(value); found != levels.of.end())
                use(value, found->second < levels.last);
    return levels;
}

void CppFunction::delay(const ScheduledNode& loop, Levels& levels) const {
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (auto& [node, level] : levels.of) level = levels.last - (is_call(node) ? 1 : 0);
    for (auto scheduled = nodes.rbegin(); scheduled != nodes.rend(); ++scheduled)
        for (NodeId operand : g_.operands(scheduled->node))
            if (const auto found = levels.of.find(operand); found != levels.of.end())
                found->second = std::min(found->second, levels.of.at(scheduled->node) - (is_call(operand) ? 1 : 0));
}

// The nodes of a level: its arithmetic or its calls, and the elements that they read.
std::unordered_set<NodeId> CppFunction::of_level(const ScheduledNode& loop, std::span<const Generator> generators,
                                                 const Levels& levels, unsigned level, bool calls) const {
    std::unordered_set<NodeId> list, needed;
    if (level == levels.last)
        for (const Generator& generator : generators)
            needed.insert(g_.operands(generator.emission).begin(), g_.operands(generator.emission).end());
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (auto scheduled = nodes.rbegin(); scheduled != nodes.rend(); ++scheduled) {
        const NodeId node = scheduled->node;
        if (is_read(node) ? !needed.contains(node) : levels.of.at(node) != level || is_call(node) != calls) continue;
        list.insert(node);
        needed.insert(g_.operands(node).begin(), g_.operands(node).end());
    }
    return list;
}

void CppFunction::print_calls_apart(const ScheduledNode& loop, const Levels& levels, std::vector<Generator>& generators,
                                    std::string_view begin, std::string_view end) {
    const Region region = loop.blocks[0];
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop"), size(lane_block);
    out_.line("// In blocks: arithmetic in vector lanes, calls one by one.");
    std::vector<std::pair<NodeId, std::string>> buffers;
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        if (!levels.stored.contains(scheduled.node)) continue;
        buffers.emplace_back(scheduled.node, out_.fresh("values"));
        out_.line("std::array<" + value_type(g_.type(scheduled.node)) + ", " + size + "> " + buffers.back().second +
                  ";");
    }
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + size + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " +
              std::string(end) + ");");
    const auto print_level = [&](unsigned level, bool calls) {
        const std::unordered_set<NodeId> list = of_level(loop, generators, levels, level, calls);
        if (level < levels.last && std::ranges::all_of(list, [&](NodeId node) { return is_read(node); })) return;
        out_.open_names();
        const std::string index = index_of(loop), place = "[" + index + " - " + block + "]";
        if (!calls) out_.line("#pragma omp simd");
        out_.open("for (std::int64_t " + index + " = " + block + "; " + index + " < " + stop + "; ++" + index + ") {");
        const Scope scope(*this);
        for (const auto& [node, buffer] : buffers)
            if (!list.contains(node)) define(node, {{buffer + place}, g_.type(node)});
        only_ = &list;
        if (level == levels.last) {
            print_round(loop, generators, {param, extent, 0, 0}, index, false);
        } else {
            define(param, {{index}, types_.i64(), Form::Value, false, extent});
            ranges_.enter(Range{param, extent, 0, 0});
            print_nodes(region);
            for (const auto& [node, buffer] : buffers)
                if (list.contains(node)) out_.line(buffer + place + " = " + text(node).text + ";");
            ranges_.leave();
        }
        only_ = nullptr;
        out_.close();
        out_.close_names();
    };
    for (unsigned level = 0; level < levels.last; ++level) print_level(level, false), print_level(level, true);
    print_level(levels.last, false);
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
