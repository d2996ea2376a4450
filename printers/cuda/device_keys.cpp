// Keys, groups and histogram bins on the device: what kernels may do with them.
#include "printers/cuda/device_printer.hpp"

#include "engine/ir/reachability.hpp"

namespace irrewrite::printers {

bool DeviceAnalysis::is_sum(NodeId result) const {
    return types_.bits(g_.type(result)) >= 32 && g_.scalar(result) == Scalar::Add;
}

// The operation on two elements that an operator of rows makes each of the row's elements with: commutative, on what
// both rows have there, and nothing else; none if there is none.
NodeId DeviceAnalysis::elementwise(const Generator& generator) const {
    const std::span<const NodeId> results = g_.results(generator.block), rows = g_.params(generator.block);
    if (results.size() != 1 || g_.is_param(results[0]) || g_.is_literal(results[0]) ||
        g_.core(results[0]) != Core::None || module_.shapes[g_.op(results[0]).index] != OpKind::Loop ||
        rows.size() != 2)
        return {};
    const BlockId block = g_.blocks(results[0])[0];
    const NodeId collect = g_.results(block)[0], index = g_.params(block)[0];
    if (g_.results(block).size() != 1 || module_.shapes[g_.op(collect).index] != OpKind::Collect) return {};
    const NodeId emission = g_.operand(collect, 0);
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit ||
        g_.operands(emission).size() != 1)
        return {};
    const NodeId value = g_.operand(emission, 0);
    if (g_.is_param(value) || g_.is_literal(value) || g_.core(value) != Core::None || g_.operands(value).size() != 2 ||
        !g_.operation(value).commutative() || !types_.is_scalar(g_.type(value)))
        return {};
    const auto reads = [&](NodeId at, NodeId row) {
        return !g_.is_param(at) && !g_.is_literal(at) && g_.core(at) == Core::None &&
               module_.shapes[g_.op(at).index] == OpKind::At && g_.operands(at).size() == 2 &&
               g_.operand(at, 0) == row && g_.operand(at, 1) == index;
    };
    const NodeId a = g_.operand(value, 0), b = g_.operand(value, 1);
    const bool both = (reads(a, rows[0]) && reads(b, rows[1])) || (reads(a, rows[1]) && reads(b, rows[0]));
    const NodeId extent = g_.operand(results[0], 0);
    return both && ranges_.is_length(extent, rows[0], g_.type(rows[0]), 0) ? value : NodeId{};
}

// The generator that owns the bins: the histogram itself, or the generator of a bucket's groups.
const Generator& DeviceAnalysis::of_bins(const Generator& generator) {
    return generator.shape == OpKind::Bucket ? generator.inner[0] : generator;
}

TypeId DeviceAnalysis::bin_type(const Generator& generator) const {
    const TypeId type = of_bins(generator).state[0].type;
    return generator.shape == OpKind::Bucket ? type : types_.element(type);
}

// The region of the operator.
DeviceAnalysis::Region DeviceAnalysis::bins_region(const ScheduledNode& loop, const Generator& generator) const {
    return generator.shape == OpKind::Bucket ? uses_.nested_region(loop.blocks[0], generator.block) : loop.blocks[0];
}

// Operators of rows are not called: histogram bins are changed element by element.
std::vector<std::uint32_t> DeviceAnalysis::without_row_operators(const ScheduledNode& loop,
                                                                 std::span<const Generator> generators,
                                                                 std::span<const Region> regions) const {
    std::vector<Region> left(regions.begin(), regions.end());
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Histogram || !elementwise(generator)) continue;
        const Region whole = uses_.nested_region(loop.blocks[0], generator.block);
        std::erase(left, whole);
        for (const ScheduledNode& scheduled : schedule_.blocks[whole].nodes)
            for (Region inner : regions_within(schedule_, {scheduled.blocks.begin(), scheduled.blocks.end()}))
                std::erase(left, inner);
    }
    return left;
}

// The node that emits a key, under conditions if any: at most one for each index.
NodeId DeviceAnalysis::keyed(NodeId emission) const {
    while (!g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::When)
        emission = g_.operand(emission, 1);
    return !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit ? emission : NodeId{};
}

// Of each value of a group one at most is taken.
bool DeviceAnalysis::emits_one_of_group(NodeId emission) const {
    while (!g_.is_param(emission)) {
        const OpKind shape = module_.shapes[g_.op(emission).index];
        if (shape == OpKind::Emit) return true;
        if (shape != OpKind::When && shape != OpKind::Bind) return false;
        emission = shape == OpKind::When ? g_.operand(emission, 1) : g_.results(g_.blocks(emission)[0])[0];
    }
    return true;
}

// The rows of a parameter, where the value is that of the loop's index.
NodeId DeviceAnalysis::rows_of(NodeId value, NodeId index) const {
    if (g_.is_param(value) || g_.is_literal(value) || g_.core(value) != Core::None ||
        module_.shapes[g_.op(value).index] != OpKind::At)
        return {};
    const NodeId rows = g_.operand(value, 0);
    const bool own = g_.operands(value).size() == 2 && g_.operand(value, 1) == index && g_.is_param(rows) &&
                     g_.param_number(rows) == number::function;
    return own && module_.types.is_rows(g_.type(rows)) ? rows : NodeId{};
}

// The nodes that a step for these generators computes: of groups, all but keys.
std::unordered_set<NodeId> DeviceAnalysis::step_needs(std::span<const Generator> generators) const {
    std::vector<NodeId> roots;
    const auto add = [&](std::span<const NodeId> nodes) { roots.insert(roots.end(), nodes.begin(), nodes.end()); };
    for (const Generator& generator : generators) {
        if (generator.block) add(g_.results(generator.block));
        if (generator.then) add(g_.results(generator.then));
        if (generator.shape != OpKind::Bucket) {
            roots.push_back(generator.emission);
            continue;
        }
        const NodeId values = keyed(generator.emission), taken = generator.inner[0].emission;
        for (NodeId emission = generator.emission; emission != values; emission = g_.operand(emission, 1))
            roots.push_back(g_.operand(emission, 0));
        for (std::size_t k = 1; k < g_.operands(values).size(); ++k) {
            const bool binds = !g_.is_param(taken) && module_.shapes[g_.op(taken).index] == OpKind::Bind;
            const BlockId bound = binds ? g_.blocks(taken)[0] : BlockId{};
            if (!bound || reaches(g_, g_.results(bound), g_.params(bound)[k - 1]))
                roots.push_back(g_.operand(values, k));
        }
    }
    const std::vector<NodeId> nodes = reachable(g_, roots);
    return {nodes.begin(), nodes.end()};
}

// The types in which values are stored: elements of histogram bins or of collected arrays; accumulators.
std::vector<TypeId> DeviceAnalysis::part_types(const Generator& generator, std::span<const Cell> cells) const {
    const bool elements = generator.shape == OpKind::Histogram || generator.shape == OpKind::Collect;
    std::vector<TypeId> types;
    for (const Cell& cell : cells) types.push_back(elements ? types_.element(cell.type) : cell.type);
    return types;
}

// The types of the values that a generator receives, without the key.
std::vector<TypeId> DeviceAnalysis::given_types(const Generator& generator) const {
    const std::span<const TypeId> types = types_.elements(g_.type(generator.emission));
    return {types.begin() + (generator.shape == OpKind::Histogram ? 1 : 0), types.end()};
}

} // namespace irrewrite::printers
