// Helpers of emitted C: faults, the memory of arrays, parts of loops.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= includes
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __GNUC__
#define IR_UNUSED __attribute__((unused))
#else
#define IR_UNUSED
#endif
//= ir_source
static const char *const ir_source = "$source";
//= ir_fault
// The program has no meaning: the line of the IR (0: it is not known), and why. Define IR_FAULT(message) to do something else
// than to end with exit code 5; it may not return.
#ifndef IR_FAULT
#define IR_FAULT(message) (fflush(stdout), fprintf(stderr, "%s\n", message), _Exit(5))
#endif
static inline _Noreturn void ir_fault(int line, const char *format, ...) {
    char what[128], message[640];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line != 0) snprintf(message, sizeof message, "%.500s:%d: %s", ir_source, line, what);
    else snprintf(message, sizeof message, "%.500s: %s", ir_source, what);
    IR_FAULT(message);
    abort();
}
//= ir_out_of_memory
static inline _Noreturn void ir_out_of_memory(void) {
    fputs("error: out of memory\n", stderr);
    _Exit(4);
}
//= ir_may_not_end
// In a loop that may not end: compilers leave out loops in which nothing can be seen.
static inline void ir_may_not_end(void) { atomic_signal_fence(memory_order_seq_cst); }
//= ir_checked
static inline _Noreturn void ir_out_of_bounds(int64_t i, int64_t n, int line) {
    ir_fault(line, "index %lld is out of bounds, the length is %lld", (long long)i, (long long)n);
}
// The index, where it is within [0, n).
static inline int64_t ir_checked(int64_t i, int64_t n, int line) {
    if ((uint64_t)i >= (uint64_t)n) ir_out_of_bounds(i, n, line);
    return i;
}
//= ir_is_within
// In [0, n): one comparison.
static inline bool ir_is_within(int64_t i, int64_t n) { return (uint64_t)i < (uint64_t)n; }
//= ir_same_length
// The one length that both are.
static inline int64_t ir_same_length(int64_t a, int64_t b, int line) {
    if (a != b) ir_fault(line, "lengths differ: %lld and %lld", (long long)a, (long long)b);
    return a;
}
//= ir_checked_length
static inline int64_t ir_checked_length(int64_t n, int line) {
    if (n < 0) ir_fault(line, "negative length %lld", (long long)n);
    return n;
}
//= ir_parts
// Into so many contiguous parts a loop is divided: one for each thread, where there are `enough` indices.
static inline int64_t ir_parts(int64_t n, int64_t enough) {
#ifdef _OPENMP
    if (n >= enough && !omp_in_parallel()) return omp_get_max_threads();
#endif
    (void)n, (void)enough;
    return 1;
}
//= ir_first
// The first index of a part.
static inline int64_t ir_first(int64_t n, int64_t parts, int64_t part) {
    const int64_t rest = n % parts;
    return n / parts * part + (part < rest ? part : rest);
}
//= ir_clamped
static inline int64_t ir_clamped(int64_t x, int64_t least, int64_t most) { return x < least ? least : x > most ? most : x; }
//= ir_is_part
// True if `n` elements from `from` on are there.
static inline bool ir_is_part(int64_t from, int64_t n, int64_t size) { return n <= 0 || (from >= 0 && from <= size - n); }
//= ir_memory
// The elements of arrays lie behind these numbers. Several values may share it: `uses` counts them. `count` of the
// elements exist, and there is room for `capacity`.
typedef struct ir_memory {
    _Atomic int64_t uses;
    int64_t count, capacity, unused;
} ir_memory;
//= ir_allocate
static inline ir_memory *ir_allocate(ir_memory *old, int64_t capacity, size_t size) {
    if (capacity > (int64_t)(PTRDIFF_MAX / size - sizeof(ir_memory))) ir_out_of_memory();
    ir_memory *const memory = realloc(old, sizeof(ir_memory) + (size_t)capacity * size);
    if (memory == NULL) ir_out_of_memory();
    memory->capacity = capacity;
    return memory;
}
//= ir_new_memory
// Of elements that are zero; none if there are none.
static inline ir_memory *ir_new_memory(int64_t count, size_t size) {
    if (count <= 0) return NULL;
    if (count > (int64_t)(PTRDIFF_MAX / size - sizeof(ir_memory))) ir_out_of_memory();
    ir_memory *const memory = calloc(1, sizeof(ir_memory) + (size_t)count * size);
    if (memory == NULL) ir_out_of_memory();
    atomic_init(&memory->uses, 1);
    memory->count = memory->capacity = count;
    return memory;
}
//= ir_elements
static inline void *ir_elements(ir_memory *memory) { return memory == NULL ? NULL : memory + 1; }
//= ir_hold
static inline void ir_hold(ir_memory *memory) {
    if (memory != NULL) atomic_fetch_add_explicit(&memory->uses, 1, memory_order_relaxed);
}
//= ir_drop
// True if that was the last use.
static inline bool ir_drop(ir_memory *memory) {
    return memory != NULL && atomic_fetch_sub_explicit(&memory->uses, 1, memory_order_acq_rel) == 1;
}
//= ir_is_alone
static inline bool ir_is_alone(ir_memory *memory) {
    return memory == NULL || atomic_load_explicit(&memory->uses, memory_order_acquire) == 1;
}
//= ir_product
static inline int64_t ir_product(const int64_t *n, int rank) {
    int64_t product = 1;
    for (int k = 0; k < rank; ++k) {
        if (n[k] > 0 && product > INT64_MAX / n[k]) ir_out_of_memory();
        product *= n[k];
    }
    return product;
}
//= ir_start_slice
// The first element of a part of an array, checked if there is one.
static inline int64_t ir_start_slice(int64_t from, int64_t n, int64_t size, int line) {
    if (n <= 0) return 0;
    if (from < 0 || from >= size) ir_out_of_bounds(from, size, line);
    if (n > size - from) ir_out_of_bounds(size, size, line);
    return from;
}
//= ir_scratch
static inline void *ir_scratch(int64_t count, size_t size) {
    void *const place = malloc((size_t)count * size);
    if (place == NULL && count > 0) ir_out_of_memory();
    return place;
}
