// Helpers of emitted C++: faults and the IR's arithmetic where C++ has none of its own.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= source_name
inline const std::string source_name = "$source";
//= fault
// The program has no meaning: the line of the IR (0: it is not known), and why.
struct fault : std::runtime_error {
    fault(int line, const std::string& what)
        : std::runtime_error(source_name + (line ? std::string(":").append(std::to_string(line)) : std::string()) + ": " + what) {}
};
//= refuse
// Not where it is found: vector lanes take no function that throws by itself.
[[noreturn]] inline void refuse(int line, const char* what) { throw fault(line, what); }
//= may_not_end
// In a loop that may not end: compilers leave out loops in which nothing can be seen.
inline void may_not_end() { std::atomic_signal_fence(std::memory_order_seq_cst); }
//= wide_unsigned
// Integers wrap: the arithmetic is done on unsigned numbers that no promotion makes signed.
template <class T> using wide_unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
//= wrap_add
template <class T> constexpr T wrap_add(T a, std::type_identity_t<T> b) {
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) + static_cast<wide_unsigned<T>>(b));
}
//= wrap_sub
template <class T> constexpr T wrap_sub(T a, std::type_identity_t<T> b) {
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) - static_cast<wide_unsigned<T>>(b));
}
//= wrap_mul
template <class T> constexpr T wrap_mul(T a, std::type_identity_t<T> b) {
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) * static_cast<wide_unsigned<T>>(b));
}
//= wrap_neg
template <class T> constexpr T wrap_neg(T a) { return wrap_sub(T{0}, a); }
//= wrap_abs
template <class T> constexpr T wrap_abs(T a) { return a < T{0} ? wrap_neg(a) : a; }
//= int_div
// Truncates; the least number divided by -1 is itself.
template <class T> constexpr T int_div(T a, std::type_identity_t<T> b, int line) {
    if (b == 0) refuse(line, "division by zero");
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return wrap_neg(a);
    return static_cast<T>(a / b);
}
//= int_rem
// With the sign of the dividend.
template <class T> constexpr T int_rem(T a, std::type_identity_t<T> b, int line) {
    if (b == 0) refuse(line, "division by zero");
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
    return static_cast<T>(a % b);
}
//= bit_and
template <class T> constexpr T bit_and(T a, std::type_identity_t<T> b) { return static_cast<T>(a & b); }
//= bit_or
template <class T> constexpr T bit_or(T a, std::type_identity_t<T> b) { return static_cast<T>(a | b); }
//= bit_xor
template <class T> constexpr T bit_xor(T a, std::type_identity_t<T> b) { return static_cast<T>(a ^ b); }
//= bit_not
template <class T> constexpr T bit_not(T a) { return static_cast<T>(~a); }
//= is_shift
// A negative number is a huge one without a sign.
template <class T> constexpr bool is_shift(T bits) {
    return static_cast<std::uint64_t>(bits) < 8 * sizeof(T);
}
//= shift_left
template <class T> constexpr T shift_left(T a, std::type_identity_t<T> bits, int line) {
    if (!is_shift<T>(bits)) refuse(line, "shift by less than 0 or by the width or more");
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) << bits);
}
//= shift_right
template <class T> constexpr T shift_right(T a, std::type_identity_t<T> bits, int line) {
    if (!is_shift<T>(bits)) refuse(line, "shift by less than 0 or by the width or more");
    return static_cast<T>(a >> bits);
}
//= bit_count
// Without branches, for vector lanes; compilers know it as one instruction.
template <class T> constexpr T bit_count(T a) {
    auto x = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(a));
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return static_cast<T>(x * 0x0101010101010101u >> 56);
}
//= leading_zeros
template <class T> constexpr T leading_zeros(T a) {
    auto x = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(a));
    for (unsigned by = 1; by < 8 * sizeof(T); by *= 2) x |= x >> by;
    return static_cast<T>(8 * sizeof(T) - static_cast<std::size_t>(bit_count(x)));
}
//= trailing_zeros
// Of 0 the width.
template <class T> constexpr T trailing_zeros(T a) {
    return bit_count(static_cast<T>(~static_cast<wide_unsigned<T>>(a) & (static_cast<wide_unsigned<T>>(a) - 1)));
}
//= rotate_left
template <class T> constexpr T rotate_left(T a, std::type_identity_t<T> by) {
    constexpr unsigned width = 8 * sizeof(T);
    const auto x = static_cast<std::make_unsigned_t<T>>(a);
    const unsigned left = static_cast<unsigned>(by) & (width - 1);
    return static_cast<T>(x << left | x >> ((width - left) & (width - 1)));
}
//= rotate_right
template <class T> constexpr T rotate_right(T a, std::type_identity_t<T> by) {
    constexpr unsigned width = 8 * sizeof(T);
    const auto x = static_cast<std::make_unsigned_t<T>>(a);
    const unsigned right = static_cast<unsigned>(by) & (width - 1);
    return static_cast<T>(x >> right | x << ((width - right) & (width - 1)));
}
//= high_product
// The upper half of the product.
template <class T> constexpr T high_product(T a, std::type_identity_t<T> b) {
    constexpr unsigned width = 8 * sizeof(T);
    if constexpr (width < 64) {
        using wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        return static_cast<T>(static_cast<wide>(a) * static_cast<wide>(b) >> width);
    } else {
        __extension__ using wide = unsigned __int128;
        const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
        auto high = static_cast<std::uint64_t>(wide{x} * y >> width);
        if constexpr (std::is_signed_v<T>) high -= (a < 0 ? y : 0) + (b < 0 ? x : 0);
        return static_cast<T>(high);
    }
}
//= refuse_overflow
[[noreturn]] inline void refuse_overflow(int line) { refuse(line, "overflow"); }
//= exact_number
// A result that wraps, with the side on which the exact number is outside the type's range, if it is.
template <class T> struct exact_number {
    T wrapped;
    bool above, below;
    constexpr T checked(int line) const {
        if (above || below) refuse_overflow(line);
        return wrapped;
    }
    constexpr T saturated() const { return above ? std::numeric_limits<T>::max() : below ? std::numeric_limits<T>::min() : wrapped; }
};
//= exact_sum
template <class T> constexpr exact_number<T> exact_sum(T a, T b) {
    const T sum = wrap_add(a, b);
    if constexpr (std::is_signed_v<T>) return {sum, a >= 0 && b >= 0 && sum < 0, a < 0 && b < 0 && sum >= 0};
    else return {sum, sum < a, false};
}
//= exact_difference
template <class T> constexpr exact_number<T> exact_difference(T a, T b) {
    const T difference = wrap_sub(a, b);
    if constexpr (std::is_signed_v<T>) return {difference, a >= 0 && b < 0 && difference < 0, a < 0 && b >= 0 && difference >= 0};
    else return {difference, false, a < b};
}
//= exact_product
template <class T> constexpr exact_number<T> exact_product(T a, T b) {
    const T product = wrap_mul(a, b), high = high_product(a, b);
    if constexpr (std::is_signed_v<T>) {
        const bool fits = high == (product < 0 ? -1 : 0);
        return {product, !fits && (a < 0) == (b < 0), !fits && (a < 0) != (b < 0)};
    } else {
        return {product, high != 0, false};
    }
}
//= saturated_sum
template <class T> constexpr T saturated_sum(T a, std::type_identity_t<T> b) { return exact_sum(a, b).saturated(); }
//= saturated_difference
template <class T> constexpr T saturated_difference(T a, std::type_identity_t<T> b) { return exact_difference(a, b).saturated(); }
//= saturated_product
template <class T> constexpr T saturated_product(T a, std::type_identity_t<T> b) { return exact_product(a, b).saturated(); }
//= checked_sum
template <class T> constexpr T checked_sum(T a, std::type_identity_t<T> b, int line) { return exact_sum(a, b).checked(line); }
//= checked_difference
template <class T> constexpr T checked_difference(T a, std::type_identity_t<T> b, int line) { return exact_difference(a, b).checked(line); }
//= checked_product
template <class T> constexpr T checked_product(T a, std::type_identity_t<T> b, int line) { return exact_product(a, b).checked(line); }
//= is_within
// In [0, n): one comparison.
inline bool is_within(std::int64_t i, std::int64_t n) { return static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(n); }
//= bin_of
// Truncated, where that is in [0, n), else n; of a NaN 0. Without branches, for vector lanes.
inline std::int64_t bin_of(double x, std::int64_t n) {
    const double end = static_cast<double>(n);
    const double above = x <= -1 ? end : x, place = above >= end ? end : above;
    return place != place ? 0 : static_cast<std::int64_t>(place);
}
//= undecided
// An operand that comparisons do not put in order, a NaN or a zero; instead of any other -0.0, which changes no sum.
template <class T> T undecided(T x) { return x < 0 || x > 0 ? T(-0.0) : x; }
//= lesser
// By value: a reference to an element of an array would become an address that vector lanes gather from.
template <class T> constexpr T lesser(T a, std::type_identity_t<T> b) { return b < a ? b : a; }
//= greater
template <class T> constexpr T greater(T a, std::type_identity_t<T> b) { return b > a ? b : a; }
//= minimum
// IEEE 754-2019: NaN wins, and -0.0 is less than 0.0. Without branches, for vector lanes.
template <class T> T minimum(T a, std::type_identity_t<T> b) { return -(undecided(-b) - lesser(a, b)); }
//= maximum
// IEEE 754-2019: NaN wins, and 0.0 is greater than -0.0. Without branches, for vector lanes.
template <class T> T maximum(T a, std::type_identity_t<T> b) { return greater(a, b) + undecided(b); }
//= order_of
// Floats as integers in one order, for vector lanes: -0.0 before 0.0, NaNs at both ends. It is its own inverse, but for the type.
inline std::int64_t order_of(double x) {
    const std::int64_t bits = std::bit_cast<std::int64_t>(x);
    return bits ^ (bits >> 63 & std::numeric_limits<std::int64_t>::max());
}
inline std::int32_t order_of(float x) {
    const std::int32_t bits = std::bit_cast<std::int32_t>(x);
    return bits ^ (bits >> 31 & std::numeric_limits<std::int32_t>::max());
}
template <class T, class Order> T of_order(Order order) {
    return std::bit_cast<T>(order ^ (order >> (8 * sizeof(T) - 1) & std::numeric_limits<Order>::max()));
}
//= least_of
// A NaN is at either end.
template <class T, class Order> T least_of(Order least, Order greatest) {
    const T last = of_order<T>(greatest);
    return last != last ? last : of_order<T>(least);
}
//= greatest_of
// A NaN is at either end.
template <class T, class Order> T greatest_of(Order least, Order greatest) {
    const T first = of_order<T>(least);
    return first != first ? first : of_order<T>(greatest);
}
//= lanes
// Functions of the C library that it has for vector lanes as well, there within 4 units in the last place.
namespace lanes {
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
extern "C" {
__attribute__((simd("notinbranch"))) double exp(double) noexcept;
__attribute__((simd("notinbranch"))) float expf(float) noexcept;
__attribute__((simd("notinbranch"))) double log(double) noexcept;
__attribute__((simd("notinbranch"))) float logf(float) noexcept;
__attribute__((simd("notinbranch"))) double sin(double) noexcept;
__attribute__((simd("notinbranch"))) float sinf(float) noexcept;
__attribute__((simd("notinbranch"))) double cos(double) noexcept;
__attribute__((simd("notinbranch"))) float cosf(float) noexcept;
}
#else
using ::exp, ::expf, ::log, ::logf, ::sin, ::sinf, ::cos, ::cosf;
#endif
} // namespace lanes
//= lane_exp
inline double lane_exp(double x) { return lanes::exp(x); }
inline float lane_exp(float x) { return lanes::expf(x); }
//= lane_log
inline double lane_log(double x) { return lanes::log(x); }
inline float lane_log(float x) { return lanes::logf(x); }
//= lane_sin
inline double lane_sin(double x) { return lanes::sin(x); }
inline float lane_sin(float x) { return lanes::sinf(x); }
//= lane_cos
inline double lane_cos(double x) { return lanes::cos(x); }
inline float lane_cos(float x) { return lanes::cosf(x); }
//= saturate
// Truncates; what is out of range becomes the nearest integer that there is, NaN becomes 0.
template <class To, class From> constexpr To saturate(From x) {
    using limits = std::numeric_limits<To>;
    constexpr From low = static_cast<From>(limits::min()); // a power of two, or 0
    constexpr From high = static_cast<From>(limits::max() / 2 + 1) * 2;
    if (x != x) return 0;
    if (x <= low) return limits::min();
    return x >= high ? limits::max() : static_cast<To>(x);
}
//= same_length
// The one length that both are.
inline std::int64_t same_length(std::int64_t a, std::int64_t b, int line) {
    if (a != b) throw fault(line, "lengths differ: " + std::to_string(a) + " and " + std::to_string(b));
    return a;
}
//= checked_length
inline std::int64_t checked_length(std::int64_t n, int line) {
    if (n < 0) throw fault(line, "negative length " + std::to_string(n));
    return n;
}
//= out_of_bounds
[[noreturn, gnu::noinline, gnu::cold]] inline void out_of_bounds(std::int64_t i, std::int64_t n, int line) {
    throw fault(line, "index " + std::to_string(i) + " is out of bounds, the length is " + std::to_string(n));
}
//= checked
// The index, where it is within [0, n).
inline std::int64_t checked(std::int64_t i, std::int64_t n, int line) {
    if (static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(n)) out_of_bounds(i, n, line);
    return i;
}
