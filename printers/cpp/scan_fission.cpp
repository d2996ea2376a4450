// Fission of loops of emitted C++ with running values (scans): block by block of indices, first the running values, one
// after the other, then everything computed from them, in vector lanes.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {
constexpr std::size_t least_arithmetic_of_scan =
    3; // operations for each running value: fewer are not worth what is put by
} // namespace

// Scalars run, and what the loop makes of them may run in lanes.
bool CppFunction::runs_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda || only_ != nullptr || hot_ != 1) return false;
    const Region region = loop.blocks[0];
    const Scope scope(*this);
    define(g_.params(g_.blocks(loop.node)[0])[0], {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    std::vector<Generator> others;
    std::size_t arithmetic = 0;
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Running || generator.fed_by) {
            others.push_back(generator);
            continue;
        }
        const Region then = uses_.nested_region(region, generator.then);
        const ScheduledBlock& block = schedule_.blocks[then];
        if (generator.state.size() != 1 || !generator.through.empty() || !types_.is_scalar(generator.state[0].type) ||
            g_.is_param(generator.emission) || module_.shapes[g_.op(generator.emission).index] != OpKind::Emit ||
            !is_straight(then) ||
            !std::ranges::all_of(block.guarded, [&](const auto& guarded) { return is_straight(guarded.second); }))
            return false;
        arithmetic += static_cast<std::size_t>(
            std::ranges::count_if(block.nodes, [&](const ScheduledNode& node) { return !is_read(node.node); }));
    }
    return others.size() < generators.size() && arithmetic >= least_arithmetic_of_scan && runs_in_lanes(loop, others);
}

// Splits the nodes of the loop's block: those that running values need, and the rest. Nodes that both need are in both.
auto CppFunction::split_running(Region region, std::span<const Generator> generators) const -> Split {
    Split split;
    std::unordered_map<NodeId, std::size_t> reads; // by running values
    std::unordered_set<NodeId> needed;
    for (const Generator& generator : generators)
        if (generator.shape == OpKind::Running)
            for (NodeId value : g_.operands(generator.emission)) needed.insert(value), ++reads[value];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (auto scheduled = nodes.rbegin(); scheduled != nodes.rend(); ++scheduled) {
        const NodeId node = scheduled->node;
        const bool alone = uses_.reads(node) > 0 && reads[node] == uses_.reads(node);
        (needed.contains(node) ? split.running : split.rest).insert(node);
        if (needed.contains(node) && !alone) split.rest.insert(node);
        for (NodeId operand : g_.operands(node)) {
            if (needed.contains(node)) needed.insert(operand);
            if (needed.contains(node) && alone) ++reads[operand];
        }
    }
    return split;
}

// Those of the second blocks as well.
void CppFunction::add_nodes(Region region, std::unordered_set<NodeId>& list) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    for (const ScheduledNode& scheduled : block.nodes) {
        list.insert(scheduled.node);
        for (Region inner : scheduled.blocks) add_nodes(inner, list);
    }
    for (auto [condition, inner] : block.guarded) add_nodes(inner, list);
    for (auto [nested, inner] : block.nested) add_nodes(inner, list);
}

// The running values of one block of indices.
void CppFunction::print_running(const ScheduledNode& loop, std::span<const Generator> generators,
                                const std::map<std::string, std::string>& buffers,
                                const std::unordered_set<NodeId>& needed, const std::string& index,
                                const std::string& place) {
    const Region region = loop.blocks[0];
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    const Scope scope(*this);
    define(param, {{index}, types_.i64(), Form::Value, false, extent});
    ranges_.enter(Range{param, extent, 0, 0});
    only_ = &needed;
    print_nodes(region);
    only_ = nullptr;
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Running || generator.follows) continue;
        std::vector<Binding> values;
        for (NodeId value : g_.operands(generator.emission)) values.push_back(binding(value));
        combine(region, generator, generator.state, generator.slots, values);
        const std::string& name = generator.state[0].name;
        out_.line(buffers.at(name) + place + " = " + name + ";");
    }
    ranges_.leave();
}

void CppFunction::print_running_apart(const ScheduledNode& loop, std::vector<Generator>& generators,
                                      std::string_view begin, std::string_view end) {
    open_extremes(generators);
    const std::string pragma = simd_pragma(generators);
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop"), size(lane_block);
    Split split = split_running(loop.blocks[0], generators);
    for (auto [condition, inner] : schedule_.blocks[loop.blocks[0]].guarded) add_nodes(inner, split.rest);
    for (auto [nested, inner] : schedule_.blocks[loop.blocks[0]].nested) add_nodes(inner, split.rest);
    out_.line("// In blocks: running values one by one, then what is made of them in vector lanes.");
    std::map<std::string, std::string> buffers; // by what runs
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Running || generator.follows) continue;
        const Cell& cell = generator.state[0];
        out_.line("std::array<" + value_type(cell.type) + ", " + size + "> " +
                  (buffers[cell.name] = out_.fresh("values")) + ";");
    }
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + size + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " +
              std::string(end) + ");");
    const auto in_round = [&](auto&& print) { // print(index, index in buffers)
        out_.open_names();
        const std::string index = index_of(loop);
        out_.open("for (std::int64_t " + index + " = " + block + "; " + index + " < " + stop + "; ++" + index + ") {");
        print(index, "[" + index + " - " + block + "]");
        out_.close();
        out_.close_names();
    };
    in_round([&](const std::string& index, const std::string& place) {
        print_running(loop, generators, buffers, split.running, index, place);
    });
    out_.line(pragma);
    in_round([&](const std::string& index, const std::string& place) {
        std::map<std::string, std::string> now; // the values at this index
        std::vector<Generator> rest = generators;
        for (Generator& generator : rest) {
            if (generator.shape != OpKind::Running) continue;
            std::string& cell = generator.state[0].name;
            std::string& value = now[cell];
            if (value.empty())
                out_.line("const " + value_type(generator.state[0].type) + " " + (value = out_.fresh("value")) + " = " +
                          buffers.at(cell) + place + ";");
            cell = value, generator.made = true;
        }
        only_ = &split.rest;
        print_round(loop, rest, {g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0}, index,
                    gathers(rest));
        only_ = nullptr;
    });
    out_.close();
    out_.merge_names();
    close_extremes(generators);
}

} // namespace irrewrite::printers
