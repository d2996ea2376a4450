// Helpers of emitted C: integers as literals of the IR, in both directions; for several types, as in scalars.h.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#include "text.h"
//= ir_read
static inline TYPE OF(ir_read)(ir_reader *in) {
    bool negative;
    if (WIDTH == 8 && !SIGNED && ir_accept(in, '\'')) {
        const int byte = ir_byte(in, '\'');
        if (byte < 0 || ir_byte(in, '\'') >= 0) ir_refuse("expected one byte between the quotes");
        return (TYPE)byte;
    }
    const uint64_t magnitude = ir_integer(in, SUFFIX, SIGNED ? (uint64_t)(MOST) + 1 : 0, (uint64_t)(MOST), &negative);
    return (TYPE)(negative ? 0 - magnitude : magnitude);
}
//= ir_write
static inline void OF(ir_write)(TYPE x) {
    if (SIGNED) printf("%lld", (long long)x);
    else printf("%llu", (unsigned long long)x);
}
