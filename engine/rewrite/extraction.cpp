#include "engine/rewrite/extraction.hpp"

#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <deque>

namespace irrewrite {

namespace {

constexpr std::uint32_t unchosen = UINT32_MAX;
constexpr std::size_t most_shared = 4000; // classes, each with the set of those that it needs

std::uint64_t sum(std::uint64_t a, std::uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

} // namespace

Extraction::Extraction(Graph& graph, const TermClasses& classes, FunctionRef<std::uint64_t(NodeId)> cost)
    : graph_(graph), classes_(classes) {
    classes.for_each([&](ClassId id) {
        const std::size_t room = std::max<std::size_t>(members_.size(), id + 1);
        members_.resize(room), users_.resize(room);
        ++count_;
    });
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
    chosen_.assign(members_.size(), unchosen);
}

// The least costs from below: those of a class go down until none does. (Knuth, "A Generalization of Dijkstra's Algorithm".)
void Extraction::choose_as_trees() {
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
            if (!known) continue;
            std::uint64_t cost = member.cost;
            for (ClassId of : member.inputs) cost = sum(cost, least[of]);
            if (cost >= least[id] && chosen_[id] != unchosen) continue;
            least[id] = cost, chosen_[id] = i, changed = true;
        }
        if (!changed) continue;
        for (ClassId user : users_[id])
            if (!is_open[user]) is_open[user] = true, open.push_back(user);
    }
}

// The classes that a member needs, itself among them; none: they are not all known, or it needs itself.
std::optional<Extraction::Needs> Extraction::needs(ClassId id, const Member& member,
                                                   const std::vector<Needs>& known) const {
    Needs all{{id, member.cost}};
    for (ClassId of : member.inputs) {
        if (known[of].empty()) return std::nullopt;
        Needs merged;
        std::ranges::set_union(all, known[of], std::back_inserter(merged), {}, &Weighed::id, &Weighed::id);
        all = std::move(merged);
    }
    const auto needs_itself = [&](ClassId of) { return std::ranges::binary_search(known[of], id, {}, &Weighed::id); };
    if (std::ranges::any_of(member.inputs, needs_itself)) return std::nullopt;
    return all;
}

// As egg's extraction gym does in `greedy_dag`.
bool Extraction::choose_shared() {
    if (count_ > most_shared) return false;
    std::vector<Needs> known(members_.size());
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
            auto needed = needs(id, members_[id][i], known);
            if (!needed) continue;
            std::uint64_t cost = 0;
            for (const Weighed& each : *needed) cost = sum(cost, each.cost);
            if (cost >= least[id] && chosen_[id] != unchosen) continue;
            least[id] = cost, chosen_[id] = i, known[id] = std::move(*needed), changed = true;
        }
        if (!changed) continue;
        for (ClassId user : users_[id])
            if (!is_open[user]) is_open[user] = true, open.push_back(user);
    }
    return true;
}

std::optional<NodeId> Extraction::term(NodeId node) {
    const ClassId of_node = classes_.find(node);
    enum : std::uint8_t { Unseen, Open, Done };
    std::vector<std::uint8_t> state(members_.size(), Unseen);
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
                if (state[of] == Open) return std::nullopt;
                stack.push_back(of);
            }
        state[id] = Open;
        if (stack.size() != before) continue;
        built_[id] = build(member);
        state[id] = Done;
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
