#include "engine/rewrite/term_classes.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

// Literals stand for their class, so that operations on them fold; then tuples and other groups, so that their parts are
// known; then what is older.
std::pair<unsigned, std::uint32_t> rank(const Graph& graph, NodeId node) {
    const Core core = graph.core(node);
    const bool group = core == Core::Pack || core == Core::Tuple || core == Core::Struct;
    return {graph.is_literal(node) ? 0u : graph.is_constant(node) ? 1u : group ? 2u : 3u, node.index};
}

} // namespace

bool keeps_faults(const Graph& graph, NodeId made, std::span<const NodeId> parts) {
    tsl::robin_set<NodeId, std::hash<NodeId>> due;
    for (NodeId part : parts)
        if (graph.has(part, DeepFault)) due.insert(part);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    std::vector<NodeId> stack{made};
    while (!due.empty() && !stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        due.erase(node);
        if (graph.is_param(node) || !graph.has(node, DeepFault) || !seen.insert(node).second) continue;
        for (NodeId operand : graph.operands(node)) stack.push_back(operand);
    }
    return due.empty();
}

TermClasses::ClassId TermClasses::root(ClassId id) const {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
    return id;
}

TermClasses::ClassId TermClasses::find(NodeId node) const {
    const ClassId id = node.index < class_of_.size() ? class_of_[node.index] : none;
    return id == none ? none : root(id);
}

std::span<const NodeId> TermClasses::all_members(NodeId node) const {
    const ClassId id = find(node);
    return id == none ? std::span<const NodeId>() : classes_[id].members;
}

std::span<const NodeId> TermClasses::members(NodeId node, OpId op) const {
    const auto all = all_members(node);
    const auto operation = [&](NodeId one) { return graph_.op(one); };
    const auto first = std::ranges::lower_bound(all, op, {}, operation);
    const auto last = std::ranges::upper_bound(all, op, {}, operation);
    return looked_at(
        all.subspan(static_cast<std::size_t>(first - all.begin()), static_cast<std::size_t>(last - first)));
}

std::span<const NodeId> TermClasses::users(NodeId operand) const {
    const ClassId id = find(operand);
    return id == none ? std::span<const NodeId>() : looked_at(classes_[id].users);
}

std::span<const NodeId> TermClasses::looked_at(std::span<const NodeId> nodes) const {
    looks_ -= std::min(looks_, nodes.size());
    return looks_ ? nodes : std::span<const NodeId>();
}

NodeId TermClasses::representative(NodeId node) const {
    const ClassId id = find(node);
    return id == none ? node : classes_[id].representative;
}

void TermClasses::remember(NodeId node, ClassId id) {
    if (node.index >= class_of_.size()) class_of_.resize(std::max<std::size_t>(graph_.size(), node.index + 1), none);
    class_of_[node.index] = id;
}

void TermClasses::create(NodeId node, bool is_leaf) {
    const auto id = static_cast<ClassId>(classes_.size());
    parents_.push_back(id);
    classes_.push_back({node, {node}, {}, time_});
    remember(node, id);
    born_.resize(class_of_.size());
    born_[node.index] = time_;
    ++nodes_;
    if (is_leaf) return;
    for (NodeId operand : graph_.operands(node)) {
        std::vector<NodeId>& users = classes_[find(operand)].users;
        if (users.empty() || users.back() != node) users.push_back(node);
    }
}

std::vector<NodeId> TermClasses::representatives(NodeId node) const {
    std::vector<NodeId> operands(graph_.operands(node).begin(), graph_.operands(node).end());
    for (NodeId& operand : operands) operand = representative(operand);
    return operands;
}

NodeId TermClasses::canonical(NodeId node) {
    const std::vector<NodeId> operands = representatives(node);
    if (std::ranges::equal(operands, graph_.operands(node))) return node;
    const std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
    const Node& old = graph_[node];
    return graph_.make({.op = old.op,
                        .attrs = old.attrs,
                        .operands = operands,
                        .blocks = blocks,
                        .token = graph_.token(node),
                        .type = old.type});
}

TermClasses::ClassId TermClasses::add(NodeId node) {
    std::vector<NodeId> stack{node};
    while (!stack.empty()) {
        const NodeId top = stack.back();
        if (find(top) != none) {
            stack.pop_back();
            continue;
        }
        const std::vector<NodeId> inputs = inputs_(top);
        if (inputs.empty()) {
            create(top, true);
            continue;
        }
        const std::size_t before = stack.size();
        for (NodeId input : inputs)
            if (find(input) == none) stack.push_back(input);
        if (stack.size() != before) continue;
        const NodeId made = canonical(top);
        if (made == top || !keeps_faults(graph_, made, representatives(top)))
            create(top, false);
        else if (const ClassId id = find(made); id != none)
            remember(top, id);
        else
            stack.push_back(made);
    }
    return find(node);
}

bool TermClasses::unite(NodeId a, NodeId b) {
    ClassId to = find(a), from = find(b);
    if (to == from) return false;
    if (classes_[to].members.size() + classes_[to].users.size() <
        classes_[from].members.size() + classes_[from].users.size())
        std::swap(to, from);
    Class &into = classes_[to], &gone = classes_[from];
    const bool takes = rank(graph_, gone.representative) < rank(graph_, into.representative);
    const std::vector<NodeId>& changed = takes ? into.users : gone.users;
    stale_users_.insert(stale_users_.end(), changed.begin(), changed.end());
    if (takes) into.representative = gone.representative;
    into.members.insert(into.members.end(), gone.members.begin(), gone.members.end());
    into.users.insert(into.users.end(), gone.users.begin(), gone.users.end());
    gone = {};
    into.changed = time_;
    parents_[from] = to;
    touched_.push_back(to);
    return true;
}

void TermClasses::restore() {
    while (!stale_users_.empty()) {
        const std::vector<NodeId> users = std::exchange(stale_users_, {});
        for (NodeId user : users) {
            if (is_stale(user)) continue;
            const NodeId made = canonical(user);
            if (made == user || graph_.type(made) != graph_.type(user)) continue;
            if (!keeps_faults(graph_, made, representatives(user))) continue;
            stale_.resize(std::max<std::size_t>(stale_.size(), graph_.size()));
            stale_[user.index] = true;
            touched_.push_back(find(user));
            add(made);
            unite(user, made);
        }
    }
    std::ranges::sort(touched_);
    const auto stale = [&](NodeId node) { return is_stale(node); };
    const auto age = [&](NodeId node) { return std::pair(graph_.op(node), node.index); };
    ClassId last = none;
    for (ClassId id : touched_) {
        if (parents_[id] != id || id == last) continue;
        last = id;
        std::vector<NodeId>& members = classes_[id].members;
        nodes_ -= std::erase_if(members, stale);
        std::ranges::sort(members, {}, age);
        std::vector<NodeId>& users = classes_[id].users;
        std::erase_if(users, stale);
        std::ranges::sort(users);
        users.erase(std::unique(users.begin(), users.end()), users.end());
    }
    touched_.clear();
}

} // namespace irrewrite
