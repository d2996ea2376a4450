// Helpers of emitted C: the IR's arithmetic where C has none of its own. A file may use each of them for several types: OF(f)
// becomes `f_i32`, and the other words in capitals what they are for that type.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#include "base.h"
// TYPE, OF, and UNSIGNED: as wide, without a sign; WORD: that, and wide enough that no promotion makes it signed; WIDTH; SIGNED:
// 1 or 0; NEGATIVE(x); LEAST, MOST: its ends.
//= ir_add
// Integers wrap.
static inline TYPE OF(ir_add)(TYPE a, TYPE b) { return (TYPE)((WORD)a + (WORD)b); }
//= ir_sub
static inline TYPE OF(ir_sub)(TYPE a, TYPE b) { return (TYPE)((WORD)a - (WORD)b); }
//= ir_mul
static inline TYPE OF(ir_mul)(TYPE a, TYPE b) { return (TYPE)((WORD)a * (WORD)b); }
//= ir_neg
static inline TYPE OF(ir_neg)(TYPE a) { return (TYPE)(0 - (WORD)a); }
//= ir_abs
static inline TYPE OF(ir_abs)(TYPE a) { return NEGATIVE(a) ? (TYPE)(0 - (WORD)a) : a; }
//= ir_div
// Truncates; the least number divided by -1 is itself.
static inline TYPE OF(ir_div)(TYPE a, TYPE b, int line) {
    if (b == 0) ir_fault(line, "division by zero");
    if (SIGNED && b == (TYPE)-1) return (TYPE)(0 - (WORD)a);
    return (TYPE)(a / b);
}
//= ir_rem
// With the sign of the dividend.
static inline TYPE OF(ir_rem)(TYPE a, TYPE b, int line) {
    if (b == 0) ir_fault(line, "division by zero");
    if (SIGNED && b == (TYPE)-1) return 0;
    return (TYPE)(a % b);
}
//= ir_and
static inline TYPE OF(ir_and)(TYPE a, TYPE b) { return (TYPE)(a & b); }
//= ir_or
static inline TYPE OF(ir_or)(TYPE a, TYPE b) { return (TYPE)(a | b); }
//= ir_xor
static inline TYPE OF(ir_xor)(TYPE a, TYPE b) { return (TYPE)(a ^ b); }
//= ir_not
static inline TYPE OF(ir_not)(TYPE a) { return (TYPE)~a; }
//= ir_shl
static inline TYPE OF(ir_shl)(TYPE a, TYPE bits, int line) {
    if ((uint64_t)bits >= WIDTH) ir_fault(line, "shift by less than 0 or by the width or more");
    return (TYPE)((WORD)a << bits);
}
//= ir_shr
static inline TYPE OF(ir_shr)(TYPE a, TYPE bits, int line) {
    if ((uint64_t)bits >= WIDTH) ir_fault(line, "shift by less than 0 or by the width or more");
    return (TYPE)(a >> bits);
}
//= ir_popcount
static inline TYPE OF(ir_popcount)(TYPE a) {
    uint64_t x = (UNSIGNED)a;
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (TYPE)(x * 0x0101010101010101u >> 56);
}
//= ir_clz
static inline TYPE OF(ir_clz)(TYPE a) {
    uint64_t x = (UNSIGNED)a;
    for (unsigned by = 1; by < WIDTH; by *= 2) x |= x >> by;
    return (TYPE)(WIDTH - OF(ir_popcount)((TYPE)x));
}
//= ir_ctz
// Of 0 the width.
static inline TYPE OF(ir_ctz)(TYPE a) { return OF(ir_popcount)((TYPE)(~(WORD)a & ((WORD)a - 1))); }
//= ir_rotl
static inline TYPE OF(ir_rotl)(TYPE a, TYPE by) {
    const unsigned left = (unsigned)by & (WIDTH - 1);
    return (TYPE)((UNSIGNED)((WORD)(UNSIGNED)a << left) | (UNSIGNED)((UNSIGNED)a >> ((WIDTH - left) & (WIDTH - 1))));
}
//= ir_rotr
static inline TYPE OF(ir_rotr)(TYPE a, TYPE by) { return OF(ir_rotl)(a, (TYPE)((WIDTH - ((unsigned)by & (WIDTH - 1))) & (WIDTH - 1))); }
//= ir_mul_high
// The upper half of the product, made of halves.
static inline TYPE OF(ir_mul_high)(TYPE a, TYPE b) {
    const uint64_t x = (UNSIGNED)a, y = (UNSIGNED)b;
    uint64_t high;
    if (WIDTH < 64) {
        high = x * y >> (WIDTH % 64);
    } else {
        const uint64_t low = (uint32_t)x * (uint64_t)(uint32_t)y;
        const uint64_t left = (x >> 32) * (uint32_t)y + (low >> 32), right = (y >> 32) * (uint32_t)x + (uint32_t)left;
        high = (x >> 32) * (y >> 32) + (left >> 32) + (right >> 32);
    }
    if (NEGATIVE(a)) high -= y;
    if (NEGATIVE(b)) high -= x;
    return (TYPE)high;
}
//= ir_is_beyond
// 1, -1 or 0: the exact sum, difference or product is above the type's range, below it, or in it.
static inline int OF(ir_sum_side)(TYPE a, TYPE b) {
    const TYPE limit = (TYPE)(NEGATIVE(b) ? LEAST - b : MOST - b);
    if (NEGATIVE(b)) return a < limit ? -1 : 0;
    return a > limit ? 1 : 0;
}
static inline int OF(ir_difference_side)(TYPE a, TYPE b) {
    const TYPE limit = (TYPE)(NEGATIVE(b) ? MOST + b : LEAST + b);
    if (NEGATIVE(b)) return a > limit ? 1 : 0;
    return a < limit ? -1 : 0;
}
//= ir_product_side
static inline int OF(ir_product_side)(TYPE a, TYPE b) {
    const TYPE low = (TYPE)((WORD)a * (WORD)b), high = OF(ir_mul_high)(a, b);
    if (high == (NEGATIVE(low) ? (TYPE)-1 : 0)) return 0;
    return NEGATIVE(a) != NEGATIVE(b) ? -1 : 1;
}
//= ir_saturated
static inline TYPE OF(ir_saturated)(TYPE wrapped, int side) { return side > 0 ? MOST : side < 0 ? LEAST : wrapped; }
//= ir_add_sat
static inline TYPE OF(ir_add_sat)(TYPE a, TYPE b) { return OF(ir_saturated)(OF(ir_add)(a, b), OF(ir_sum_side)(a, b)); }
//= ir_sub_sat
static inline TYPE OF(ir_sub_sat)(TYPE a, TYPE b) { return OF(ir_saturated)(OF(ir_sub)(a, b), OF(ir_difference_side)(a, b)); }
//= ir_mul_sat
static inline TYPE OF(ir_mul_sat)(TYPE a, TYPE b) { return OF(ir_saturated)(OF(ir_mul)(a, b), OF(ir_product_side)(a, b)); }
//= ir_add_checked
static inline TYPE OF(ir_add_checked)(TYPE a, TYPE b, int line) {
    if (OF(ir_sum_side)(a, b) != 0) ir_fault(line, "overflow");
    return OF(ir_add)(a, b);
}
//= ir_sub_checked
static inline TYPE OF(ir_sub_checked)(TYPE a, TYPE b, int line) {
    if (OF(ir_difference_side)(a, b) != 0) ir_fault(line, "overflow");
    return OF(ir_sub)(a, b);
}
//= ir_mul_checked
static inline TYPE OF(ir_mul_checked)(TYPE a, TYPE b, int line) {
    if (OF(ir_product_side)(a, b) != 0) ir_fault(line, "overflow");
    return OF(ir_mul)(a, b);
}
//= ir_lesser
static inline TYPE OF(ir_lesser)(TYPE a, TYPE b) { return b < a ? b : a; }
//= ir_greater
static inline TYPE OF(ir_greater)(TYPE a, TYPE b) { return b > a ? b : a; }
//= ir_undecided
// An operand that comparisons do not put in order, a NaN or a zero; instead of any other -0.0, which changes no sum.
static inline TYPE OF(ir_undecided)(TYPE x) { return x < 0 || x > 0 ? (TYPE)-0.0 : x; }
//= ir_minimum
// IEEE 754-2019: NaN wins, and -0.0 is less than 0.0. Without branches, for vector lanes.
static inline TYPE OF(ir_minimum)(TYPE a, TYPE b) { return -(OF(ir_undecided)(-b) - OF(ir_lesser)(a, b)); }
//= ir_maximum
// IEEE 754-2019: NaN wins, and 0.0 is greater than -0.0. Without branches, for vector lanes.
static inline TYPE OF(ir_maximum)(TYPE a, TYPE b) { return OF(ir_greater)(a, b) + OF(ir_undecided)(b); }
//= ir_from_f64
// Truncates; what is out of range becomes the nearest integer that there is, NaN becomes 0.
static inline TYPE OF(ir_from_f64)(double x) {
    const double low = (double)LEAST, high = (double)(MOST / 2 + 1) * 2;
    if (x != x) return 0;
    if (x <= low) return LEAST;
    return x >= high ? MOST : (TYPE)x;
}
//= ir_from_f32
static inline TYPE OF(ir_from_f32)(float x) { return OF(ir_from_f64)((double)x); }
//= ir_fmod
static inline TYPE OF(ir_fmod)(TYPE a, TYPE b) { return FLOAT(fmod)(a, b); }
//= ir_fabs
static inline TYPE OF(ir_fabs)(TYPE x) { return FLOAT(fabs)(x); }
//= ir_pow
static inline TYPE OF(ir_pow)(TYPE a, TYPE b) { return FLOAT(pow)(a, b); }
//= ir_sqrt
static inline TYPE OF(ir_sqrt)(TYPE x) { return FLOAT(sqrt)(x); }
//= ir_exp
static inline TYPE OF(ir_exp)(TYPE x) { return FLOAT(exp)(x); }
//= ir_log
static inline TYPE OF(ir_log)(TYPE x) { return FLOAT(log)(x); }
//= ir_sin
static inline TYPE OF(ir_sin)(TYPE x) { return FLOAT(sin)(x); }
//= ir_cos
static inline TYPE OF(ir_cos)(TYPE x) { return FLOAT(cos)(x); }
//= ir_tan
static inline TYPE OF(ir_tan)(TYPE x) { return FLOAT(tan)(x); }
//= ir_tanh
static inline TYPE OF(ir_tanh)(TYPE x) { return FLOAT(tanh)(x); }
//= ir_floor
static inline TYPE OF(ir_floor)(TYPE x) { return FLOAT(floor)(x); }
//= ir_ceil
static inline TYPE OF(ir_ceil)(TYPE x) { return FLOAT(ceil)(x); }
//= ir_fma
static inline TYPE OF(ir_fma)(TYPE a, TYPE b, TYPE c) { return FLOAT(fma)(a, b, c); }
