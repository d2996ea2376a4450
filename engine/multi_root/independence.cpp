#include "engine/multi_root/independence.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace irrewrite {

Independence::Independence(const Graph& graph, std::span<const NodeId> given, std::span<const NodeId> candidates) {
    if (candidates.size() < least || candidates.size() > most) return;
    auto [oldest, youngest] = std::ranges::minmax(candidates);
    first_ = oldest.index;
    numbers_.assign(youngest.index - first_ + 1, none);
    for (NodeId node : candidates)
        if (std::uint32_t& number = numbers_[node.index - first_]; number == none) {
            number = static_cast<std::uint32_t>(candidates_.size());
            candidates_.push_back(node);
        }
    words_ = (candidates_.size() + 63) / 64;
    rows_.assign(candidates_.size() * words_, 0);
    std::vector<NodeId> nodes;
    for (NodeId node : given) // results of a node are not between it and its users
        if (node >= oldest && node <= youngest && !graph.is_project(node)) nodes.push_back(node);
    std::ranges::sort(nodes);
    const Neighbours down = parts(graph, nodes);
    Neighbours up(nodes.size());
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        for (std::uint32_t part : down[i]) up[part].push_back(i);
    close(nodes, down, true);
    close(nodes, up, false);
}

// The nodes of the block that each needs, past nodes that stand elsewhere.
Independence::Neighbours Independence::parts(const Graph& graph, std::span<const NodeId> nodes) const {
    tsl::robin_map<NodeId, std::uint32_t, std::hash<NodeId>> position;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) position[nodes[i]] = i;
    Neighbours out(nodes.size());
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    std::vector<NodeId> stack;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        seen.clear();
        auto visit = [&](NodeId part) {
            if (part.index >= first_ && seen.insert(part).second) stack.push_back(part);
        };
        for_each_part(graph, nodes[i], visit);
        while (!stack.empty()) {
            NodeId node = stack.back();
            stack.pop_back();
            if (auto it = position.find(node); it != position.end())
                out[i].push_back(it->second);
            else
                for_each_part(graph, node, visit);
        }
    }
    return out;
}

// Adds transitive dependence: neighbours pass on the rows that they reach.
void Independence::close(std::span<const NodeId> nodes, const Neighbours& next, bool down) {
    std::vector<Row> reached(nodes.size()); // empty: nothing
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const std::size_t i = down ? k : nodes.size() - 1 - k;
        Row row;
        auto join = [&](const Row& other) {
            if (row.empty()) row.resize(words_);
            for (std::size_t w = 0; w < words_; ++w) row[w] |= other[w];
        };
        for (std::uint32_t j : next[i])
            if (!reached[j].empty()) join(reached[j]);
        if (std::uint32_t own = number(nodes[i]); own != none && !row.empty())
            for (std::size_t w = 0; w < words_; ++w) rows_[own * words_ + w] |= row[w];
        for (std::uint32_t j : next[i])
            if (std::uint32_t neighbour = number(nodes[j]); neighbour != none) {
                if (row.empty()) row.resize(words_);
                row[neighbour / 64] |= std::uint64_t{1} << (neighbour % 64);
            }
        reached[i] = std::move(row);
    }
}

} // namespace irrewrite
