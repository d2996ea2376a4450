// Scalar arithmetic against references in 128 bits and long double, and the text of scalars.

#include "engine/ir/scalars.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <rapidcheck.h>

namespace irrewrite::scalars_tests {

namespace {

using Wide = __int128;
using Bits = std::optional<std::uint64_t>;

constexpr TypeKind integers[] = {TypeKind::I8, TypeKind::I16, TypeKind::I32, TypeKind::I64,
                                 TypeKind::U8, TypeKind::U16, TypeKind::U32, TypeKind::U64};

bool is_signed_kind(TypeKind type) { return type <= TypeKind::I64; }
unsigned width(TypeKind type) { return 8u << (static_cast<unsigned>(type) - static_cast<unsigned>(TypeKind::I8)) % 4; }

Bits run(std::string_view name, TypeKind type, TypeKind result, std::vector<std::uint64_t> operands) {
    std::int32_t primitive = find_primitive(name);
    REQUIRE(primitive >= 0);
    return primitives()[primitive].evaluate(type, result, operands);
}
Bits run(std::string_view name, TypeKind type, std::vector<std::uint64_t> operands) {
    return run(name, type, type, std::move(operands));
}

Wide value(TypeKind type, std::uint64_t bits) {
    return is_signed_kind(type) ? Wide(static_cast<std::int64_t>(bits)) : Wide(bits);
}
Wide modulus(TypeKind type) { return Wide(1) << width(type); }
Wide least(TypeKind type) { return is_signed_kind(type) ? -modulus(type) / 2 : 0; }
Wide greatest(TypeKind type) { return least(type) + modulus(type) - 1; }
// The one value of the type that is `x` modulo its width.
std::uint64_t reduced(TypeKind type, Wide x) {
    Wide rest = (x - least(type)) % modulus(type);
    return static_cast<std::uint64_t>((rest < 0 ? rest + modulus(type) : rest) + least(type));
}

std::vector<std::uint64_t> edges(TypeKind type) {
    std::vector<std::uint64_t> result;
    for (Wide x : {least(type), least(type) + 1, Wide(-1), Wide(0), Wide(1), Wide(2), Wide(3), Wide(7), Wide(8),
                   Wide(63), Wide(64), greatest(type) - 1, greatest(type)})
        if (x >= least(type) && x <= greatest(type)) result.push_back(reduced(type, x));
    return result;
}

std::uint64_t f64(double x) { return from_double(TypeKind::F64, x); }
std::uint64_t f32(float x) { return from_double(TypeKind::F32, x); }

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

void check_binary(TypeKind type, std::uint64_t x, std::uint64_t y) {
    Wide a = value(type, x), b = value(type, y);
    auto is = [&](std::string_view name, Wide expected) {
        INFO(name << " of type " << static_cast<int>(type) << " on " << static_cast<std::int64_t>(x) << ", "
                  << static_cast<std::int64_t>(y));
        REQUIRE(run(name, type, {x, y}) == reduced(type, expected));
    };
    is("add", a + b);
    is("sub", a - b);
    // The product of two unsigned numbers of 64 bits may wrap in 128 bits, which does no harm.
    REQUIRE(run("mul", type, {x, y}) ==
            reduced(type, static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b))));
    is("min", std::min(a, b));
    is("max", std::max(a, b));
    is("and", a & b);
    is("or", a | b);
    is("xor", a ^ b);
    if (b != 0) {
        is("div", a / b);
        is("rem", a % b);
    } else {
        REQUIRE(!run("div", type, {x, y}));
        REQUIRE(!run("rem", type, {x, y}));
    }
    if (b >= 0 && b < width(type)) {
        is("shl", static_cast<Wide>(static_cast<unsigned __int128>(a) << static_cast<int>(b)));
        is("shr", a >> static_cast<int>(b));
    } else {
        REQUIRE(!run("shl", type, {x, y}));
        REQUIRE(!run("shr", type, {x, y}));
    }
    REQUIRE(run("lt", type, TypeKind::Bool, {x, y}) == (a < b));
    REQUIRE(run("le", type, TypeKind::Bool, {x, y}) == (a <= b));
    REQUIRE(run("gt", type, TypeKind::Bool, {x, y}) == (a > b));
    REQUIRE(run("ge", type, TypeKind::Bool, {x, y}) == (a >= b));
    REQUIRE(run("eq", type, TypeKind::Bool, {x, y}) == (a == b));
    REQUIRE(run("ne", type, TypeKind::Bool, {x, y}) == (a != b));
}

} // namespace

TEST_CASE("integer arithmetic wraps at every width") {
    for (TypeKind type : integers)
        for (std::uint64_t x : edges(type)) {
            REQUIRE(run("neg", type, {x}) == reduced(type, -value(type, x)));
            REQUIRE(run("not", type, {x}) == reduced(type, ~value(type, x)));
            Wide magnitude = value(type, x) < 0 ? -value(type, x) : value(type, x);
            REQUIRE(run("abs", type, {x}) == reduced(type, magnitude));
            for (std::uint64_t y : edges(type)) check_binary(type, x, y);
        }
}

TEST_CASE("integer arithmetic agrees with 128 bits on random operands") {
    REQUIRE(rc::check("binary operations", [](std::uint64_t x, std::uint64_t y) {
        for (TypeKind type : integers) check_binary(type, wrap(type, x), wrap(type, y));
    }));
}

TEST_CASE("casts between integers wrap") {
    for (TypeKind from : integers)
        for (TypeKind to : integers)
            for (std::uint64_t x : edges(from)) REQUIRE(run("cast", from, to, {x}) == reduced(to, value(from, x)));
}

TEST_CASE("casts from floats truncate and saturate") {
    for (TypeKind type : integers) {
        REQUIRE(run("cast", TypeKind::F64, type, {f64(not_a_number)}) == 0u);
        REQUIRE(run("cast", TypeKind::F64, type, {f64(inf)}) == reduced(type, greatest(type)));
        REQUIRE(run("cast", TypeKind::F64, type, {f64(-inf)}) == reduced(type, least(type)));
        REQUIRE(run("cast", TypeKind::F32, type, {f32(1e30f)}) == reduced(type, greatest(type)));
        for (double x : {0.0,
                         -0.0,
                         0.9,
                         -0.9,
                         1.5,
                         -1.5,
                         127.9,
                         128.0,
                         -128.9,
                         -129.0,
                         255.9,
                         256.0,
                         2147483647.5,
                         2147483648.0,
                         -2147483648.9,
                         4294967296.0,
                         9223372036854774784.0,
                         9223372036854775808.0,
                         -9223372036854775808.0,
                         18446744073709549568.0,
                         18446744073709551616.0}) {
            Wide whole = static_cast<Wide>(static_cast<long double>(x));
            Wide expected = std::min(std::max(whole, least(type)), greatest(type));
            INFO(x << " to type " << static_cast<int>(type));
            REQUIRE(run("cast", TypeKind::F64, type, {f64(x)}) == reduced(type, expected));
        }
    }
}

TEST_CASE("casts to floats round once, and those of booleans are 0 and 1") {
    // Through a double this would round to even twice and come out as 2^24.
    std::uint64_t x = (1ull << 54) + (1ull << 30) + 1;
    REQUIRE(run("cast", TypeKind::I64, TypeKind::F32, {x}) == f32(static_cast<float>(static_cast<std::int64_t>(x))));
    REQUIRE(run("cast", TypeKind::U64, TypeKind::F64, {~0ull}) == f64(18446744073709551616.0));
    REQUIRE(run("cast", TypeKind::I64, TypeKind::F64, {~0ull}) == f64(-1.0));
    REQUIRE(run("cast", TypeKind::Bool, TypeKind::F32, {1}) == f32(1.0f));
    REQUIRE(run("cast", TypeKind::Bool, TypeKind::I8, {1}) == 1u);
    REQUIRE(run("cast", TypeKind::F64, TypeKind::Bool, {f64(-0.0)}) == 0u);
    REQUIRE(run("cast", TypeKind::F64, TypeKind::Bool, {f64(0.5)}) == 1u);
    REQUIRE(run("cast", TypeKind::F64, TypeKind::Bool, {f64(not_a_number)}) == 1u);
    REQUIRE(run("cast", TypeKind::I8, TypeKind::Bool, {2}) == 1u);
    REQUIRE(run("cast", TypeKind::F64, TypeKind::F32, {f64(1e300)}) == f32(static_cast<float>(inf)));
}

TEST_CASE("minimum and maximum follow IEEE 754-2019") {
    REQUIRE(run("min", TypeKind::F64, {f64(0.0), f64(-0.0)}) == f64(-0.0));
    REQUIRE(run("min", TypeKind::F64, {f64(-0.0), f64(0.0)}) == f64(-0.0));
    REQUIRE(run("max", TypeKind::F64, {f64(0.0), f64(-0.0)}) == f64(0.0));
    REQUIRE(run("max", TypeKind::F64, {f64(-0.0), f64(0.0)}) == f64(0.0));
    for (std::string_view name : {"min", "max"}) {
        REQUIRE(run(name, TypeKind::F64, {f64(not_a_number), f64(1.0)}) == f64(not_a_number));
        REQUIRE(run(name, TypeKind::F32, {f32(1.0f), f32(static_cast<float>(not_a_number))}) ==
                f32(static_cast<float>(not_a_number)));
        REQUIRE(run(name, TypeKind::F64, {f64(inf), f64(inf)}) == f64(inf));
    }
    REQUIRE(run("min", TypeKind::F64, {f64(-inf), f64(1.0)}) == f64(-inf));
}

TEST_CASE("every NaN is the same NaN") {
    std::uint64_t odd = 0xFFF0000000000123; // negative, signalling
    REQUIRE(run("add", TypeKind::F64, {odd, f64(1.0)}) == f64(not_a_number));
    REQUIRE(run("neg", TypeKind::F64, {f64(not_a_number)}) == f64(not_a_number));
    REQUIRE(run("sub", TypeKind::F64, {f64(inf), f64(inf)}) == f64(not_a_number));
    REQUIRE(run("sqrt", TypeKind::F32, {f32(-1.0f)}) == 0x7FC00000u);
    REQUIRE(from_double(TypeKind::F64, std::bit_cast<double>(odd)) == f64(not_a_number));
    REQUIRE(run("eq", TypeKind::F64, TypeKind::Bool, {f64(not_a_number), f64(not_a_number)}) == 0u);
    REQUIRE(run("ne", TypeKind::F64, TypeKind::Bool, {f64(not_a_number), f64(not_a_number)}) == 1u);
}

TEST_CASE("f32 operations agree with arithmetic rounded once") {
    REQUIRE(rc::check("add, mul, div, sqrt, fma", [](std::uint32_t i, std::uint32_t j) {
        std::uint64_t x = from_double(TypeKind::F32, std::bit_cast<float>(i));
        std::uint64_t y = from_double(TypeKind::F32, std::bit_cast<float>(j));
        long double a = to_double(TypeKind::F32, x), b = to_double(TypeKind::F32, y);
        RC_ASSERT(run("mul", TypeKind::F32, {x, y}) == f32(static_cast<float>(a * b)));
        RC_ASSERT(run("fma", TypeKind::F32, {x, y, f32(0.0f)}) == f32(static_cast<float>(a * b + 0.0L)));
        RC_ASSERT(run("neg", TypeKind::F32, {x}) == f32(static_cast<float>(-a)));
        RC_ASSERT(run("sqrt", TypeKind::F32, {x}) == f32(static_cast<float>(sqrtl(a))));
        RC_ASSERT(run("rem", TypeKind::F32, {x, y}) == f32(static_cast<float>(fmodl(a, b))));
        RC_ASSERT(run("lt", TypeKind::F32, TypeKind::Bool, {x, y}) == (a < b));
    }));
    REQUIRE(run("fma", TypeKind::F64, {f64(1 + 0x1p-52), f64(1 - 0x1p-52), f64(-1.0)}) == f64(-0x1p-104));
    REQUIRE(run("rem", TypeKind::F64, {f64(-7.5), f64(2.0)}) == f64(-1.5));
    REQUIRE(run("div", TypeKind::F64, {f64(1.0), f64(-0.0)}) == f64(-inf));
    REQUIRE(run("floor", TypeKind::F64, {f64(-0.5)}) == f64(-1.0));
    REQUIRE(run("ceil", TypeKind::F64, {f64(-0.5)}) == f64(-0.0));
    REQUIRE(run("abs", TypeKind::F64, {f64(-0.0)}) == f64(0.0));
}

TEST_CASE("what may fault") {
    auto may = [](std::string_view name, TypeKind type, std::vector<Bits> operands) {
        return primitive_may_fault(find_primitive(name), type, operands);
    };
    REQUIRE(may("div", TypeKind::I32, {Bits(), Bits()}));
    REQUIRE(may("rem", TypeKind::I32, {Bits(1), Bits(0)}));
    REQUIRE_FALSE(may("div", TypeKind::I32, {Bits(), Bits(3)}));
    REQUIRE_FALSE(may("div", TypeKind::F64, {Bits(), Bits(0)}));
    REQUIRE(may("shl", TypeKind::I8, {Bits(), Bits(8)}));
    REQUIRE_FALSE(may("shl", TypeKind::I8, {Bits(), Bits(7)}));
    REQUIRE(may("shr", TypeKind::I8, {Bits(), Bits(~0ull)}));
    REQUIRE_FALSE(may("add", TypeKind::I8, {Bits(), Bits()}));
    REQUIRE(may("same", TypeKind::I64, {Bits(3), Bits()}));
    REQUIRE(may("same", TypeKind::I64, {Bits(3), Bits(4)}));
    REQUIRE_FALSE(may("same", TypeKind::I64, {Bits(3), Bits(3)}));
    REQUIRE(run("same", TypeKind::I64, {3, 3}) == 3u);
    REQUIRE(!run("same", TypeKind::I64, {3, 4}));
    REQUIRE(find_primitive("map") == -1);
}

TEST_CASE("integers that do not fit are refused") {
    for (TypeKind type : integers)
        for (Wide x : {least(type), least(type) - 1, greatest(type), greatest(type) + 1}) {
            bool negative = x < 0;
            auto magnitude = static_cast<unsigned __int128>(negative ? -x : x);
            std::string text;
            for (; magnitude; magnitude /= 10)
                text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
            if (text.empty()) text = "0";
            if (negative) text = "-" + text;
            bool fits = least(type) <= x && x <= greatest(type);
            INFO(text << " as type " << static_cast<int>(type));
            REQUIRE(parse_scalar(type, text) == (fits ? Bits(reduced(type, x)) : Bits()));
        }
    REQUIRE(!parse_scalar(TypeKind::I8, "0xff"));
    REQUIRE(parse_scalar(TypeKind::U8, "0xff") == 255u);
    REQUIRE(parse_scalar(TypeKind::I64, "-0x10") == static_cast<std::uint64_t>(-16));
    REQUIRE(parse_scalar(TypeKind::U8, "-0") == 0u);
    REQUIRE(parse_scalar(TypeKind::I64, "1_000_000") == 1000000u);
    for (std::string_view text : {"2.5", "1e3", "inf", "nan", "", "-", "0x", "true", "99999999999999999999999"})
        REQUIRE(!parse_scalar(TypeKind::I64, text));
}

TEST_CASE("floats are read to the nearest value") {
    REQUIRE(parse_scalar(TypeKind::F64, "1") == f64(1.0));
    REQUIRE(parse_scalar(TypeKind::F64, "-1_0.2_5") == f64(-10.25));
    REQUIRE(parse_scalar(TypeKind::F64, "0x10") == f64(16.0));
    REQUIRE(parse_scalar(TypeKind::F64, "-0") == f64(-0.0));
    REQUIRE(parse_scalar(TypeKind::F64, "-inf") == f64(-inf));
    REQUIRE(parse_scalar(TypeKind::F64, "nan") == f64(not_a_number));
    REQUIRE(parse_scalar(TypeKind::F64, "5e-324") == 1u);
    REQUIRE(parse_scalar(TypeKind::F64, "1e-400") == 0u);
    REQUIRE(parse_scalar(TypeKind::F32, "1e-46") == 0u);
    REQUIRE(parse_scalar(TypeKind::F32, "0.1") == f32(0.1f));
    REQUIRE(!parse_scalar(TypeKind::F64, "1e400"));
    REQUIRE(!parse_scalar(TypeKind::F32, "1e39"));
    REQUIRE(!parse_scalar(TypeKind::F64, "1.0x"));
    REQUIRE(!parse_scalar(TypeKind::F64, "infinity"));
    REQUIRE(parse_scalar(TypeKind::Bool, "true") == 1u);
    REQUIRE(!parse_scalar(TypeKind::Bool, "1"));
}

TEST_CASE("scalars are printed so that they read back") {
    REQUIRE(scalar_text(TypeKind::F64, f64(1.0)) == "1.0");
    REQUIRE(scalar_text(TypeKind::F64, f64(-0.0)) == "-0.0");
    REQUIRE(scalar_text(TypeKind::F64, f64(0.1)) == "0.1");
    REQUIRE(scalar_text(TypeKind::F32, f32(0.1f)) == "0.1");
    REQUIRE(scalar_text(TypeKind::F64, f64(1e300)) == "1e+300");
    REQUIRE(scalar_text(TypeKind::F64, f64(not_a_number)) == "nan");
    REQUIRE(scalar_text(TypeKind::F64, f64(-inf)) == "-inf");
    REQUIRE(scalar_text(TypeKind::I8, wrap(TypeKind::I8, 0x80)) == "-128");
    REQUIRE(scalar_text(TypeKind::U64, ~0ull) == "18446744073709551615");
    REQUIRE(scalar_text(TypeKind::Bool, 1) == "true");
    REQUIRE(rc::check("print, then parse", [](std::uint64_t bits) {
        for (TypeKind type : integers)
            RC_ASSERT(parse_scalar(type, scalar_text(type, wrap(type, bits))) == wrap(type, bits));
        std::uint64_t narrow = f32(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        std::uint64_t wide = f64(std::bit_cast<double>(bits));
        RC_ASSERT(parse_scalar(TypeKind::F32, scalar_text(TypeKind::F32, narrow)) == narrow);
        RC_ASSERT(parse_scalar(TypeKind::F64, scalar_text(TypeKind::F64, wide)) == wide);
        RC_ASSERT(split_number(scalar_text(TypeKind::F64, wide)).is_float);
    }));
}

TEST_CASE("suffixes are told from digits") {
    auto split = [](std::string_view text, std::string_view digits, std::optional<TypeKind> suffix, bool is_float) {
        INFO(text);
        NumberText number = split_number(text);
        REQUIRE(number.digits == digits);
        REQUIRE(number.suffix == suffix);
        REQUIRE(number.is_float == is_float);
    };
    split("7", "7", {}, false);
    split("-7i8", "-7", TypeKind::I8, false);
    split("2.5f32", "2.5", TypeKind::F32, true);
    split("0f64", "0", TypeKind::F64, false);
    split("1e9", "1e9", {}, true);
    split("1e-9f32", "1e-9", TypeKind::F32, true);
    split("0xf32", "0xf32", {}, false);
    split("0x1e5", "0x1e5", {}, false);
    split("0xffu8", "0xff", TypeKind::U8, false);
    split("inf", "inf", {}, true);
    split("-inff32", "-inf", TypeKind::F32, true);
    split("nan", "nan", {}, true);
}

TEST_CASE("strings escape what is not plain text") {
    REQUIRE(escape("a\"b\\\n\t\x01\xff") == R"("a\"b\\\n\t\x01\xff")");
    REQUIRE(unescape(R"("a\"b\\\n\t\x01\xFF")") == "a\"b\\\n\t\x01\xff");
    REQUIRE(unescape(R"("")").empty());
    REQUIRE(
        rc::check("escape, then unescape", [](const std::string& text) { RC_ASSERT(unescape(escape(text)) == text); }));
}

} // namespace irrewrite::scalars_tests
