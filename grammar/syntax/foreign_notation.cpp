#include "grammar/syntax/foreign_notation.hpp"

#include "grammar/syntax/messages.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

constexpr std::string_view bits_help = "bits are combined by calls: 'and(%a, 1)', 'or', 'xor', 'not', 'shl', 'shr'";
constexpr std::string_view change_help =
    "a value does not change: a loop carries it, 'for(n, %x) { |%i, %x| … }', or a cell keeps it, 'ref(%x)'";
constexpr std::string_view block_help =
    "a block stands behind the operands, and its parameters between bars: 'map(%x) { |%a| … }'";
constexpr std::string_view element_help = "'at(%x, %i)' reads an element";
constexpr std::string_view comment_help = "a comment begins with '//' and ends with its line";
constexpr std::string_view results_help = "the types of results stand behind '->'";
constexpr std::string_view function_help = "a function is written 'func @name(%x: i64) -> i64 { … }'";

struct Notation {
    std::string_view found, help;
};

// By what is found there; the longest of those that begin alike comes first.
constexpr Notation here[] = {
    {":=", "a name is given by '%x = …'"},
    {"?", "a choice is written 'if (c) { a } else { b }', or 'select(c, a, b)'"},
    {"<<", bits_help},
    {">>", bits_help},
    {"**", "a power is written 'pow(x, y)'"},
    {"&", bits_help},
    {"^", bits_help},
    {"~", bits_help},
    {"->", block_help},
    {"=>", block_help},
    {"#", comment_help},
    {"/*", comment_help},
    {"[", element_help},
    {"fn ", function_help},
    {"fun ", function_help},
    {"def ", function_help},
    {"function ", function_help},
};

// By that and what stands directly before.
constexpr Notation around[] = {
    {"<<", bits_help},
    {">>", bits_help},
    {"**", "a power is written 'pow(x, y)'"},
    {":=", "a name is given by '%x = …'"},
    {"+=", change_help},
    {"-=", change_help},
    {"*=", change_help},
    {"/=", change_help},
    {"++", change_help},
    {"--", change_help},
    {"..", "'for(n) { |%i| … }' counts from 0, and 'iota(n)' is the array of these numbers"},
};

bool is_word(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// `[f64]`
bool closes_array_type(std::string_view text, std::uint32_t begin) {
    std::size_t at = begin;
    while (at > 0 && text[at - 1] == ' ') --at;
    if (at == 0 || text[--at] != ']') return false;
    const std::size_t end = at;
    while (at > 0 && is_word(text[at - 1])) --at;
    return at > 0 && at < end && text[at - 1] == '[' && !(text[at] >= '0' && text[at] <= '9');
}

// The last byte before that offset which is none of the others.
char before(std::string_view text, std::size_t at, std::string_view others) {
    while (at > 0 && others.find(text[at - 1]) != std::string_view::npos) --at;
    return at > 0 ? text[at - 1] : '\n';
}

// `Point { x: 1.0 }`
bool stands_behind_field(std::string_view text, std::size_t at) {
    while (at > 0 && text[at - 1] == ' ') --at;
    const std::size_t end = at;
    while (at > 0 && is_word(text[at - 1])) --at;
    const char last = before(text, at, " ");
    return at < end && (last == '{' || last == ',');
}

// `?xs*)`
bool stands_behind_star(std::string_view text, std::uint32_t begin) {
    return begin > 1 && text[begin - 1] == '*' && is_word(text[begin - 2]);
}

// `name:`
bool begins_rule(std::string_view rest) {
    std::size_t end = 0;
    while (end < rest.size() && (is_word(rest[end]) || rest[end] == '-')) ++end;
    return end > 0 && end < rest.size() && rest[end] == ':';
}

// `map(|%a| …`, `map(%x, { |%a| …`, `map(%x) |%a| …`
bool begins_block(std::string_view text, std::uint32_t begin) {
    const char last = before(text, begin, " {");
    return last == '(' || last == ',' || (last == ')' && begin + 1 < text.size() && text[begin + 1] == '%');
}

} // namespace

std::string_view own_notation(std::string_view text, std::uint32_t begin, std::string_view due) {
    if (begin >= text.size()) return {};
    const std::string_view rest = text.substr(begin);
    if (begin > 0)
        for (const Notation& notation : around)
            if (text.substr(begin - 1).starts_with(notation.found)) return notation.help;
    if (rest[0] == '|') return begins_block(text, begin) ? block_help : bits_help;
    if (rest[0] == ':' && due == message::function_body) return results_help;
    if (rest[0] == ':' && stands_behind_field(text, begin)) return "a field is given by '=', as in 'Point{x = 1.0}'";
    if (due == message::type && closes_array_type(text, begin))
        return "an array is written '[]f64', or '[n]f64' if its length has a name";
    for (const Notation& notation : here)
        if (rest.starts_with(notation.found)) return notation.help;
    return {};
}

std::string_view own_rule_notation(std::string_view text, std::uint32_t begin, std::string_view due) {
    if (begin >= text.size()) return {};
    const std::string_view rest = text.substr(begin);
    const char last = before(text, begin, " \n");
    const bool begins_item = due == message::rule || due == message::rule_declaration;
    if (begins_item && (rest.starts_with("# ") || rest.starts_with("/*"))) return comment_help;
    if (rest[0] == ':' && due == message::rule_declaration && last == ')') return results_help;
    if (rest[0] == ':' && due == message::types) return "the types of operands have no names: 'op f(f64, i64) -> f64'";
    if (rest.starts_with("...") || stands_behind_star(text, begin)) return "any number of operands is written '?xs...'";
    if (last == ',' && begins_rule(rest)) return "rules follow each other without commas";
    if (due == message::rule_arrow) return "a rule is written 'name: pattern => term where condition'";
    if (due == message::rule_declaration && rest.starts_with("rule "))
        return "rules stand in a set: 'rules name { … }'";
    if (due != message::rule) return {};
    for (const std::string_view word : {"if ", "when ", "provided ", "unless "})
        if (rest.starts_with(word)) return "the conditions of a rule stand behind 'where'";
    return "each rule has a name, and its metavariables a '?': 'add-zero: ?x + 0 => ?x'";
}

} // namespace irrewrite::grammar
