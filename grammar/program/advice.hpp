// Second lines of messages ("help:"): how this language says what programmers of other languages write, and what the
// declaration of an operation asks for.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/ir/infer_types.hpp"

#include <span>
#include <string>
#include <string_view>

namespace irrewrite::grammar {

// `double`: the type is 'f64'. Empty: nothing to say; so for all of these.
std::string advice_on_type(std::string_view name);
// `let`, `length`, `P` of `struct P {…}`, `f` of `func @f`.
std::string advice_on_operation(const Context& context, std::string_view name, bool is_function);
// `%a and %b`
std::string advice_on_infix(std::string_view name);
// Operands that the operation does not take.
std::string advice_on_operands(const Context& context, OpId op, std::span<const OperandInfo> operands);
// So many values are returned, and these are the results.
std::string advice_on_results(const Context& context, std::span<const TypeId> results, std::size_t returned);
// `%s = %s + 1`
std::string advice_on_changes(std::string_view name);
// `%xs.0`, `%xs.sum` of a value of that type
std::string advice_on_part(const Context& context, TypeId whole, std::string_view name);
// A node without results where a value is due.
std::string advice_on_no_value(const Graph& graph, NodeId node);
// it is declared 'op at([]?T, i64) -> ?T'
std::string declared_as(const Context& context, OpId op);

} // namespace irrewrite::grammar
