// One instance of the helpers for a type, and what checks it.
#include "printers/c/runtime/scalars.h"
#include "printers/c/runtime/numbers.h"

static TYPE OF(nearest)(wide x) { return x < LEAST ? LEAST : x > MOST ? MOST : (TYPE)x; }

static void OF(check_pair)(TYPE a, TYPE b) {
    const wide x = a, y = b;
    CHECK(OF(ir_add)(a, b) == (TYPE)(wide_unsigned)(x + y));
    CHECK(OF(ir_sub)(a, b) == (TYPE)(wide_unsigned)(x - y));
    CHECK(OF(ir_mul)(a, b) == (TYPE)((wide_unsigned)x * (wide_unsigned)y));
    CHECK(OF(ir_add_sat)(a, b) == OF(nearest)(x + y));
    CHECK(OF(ir_sub_sat)(a, b) == OF(nearest)(x - y));
    if (WIDTH < 64 || SIGNED) CHECK(OF(ir_mul_sat)(a, b) == OF(nearest)(x * y));
    CHECK(OF(ir_mul_high)(a, b) == (TYPE)((wide_unsigned)x * (wide_unsigned)y >> WIDTH));
    CHECK((OF(ir_sum_side)(a, b) != 0) == (OF(nearest)(x + y) != x + y));
    CHECK((OF(ir_difference_side)(a, b) != 0) == (OF(nearest)(x - y) != x - y));
    CHECK(OF(ir_lesser)(a, b) == (x < y ? a : b) && OF(ir_greater)(a, b) == (x < y ? b : a));
    if (b != 0) CHECK(OF(ir_div)(a, b, 1) == (TYPE)(x / y) && OF(ir_rem)(a, b, 1) == (TYPE)(x % y));
    else if (setjmp(faulted) == 0) OF(ir_div)(a, b, 1), CHECK(false);
    if (x + y != OF(nearest)(x + y) && setjmp(faulted) == 0) OF(ir_add_checked)(a, b, 1), CHECK(false);
    if (y >= 0 && y < WIDTH) {
        CHECK(OF(ir_shl)(a, b, 1) == (TYPE)((wide_unsigned)x << (int)b) && OF(ir_shr)(a, b, 1) == (TYPE)(x >> (int)b));
        CHECK(OF(ir_rotr)(OF(ir_rotl)(a, b), b) == a);
        CHECK(b == 0 || OF(ir_rotl)(a, b) == (TYPE)((UNSIGNED)a << b | (UNSIGNED)a >> (WIDTH - b)));
    } else if (setjmp(faulted) == 0) {
        OF(ir_shl)(a, b, 1), CHECK(false);
    }
}

static void OF(check_one)(TYPE a) {
    int ones = 0, first = WIDTH, last = WIDTH;
    for (int bit = 0; bit < WIDTH; ++bit)
        if ((UNSIGNED)a >> bit & 1) {
            ++ones, last = WIDTH - 1 - bit;
            if (first == WIDTH) first = bit;
        }
    CHECK(OF(ir_popcount)(a) == ones && OF(ir_ctz)(a) == first && OF(ir_clz)(a) == last);
    CHECK(OF(ir_neg)(a) == (TYPE)(0 - (wide)a) && OF(ir_abs)(a) == (TYPE)((wide)a < 0 ? -(wide)a : (wide)a));
    CHECK(WIDTH == 64 || OF(ir_from_f64)((double)a + (a < 0 ? -0.25 : 0.25)) == a);
    char text[40];
    const int length = SIGNED ? snprintf(text, sizeof text, "%lld", (long long)a) : snprintf(text, sizeof text, "%llu", (unsigned long long)a);
    ir_reader in = {text, text + length};
    CHECK(OF(ir_read)(&in) == a && in.at == in.end);
}

static void OF(check)(void) {
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 65536; ++i) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const uint64_t small = random >> (random & 63), other = random * 0x9e3779b97f4a7c15u;
        const TYPE a = (TYPE)(WIDTH == 8 ? (uint64_t)(i & 255) : i & 1 ? small : random);
        const TYPE b = (TYPE)(WIDTH == 8 ? (uint64_t)(i >> 8) : i & 2 ? other >> (random & 63) : other);
        OF(check_pair)(a, b), OF(check_one)(a);
    }
    OF(check_pair)(LEAST, (TYPE)-1), OF(check_pair)(LEAST, LEAST), OF(check_pair)(MOST, MOST), OF(check_pair)(LEAST, MOST);
    CHECK(OF(ir_from_f64)(1e300) == MOST && OF(ir_from_f64)(-1e300) == LEAST && OF(ir_from_f64)(NAN) == 0);
}

#undef KIND
#undef TYPE
#undef UNSIGNED
#undef WORD
#undef WIDTH
#undef SIGNED
#undef LEAST
#undef MOST
