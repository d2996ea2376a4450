// Which of the operations that are written alike (`+` on numbers and on a type of the user's) a term means, as far as the types
// of its operands say.
#pragma once

#include "engine/rules/rule.hpp"

#include <functional>

namespace irrewrite {

// Leaves those of Term::ops that take operands of the types that annotations and signatures give; where none does, those that
// take what these types are where the rule applies (`later`); all where none of them does.
void narrow_overloads(const Context& context, Rule& rule, const std::function<TypeId(TypeId)>& later);

} // namespace irrewrite
