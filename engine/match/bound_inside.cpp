#include "engine/match/bound_inside.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <vector>

namespace irrewrite {

namespace {

constexpr std::uint32_t not_bound =
    0; // what a user that reads an operand binds of it: a small number, of which nobody asks

struct User {
    NodeId node;
    std::uint32_t binds; // the number of the block through which it uses a node
};
struct Deep {
    NodeId owner;
    BlockId block;
};

// The bodies as far as they depend on parameters without a bit of their own.
struct Bodies {
    tsl::robin_map<NodeId, std::vector<User>, std::hash<NodeId>> users;
    std::vector<Deep> blocks;
};

std::uint32_t number_of(const Graph& graph, BlockId block) {
    const auto params = graph.params(block);
    return params.empty() ? not_bound : graph.param_number(params[0]);
}

Bodies bodies_from(const Graph& graph, std::span<const NodeId> roots) {
    const std::uint64_t bit = Graph::free_bit(number::max_height + 1);
    Bodies bodies;
    NodeSet seen;
    std::vector<NodeId> stack(roots.begin(), roots.end());
    const auto use = [&](NodeId part, NodeId node, std::uint32_t binds) {
        if (!(graph.free(part) & bit)) return;
        bodies.users[part].push_back({node, binds});
        stack.push_back(part);
    };
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (graph.is_param(node) || !seen.insert(node).second) continue;
        for (NodeId operand : graph.operands(node)) use(operand, node, not_bound);
        if (NodeId token = graph.token(node)) use(token, node, not_bound);
        for (BlockId block : graph.blocks(node)) {
            const std::uint32_t number = number_of(graph, block);
            if (number > number::max_height) bodies.blocks.push_back({node, block});
            for (NodeId result : graph.results(block)) use(result, node, number);
            if (NodeId exit = graph[block].exit) use(exit, node, number);
        }
    }
    return bodies;
}

} // namespace

// From each parameter to its users, up to the node of its block. Users are younger than what they use. So with the youngest such
// node first, a node that is found already has all its users below the present one found as well.
NodeSet bound_inside(const Graph& graph, std::span<const NodeId> roots) {
    Bodies bodies = bodies_from(graph, roots);
    std::ranges::sort(bodies.blocks, std::greater{}, &Deep::owner);
    NodeSet found;
    for (const auto& [owner, block] : bodies.blocks) {
        const std::uint32_t number = number_of(graph, block);
        const auto params = graph.params(block);
        std::vector<NodeId> stack(params.begin(), params.end());
        while (!stack.empty()) {
            const auto users = bodies.users.find(stack.back());
            stack.pop_back();
            if (users == bodies.users.end()) continue;
            for (const User& user : users->second)
                if (user.binds != number && found.insert(user.node).second) stack.push_back(user.node);
        }
    }
    return found;
}

} // namespace irrewrite
