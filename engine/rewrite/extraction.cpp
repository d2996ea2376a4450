#include "engine/rewrite/extraction.hpp"

#include "engine/ir/substitute.hpp"
#include "engine/rewrite/term_costs.hpp"

#include <algorithm>
#include <deque>

namespace irrewrite {

namespace {

constexpr std::uint32_t unchosen = UINT32_MAX;
constexpr std::ptrdiff_t most_shared = 4000; // classes, each with the set of those that it needs

} // namespace

Extraction::Extraction(Graph& graph, const TermClasses& classes, FunctionRef<std::uint64_t(NodeId)> cost)
    : graph_(graph), classes_(classes) {
    members_.resize(classes.numbers()), users_.resize(classes.numbers());
    classes.for_each([&](ClassId id) {
        for (NodeId node : classes.members_of(id)) {
            Member member{node, cost(node), {}};
            for (NodeId input : classes.inputs(node)) {
                const ClassId of = classes.find(input);
                if (std::ranges::find(member.inputs, of) == member.inputs.end()) member.inputs.push_back(of);
                if (users_[of].empty() || users_[of].back() != id) users_[of].push_back(id);
            }
            members_[id].push_back(std::move(member));
        }
    });
}

// The least costs from below: those of a class go down until none does. (Knuth, "A Generalization of Dijkstra's
// Algorithm".) `weigh` says whether a member, the inputs of which have their terms, costs less than the least cost of its
// class, or is its first one, and notes its cost.
template <class Weigh> void Extraction::choose(Weigh&& weigh) {
    std::vector<std::uint64_t> least(members_.size(), UINT64_MAX);
    std::deque<ClassId> open;
    std::vector<bool> is_open(members_.size(), true);
    for (ClassId id = 0; id < members_.size(); ++id) open.push_back(id);
    chosen_.assign(members_.size(), unchosen);
    built_.assign(members_.size(), {});
    while (!open.empty()) {
        const ClassId id = open.front();
        open.pop_front();
        is_open[id] = false;
        bool changed = false;
        for (std::uint32_t i = 0; i < members_[id].size(); ++i) {
            const Member& member = members_[id][i];
            const bool known = std::ranges::all_of(member.inputs, [&](ClassId of) { return chosen_[of] != unchosen; });
            if (!known || !weigh(id, member, least, chosen_[id] == unchosen)) continue;
            chosen_[id] = i, changed = true;
        }
        if (!changed) continue;
        for (ClassId user : users_[id])
            if (!is_open[user]) is_open[user] = true, open.push_back(user);
    }
}

void Extraction::choose_as_trees() {
    choose([](ClassId id, const Member& member, std::vector<std::uint64_t>& least, bool first) {
        std::uint64_t cost = member.cost;
        for (ClassId of : member.inputs) cost = sum_of_costs(cost, least[of]);
        if (cost >= least[id] && !first) return false;
        least[id] = cost;
        return true;
    });
}

// The classes that a member needs, itself among them; none: it needs itself.
std::optional<Extraction::Needs> Extraction::needs(ClassId id, const Member& member,
                                                   const std::vector<Needs>& known) const {
    Needs all{{id, member.cost}};
    for (ClassId of : member.inputs) {
        Needs merged;
        std::ranges::set_union(all, known[of], std::back_inserter(merged), {}, &Weighed::id, &Weighed::id);
        all = std::move(merged);
    }
    const auto needs_itself = [&](ClassId of) { return std::ranges::binary_search(known[of], id, {}, &Weighed::id); };
    if (std::ranges::any_of(member.inputs, needs_itself)) return std::nullopt;
    return all;
}

// As `greedy_dag` of egg's extraction gym does.
bool Extraction::choose_shared() {
    if (std::ranges::count_if(members_, [](const auto& members) { return !members.empty(); }) > most_shared)
        return false;
    std::vector<Needs> known(members_.size());
    choose([&](ClassId id, const Member& member, std::vector<std::uint64_t>& least, bool first) {
        auto needed = needs(id, member, known);
        if (!needed) return false;
        std::uint64_t cost = 0;
        for (const Weighed& each : *needed) cost = sum_of_costs(cost, each.cost);
        if (cost >= least[id] && !first) return false;
        least[id] = cost, known[id] = std::move(*needed);
        return true;
    });
    return true;
}

std::optional<NodeId> Extraction::term(NodeId node) {
    const ClassId of_node = classes_.find(node);
    std::vector<bool> is_open(members_.size()); // its inputs are being built
    std::vector<ClassId> stack{of_node};
    while (!stack.empty()) {
        const ClassId id = stack.back();
        if (built_[id]) {
            stack.pop_back();
            continue;
        }
        if (chosen_[id] == unchosen) return std::nullopt;
        const Member& member = members_[id][chosen_[id]];
        const std::size_t before = stack.size();
        for (ClassId of : member.inputs)
            if (!built_[of]) {
                if (is_open[of]) return std::nullopt;
                stack.push_back(of);
            }
        is_open[id] = true;
        if (stack.size() != before) continue;
        built_[id] = build(member);
        is_open[id] = false;
        stack.pop_back();
    }
    return built_[of_node];
}

NodeId Extraction::build(const Member& member) {
    if (member.inputs.empty()) return member.node;
    Substitution parts(graph_);
    for (NodeId input : classes_.inputs(member.node)) {
        const NodeId by = built_[classes_.find(input)];
        if (by != input) parts.put(input, by);
    }
    return parts.empty() ? member.node : parts(member.node);
}

} // namespace irrewrite
