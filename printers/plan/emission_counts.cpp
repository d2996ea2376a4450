// Emissions: how often they emit, and which nodes that needs.
#include "printers/plan/code_analysis.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {

// Collects the values that decide how often an emission emits: conditions and the extents of inner emissions. False if
// a value that is known only when it is emitted decides.
bool CodeAnalysis::add_counted(NodeId emission, std::vector<NodeId>& roots, std::vector<NodeId>& eaches) const {
    return std::ranges::all_of(atoms(emission), [&](NodeId atom) {
        if (g_.is_param(atom)) return false;
        switch (module_.shapes[g_.op(atom).index]) {
        case OpKind::Emit: return true;
        case OpKind::When: roots.push_back(g_.operand(atom, 0)); return add_counted(g_.operand(atom, 1), roots, eaches);
        case OpKind::Each:
            roots.push_back(g_.operand(atom, 0));
            eaches.push_back(atom);
            return add_counted(g_.results(g_.blocks(atom)[0])[0], roots, eaches);
        default: return false;
        }
    });
}

// Of emissions that may be counted: two with the same text emit equally often.
std::string CodeAnalysis::count_signature(NodeId emission) const {
    std::string text;
    for (NodeId atom : atoms(emission)) {
        const OpKind shape = module_.shapes[g_.op(atom).index];
        text += shape == OpKind::Emit
                    ? "1"
                    : std::to_string(g_.operand(atom, 0).index) + (shape == OpKind::When ? "?(" : "*(");
        if (shape == OpKind::When) text += count_signature(g_.operand(atom, 1)) + ")";
        if (shape == OpKind::Each) text += count_signature(g_.results(g_.blocks(atom)[0])[0]) + ")";
    }
    return text;
}

// True if the emission's number of values needs conditions alone, which are computed without branches; at most `most` of
// them.
bool CodeAnalysis::counts_straight(NodeId emission, Region region, std::uint64_t& most) const {
    most = 0;
    for (NodeId atom : atoms(emission)) {
        std::uint64_t inner = 1;
        const OpKind shape = module_.shapes[g_.op(atom).index];
        if (shape == OpKind::When) {
            const Region guarded = guarded_by(g_.operand(atom, 0), region);
            if (!is_straight(guarded) || !counts_straight(g_.operand(atom, 1), guarded, inner)) return false;
        } else if (shape == OpKind::Each) {
            const NodeId inside = g_.results(g_.blocks(atom)[0])[0], extent = g_.operand(atom, 0);
            if (!g_.is_number(extent) || g_.bits(extent) > most_in_block || g_.is_param(inside) ||
                module_.shapes[g_.op(inside).index] != OpKind::Emit)
                return false;
            inner = g_.bits(extent);
        }
        most += inner;
    }
    return true;
}

// In order, without `both` and `none`.
std::vector<NodeId> CodeAnalysis::atoms(NodeId emission) const {
    std::vector<NodeId> list, stack{emission};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        const OpKind shape = g_.is_param(node) ? OpKind::Emit : module_.shapes[g_.op(node).index];
        if (shape == OpKind::Both) {
            stack.push_back(g_.operand(node, 1));
            stack.push_back(g_.operand(node, 0));
        } else if (shape != OpKind::None) {
            list.push_back(node);
        }
    }
    return list;
}

// The number of the loop's results that the generator makes.
std::size_t CodeAnalysis::results_of(const Generator& generator) const {
    if (generator.shape == OpKind::Running) return 0;
    if (generator.shape == OpKind::Bucket) return results_of(generator.inner[0]);
    return types_.elements(g_.type(generator.node)).size();
}

// True for a count: each element of a group adds the same literal.
bool CodeAnalysis::adds_literal(const Generator& inner) const {
    NodeId emission = inner.emission;
    while (!g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Bind)
        emission = g_.results(g_.blocks(emission)[0])[0];
    return !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit &&
           g_.is_literal(g_.operand(emission, 0));
}

bool CodeAnalysis::has_as_many_bins(const Generator& a, const Generator& b) {
    return a.shape == OpKind::Histogram && b.shape == OpKind::Histogram && a.seeds[0] == b.seeds[0] &&
           a.spare == b.spare;
}

// True if there are enough histogram bins for every key.
bool CodeAnalysis::has_every_bin(const Generator& generator) const {
    if (adds_to_each_bin(generator)) return true;
    NodeId emission = generator.emission;
    while (!g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::When)
        emission = g_.operand(emission, 1);
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit ||
        !g_.is_number(generator.seeds[0]))
        return false;
    const std::optional<Interval> keys = ranges_.interval(g_.operand(emission, 0));
    return keys && keys->low >= 0 && keys->high < static_cast<std::int64_t>(g_.bits(generator.seeds[0]));
}

// True of a histogram that gets one value for each of its bins, in their order: an inner loop over them, whose index is the key.
bool CodeAnalysis::adds_to_each_bin(const Generator& generator) const {
    const NodeId each = generator.emission;
    if (generator.shape != OpKind::Histogram || g_.is_param(each) || !generator.through.empty() ||
        module_.shapes[g_.op(each).index] != OpKind::Each || g_.operand(each, 0) != generator.seeds[0])
        return false;
    const NodeId emission = g_.results(g_.blocks(each)[0])[0];
    return !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit &&
           g_.operand(emission, 0) == g_.params(g_.blocks(each)[0])[0];
}

// At each index, as `filter` does: then there is a bound on how many values come.
bool CodeAnalysis::emits_at_most_once(NodeId emission) const {
    while (!g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::When)
        emission = g_.operand(emission, 1);
    return types_.once(g_.type(emission));
}

std::unordered_set<NodeId> CodeAnalysis::needs(std::span<const Generator> generators) const {
    const std::vector<NodeId> nodes = reachable(g_, roots_of(generators));
    return {nodes.begin(), nodes.end()};
}

std::vector<NodeId> CodeAnalysis::roots_of(std::span<const Generator> generators) const {
    std::vector<NodeId> roots;
    for (const Generator& generator : generators) {
        roots.push_back(generator.emission);
        if (!generator.through.empty()) roots.push_back(generator.through[0]);
        if (generator.block)
            roots.insert(roots.end(), g_.results(generator.block).begin(), g_.results(generator.block).end());
    }
    return roots;
}

// Those of the second blocks as well.
void CodeAnalysis::add_nodes(Region region, std::unordered_set<NodeId>& list) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    for (const ScheduledNode& scheduled : block.nodes) {
        list.insert(scheduled.node);
        for (Region inner : scheduled.blocks) add_nodes(inner, list);
    }
    for (auto [condition, inner] : block.guarded) add_nodes(inner, list);
    for (auto [nested, inner] : block.nested) add_nodes(inner, list);
}

// Each pass feeds every generator with the next of its atoms. `joins_loops`: inner loops over one range are one loop.
std::vector<FedTogether> CodeAnalysis::feeding_order(std::span<const std::pair<Generator*, NodeId>> list,
                                                     bool joins_loops) const {
    std::vector<FedTogether> passes;
    for (auto [generator, emission] : list) {
        const std::vector<NodeId> emitted = atoms(emission);
        if (passes.size() < emitted.size()) passes.resize(emitted.size());
        for (std::size_t pass = 0; pass < emitted.size(); ++pass) {
            const NodeId atom = emitted[pass];
            const OpKind shape = g_.is_param(atom) ? OpKind::Emit : module_.shapes[g_.op(atom).index];
            if (shape == OpKind::Emit) {
                passes[pass].values.emplace_back(generator, atom);
                continue;
            }
            const bool by_operand = shape == OpKind::When || (shape == OpKind::Each && joins_loops);
            const NodeId by = by_operand ? g_.operand(atom, 0) : atom;
            std::vector<FedTogether::Group>& groups = passes[pass].groups;
            auto found = std::ranges::find_if(
                groups, [&](const FedTogether::Group& group) { return group.shape == shape && group.by == by; });
            if (found == groups.end()) found = groups.insert(found, {shape, by});
            found->list.emplace_back(generator, shape == OpKind::When ? g_.operand(atom, 1) : atom);
        }
    }
    return passes;
}

} // namespace irrewrite::printers
