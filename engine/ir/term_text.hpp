// A term on one line, for messages: IR text, with `…` for subterms that would make it long.
#pragma once

#include "engine/ir/graph.hpp"

#include <string>

namespace irrewrite {

// Several terms of one message share it: parameters of blocks around them are `%0`, `%1`, … in the order
// they first appear.
struct TermNames {
    std::vector<NodeId> params;
    std::vector<std::pair<NodeId, std::string>> bound{}; // parameters of blocks around them that have names
};

// At most about `size` nodes.
std::string term_text(const Graph& graph, NodeId node, TermNames& names, std::size_t size = 30);
std::string term_text(const Graph& graph, NodeId node);

} // namespace irrewrite
