// Which loops of emitted C++ are asked to run in vector lanes.
#include "printers/cpp_printer.hpp"

#include <algorithm>
#include <map>

namespace irrewrite::printers {

// Scalars alone, computed without branches and without faults.
bool CppFunction::is_straight(Region region) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    if (!block.demands.empty()) return false;
    return std::all_of(block.nodes.begin(), block.nodes.end(), [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (g_.core(node) != Core::None || !types_.is_scalar(g_.type(node))) return false;
        switch (module_.shapes[g_.op(node).index]) {
        case Shape::Plain:
        case Shape::Select: return !g_.has(node, MayFault) && !g_.has(node, TakesToken);
        case Shape::Cast:
        case Shape::Len: return true;
        case Shape::At: {
            TypeId type = g_.type(g_.operand(node, 0));
            for (std::size_t k = 1; k < g_.operands(node).size(); ++k, type = types_.element(type))
                if (!is_within(g_.operand(node, k), k == 1 ? g_.operand(node, 0) : NodeId{}, type,
                               k - 1))
                    return false;
            return true;
        }
        default: return false;
        }
    });
}

// Sums are what lanes may regroup: their operator is associative, floats' by promise, and commutes.
// The accumulator, if it is one.
std::optional<std::string> CppFunction::lane_sum(const Generator& generator) const {
    if (generator.shape != Shape::Reduce || generator.state.size() != 1) return {};
    const NodeId result = g_.results(generator.block)[0];
    if (g_.is_param(result) || g_.is_literal(result) || g_.core(result) != Core::None) return {};
    const bool sum = g_.operation(result).cpp == "$0 + $1" && types_.is_scalar(g_.type(result)) &&
                     g_.is_param(g_.operand(result, 0)) && g_.is_param(g_.operand(result, 1)) &&
                     g_.operand(result, 0) != g_.operand(result, 1);
    if (!sum || !g_.is_number(generator.seeds[0])) return {};
    return generator.state[0].name;
}

std::string CppFunction::simd_pragma(const ScheduledNode& loop,
                                     std::span<const Generator> generators) {
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const Scope scope(*this);
    define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    bool straight = is_straight(loop.blocks[0]);
    for (auto [condition, region] : schedule_.blocks[loop.blocks[0]].guarded)
        straight = straight && is_straight(region);
    std::map<std::string, std::string> sums; // by what adds them
    for (const Generator& generator : generators) {
        const std::optional<std::string> sum = lane_sum(generator);
        NodeId emission = generator.emission;
        if (sum && module_.shapes[g_.op(emission).index] == Shape::When)
            emission = g_.operand(emission, 1);
        const bool collects = generator.shape == Shape::Collect && !generator.index.empty();
        straight =
            straight && (sum || collects) && module_.shapes[g_.op(emission).index] == Shape::Emit;
        for (const Cell& cell : generator.outputs)
            straight = straight && types_.is_scalar(types_.element(cell.type));
        if (!sum) continue;
        const TypeId type = generator.state[0].type;
        std::string& list =
            sums[types_.is_float(type) ? "+"
                                       : "wrap_sum_" + types_.text(type, module_.context.symbols)];
        list += (list.empty() ? "" : ", ") + *sum;
    }
    if (!straight) return {};
    std::string pragma = "#pragma omp simd";
    for (const auto& [operation, list] : sums)
        pragma += " reduction(" + operation + " : " + list + ")";
    return pragma;
}

// A guarded sum of values that may be computed anyway: a choice runs in lanes, a branch does not.
bool CppFunction::print_selected(Region region, NodeId condition,
                                 std::vector<std::pair<Generator*, NodeId>>& group) {
    Region inner = region;
    for (auto [node, index] : schedule_.blocks[region].guarded)
        if (node == condition) inner = index;
    if (inner == region || !is_straight(inner)) return false;
    for (auto [generator, emission] : group) {
        if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != Shape::Emit ||
            !generator->slots.empty())
            return false;
        if (!lane_sum(*generator)) return false;
    }
    const Scope scope(*this);
    print_nodes(inner);
    const Binding chosen = group.size() > 1
                               ? as_variable({text(condition), types_.boolean()}, "chosen")
                               : Binding{text(condition), types_.boolean()};
    for (auto [generator, emission] : group) {
        const std::string value =
            parenthesized(text(g_.operand(emission, 0)), precedence::logical_or);
        const TypeId type = generator->state[0].type;
        const std::string& name = generator->state[0].name;
        // Adding -0.0 changes nothing at all.
        const std::string nothing = types_.kind(type) == TypeKind::F32 ? "-0.0f"
                                    : types_.is_float(type)            ? "-0.0"
                                                                       : "0";
        const std::string choice =
            parenthesized(chosen.text, precedence::logical_or) + " ? " + value + " : " + nothing;
        line(types_.is_float(type) ? name + " += " + choice + ";"
                                   : name + " = wrap_add(" + name + ", " + choice + ");");
    }
    return true;
}

} // namespace irrewrite::printers
