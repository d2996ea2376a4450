// Classes of types by name: those of the language, and those that rule files declare, `class wide = u32 | u64`.
#pragma once

#include "engine/ir/graph.hpp"
#include "grammar/syntax/syntax.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace irrewrite::grammar {

std::optional<TypeClass> find_class(const Context& context, std::string_view name);
// The scalar types that are written with `|` between them, by the bits of their kinds.
std::uint16_t listed_kinds(Context& context, const SyntaxTree& tree, std::span<const SyntaxId> types,
                           Diagnostics& diagnostics);

// True if no type belongs to both.
bool disjoint(TypeClass a, TypeClass b);
// True if each type of `a` belongs to `b`.
bool within(TypeClass a, TypeClass b);

} // namespace irrewrite::grammar
