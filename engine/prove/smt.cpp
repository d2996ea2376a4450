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

// -- operations without a name in SMT-LIB

std::string indexed(const char* f, unsigned n, const std::string& x) {
    return "((_ " + std::string(f) + " " + std::to_string(n) + ") " + x + ")";
}
std::string bit_of(const std::string& x, unsigned k) {
    return "((_ extract " + std::to_string(k) + " " + std::to_string(k) + ") " + x + ")";
}

std::string popcount(const std::string& x, unsigned width) {
    std::string sum = bit_vector(width, 0);
    for (unsigned k = 0; k < width; ++k)
        sum =
            "(bvadd " + sum + " " + (width == 1 ? bit_of(x, k) : indexed("zero_extend", width - 1, bit_of(x, k))) + ")";
    return sum;
}

// The zeros before the first bit that is set, or behind the last one.
std::string zeros(const std::string& x, unsigned width, bool leading) {
    std::string count = bit_vector(width, width);
    for (unsigned i = 0; i < width; ++i) { // the bit that decides is asked first, so it is put last
        const unsigned k = leading ? i : width - 1 - i;
        count =
            "(ite (= " + bit_of(x, k) + " #b1) " + bit_vector(width, leading ? width - 1 - k : k) + " " + count + ")";
    }
    return count;
}

std::string rotated(const std::string& x, const std::string& by, unsigned width, bool left) {
    const std::string turns = "(bvurem " + by + " " + bit_vector(width, width) + ")";
    const std::string back = "(bvsub " + bit_vector(width, width) + " " + turns + ")"; // `width` shifts all out
    const std::string to[] = {"(bvshl " + x + " " + (left ? turns : back) + ")",
                              "(bvlshr " + x + " " + (left ? back : turns) + ")"};
    return "(bvor " + to[0] + " " + to[1] + ")";
}

// Sum, difference and product in twice the width, where they are exact.
struct Exact {
    std::string value, fits, wrapped;
};
Exact exact(std::string_view name, Operands x, unsigned width, bool is_signed) {
    const char* extend = is_signed ? "sign_extend" : "zero_extend";
    const char* f = name.starts_with("add") ? "bvadd" : name.starts_with("sub") ? "bvsub" : "bvmul";
    Exact out;
    out.value = "(" + std::string(f) + " " + indexed(extend, width, x[0].value) + " " +
                indexed(extend, width, x[1].value) + ")";
    out.wrapped = "((_ extract " + std::to_string(width - 1) + " 0) " + out.value + ")";
    out.fits = "(= " + out.value + " " + indexed(extend, width, out.wrapped) + ")";
    return out;
}

std::string saturated(std::string_view name, Operands x, unsigned width, bool is_signed) {
    const Exact e = exact(name, x, width, is_signed);
    const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const std::string least = bit_vector(width, is_signed ? std::uint64_t{1} << (width - 1) : 0);
    const std::string most = bit_vector(width, is_signed ? ones >> 1 : ones);
    const std::string zero = bit_vector(2 * width, 0);
    // A difference of unsigned numbers is below 0 where it wraps in twice the width, too.
    const std::string below = is_signed || name == "sub_sat" ? "(bvslt " + e.value + " " + zero + ")" : "false";
    return "(ite " + e.fits + " " + e.wrapped + " (ite " + below + " " + least + " " + most + "))";
}

// None: the operation is none of these. `fits`: where it has a value.
std::optional<std::string> further(std::string_view name, K type, Operands x, std::string& fits) {
    const unsigned width = smt_width(type);
    const bool sign = is_signed(type);
    if (name == "popcount") return popcount(x[0].value, width);
    if (name == "clz" || name == "ctz") return zeros(x[0].value, width, name == "clz");
    if (name == "rotl" || name == "rotr") return rotated(x[0].value, x[1].value, width, name == "rotl");
    if (name.ends_with("_sat")) return saturated(name, x, width, sign);
    if (!name.ends_with("_checked") && name != "mul_high") return std::nullopt;
    const Exact e = exact(name == "mul_high" ? "mul" : name, x, width, sign);
    if (name == "mul_high")
        return "((_ extract " + std::to_string(2 * width - 1) + " " + std::to_string(width) + ") " + e.value + ")";
    fits = e.fits;
    return e.wrapped;
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
        std::string fits = "true";
        if (const auto other = further(name, type, x, fits)) {
            defined.push_back(fits);
            return SmtValue{*other, all(std::move(defined))};
        }
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
