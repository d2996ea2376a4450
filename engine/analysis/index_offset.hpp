// An index, and a number that is added to it.
#pragma once

#include "engine/ir/graph.hpp"

#include <optional>
#include <utility>

namespace irrewrite {

// An integer that is small enough for sums of a few not to overflow.
std::optional<std::int64_t> small_number(const Graph& graph, NodeId node);

// `x + 3`, `3 + x` and `x - 3` as x and the number; any other node with 0.
std::pair<NodeId, std::int64_t> split_offset(const Graph& graph, NodeId node);

// `n - 1 - x` and the like as n, x and the number -1; none of any other node.
struct Mirrored {
    NodeId end, index;
    std::int64_t offset; // the node is end + offset - index
};
std::optional<Mirrored> split_mirrored(const Graph& graph, NodeId node);

} // namespace irrewrite
