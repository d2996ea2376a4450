// Classes of types as sets of types.
#pragma once

#include "engine/ir/operations.hpp"

namespace irrewrite::grammar {

// True if no type belongs to both.
bool disjoint(TypeClass a, TypeClass b);
// True if each type of `a` belongs to `b`.
bool within(TypeClass a, TypeClass b);

} // namespace irrewrite::grammar
