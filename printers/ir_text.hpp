// The pieces that applications in printed IR are put together from.
#pragma once

#include "engine/graph.hpp"

namespace irrewrite::printers {

// A literal node; `suffixed` unless the text around it fixes its type.
std::string literal_text(const Graph& graph, NodeId literal, bool suffixed = true);
// The same as operand number `position` of `user`: without a suffix where another operand decides.
std::string literal_text(const Graph& graph, NodeId user, std::size_t position);
// `[f64]`, or nothing.
std::string attributes_text(const Graph& graph, NodeId node);

// An application is head, operands with a separator before each, tail, blocks: `Complex{`, `re = `,
// `}`; `add(`, `, `, `)`; nothing, `.0` for a projection.
std::string head_text(const Graph& graph, NodeId node);
std::string separator_text(const Graph& graph, NodeId node, std::size_t operand);
std::string tail_text(const Graph& graph, NodeId node);
// `: T` behind a result's name where inference would not find the node's type again.
std::string annotation_text(const Graph& graph, NodeId node, TypeId result);

} // namespace irrewrite::printers
