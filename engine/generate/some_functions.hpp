// Functions for instances of rules about calls of any function, `@#f(?x...)`.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"

namespace irrewrite {

// Adds a few, with one to three parameters, if there are such rules.
void add_some_functions(Context& context, const RuleBase& base, Module& module);
// A rule of whole functions is applied to this: the function that an instance of its left side, the call of a block, stands
// for. Nothing: the instance is something else.
bool become_function(Function& instance);

} // namespace irrewrite
