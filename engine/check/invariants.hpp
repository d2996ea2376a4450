// Invariants of opaque types: operations with the trait `invariant`. What is no value of its type is a fault wherever an operation
// takes it, so that nothing is judged by it.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

#include <map>

namespace irrewrite {

class Invariants {
  public:
    // A fault of such a value.
    static bool is_broken(const Fault& fault) { return fault.what.ends_with(invariant_broken); }

    explicit Invariants(const Context& context);

    bool any() const { return !of_types_.empty(); }
    // None: the type has no invariant.
    OpId of(const Types& types, const TypeTerm& type) const;
    OpId of(const Types& types, TypeId type) const;
    // Wherever an operation is declared to take such a type.
    void guard(Module& module) const;
    // The same in a program as it was read, whatever types have become meanwhile.
    static void guard_as_read(Context& context, const RuleBase& base, Module& module);
    // The value, or a fault where the invariant does not hold.
    std::optional<NodeId> guarded(Graph& graph, NodeId value, OpId invariant) const;

  private:
    std::map<SymbolId, OpId> of_types_; // by name of the type
    OpId guard_;
    bool is_guard(const Graph& graph, NodeId node, OpId invariant) const;
    std::optional<NodeId> with_guards(Graph& graph, NodeId node) const;
};

} // namespace irrewrite
