#include "grammar/program/advice.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

struct Word {
    std::string_view foreign, own;
};

constexpr Word type_words[] = {
    {"double", "f64"},  {"float64", "f64"},  {"real", "f64"},      {"float", "f32"},    {"float32", "f32"},
    {"int", "i64"},     {"integer", "i64"},  {"long", "i64"},      {"int64", "i64"},    {"int64_t", "i64"},
    {"index", "i64"},   {"isize", "i64"},    {"ptrdiff_t", "i64"}, {"int32", "i32"},    {"int32_t", "i32"},
    {"short", "i16"},   {"int16", "i16"},    {"int16_t", "i16"},   {"int8", "i8"},      {"int8_t", "i8"},
    {"uint", "u64"},    {"usize", "u64"},    {"size_t", "u64"},    {"uint64", "u64"},   {"uint64_t", "u64"},
    {"uint32", "u32"},  {"uint32_t", "u32"}, {"uint16", "u16"},    {"uint16_t", "u16"}, {"uint8", "u8"},
    {"uint8_t", "u8"},  {"byte", "u8"},      {"char", "u8"},       {"boolean", "bool"}, {"i1", "bool"},
    {"string", "[]u8"}, {"String", "[]u8"},  {"str", "[]u8"},      {"text", "[]u8"},    {"void", "unit"},
};

constexpr Word operation_words[] = {
    {"length", "len"},         {"size", "len"},       {"sizeof", "len"},      {"fold", "foldl"},
    {"fold_left", "foldl"},    {"inject", "foldl"},   {"mod", "rem"},         {"modulo", "rem"},
    {"power", "pow"},          {"range", "iota"},     {"arange", "iota"},     {"ternary", "select"},
    {"append", "concat"},      {"println", "print"},  {"printf", "print"},    {"collect", "filter"},
    {"tabulate", "generate"},  {"build", "generate"}, {"prefix_sum", "scan"}, {"cumsum", "scan"},
    {"minimum", "min"},        {"maximum", "max"},    {"negate", "neg"},      {"absolute", "abs"},
    {"get_at", "at"},          {"index", "at"},       {"nth", "at"},          {"fill", "replicate"},
    {"repeat", "replicate"},   {"lshift", "shl"},     {"rshift", "shr"},      {"flat_map", "flatmap"},
    {"concat_map", "flatmap"}, {"map2", "map"},       {"zip_with", "map"},    {"convert", "cast"},
};

constexpr Word infix_words[] = {{"and", "&&"}, {"or", "||"}, {"not", "!"}, {"mod", "%"}, {"rem", "%"}, {"div", "/"}};

constexpr std::string_view binding_words[] = {"let", "var", "val", "const", "auto", "mut", "def"};

template <std::size_t N> std::string_view own_word(const Word (&words)[N], std::string_view foreign) {
    const auto found = std::ranges::find(words, foreign, &Word::foreign);
    return found == std::end(words) ? std::string_view{} : found->own;
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_number(const Types& types, TypeId type) {
    return type && (types.is_integer(type) || types.kind(type) == TypeKind::F32 || types.kind(type) == TypeKind::F64);
}

// Of two types of numbers the one that has room for both.
TypeId wider(const Types& types, TypeId a, TypeId b) {
    const bool float_a = !types.is_integer(a), float_b = !types.is_integer(b);
    if (float_a != float_b) return float_a ? a : b;
    return types.bits(a) >= types.bits(b) ? a : b;
}

// Up to the traits, which declarations set off by two blanks.
std::string without_traits(std::string text) {
    const std::size_t blanks = text.find("  ", std::min(text.find(')'), text.size()));
    if (blanks != std::string::npos) text.resize(blanks);
    if (const std::size_t body = text.find(" = "); body != std::string::npos) text.resize(body);
    return text;
}

} // namespace

std::string advice_on_type(std::string_view name) {
    const std::string_view own = own_word(type_words, name);
    if (own.empty()) return {};
    if (own == "[]u8") return "a text is an array of bytes, '[]u8'";
    return "this type is called " + in_quotes(own);
}

std::string advice_on_operation(const Context& context, std::string_view name, bool is_function) {
    if (is_function) return "a function is called as '@" + std::string(name) + "(…)'";
    if (std::ranges::find(binding_words, name) != std::end(binding_words))
        return "a name is given by '%x = …' alone, and its value stays; what changes is kept in a cell, 'ref(…)'";
    if (name == "for_each" || name == "foreach") return "'for(n) { |%i| … }' runs a block for its effects";
    const auto symbol = context.symbols.find(name);
    if (symbol && context.types.find_struct(*symbol))
        return "a struct is written '" + std::string(name) + "{field = …}'";
    const std::string_view own = own_word(operation_words, name);
    const auto known = context.symbols.find(own);
    if (own.empty() || !known || context.operations.find(*known).empty()) return {};
    return "this operation is called " + in_quotes(own);
}

std::string advice_on_infix(std::string_view name) {
    if (name == "if") return "a choice is written 'if (c) { a } else { b }'";
    const std::string_view own = own_word(infix_words, name);
    if (own.empty()) return {};
    return "the operator is " + in_quotes(own) + "; " + in_quotes(name) + " is written as a call";
}

std::string advice_on_results(const Context& context, std::span<const TypeId> results, std::size_t returned) {
    if (results.empty()) return "the types of results stand behind the parameters: '-> f64, i64'";
    if (results.size() > 1 && returned == 1)
        return "several values are returned as 'return %a, %b'; '(%a, %b)' is one tuple";
    if (results.size() != 1 || !results[0] || context.types.kind(results[0]) != TypeKind::Tuple) return {};
    const auto parts = context.types.elements(results[0]);
    if (parts.size() != returned) return {};
    std::string text;
    for (const TypeId part : parts) text += (text.empty() ? "" : ", ") + context.types.text(part, context.symbols);
    return "several results are written '-> " + text + "'; " + context.types.text(results[0], context.symbols) +
           " is one tuple";
}

std::string advice_on_changes(std::string_view name) {
    const std::string value = "%" + std::string(name);
    return "a value does not change: a loop carries it, 'for(n, " + value + ") { |%i, " + value +
           "| … }', or a cell keeps it, 'ref(" + value + ")'";
}

std::string advice_on_part(const Context& context, TypeId whole, std::string_view name) {
    const Types& types = context.types;
    if (types.kind(whole) == TypeKind::Array && name[0] >= '0' && name[0] <= '9')
        return "'at(%xs, " + std::string(name) + ")' reads an element";
    if (name[0] >= '0' && name[0] <= '9') return {};
    const bool has_names = types.kind(whole) == TypeKind::Struct;
    return has_names ? std::string{} : "an operation stands before its operands: '" + std::string(name) + "(…)'";
}

std::string advice_on_no_value(const Graph& graph, NodeId node) {
    constexpr std::string_view with_else = "an 'if' gives a value only with 'else'";
    const Operation& operation = graph.operation(node);
    if (graph.context().symbols[operation.name] == "if") return std::string(with_else);
    return operation.signature.blocks.empty() ? "" : "its block gives no value; " + std::string(with_else);
}

std::string declared_as(const Context& context, OpId op) {
    const Span where = context.operations[op].where;
    if (!where.source) return {};
    constexpr std::size_t longest = 160;
    const std::string_view text = context.sources[where.source].text;
    const std::size_t line = text.rfind('\n', where.begin) + 1, end = std::min(text.find('\n', line), text.size());
    const std::size_t begin = text.rfind("op ", where.begin);
    if (begin == std::string_view::npos || begin < line) return {};
    const std::string shown = without_traits(std::string(text.substr(begin, end - begin)));
    return shown.size() > longest ? std::string{} : "it is declared '" + shown + "'";
}

std::string advice_on_operands(const Context& context, OpId op, std::span<const OperandInfo> operands) {
    const Types& types = context.types;
    const Operation& operation = context.operations[op];
    const bool two = operands.size() == 2 && operands[0].type && operands[1].type;
    if (two && is_number(types, operands[0].type) && is_number(types, operands[1].type) &&
        operands[0].type != operands[1].type && !operation.infix.empty())
        return "types of numbers are converted by 'cast[" +
               types.text(wider(types, operands[0].type, operands[1].type), context.symbols) + "](…)' alone";
    const bool has_array = std::ranges::any_of(
        operands, [&](const OperandInfo& o) { return o.type && types.kind(o.type) == TypeKind::Array; });
    if (has_array && !operation.infix.empty() && operation.signature.blocks.empty())
        return "an operation on all elements is written 'map(…) {" + std::string(context.symbols[operation.name]) +
               "}'";
    return declared_as(context, op);
}

} // namespace irrewrite::grammar
