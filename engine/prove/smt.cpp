#include "engine/prove/smt.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using K = TypeKind;
using Operands = std::span<const SmtValue>;

std::string call(std::string_view f, Operands x) {
    std::string out = "(" + std::string(f);
    for (const SmtValue& operand : x) out += " " + operand.value;
    return out + ")";
}
std::string bit(const std::string& formula) { return "(ite " + formula + " #b1 #b0)"; }
std::string bit_vector(unsigned width, std::uint64_t n) {
    return "(_ bv" + std::to_string(n) + " " + std::to_string(width) + ")";
}

// One operation for signed operands, another for unsigned ones.
struct Meaning {
    std::string_view name, on_signed, on_unsigned;
    enum Kind : std::uint8_t { Plain, Compare, Divide, Shift, Smaller } kind;
};
constexpr Meaning table[] = {
    {"add", "bvadd", "bvadd", Meaning::Plain},    {"sub", "bvsub", "bvsub", Meaning::Plain},
    {"mul", "bvmul", "bvmul", Meaning::Plain},    {"neg", "bvneg", "bvneg", Meaning::Plain},
    {"and", "bvand", "bvand", Meaning::Plain},    {"or", "bvor", "bvor", Meaning::Plain},
    {"xor", "bvxor", "bvxor", Meaning::Plain},    {"not", "bvnot", "bvnot", Meaning::Plain},
    {"div", "bvsdiv", "bvudiv", Meaning::Divide}, {"rem", "bvsrem", "bvurem", Meaning::Divide},
    {"shl", "bvshl", "bvshl", Meaning::Shift},    {"shr", "bvashr", "bvlshr", Meaning::Shift},
    {"min", "bvslt", "bvult", Meaning::Smaller},  {"max", "bvsge", "bvuge", Meaning::Smaller},
    {"eq", "=", "=", Meaning::Compare},           {"ne", "distinct", "distinct", Meaning::Compare},
    {"lt", "bvslt", "bvult", Meaning::Compare},   {"le", "bvsle", "bvule", Meaning::Compare},
    {"gt", "bvsgt", "bvugt", Meaning::Compare},   {"ge", "bvsge", "bvuge", Meaning::Compare},
};

std::string cast(K from, K to, const std::string& x) {
    unsigned a = smt_width(from), b = smt_width(to);
    if (to == K::Bool) return bit("(distinct " + x + " " + bit_vector(a, 0) + ")");
    if (a == b) return x;
    if (a > b) return "((_ extract " + std::to_string(b - 1) + " 0) " + x + ")";
    return "((_ " + std::string(is_signed(from) ? "sign_extend " : "zero_extend ") + std::to_string(b - a) + ") " + x +
           ")";
}

std::string all(std::vector<std::string> parts) {
    std::erase(parts, "true");
    if (parts.empty()) return "true";
    std::string out = "(and";
    for (const std::string& part : parts) out += " " + part;
    return out + ")";
}

} // namespace

bool has_bits(K kind) { return kind <= K::U64; }

unsigned smt_width(K kind) {
    switch (kind) {
    case K::Bool: return 1;
    case K::I8:
    case K::U8: return 8;
    case K::I16:
    case K::U16: return 16;
    case K::I32:
    case K::U32: return 32;
    default: return 64;
    }
}

std::string smt_sort(K kind) { return "(_ BitVec " + std::to_string(smt_width(kind)) + ")"; }

SmtValue smt_literal(K kind, std::uint64_t bits) {
    unsigned width = smt_width(kind);
    return {bit_vector(width, width == 64 ? bits : bits & ((std::uint64_t{1} << width) - 1))};
}

std::optional<SmtValue> smt_primitive(std::string_view name, K type, K result, Operands x) {
    if (!has_bits(type) || !has_bits(result)) return std::nullopt;
    std::vector<std::string> defined;
    for (const SmtValue& operand : x) defined.push_back(operand.defined);
    std::string value;
    unsigned width = smt_width(type);
    if (name == "select") {
        value = "(ite (= " + x[0].value + " #b1) " + x[1].value + " " + x[2].value + ")";
    } else if (name == "cast") {
        value = cast(type, result, x[0].value);
    } else if (name == "abs") {
        value = is_signed(type) ? "(ite (bvslt " + x[0].value + " " + bit_vector(width, 0) + ") (bvneg " + x[0].value +
                                      ") " + x[0].value + ")"
                                : x[0].value;
    } else {
        auto found = std::ranges::find(table, name, &Meaning::name);
        if (found == std::end(table)) return std::nullopt;
        value = call(is_signed(type) ? found->on_signed : found->on_unsigned, x);
        if (found->kind == Meaning::Compare) value = bit(value);
        if (found->kind == Meaning::Smaller) value = "(ite " + value + " " + x[0].value + " " + x[1].value + ")";
        if (found->kind == Meaning::Divide)
            defined.push_back("(distinct " + x[1].value + " " + bit_vector(width, 0) + ")");
        if (found->kind == Meaning::Shift)
            defined.push_back("(bvult " + x[1].value + " " + bit_vector(width, width) + ")");
    }
    return SmtValue{value, all(std::move(defined))};
}

} // namespace irrewrite
