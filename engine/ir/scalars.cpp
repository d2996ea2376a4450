#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace irrewrite {

namespace {

using Bits = std::optional<std::uint64_t>;
using Operands = std::span<const std::uint64_t>;

unsigned width(TypeKind type) {
    switch (type) {
    case TypeKind::Bool: return 1;
    case TypeKind::I8:
    case TypeKind::U8: return 8;
    case TypeKind::I16:
    case TypeKind::U16: return 16;
    case TypeKind::I32:
    case TypeKind::U32:
    case TypeKind::F32: return 32;
    default: return 64;
    }
}

// -- floats ---------------------------------------------------------------------------------------

// All NaNs are one, so that equal values have equal bits.
std::uint64_t pack(float x) { return std::isnan(x) ? 0x7FC00000u : std::bit_cast<std::uint32_t>(x); }
std::uint64_t pack(double x) { return std::isnan(x) ? 0x7FF8000000000000u : std::bit_cast<std::uint64_t>(x); }
float as_float(std::uint64_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); }
double as_double(std::uint64_t x) { return std::bit_cast<double>(x); }

// Each computes in the type itself, so that nothing is rounded twice.
template <class F> auto unary(TypeKind type, Operands x, F f) {
    return type == TypeKind::F32 ? pack(f(as_float(x[0]))) : pack(f(as_double(x[0])));
}
template <class F> auto binary(TypeKind type, Operands x, F f) {
    return type == TypeKind::F32 ? pack(f(as_float(x[0]), as_float(x[1]))) : pack(f(as_double(x[0]), as_double(x[1])));
}
template <class F> auto ternary(TypeKind type, Operands x, F f) {
    return type == TypeKind::F32 ? pack(f(as_float(x[0]), as_float(x[1]), as_float(x[2])))
                                 : pack(f(as_double(x[0]), as_double(x[1]), as_double(x[2])));
}

// IEEE 754-2019 minimum and maximum: NaN wins, and -0.0 is less than 0.0.
template <class T> T minimum(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? a : b;
    return a < b ? a : b;
}
template <class T> T maximum(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    if (a == b) return std::signbit(a) ? b : a;
    return a < b ? b : a;
}

// -- any scalar -----------------------------------------------------------------------------------

template <class F> std::uint64_t compare(TypeKind type, Operands x, F f) {
    if (type == TypeKind::F32) return f(as_float(x[0]), as_float(x[1]));
    if (type == TypeKind::F64) return f(as_double(x[0]), as_double(x[1]));
    if (!is_signed(type)) return f(x[0], x[1]);
    return f(static_cast<std::int64_t>(x[0]), static_cast<std::int64_t>(x[1]));
}

// Division that only MIN / -1 could overflow; that one wraps.
Bits divide(TypeKind type, Operands x) {
    if (x[1] == 0) return {};
    if (!is_signed(type)) return x[0] / x[1];
    auto a = static_cast<std::int64_t>(x[0]), b = static_cast<std::int64_t>(x[1]);
    return wrap(type, b == -1 ? 0 - x[0] : static_cast<std::uint64_t>(a / b));
}

Bits remainder(TypeKind type, Operands x) {
    if (x[1] == 0) return {};
    if (!is_signed(type)) return x[0] % x[1];
    auto a = static_cast<std::int64_t>(x[0]), b = static_cast<std::int64_t>(x[1]);
    return b == -1 ? 0 : static_cast<std::uint64_t>(a % b);
}

// Truncates, saturates; NaN is 0. The bounds are powers of two, so exact in either float type.
template <class T> std::uint64_t to_integer(TypeKind type, T x) {
    if (std::isnan(x)) return 0;
    unsigned value_bits = width(type) - is_signed(type);
    std::uint64_t greatest = ~0ull >> (64 - value_bits);
    if (x >= std::ldexp(T(1), static_cast<int>(value_bits))) return greatest;
    if (!is_signed(type)) return x <= T(0) ? 0 : static_cast<std::uint64_t>(x);
    if (x <= -std::ldexp(T(1), static_cast<int>(value_bits))) return ~greatest;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
}

template <class T> std::uint64_t cast_from(T x, TypeKind to) {
    if (to == TypeKind::Bool) return x != T(0);
    if (to == TypeKind::F32) return pack(static_cast<float>(x));
    if (to == TypeKind::F64) return pack(static_cast<double>(x));
    if constexpr (std::is_floating_point_v<T>)
        return to_integer(to, x);
    else
        return wrap(to, static_cast<std::uint64_t>(x));
}

Bits cast(TypeKind from, TypeKind to, Operands x) {
    if (from == TypeKind::F32) return cast_from(as_float(x[0]), to);
    if (from == TypeKind::F64) return cast_from(as_double(x[0]), to);
    if (is_signed(from)) return cast_from(static_cast<std::int64_t>(x[0]), to);
    return cast_from(x[0], to);
}

// -- the table ------------------------------------------------------------------------------------

Bits add(TypeKind t, TypeKind, Operands x) {
    return is_float(t) ? binary(t, x, [](auto a, auto b) { return a + b; }) : wrap(t, x[0] + x[1]);
}
Bits sub(TypeKind t, TypeKind, Operands x) {
    return is_float(t) ? binary(t, x, [](auto a, auto b) { return a - b; }) : wrap(t, x[0] - x[1]);
}
Bits mul(TypeKind t, TypeKind, Operands x) {
    return is_float(t) ? binary(t, x, [](auto a, auto b) { return a * b; }) : wrap(t, x[0] * x[1]);
}
Bits div(TypeKind t, TypeKind, Operands x) {
    if (is_float(t)) return binary(t, x, [](auto a, auto b) { return a / b; });
    return divide(t, x);
}
Bits rem(TypeKind t, TypeKind, Operands x) {
    if (is_float(t)) return binary(t, x, [](auto a, auto b) { return std::fmod(a, b); });
    return remainder(t, x);
}
Bits neg(TypeKind t, TypeKind, Operands x) {
    return is_float(t) ? unary(t, x, [](auto a) { return -a; }) : wrap(t, 0 - x[0]);
}
Bits abs(TypeKind t, TypeKind, Operands x) {
    if (is_float(t)) return unary(t, x, [](auto a) { return std::fabs(a); });
    return is_signed(t) && static_cast<std::int64_t>(x[0]) < 0 ? wrap(t, 0 - x[0]) : x[0];
}
Bits min(TypeKind t, TypeKind, Operands x) {
    if (is_float(t)) return binary(t, x, [](auto a, auto b) { return minimum(a, b); });
    return compare(t, x, [](auto a, auto b) { return a < b; }) ? x[0] : x[1];
}
Bits max(TypeKind t, TypeKind, Operands x) {
    if (is_float(t)) return binary(t, x, [](auto a, auto b) { return maximum(a, b); });
    return compare(t, x, [](auto a, auto b) { return a < b; }) ? x[1] : x[0];
}

Bits shl(TypeKind t, TypeKind, Operands x) {
    // A negative amount is a huge one when it is read as unsigned.
    if (x[1] >= width(t)) return {};
    return wrap(t, x[0] << x[1]);
}
Bits shr(TypeKind t, TypeKind, Operands x) {
    if (x[1] >= width(t)) return {};
    if (!is_signed(t)) return x[0] >> x[1];
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x[0]) >> x[1]);
}

// The bits of an integer at its width alone.
std::uint64_t bits_of(TypeKind t, std::uint64_t x) { return x & (~0ull >> (64 - width(t))); }
std::uint64_t rotate(TypeKind t, std::uint64_t x, std::uint64_t left) {
    const unsigned bits = width(t), by = left & (bits - 1);
    const std::uint64_t plain = bits_of(t, x);
    return by ? wrap(t, plain << by | plain >> (bits - by)) : x;
}

// The exact result fits, or is on one side of what the type has.
enum class Fit : std::uint8_t { Yes, Above, Below };
struct Exact {
    std::uint64_t wrapped;
    Fit fit = Fit::Yes;
};
using Wide = __int128;
using WideUnsigned = unsigned __int128;

Wide wide(TypeKind t, std::uint64_t x) { return is_signed(t) ? Wide{static_cast<std::int64_t>(x)} : Wide{x}; }
Exact exact(TypeKind t, Wide value) {
    const unsigned bits = width(t) - is_signed(t);
    const Wide greatest = (Wide{1} << bits) - 1, least = is_signed(t) ? -greatest - 1 : 0;
    const Fit fit = value > greatest ? Fit::Above : value < least ? Fit::Below : Fit::Yes;
    return {wrap(t, static_cast<std::uint64_t>(value)), fit};
}
Exact exact_sum(TypeKind t, Operands x) { return exact(t, wide(t, x[0]) + wide(t, x[1])); }
Exact exact_difference(TypeKind t, Operands x) { return exact(t, wide(t, x[0]) - wide(t, x[1])); }
Exact exact_product(TypeKind t, Operands x) {
    if (is_signed(t)) return exact(t, wide(t, x[0]) * wide(t, x[1]));
    const WideUnsigned product = WideUnsigned{x[0]} * x[1];
    return {wrap(t, static_cast<std::uint64_t>(product)), product >> width(t) ? Fit::Above : Fit::Yes};
}
std::uint64_t saturated(TypeKind t, Exact exact) {
    if (exact.fit == Fit::Yes) return exact.wrapped;
    const std::uint64_t greatest = ~0ull >> (64 - (width(t) - is_signed(t)));
    return exact.fit == Fit::Above ? greatest : is_signed(t) ? ~greatest : 0;
}
Bits checked(Exact exact) { return exact.fit == Fit::Yes ? Bits(exact.wrapped) : Bits(); }

Bits mul_high(TypeKind t, TypeKind, Operands x) {
    if (!is_signed(t)) return static_cast<std::uint64_t>(WideUnsigned{x[0]} * x[1] >> width(t));
    return static_cast<std::uint64_t>(wide(t, x[0]) * wide(t, x[1]) >> width(t));
}

// clang-format off
constexpr Primitive table[] = {
    {Scalar::Add, "add", add}, {Scalar::Sub, "sub", sub}, {Scalar::Mul, "mul", mul}, {Scalar::Div, "div", div}, {Scalar::Rem, "rem", rem},
    {Scalar::Neg, "neg", neg}, {Scalar::Abs, "abs", abs}, {Scalar::Min, "min", min}, {Scalar::Max, "max", max},

    {Scalar::Pow, "pow",   [](TypeKind t, TypeKind, Operands x) -> Bits { return binary(t, x, [](auto a, auto b) { return std::pow(a, b); }); }},
    {Scalar::Sqrt, "sqrt",  [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::sqrt(a); }); }},
    {Scalar::Exp, "exp",   [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::exp(a); }); }},
    {Scalar::Log, "log",   [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::log(a); }); }},
    {Scalar::Sin, "sin",   [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::sin(a); }); }},
    {Scalar::Cos, "cos",   [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::cos(a); }); }},
    {Scalar::Tan, "tan",   [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::tan(a); }); }},
    {Scalar::Tanh, "tanh",  [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::tanh(a); }); }},
    {Scalar::Floor, "floor", [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::floor(a); }); }},
    {Scalar::Ceil, "ceil",  [](TypeKind t, TypeKind, Operands x) -> Bits { return unary(t, x, [](auto a) { return std::ceil(a); }); }},
    {Scalar::Fma, "fma",   [](TypeKind t, TypeKind, Operands x) -> Bits { return ternary(t, x, [](auto a, auto b, auto c) { return std::fma(a, b, c); }); }},

    {Scalar::And, "and", [](TypeKind, TypeKind, Operands x) -> Bits { return x[0] & x[1]; }},
    {Scalar::Or, "or",  [](TypeKind, TypeKind, Operands x) -> Bits { return x[0] | x[1]; }},
    {Scalar::Xor, "xor", [](TypeKind, TypeKind, Operands x) -> Bits { return x[0] ^ x[1]; }},
    {Scalar::Not, "not", [](TypeKind t, TypeKind, Operands x) -> Bits { return wrap(t, ~x[0]); }},
    {Scalar::Shl, "shl", shl}, {Scalar::Shr, "shr", shr},
    {Scalar::Popcount, "popcount", [](TypeKind t, TypeKind, Operands x) -> Bits { return static_cast<std::uint64_t>(std::popcount(bits_of(t, x[0]))); }},
    {Scalar::Clz, "clz",  [](TypeKind t, TypeKind, Operands x) -> Bits { return static_cast<std::uint64_t>(std::countl_zero(bits_of(t, x[0]))) - (64 - width(t)); }},
    {Scalar::Ctz, "ctz",  [](TypeKind t, TypeKind, Operands x) -> Bits { return std::min<std::uint64_t>(static_cast<std::uint64_t>(std::countr_zero(x[0])), width(t)); }},
    {Scalar::Rotl, "rotl", [](TypeKind t, TypeKind, Operands x) -> Bits { return rotate(t, x[0], x[1]); }},
    {Scalar::Rotr, "rotr", [](TypeKind t, TypeKind, Operands x) -> Bits { return rotate(t, x[0], 0 - x[1]); }},

    {Scalar::MulHigh, "mul_high", mul_high},
    {Scalar::AddSat, "add_sat", [](TypeKind t, TypeKind, Operands x) -> Bits { return saturated(t, exact_sum(t, x)); }},
    {Scalar::SubSat, "sub_sat", [](TypeKind t, TypeKind, Operands x) -> Bits { return saturated(t, exact_difference(t, x)); }},
    {Scalar::MulSat, "mul_sat", [](TypeKind t, TypeKind, Operands x) -> Bits { return saturated(t, exact_product(t, x)); }},
    {Scalar::AddChecked, "add_checked", [](TypeKind t, TypeKind, Operands x) { return checked(exact_sum(t, x)); }},
    {Scalar::SubChecked, "sub_checked", [](TypeKind t, TypeKind, Operands x) { return checked(exact_difference(t, x)); }},
    {Scalar::MulChecked, "mul_checked", [](TypeKind t, TypeKind, Operands x) { return checked(exact_product(t, x)); }},

    {Scalar::Eq, "eq", [](TypeKind t, TypeKind, Operands x) -> Bits { return compare(t, x, [](auto a, auto b) { return a == b; }); }},
    {Scalar::Ne, "ne", [](TypeKind t, TypeKind, Operands x) -> Bits { return compare(t, x, [](auto a, auto b) { return a != b; }); }},
    {Scalar::Lt, "lt", [](TypeKind t, TypeKind, Operands x) -> Bits { return compare(t, x, [](auto a, auto b) { return a < b; }); }},
    {Scalar::Le, "le", [](TypeKind t, TypeKind, Operands x) -> Bits { return compare(t, x, [](auto a, auto b) { return a <= b; }); }},
    {Scalar::Gt, "gt", [](TypeKind t, TypeKind, Operands x) -> Bits { return compare(t, x, [](auto a, auto b) { return a > b; }); }},
    {Scalar::Ge, "ge", [](TypeKind t, TypeKind, Operands x) -> Bits { return compare(t, x, [](auto a, auto b) { return a >= b; }); }},

    {Scalar::Select, "select", [](TypeKind, TypeKind, Operands x) -> Bits { return x[0] ? x[1] : x[2]; }},
    {Scalar::Cast, "cast",   [](TypeKind t, TypeKind to, Operands x) -> Bits { return cast(t, to, x); }},
    {Scalar::Same, "same",   [](TypeKind, TypeKind, Operands x) -> Bits { return std::ranges::all_of(x, [&](std::uint64_t n) { return n == x[0]; }) ? Bits(x[0]) : Bits(); }},
};
// clang-format on
static_assert(std::ranges::all_of(table, [](const Primitive& row) {
    return &row - table == static_cast<std::ptrdiff_t>(row.id);
}));

enum class Partiality : std::uint8_t { Total, UnlessSame, BySecond, ByBoth };

Partiality partiality(std::int32_t primitive) {
    static const std::vector<Partiality> known = [] {
        std::vector<Partiality> out;
        for (const auto& [id, name, evaluate] : table) {
            const bool second = name == "div" || name == "rem" || name == "shl" || name == "shr";
            out.push_back(second                       ? Partiality::BySecond
                          : name == "same"             ? Partiality::UnlessSame
                          : name.ends_with("_checked") ? Partiality::ByBoth
                                                       : Partiality::Total);
        }
        return out;
    }();
    return known[static_cast<std::size_t>(primitive)];
}

} // namespace

std::span<const Primitive> primitives() { return table; }

std::int32_t find_primitive(std::string_view name) {
    auto found = std::ranges::find(table, name, &Primitive::name);
    return found == std::end(table) ? -1 : static_cast<std::int32_t>(found - table);
}

bool primitive_may_fault(std::int32_t primitive, TypeKind type,
                         std::span<const std::optional<std::uint64_t>> operands) {
    auto known = [&](std::size_t i) { return i < operands.size() && operands[i]; };
    switch (partiality(primitive)) {
    case Partiality::Total: return false;
    case Partiality::UnlessSame:
        return operands.size() > 1 &&
               std::ranges::any_of(operands, [&](const auto& n) { return !n || n != operands[0]; });
    case Partiality::ByBoth: {
        if (!known(0) || !known(1)) return true;
        const std::array<std::uint64_t, 2> both = {*operands[0], *operands[1]};
        return !table[primitive].evaluate(type, type, both);
    }
    case Partiality::BySecond: break;
    }
    if (is_float(type)) return false;
    if (!known(1)) return true;
    // The second operand alone decides if these fault: a sample tells.
    const std::array<std::uint64_t, 2> sample = {0, *operands[1]};
    return !table[primitive].evaluate(type, type, sample);
}

bool primitive_gives_operands(std::int32_t primitive) { return partiality(primitive) == Partiality::UnlessSame; }

bool primitive_only_orders(std::int32_t primitive) {
    const auto id = static_cast<Scalar>(primitive);
    return id == Scalar::Min || id == Scalar::Max || id == Scalar::Select || (Scalar::Eq <= id && id <= Scalar::Ge);
}

std::uint64_t wrap(TypeKind type, std::uint64_t bits) {
    unsigned unused = 64 - width(type);
    if (!is_signed(type)) return bits << unused >> unused;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::uint64_t from_double(TypeKind type, double value) {
    return type == TypeKind::F32 ? pack(static_cast<float>(value)) : pack(value);
}

double to_double(TypeKind type, std::uint64_t bits) { return type == TypeKind::F32 ? as_float(bits) : as_double(bits); }

} // namespace irrewrite
