// Helpers of emitted C: arrays of one type of elements. A file may use each of them for several types: OF(f) becomes
// `ir_array_f64_f`, and the other words in capitals what they are there.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#include "base.h"
// ARRAY, ELEMENT, RANK; ROW: the array of one dimension less; KEEP(x), RELEASE(x): of an element.
//= type
// Row by row, n[0] rows. `memory` owns the elements; NULL: somebody else does, and keeps them.
typedef struct ARRAY {
    ELEMENT *data;
    int64_t n[RANK];
    ir_memory *memory;
} ARRAY;
//= release
static inline void OF(release)(ARRAY x) {
    if (!ir_drop(x.memory)) return;
    RELEASE_ALL(ELEMENT, x.memory);
    free(x.memory);
}
//= take
// The value, which is moved out of a variable.
static inline ARRAY OF(take)(ARRAY *x) {
    const ARRAY taken = *x;
    memset(x, 0, sizeof *x);
    return taken;
}
//= new
// Zeros.
static inline ARRAY OF(new)(const int64_t *n) {
    ARRAY x = {0};
    for (int k = 0; k < RANK; ++k) x.n[k] = n[k];
    x.memory = ir_new_memory(ir_product(n, RANK), sizeof(ELEMENT));
    x.data = ir_elements(x.memory);
    return x;
}
//= filled
static inline ARRAY OF(filled)(int64_t n, ELEMENT value) {
    ARRAY x = OF(new)((int64_t[]){n});
    for (int64_t i = 0; i < n; ++i) x.data[i] = KEEP(ELEMENT, value);
    return x;
}
//= copy
static inline ARRAY OF(copy)(ARRAY x) {
    const ARRAY fresh = OF(new)(x.n);
    const int64_t count = fresh.memory == NULL ? 0 : fresh.memory->count;
    for (int64_t i = 0; i < count; ++i) fresh.data[i] = KEEP(ELEMENT, x.data[i]);
    return fresh;
}
//= is_whole
// True if the elements are all that its memory holds.
static inline bool OF(is_whole)(ARRAY x) {
    return x.memory != NULL && x.data == ir_elements(x.memory) && ir_product(x.n, RANK) == x.memory->count;
}
//= share
// Of memory that programs change: the same memory.
static inline ARRAY OF(share)(ARRAY x) {
    ir_hold(x.memory);
    return x;
}
//= keep
// The same value, to be stored: it shares the memory, or is a copy if that is somebody else's, or more than that.
static inline ARRAY OF(keep)(ARRAY x) {
    if (!OF(is_whole)(x)) return OF(copy)(x);
    ir_hold(x.memory);
    return x;
}
//= own
// Before a variable's array is changed: nobody else may have its memory.
static inline void OF(own)(ARRAY *x) {
    if (x->memory != NULL && ir_is_alone(x->memory)) return;
    const ARRAY before = *x;
    *x = OF(copy)(before);
    OF(release)(before);
}
//= push
static inline void OF(push)(ARRAY *x, ELEMENT value) {
    const int64_t n = x->n[0];
    if (x->memory == NULL || n == x->memory->capacity) {
        const bool fresh = x->memory == NULL;
        x->memory = ir_allocate(x->memory, 2 * n + 8, sizeof(ELEMENT));
        if (fresh) atomic_init(&x->memory->uses, 1);
        x->data = ir_elements(x->memory);
    }
    x->data[n] = value;
    x->memory->count = x->n[0] = n + 1;
}
//= push_row
// The first row says how long rows are.
static inline void OF(push_row)(ARRAY *x, ROW row) {
    if (x->n[0] == 0)
        for (int k = 1; k < RANK; ++k) x->n[k] = row.n[k - 1];
    const int64_t width = ir_product(x->n + 1, RANK - 1), count = x->n[0] * width;
    const int64_t capacity = x->memory == NULL ? 0 : x->memory->capacity;
    if (count + width > capacity) {
        const bool fresh = x->memory == NULL;
        x->memory = ir_allocate(x->memory, 2 * capacity + width + 8, sizeof(ELEMENT));
        if (fresh) atomic_init(&x->memory->uses, 1);
        x->data = ir_elements(x->memory);
    }
    for (int64_t j = 0; j < width; ++j) x->data[count + j] = KEEP(ELEMENT, row.data[j]);
    x->n[0] += 1;
    if (x->memory != NULL) x->memory->count = count + width;
}
//= row
// One row, where it lies.
static inline ROW OF(row)(ARRAY x, int64_t i) {
    ROW row = {0};
    for (int k = 1; k < RANK; ++k) row.n[k - 1] = x.n[k];
    const int64_t width = ir_product(row.n, RANK - 1);
    row.data = width == 0 ? x.data : x.data + i * width;
    row.memory = x.memory;
    return row;
}
//= set_row
static inline void OF(set_row)(ARRAY x, int64_t i, ROW row) {
    const int64_t width = ir_product(x.n + 1, RANK - 1);
    for (int64_t j = 0; j < width; ++j) {
        RELEASE(ELEMENT, x.data[i * width + j]);
        x.data[i * width + j] = KEEP(ELEMENT, row.data[j]);
    }
}
//= repeated
// `n` rows like this one.
static inline ARRAY OF(repeated)(int64_t n, ROW row) {
    int64_t extents[RANK] = {n};
    for (int k = 1; k < RANK; ++k) extents[k] = row.n[k - 1];
    ARRAY x = OF(new)(extents);
    for (int64_t i = 0; i < n; ++i) OF(set_row)(x, i, row);
    return x;
}
//= part
// `n` elements from `from` on, where they lie.
static inline ARRAY OF(part)(ARRAY x, int64_t from, int64_t n) {
    if (n > 0 && from > 0) x.data += from;
    x.n[0] = n;
    return x;
}
//= reverse
static inline void OF(reverse)(ARRAY x) {
    for (int64_t i = 0, j = x.n[0] - 1; i < j; ++i, --j) {
        const ELEMENT other = x.data[i];
        x.data[i] = x.data[j];
        x.data[j] = other;
    }
}
//= read
static inline ARRAY OF(read)(ir_reader *in) {
    ARRAY x = {0};
    ir_expect(in, '[');
    if (ir_accept(in, ']')) return x;
    do OF(push)(&x, READ(ELEMENT, in));
    while (ir_accept(in, ','));
    ir_expect(in, ']');
    return x;
}
//= read_rows
static inline ARRAY OF(read_rows)(ir_reader *in) {
    ARRAY x = {0};
    ir_expect(in, '[');
    if (ir_accept(in, ']')) return x;
    do {
        const ROW row = READ_ROW(ROW, in);
        for (int k = 1; k < RANK; ++k)
            if (x.n[0] > 0 && row.n[k - 1] != x.n[k]) ir_fault(0, "rows of different lengths");
        OF(push_row)(&x, row);
        RELEASE_ROW(ROW, row);
    } while (ir_accept(in, ','));
    ir_expect(in, ']');
    return x;
}
//= read_text
static inline ARRAY OF(read_text)(ir_reader *in) {
    if (!ir_accept(in, '"')) return OF(read)(in);
    ARRAY x = {0};
    for (int byte; (byte = ir_byte(in, '"')) >= 0;) OF(push)(&x, (ELEMENT)byte);
    return x;
}
//= write_text
static inline void OF(write_text)(ARRAY x) { ir_write_text(x.data, x.n[0]); }
//= write
static inline void OF(write)(ARRAY x) {
    putchar('[');
    for (int64_t i = 0; i < x.n[0]; ++i) {
        if (i > 0) fputs(", ", stdout);
        WRITE(ELEMENT, x.data[i]);
    }
    putchar(']');
}
//= write_rows
static inline void OF(write_rows)(ARRAY x) {
    putchar('[');
    for (int64_t i = 0; i < x.n[0]; ++i) {
        if (i > 0) fputs(", ", stdout);
        WRITE_ROW(ROW, OF(row)(x, i));
    }
    putchar(']');
}
