#include "engine/multi_root/readers.hpp"

#include "engine/ir/reachability.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

Readers::Readers(const Graph& graph, const Schedule& schedule) : graph_(graph) {
    for (std::size_t b = 0; b < schedule.blocks.size(); ++b)
        for (const ScheduledNode& scheduled : schedule.blocks[b].nodes) block_of_[scheduled.node] = b;
}

// A node that stands in no block of its own (a projection, a part of the structure of a loop) is passed through. Blocks inside of
// the reader come behind `at` in the schedule; all others that it reads come before.
void Readers::for_each_read(NodeId reader, std::size_t at, FunctionRef<void(NodeId)> f) const {
    tsl::robin_set<NodeId, std::hash<NodeId>> seen{reader};
    std::vector<NodeId> stack;
    const auto visit = [&](NodeId node) {
        if (seen.insert(node).second) stack.push_back(node);
    };
    for_each_part(graph_, reader, visit);
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        f(node);
        const auto block = block_of_.find(node);
        if (block == block_of_.end() || block->second > at) for_each_part(graph_, node, visit);
    }
}

} // namespace irrewrite
