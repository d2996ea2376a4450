// The effects that are visible from outside: of functions, and of the blocks of pure operations.
#pragma once

#include "engine/analysis/aliasing.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/module.hpp"
#include "grammar/syntax/syntax.hpp"

#include <tsl/robin_map.h>

namespace irrewrite::grammar {

// Notes in Context::impure_functions which of the functions (those declared by `nodes`, Func nodes
// of the tree) have effects that callers can see: output, and reads or writes of memory that stands
// in their signature; and in Context::endless_functions which may not end. A fixpoint over calls; what operations occur
// decides, not whether they run.
void find_impure_functions(Context& context, const SyntaxTree& tree, std::span<const SyntaxId> nodes, Module& module);

// While a function is built: how deep inside blocks of pure operations each piece of memory was
// made. Such a block may change only memory of its own. Memory read from other memory counts as
// foreign (a limitation: a `ref` to a `ref` inside a `map`).
class MemoryLevels {
  public:
    explicit MemoryLevels(const Graph& graph) : graph_(graph) {}

    std::uint32_t current = 0; // how many blocks of pure operations are open

    // The level of what a node may refer to; parameters were given theirs by `set`.
    std::uint32_t of(NodeId node) const;
    void set(NodeId node, std::uint32_t level);
    // The lowest level among these.
    std::uint32_t lowest(std::span<const NodeId> nodes) const;

    // Notes the level of an application's memory. False when its effect can be seen outside the
    // innermost block of a pure operation.
    bool apply(OpId op, AttrId attrs, NodeId node, std::span<const NodeId> operands, std::span<const BlockId> blocks);

  private:
    bool is_visible(OpId op, AttrId attrs, std::span<const NodeId> operands) const;

    const Graph& graph_;
    tsl::robin_map<NodeId, std::uint32_t, std::hash<NodeId>> levels_;
};

} // namespace irrewrite::grammar
