#include "grammar/program/numeral_types.hpp"

namespace irrewrite::grammar {

TypeKind kind_of_number(const Types& types, const NumberText& text, TypeId due) {
    if (text.suffix) return *text.suffix;
    if (due && (types.is_float(due) || (!text.is_float && types.is_integer(due)))) return types.kind(due);
    return text.is_float ? TypeKind::F64 : TypeKind::I64;
}

bool judges_results(const Operation& operation) {
    const auto& results = operation.signature.results;
    return results.size() == 1 && results[0].kind == TypeTerm::Kind::Attribute;
}

bool may_give(const Context& context, OpId op, TypeId operand, TypeId type) {
    const Operation& operation = context.operations[op];
    if (!judges_results(operation)) return true;
    const std::string_view name = context.symbols[operation.name];
    if (name == "none") return context.types.kind(type) == TypeKind::Emission;
    if (name == "cast") return context.types.is_scalar(type);
    if (name == "ensure") return context.types.agree(operand, type);
    return true;
}

} // namespace irrewrite::grammar
