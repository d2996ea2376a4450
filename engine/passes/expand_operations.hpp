// Expansion of generic operations. `op … = { … }` with type variables, blocks or attributes is a rule from the
// operation to its expansion (RuleBase::expansions). It is applied where the target has no meaning or text of its own
// for the operation, or at the end of the phase that the declaration names.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// Expands a node whose operation has a generic expansion. Empty: `why` has the reason.
std::optional<Replacement> expanded(const RuleBase& base, Function& function, NodeId node, std::string& why);

// The first words of that reason.
std::string cannot_expand(const Context& context, const Operation& operation);

struct ExpansionFault {
    std::string what;
    Span where;
};

// Expands what `plain` does not take as it is, and what that expands to, until nothing is left; joins the
// functions that are called on the way.
std::optional<ExpansionFault> expand_generic(const RuleBase& base, Module& module, const Module& library,
                                             const std::function<bool(const Operation&)>& plain);

} // namespace irrewrite
