// Terms of a pattern's list that the conditions bind to a result by its number:
//
//   (loop(?n) { |%i| ?a(%i)..., gen.collect(?e(%i)), ?b(%i)... }).#k
//     where results(?a) <= #k, #k < results(?a) + results(?e)
//
// A generator of `collect` has as many results as its emission has values, which its signature says; so it is the node
// that result #k of the list comes from, and no other needs to be tried.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

// Fills in Rule::places.
void find_places(const Context& context, Rule& rule);

} // namespace irrewrite
