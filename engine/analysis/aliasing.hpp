// Alias analysis by allocation site.
//
// An allocation is a function's own while only operations that read or write it take it as an operand: nothing else can
// then refer to it. All other memory (parameters, values read from memory, results of an `if`, values that escaped) is
// foreign, and may alias any foreign memory of its type. The operations' traits decide: an operand that is neither read
// nor written escapes, and so does one that the result aliases. (Rompf, "Lightweight Modular Staging and Embedded
// Compilers", section on tracking mutations per allocation site.)
#pragma once

#include "engine/ir/module.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

// True if values of this type are or hold memory: there is a `ref` or `mut` inside.
bool holds_memory(const Types& types, TypeId type);

// The operands (and results of blocks) that `node` hands on.
void handed_on(const Graph& graph, NodeId node, std::vector<NodeId>& out);

// The operands that say which element a node reads or writes; none: all of them.
std::vector<NodeId> positions(const Graph& graph, NodeId node);
// True if two positions are known to differ. (One may be that of a row: they are compared up to the shorter one.)
bool are_apart(const Graph& graph, std::span<const NodeId> a, std::span<const NodeId> b);

class AliasAnalysis {
  public:
    explicit AliasAnalysis(const Function& function);

    // Nothing but reads and writes of the function refers to it.
    bool is_own(NodeId node) const { return own_.contains(node); }
    bool may_be_one(NodeId a, NodeId b) const;

    // While a function is rewritten: `made` stands for `old`; `made` has these operands.
    void stands_for(NodeId made, NodeId old);
    void uses(NodeId made);
    // The number of allocations that are no longer the function's own.
    std::size_t lost() const { return lost_; }

  private:
    const Graph& graph_;
    tsl::robin_set<NodeId, std::hash<NodeId>> own_;
    // Allocations that made nodes hand on. Two blocks may have one in common, which is handed on in only one of them.
    tsl::robin_set<NodeId, std::hash<NodeId>> handed_on_;
    std::size_t lost_ = 0;
};

// Calls write(location) for what the effects of a node without blocks may change, and foreign() when
// that may be any foreign memory.
template <class Write, class Foreign>
void for_each_write(const Graph& graph, NodeId node, Write&& write, Foreign&& foreign) {
    const Operation& operation = graph.operation(node);
    auto operands = graph.operands(node);
    for (std::size_t i = 0; i < operands.size() && i < 64; ++i)
        if (operation.writes >> i & 1) write(operands[i]);
    if (operation.core != Core::Call || !graph.has(node, Advances)) return;
    for (NodeId operand : operands)
        if (holds_memory(graph.context().types, graph.type(operand))) return foreign();
}

} // namespace irrewrite
