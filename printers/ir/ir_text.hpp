// The pieces of text that make up applications in printed IR.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite::printers {

// Appends a literal node; `suffixed` unless the text around it fixes its type.
void append_literal(std::string& out, const Graph& graph, NodeId literal, bool suffixed = true);
std::string literal_text(const Graph& graph, NodeId literal);
// The literal that is operand number `position` of `user`: without a suffix where another operand decides.
void append_operand(std::string& out, const Graph& graph, NodeId user, std::size_t position);
// `[f64]`, or nothing.
std::string attributes_text(const Graph& graph, NodeId node);

// An application is head, operands with a separator before each, tail, blocks: `Complex{`, `re = `,
// `}`; `add(`, `, `, `)`; nothing, `.0` for a projection.
void append_head(std::string& out, const Graph& graph, NodeId node);
void append_separator(std::string& out, const Graph& graph, NodeId node, std::size_t operand);
void append_tail(std::string& out, const Graph& graph, NodeId node);
// True if the names of its results need `: T`: inference would not find the node's type again.
bool is_annotated(const Graph& graph, NodeId node);

} // namespace irrewrite::printers
