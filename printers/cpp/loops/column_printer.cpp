// Inner loops of emitted C++ that are made for neighbouring indices side by side, stage by stage.
#include "printers/cpp/cpp_function.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::size_t columns = 256; // side by side: what is made of them stays in the cache

} // namespace

// An `if` has blocks, too, but is arithmetic between the loops.
bool ColumnPrinter::is_inner_loop(const ScheduledNode& scheduled) const {
    return g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Loop;
}

std::string ColumnPrinter::buffer_type(const ColumnStages& stages, TypeId type) const {
    const std::string element = value_type(type);
    if (stages.row_loop == nullptr) return "std::array<" + element + ", " + std::to_string(columns) + ">";
    return "std::array<std::array<" + element + ", " + stages.width + ">, tile_rows>";
}

// An array for a value that a later stage than its own reads.
void ColumnPrinter::buffer(NodeId value, std::size_t stage, ColumnStages& stages) {
    if (g_.result_count(value) != 1) return; // its results are values
    NodeId source = value;
    while (g_.is_project(source)) source = g_.operand(source, 0);
    const auto found = stages.stage.find(source);
    if (found == stages.stage.end() || found->second == stage || stages.buffers.contains(value)) return;
    stages.buffers[value] = out_.fresh("values");
    out_.line(buffer_type(stages, g_.type(value)) + " " + stages.buffers[value] + ";");
}

void ColumnPrinter::find_stages(const ScheduledNode& loop, std::span<const Generator> generators,
                                ColumnStages& stages) {
    stages.nodes.emplace_back();
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    const auto last = std::ranges::find_if(nodes.rbegin(), nodes.rend(),
                                           [&](const ScheduledNode& node) { return is_inner_loop(node); });
    const std::size_t end = stages.rest ? static_cast<std::size_t>(last.base() - nodes.begin()) : nodes.size();
    for (std::uint32_t i = 0; i < end; ++i) {
        const bool is_loop = is_inner_loop(nodes[i]);
        if (stages.rest && stages.row_loop != nullptr && !is_loop && !stages.read_by_sums.contains(nodes[i].node))
            continue; // it is made with the rest
        if (is_loop && !stages.nodes.back().empty()) stages.nodes.emplace_back();
        stages.stage[nodes[i].node] = stages.nodes.size() - 1;
        stages.nodes.back().push_back(i);
        if (is_loop) stages.nodes.emplace_back();
    }
    for (std::size_t stage = 0; stage < stages.nodes.size(); ++stage)
        for (std::uint32_t i : stages.nodes[stage]) {
            for (NodeId operand : g_.operands(nodes[i].node)) buffer(operand, stage, stages);
            for (Region region : regions_within(schedule_, {nodes[i].blocks.begin(), nodes[i].blocks.end()})) {
                const ScheduledBlock& inner = schedule_.blocks[region];
                for (const ScheduledNode& scheduled : inner.nodes)
                    for (NodeId operand : g_.operands(scheduled.node)) buffer(operand, stage, stages);
                for (NodeId result : g_.results(inner.id))
                    for (NodeId value : reachable(g_, {&result, 1})) buffer(value, stage, stages);
            }
        }
    if (stages.rest) return find_rest(loop, stages);
    for (const Generator& generator : generators)
        for (NodeId value : g_.operands(generator.emission)) buffer(value, stages.nodes.size() - 1, stages);
}

// The values that the rest of the loop reads of its stages.
void ColumnPrinter::find_rest(const ScheduledNode& loop, ColumnStages& stages) {
    std::vector<NodeId> within;
    for (const ScheduledNode& node : schedule_.blocks[loop.blocks[0]].nodes)
        if (stages.stage.contains(node.node))
            for (BlockId block : g_.blocks(node.node))
                within.insert(within.end(), g_.results(block).begin(), g_.results(block).end());
    const auto inner = reachable(g_, within);
    const std::unordered_set<NodeId> made(inner.begin(), inner.end());
    const std::span<const NodeId> results = g_.results(g_.blocks(loop.node)[0]);
    for (NodeId node : reachable(g_, results))
        if (!made.contains(node) && !stages.stage.contains(node) && !g_.is_project(node))
            for_each_part(g_, node, [&](NodeId part) {
                if (!is_read_again(part, stages)) buffer(part, stages.nodes.size(), stages);
            });
}

// True if the rest reads an element itself; behind tiles it computes all but their sums.
bool ColumnPrinter::is_read_again(NodeId node, const ColumnStages& stages) const {
    if (stages.row_loop != nullptr) return kind_of(module_.shapes, g_, GraphView(g_).source(node)) != OpKind::Loop;
    return kind_of(module_.shapes, g_, node) == OpKind::At && rows_.may_be_repeated(node) &&
           std::ranges::none_of(g_.operands(node), [&](NodeId part) { return stages.stage.contains(part); });
}

// Of the values that are computed anew for each row, those that these need: not through what a stage has made.
std::unordered_set<NodeId> ColumnPrinter::needed_of_row(const ColumnStages& stages,
                                                        std::span<const NodeId> roots) const {
    std::unordered_set<NodeId> seen;
    std::vector<NodeId> stack(roots.begin(), roots.end());
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (g_.is_param(node) || g_.is_literal(node) || stages.buffers.contains(node) || !seen.insert(node).second ||
            at_.hoisted.contains(GraphView(g_).source(node)))
            continue;
        for_each_part(g_, node, [&](NodeId part) { stack.push_back(part); });
    }
    return seen;
}

// Of a tile, a loop over its rows, in which what `roots` need of the row is known; elsewhere just what stands in it.
void ColumnPrinter::print_rows(const ColumnStages& stages, std::span<const NodeId> roots,
                               const std::function<void(const std::string& row)>& f) {
    if (stages.row_loop == nullptr) return f(std::string());
    const ScheduledNode& loop = *stages.row_loop;
    out_.open_names();
    const std::string index = index_of(loop);
    out_.open("for (std::int64_t " + index + " = " + stages.first_row + "; " + index + " < " + stages.first_row +
              " + tile_rows; ++" + index + ") {");
    const Scope scope(env_, ranges_);
    const NodeId row = g_.params(g_.blocks(loop.node)[0])[0];
    define(row, {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    const std::unordered_set<NodeId> needed = needed_of_row(stages, roots);
    define_put_by(loop, "[" + index + " - " + stages.first_row + "]", &needed);
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (std::uint32_t i : stages.of_row)
        if (needed.contains(nodes[i].node)) f_.print_node(nodes[i], loop.blocks[0], i);
    f("[" + index + " - " + stages.first_row + "]");
    out_.close();
    out_.close_names();
}

// A loop over the block's indices in lanes, in which what other stages have made is known.
void ColumnPrinter::print_lanes(const ScheduledNode& loop, const ColumnStages& stages, std::size_t stage,
                                const std::string& row,
                                const std::function<void(const std::string& index, const std::string& place)>& f) {
    out_.open_names();
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const std::string index = index_of(loop), place = row + "[" + index + " - " + stages.first + "]";
    out_.line("#pragma omp simd");
    out_.open("for (std::int64_t " + index + " = " + stages.first + "; " + index + " < " + stages.last + "; ++" +
              index + ") {");
    const Scope scope(env_, ranges_);
    define(j, {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    ranges_.enter(Range{j, g_.operand(loop.node, 0), 0, 0});
    for (const auto& [node, buffer] : stages.buffers) {
        NodeId source = node;
        while (g_.is_project(source)) source = g_.operand(source, 0);
        if (stages.stage.at(source) < stage) define(node, {{buffer + place}, g_.type(node)});
    }
    const bool outer = std::exchange(at_.straight, true);
    f(index, place);
    at_.straight = outer;
    ranges_.leave();
    out_.close();
    out_.close_names();
}

// The reductions of an inner loop, and the buffers of their sums.
std::vector<Generator> ColumnPrinter::sums_of(const ScheduledNode& inner, ColumnStages& stages) {
    std::vector<Generator> sums;
    std::size_t result = 0;
    for (NodeId reduce : g_.results(g_.blocks(inner.node)[0])) {
        Generator& sum = sums.emplace_back();
        sum.shape = OpKind::Reduce, sum.node = reduce, sum.block = g_.blocks(reduce)[0];
        for (NodeId start : g_.operands(reduce).first(g_.operands(reduce).size() - 1)) {
            const NodeId value =
                g_.result_count(inner.node) == 1 ? inner.node : uses_.find_projection(inner.node, result);
            std::string buffer = value ? stages.buffers[value] : "";
            if (buffer.empty()) { // nobody reads it
                buffer = out_.fresh("values");
                out_.line(buffer_type(stages, g_.type(start)) + " " + buffer + ";");
            }
            sum.seeds.push_back(start);
            sum.state.push_back({buffer, g_.type(start), {}});
            ++result;
        }
    }
    return sums;
}

// An inner loop for all indices of the block: each sum is made in its own order.
void ColumnPrinter::print_column_loop(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage) {
    const ScheduledNode& inner = schedule_.blocks[loop.blocks[0]].nodes[stages.nodes[stage][0]];
    const Region region = inner.blocks[0];
    const NodeId k = g_.params(g_.blocks(inner.node)[0])[0], extent = g_.operand(inner.node, 0);
    const std::vector<Generator> sums = sums_of(inner, stages);
    std::vector<NodeId> seeds;
    for (const Generator& sum : sums) seeds.insert(seeds.end(), sum.seeds.begin(), sum.seeds.end());
    print_rows(stages, seeds, [&](const std::string& row) {
        print_lanes(loop, stages, stage, row, [&](const std::string&, const std::string& place) {
            for (const Generator& sum : sums)
                for (std::size_t c = 0; c < sum.state.size(); ++c)
                    out_.line(sum.state[c].name + place + " = " +
                              stored(binding(sum.seeds[c]), sum.state[c].type, false, sum.node) + ";");
        });
    });
    out_.open_names();
    const std::string step = out_.fresh("k");
    out_.open("for (std::int64_t " + step + " = 0; " + step + " < " + text(extent).text + "; ++" + step + ") {");
    const Scope scope(env_, ranges_);
    define(k, {{step}, types_.i64(), Form::Value, false, extent});
    ranges_.enter(Range{k, extent, 0, 0});
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const auto depends = [&](NodeId node, const ScheduledNode& on) {
        return g_.depends_on_number(node, g_.param_number(g_.params(g_.blocks(on.node)[0])[0]));
    };
    const auto varies = [&](NodeId node) { return stages.row_loop != nullptr && depends(node, *stages.row_loop); };
    const auto print_those = [&](bool along, bool of_row) {
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (depends(nodes[i].node, loop) == along && (along || varies(nodes[i].node) == of_row))
                f_.print_node(nodes[i], region, i);
    };
    print_those(false, false);
    const std::span<const NodeId> made = g_.results(g_.blocks(inner.node)[0]);
    print_rows(stages, made, [&](const std::string& row) {
        if (stages.row_loop != nullptr) print_those(false, true);
        print_lanes(loop, stages, stage, row, [&](const std::string&, const std::string& place) {
            print_those(true, false);
            for (Generator sum : sums) {
                std::vector<Binding> values;
                for (NodeId value : g_.operands(g_.operands(sum.node).back())) values.push_back(binding(value));
                f_.emissions.combine(region, sum, sum.state, place, values);
            }
        });
    });
    ranges_.leave();
    out_.close();
    out_.close_names();
}

// The arithmetic between inner loops, and behind the last one all that is collected. `rows`: of a tile, the views in each of which a row
// of a result stands.
void ColumnPrinter::print_arithmetic(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage,
                                     std::span<Generator> generators, std::span<const std::string> rows) {
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    const bool last = stage + 1 == stages.nodes.size();
    const auto collect = [&](const std::string& index) {
        for (const Generator& generator : generators)
            for (std::size_t k = 0; k < generator.outputs.size(); ++k)
                out_.line(generator.outputs[k].name + "[" + index + "] = " +
                          stored(binding(g_.operand(generator.emission, k)), types_.element(generator.outputs[k].type),
                                 false, generator.node) +
                          ";");
    };
    std::vector<NodeId> roots;
    for (std::uint32_t i : stages.nodes[stage]) // not the nodes themselves: what this stage makes, it does not read
        for_each_part(g_, nodes[i].node, [&](NodeId part) { roots.push_back(part); });
    for (const Generator& generator : generators)
        if (last) roots.push_back(generator.emission);
    print_rows(stages, roots, [&](const std::string& row) {
        std::size_t made = 0;
        for (Generator& generator : generators)
            for (Cell& cell : generator.outputs)
                if (last && !rows.empty()) {
                    const NodeId index = g_.params(g_.blocks(stages.row_loop->node)[0])[0];
                    cell.name = out_.fresh("row");
                    out_.line("const auto " + cell.name + " = " + rows[made++] + ".row(" + text(index).text + ");");
                }
        print_lanes(loop, stages, stage, row, [&](const std::string& index, const std::string& place) {
            for (std::uint32_t i : stages.nodes[stage]) f_.print_node(nodes[i], loop.blocks[0], i);
            for (std::uint32_t i : stages.nodes[stage])
                if (const auto found = stages.buffers.find(nodes[i].node); found != stages.buffers.end())
                    out_.line(found->second + place + " = " + text(nodes[i].node).text + ";");
            if (last) collect(index);
        });
    });
}

void ColumnPrinter::print_stages(const ScheduledNode& loop, ColumnStages& stages, std::span<Generator> generators,
                                 std::span<const std::string> rows) {
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (std::size_t stage = 0; stage < stages.nodes.size(); ++stage) {
        const std::vector<std::uint32_t>& list = stages.nodes[stage];
        if (list.empty() && (stages.rest || stage + 1 < stages.nodes.size())) continue;
        const auto is_kept = [&](std::uint32_t i) { return stages.buffers.contains(nodes[i].node); };
        if (!list.empty() && is_inner_loop(nodes[list[0]]))
            print_column_loop(loop, stages, stage);
        else if (!stages.rest || std::ranges::any_of(list, is_kept))
            print_arithmetic(loop, stages, stage, generators, rows);
    }
}

// The rest of the loop, for the indices of a block: it reads what the stages have put by.
void ColumnPrinter::print_rest(const ScheduledNode& loop, ColumnStages& stages, std::vector<Generator>& generators) {
    PutBy put_by{loop.node, true, stages.first, {stages.buffers.begin(), stages.buffers.end()}};
    std::swap(state_.put_by, put_by);
    std::vector<NodeId> there;
    for (const auto& [node, stage] : stages.stage)
        if (!is_read_again(node, stages) && at_.hoisted.insert(node).second) there.push_back(node);
    const bool outer = std::exchange(at_.puts_by, true);
    f_.loops.print_body(loop, generators, stages.first, stages.last);
    at_.puts_by = outer;
    for (NodeId node : there) at_.hoisted.erase(node);
    std::swap(state_.put_by, put_by);
}

void ColumnPrinter::print_columns(const ScheduledNode& loop, const InColumns& plan, std::vector<Generator>& generators,
                                  std::string_view begin, std::string_view end) {
    out_.open_names();
    out_.line(
        std::string("// Neighbouring indices side by side: what each inner loop makes of all of them, then the ") +
        (plan.rest ? "rest." : "arithmetic on it."));
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0));
    ColumnStages stages;
    stages.rest = plan.rest;
    find_stages(loop, generators, stages);
    stages.first = out_.fresh("first"), stages.last = out_.fresh("last");
    out_.open("for (std::int64_t " + stages.first + " = " + std::string(begin) + "; " + stages.first + " < " +
              std::string(end) + "; " + stages.first + " += " + std::to_string(columns) + ") {");
    out_.line("const std::int64_t " + stages.last + " = std::min<std::int64_t>(" + stages.first + " + " +
              std::to_string(columns) + ", " + std::string(end) + ");");
    print_stages(loop, stages, plan.rest ? std::span<Generator>() : generators, {});
    if (plan.rest) print_rest(loop, stages, generators);
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
