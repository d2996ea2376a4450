// Fission of loops of emitted C++ in which some results can be vectorized and others, such as histogram bins and
// groups, cannot: block by block of indices, first the vector loop, then the scalar one. Blocks are small enough that
// data read by both comes from memory once.
#include "printers/cpp/cpp_printer.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {
constexpr std::size_t columns = 256; // side by side: what is made of them stays in the cache

constexpr std::size_t most_repeated = 16; // operations that may be done for both
constexpr unsigned block_size = 4096;
constexpr unsigned most_counted = (1u << 16) / block_size - 1; // so much at each index comes to less than 2^16

} // namespace

std::unordered_set<NodeId> CppFunction::needs(std::span<const Generator> generators) const {
    std::vector<NodeId> roots;
    for (const Generator& generator : generators) {
        roots.push_back(generator.emission);
        if (!generator.through.empty()) roots.push_back(generator.through[0]);
        if (generator.block)
            roots.insert(roots.end(), g_.results(generator.block).begin(), g_.results(generator.block).end());
    }
    const std::vector<NodeId> nodes = reachable(g_, roots);
    return {nodes.begin(), nodes.end()};
}

// Between the ends at least.
bool CppFunction::may_run_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    return runs_in_lanes(loop, generators) || find_edges(loop, generators);
}

// Empty where all results are made in one way, or where much would be computed twice.
std::optional<FissionPlan> CppFunction::lanes_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda || only_ != nullptr || hot_ > 1 || generators.size() < 2 ||
        may_run_in_lanes(loop, generators))
        return {};
    FissionPlan apart;
    for (const Generator& generator : generators) {
        if (generator.shape == OpKind::Scan || generator.shape == OpKind::Running || generator.fed_by) return {};
        const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
        only_ = &needed;
        const bool lanes = may_run_in_lanes(loop, std::span(&generator, 1));
        only_ = nullptr;
        (lanes ? apart.lanes : apart.others).push_back(generator);
    }
    if (apart.lanes.empty() || apart.others.empty()) return {};
    const std::unordered_set<NodeId> lanes = needs(apart.lanes), others = needs(apart.others);
    std::size_t twice = 0;
    for (std::uint32_t region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (!lanes.contains(scheduled.node) || !others.contains(scheduled.node)) continue;
            const bool cheap = scheduled.blocks.empty() && g_.core(scheduled.node) != Core::Call &&
                               !g_.operation(scheduled.node).has(Trait::Approximate);
            twice += cheap ? 1 : most_repeated + 1;
        }
    return twice <= most_repeated ? std::optional(std::move(apart)) : std::nullopt;
}

// True if the sum over a block fits in 16 bits, and all elements read are as narrow: a vector then has four times the
// lanes that it has for 64 bits.
bool CppFunction::counts_in_block(const ScheduledNode& loop, const Generator& generator) {
    NodeId emission = generator.emission;
    if (module_.shapes[g_.op(emission).index] == OpKind::When) emission = g_.operand(emission, 1);
    if (!lane_sum(generator) || !types_.is_integer(generator.state[0].type) ||
        types_.bits(generator.state[0].type) <= 16)
        return false;
    if (module_.shapes[g_.op(emission).index] != OpKind::Emit) return false;
    const std::optional<Interval> added = ranges_.interval(g_.operand(emission, 0));
    if (!added || added->low < 0 || added->high > most_counted) return false;
    const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
    return std::ranges::all_of(needed, [&](NodeId node) {
        const bool reads = !g_.is_param(node) && !g_.is_literal(node) && g_.core(node) == Core::None &&
                           module_.shapes[g_.op(node).index] == OpKind::At &&
                           g_.depends_on_number(node, g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]));
        return !reads || (types_.is_scalar(g_.type(node)) && types_.bits(g_.type(node)) <= 16);
    });
}

// Each counter of the block, and what it is added to.
std::vector<std::pair<std::string, std::string>> CppFunction::declare_block_counters(const ScheduledNode& loop,
                                                                                     std::span<Generator> generators) {
    std::vector<std::pair<std::string, std::string>> counters;
    for (Generator& generator : generators) {
        if (!counts_in_block(loop, generator)) continue;
        const std::string name = out_.fresh("count");
        out_.line("std::uint16_t " + name + " = 0;");
        counters.emplace_back(name, generator.state[0].name);
        generator.state[0] = {name, types_.scalar(TypeKind::U16), "0"};
    }
    return counters;
}

void CppFunction::print_apart(const ScheduledNode& loop, FissionPlan& apart, std::string_view begin,
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
        const std::unordered_set<NodeId> needed = needs(*part);
        only_ = &needed;
        print_body(loop, *part, block, stop);
        only_ = nullptr;
        if (part == &apart.others) continue;
        for (const auto& [count, sum] : counters) out_.line(sum + " = wrap_add(" + sum + ", " + count + ");");
    }
    out_.close();
    out_.close_names();
}

// -- columns side by side ----------------------------------------------------------------------------

// True if an inner loop reduces what it reads at every k along the rows that j runs along.
bool CppFunction::runs_along(const ScheduledNode& inner, NodeId j, bool& pays) {
    const BlockId body = g_.blocks(inner.node)[0];
    const std::uint32_t along = g_.param_number(j);
    const ScheduledBlock& block = schedule_.blocks[inner.blocks[0]];
    if (g_.depends_on_number(g_.operand(inner.node, 0), along) || !block.guarded.empty() || waits(inner.blocks[0]))
        return false;
    for (NodeId reduce : g_.results(body)) {
        if (module_.shapes[g_.op(reduce).index] != OpKind::Reduce) return false;
        const NodeId emission = g_.operands(reduce).back();
        const Region operation = uses_.nested_region(inner.blocks[0], g_.blocks(reduce)[0]);
        if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit || operation == UINT32_MAX ||
            !schedule_.blocks[operation].guarded.empty() || !is_straight(operation))
            return false;
        for (NodeId start : g_.operands(reduce).first(g_.operands(reduce).size() - 1))
            if (!types_.is_scalar(g_.type(start)) || g_.depends_on_number(start, along)) return false;
    }
    return reads_along(inner, j, pays);
}

// True if a loop collects scalars that are made of several such reductions, one of which may need another.
bool CppFunction::runs_in_columns(const ScheduledNode& loop, std::span<const Generator> generators) {
    const ScheduledBlock& block = schedule_.blocks[loop.blocks[0]];
    if (module_.options.cuda || only_ != nullptr || !block.guarded.empty() || !block.nested.empty() ||
        waits(loop.blocks[0]))
        return false;
    const auto collects = [&](const Generator& generator) {
        return generator.shape == OpKind::Collect && !generator.reversed && !generator.index.empty() &&
               generator.count.empty() && generator.slots.empty() && generator.through.empty() && !generator.fed_by &&
               !g_.is_param(generator.emission) && module_.shapes[g_.op(generator.emission).index] == OpKind::Emit &&
               std::ranges::all_of(g_.operands(generator.emission),
                                   [&](NodeId value) { return types_.is_scalar(g_.type(value)); });
    };
    if (!std::ranges::all_of(generators, collects)) return false;
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const Scope scope(*this);
    define(j, {{"j"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    bool pays = false;
    for (const ScheduledNode& scheduled : block.nodes) {
        if (scheduled.is_on_demand()) return false;
        const bool is_loop =
            g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::Loop;
        if (is_loop ? !runs_along(scheduled, j, pays) : !is_straight(scheduled)) return false;
    }
    return pays;
}

ColumnStages CppFunction::column_stages(const ScheduledNode& loop, std::span<const Generator> generators) {
    ColumnStages stages;
    stages.nodes.emplace_back();
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        if (!nodes[i].blocks.empty() && !stages.nodes.back().empty()) stages.nodes.emplace_back();
        stages.stage[nodes[i].node] = stages.nodes.size() - 1;
        stages.nodes.back().push_back(i);
        if (!nodes[i].blocks.empty()) stages.nodes.emplace_back();
    }
    const auto use = [&](NodeId value, std::size_t stage) {
        NodeId source = value;
        while (g_.is_project(source)) source = g_.operand(source, 0);
        const auto found = stages.stage.find(source);
        if (found == stages.stage.end() || found->second == stage || stages.buffers.contains(value)) return;
        stages.buffers[value] = out_.fresh("values");
        out_.line("std::array<" + value_type(g_.type(value)) + ", " + std::to_string(columns) + "> " +
                  stages.buffers[value] + ";");
    };
    for (std::size_t stage = 0; stage < stages.nodes.size(); ++stage)
        for (std::uint32_t i : stages.nodes[stage]) {
            for (NodeId operand : g_.operands(nodes[i].node)) use(operand, stage);
            for (Region region : regions_within(schedule_, {nodes[i].blocks.begin(), nodes[i].blocks.end()})) {
                const ScheduledBlock& inner = schedule_.blocks[region];
                for (const ScheduledNode& scheduled : inner.nodes)
                    for (NodeId operand : g_.operands(scheduled.node)) use(operand, stage);
                for (NodeId result : g_.results(inner.id))
                    for (NodeId value : reachable(g_, {&result, 1})) use(value, stage);
            }
        }
    for (const Generator& generator : generators)
        for (NodeId value : g_.operands(generator.emission)) use(value, stages.nodes.size() - 1);
    return stages;
}

// A loop over the block's indices in lanes, in which what other stages have made is known.
template <class F>
void CppFunction::print_lanes(const ScheduledNode& loop, const ColumnStages& stages, std::size_t stage, F&& f) {
    out_.open_names();
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const std::string index = index_of(loop), place = "[" + index + " - " + stages.first + "]";
    out_.line("#pragma omp simd");
    out_.open("for (std::int64_t " + index + " = " + stages.first + "; " + index + " < " + stages.last + "; ++" +
              index + ") {");
    const Scope scope(*this);
    define(j, {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    ranges_.enter(Range{j, g_.operand(loop.node, 0), 0, 0});
    for (const auto& [node, buffer] : stages.buffers) {
        NodeId source = node;
        while (g_.is_project(source)) source = g_.operand(source, 0);
        if (stages.stage.at(source) < stage) define(node, {{buffer + place}, g_.type(node)});
    }
    const bool outer = std::exchange(straight_, true);
    f(index, place);
    straight_ = outer;
    ranges_.leave();
    out_.close();
    out_.close_names();
}

// An inner loop for all indices of the block: each sum is made in its own order.
void CppFunction::print_column_loop(const ScheduledNode& loop, ColumnStages& stages, std::size_t stage) {
    const ScheduledNode& inner = schedule_.blocks[loop.blocks[0]].nodes[stages.nodes[stage][0]];
    const Region region = inner.blocks[0];
    const BlockId body = g_.blocks(inner.node)[0];
    const NodeId k = g_.params(body)[0], j = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(inner.node, 0);
    std::vector<Generator> sums;
    std::size_t result = 0;
    for (NodeId reduce : g_.results(body)) {
        Generator& sum = sums.emplace_back();
        sum.shape = OpKind::Reduce, sum.node = reduce, sum.block = g_.blocks(reduce)[0];
        for (NodeId start : g_.operands(reduce).first(g_.operands(reduce).size() - 1)) {
            const NodeId value =
                g_.result_count(inner.node) == 1 ? inner.node : uses_.find_projection(inner.node, result);
            std::string buffer = value ? stages.buffers[value] : "";
            if (buffer.empty()) { // nobody reads it
                buffer = out_.fresh("values");
                out_.line("std::array<" + value_type(g_.type(start)) + ", " + std::to_string(columns) + "> " + buffer +
                          ";");
            }
            sum.seeds.push_back(start);
            sum.state.push_back({buffer, g_.type(start), {}});
            ++result;
        }
    }
    print_lanes(loop, stages, stage, [&](const std::string&, const std::string& place) {
        for (const Generator& sum : sums)
            for (std::size_t c = 0; c < sum.state.size(); ++c)
                out_.line(sum.state[c].name + place + " = " +
                          stored(binding(sum.seeds[c]), sum.state[c].type, false, sum.node) + ";");
    });
    out_.open_names();
    const std::string row = out_.fresh("k");
    out_.open("for (std::int64_t " + row + " = 0; " + row + " < " + text(extent).text + "; ++" + row + ") {");
    const Scope scope(*this);
    define(k, {{row}, types_.i64(), Form::Value, false, extent});
    ranges_.enter(Range{k, extent, 0, 0});
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const auto print_those = [&](bool along) {
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (g_.depends_on_number(nodes[i].node, g_.param_number(j)) == along) print_node(nodes[i], region, i);
    };
    print_those(false);
    print_lanes(loop, stages, stage, [&](const std::string&, const std::string& place) {
        print_those(true);
        for (const Generator& sum : sums) {
            std::vector<Binding> values;
            for (NodeId value : g_.operands(g_.operands(sum.node).back())) values.push_back(binding(value));
            combine(region, sum, sum.state, place, values);
        }
    });
    ranges_.leave();
    out_.close();
    out_.close_names();
}

void CppFunction::print_columns(const ScheduledNode& loop, std::span<Generator> generators, std::string_view begin,
                                std::string_view end) {
    const Region region = loop.blocks[0];
    out_.open_names();
    out_.line(
        "// Neighbouring indices side by side: what each inner loop makes of all of them, then the arithmetic on it.");
    ColumnStages stages = column_stages(loop, generators);
    stages.first = out_.fresh("first"), stages.last = out_.fresh("last");
    out_.open("for (std::int64_t " + stages.first + " = " + std::string(begin) + "; " + stages.first + " < " +
              std::string(end) + "; " + stages.first + " += " + std::to_string(columns) + ") {");
    out_.line("const std::int64_t " + stages.last + " = std::min<std::int64_t>(" + stages.first + " + " +
              std::to_string(columns) + ", " + std::string(end) + ");");
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const auto collect = [&](const std::string& index) {
        for (const Generator& generator : generators)
            for (std::size_t k = 0; k < generator.outputs.size(); ++k)
                out_.line(generator.outputs[k].name + "[" + index + "] = " +
                          stored(binding(g_.operand(generator.emission, k)), types_.element(generator.outputs[k].type),
                                 false, generator.node) +
                          ";");
    };
    for (std::size_t stage = 0; stage < stages.nodes.size(); ++stage) {
        const std::vector<std::uint32_t>& list = stages.nodes[stage];
        const bool last = stage + 1 == stages.nodes.size();
        if (list.empty() && !last) continue;
        if (!list.empty() && !nodes[list[0]].blocks.empty()) {
            print_column_loop(loop, stages, stage);
            continue;
        }
        print_lanes(loop, stages, stage, [&](const std::string& index, const std::string& place) {
            for (std::uint32_t i : list) print_node(nodes[i], region, i);
            for (std::uint32_t i : list)
                if (const auto found = stages.buffers.find(nodes[i].node); found != stages.buffers.end())
                    out_.line(found->second + place + " = " + text(nodes[i].node).text + ";");
            if (last) collect(index);
        });
    }
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
