// The helpers of emitted C as the sources that they are: for each type once, compared with plain arithmetic in 128 bits.
#include <setjmp.h>

static jmp_buf faulted;
#define IR_FAULT(message) longjmp(faulted, 1)
#include "printers/c/runtime/text.h"

#define GLUE(a, b) a##_##b
#define NAMED(a, b) GLUE(a, b)
#define FLOAT(f) f
#define NEGATIVE(x) (SIGNED && (x) < 0)
#define OF(f) NAMED(f, KIND)
#define SUFFIX "i8"
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_unsigned;

static int failures;
#define CHECK(condition) ((condition) ? (void)0 : (void)(++failures, printf("%s:%d: %s\n", __FILE__, __LINE__, #condition)))

#define KIND i8
#define TYPE int8_t
#define UNSIGNED uint8_t
#define WORD uint32_t
#define WIDTH 8
#define SIGNED 1
#define LEAST INT8_MIN
#define MOST INT8_MAX
#include "tests/c/scalars.h"

#define KIND u8
#define TYPE uint8_t
#define UNSIGNED uint8_t
#define WORD uint32_t
#define WIDTH 8
#define SIGNED 0
#define LEAST 0
#define MOST UINT8_MAX
#include "tests/c/scalars.h"

#define KIND i64
#define TYPE int64_t
#define UNSIGNED uint64_t
#define WORD uint64_t
#define WIDTH 64
#define SIGNED 1
#define LEAST INT64_MIN
#define MOST INT64_MAX
#include "tests/c/scalars.h"

#define KIND u64
#define TYPE uint64_t
#define UNSIGNED uint64_t
#define WORD uint64_t
#define WIDTH 64
#define SIGNED 0
#define LEAST 0
#define MOST UINT64_MAX
#include "tests/c/scalars.h"

#undef OF
#define OF(f) NAMED(ARRAY, f)
#define ELEMENT double
#define KEEP(type, x) (x)
#define RELEASE(type, x) (void)0
#define RELEASE_ALL(type, memory) (void)0
#define READ(type, in) ir_read_f64(in)
#define WRITE(type, x) ir_write_f64(x)
#define READ_ROW(type, in) numbers_read(in)
#define WRITE_ROW(type, x) numbers_write(x)
#define RELEASE_ROW(type, x) numbers_release(x)
#define RANK 1
#define ARRAY numbers
#define ROW numbers
#define read_text read_bytes
#define ir_write_text(data, n) (void)0
#include "printers/c/runtime/arrays.h"
#undef RANK
#undef ARRAY
#define RANK 2
#define ARRAY matrix
#include "printers/c/runtime/arrays.h"

static void check_arrays(void) {
    double mine[] = {1.0, 2.0, 3.0};
    numbers x = {mine, {3}, NULL}, y = numbers_keep(x), z = numbers_keep(y);
    CHECK(y.data != mine && z.data == y.data); // a copy of what is the caller's; one more use of what is counted
    numbers_own(&z);
    CHECK(z.data != y.data && z.data[2] == 3.0);
    const double *const before = z.data;
    numbers_own(&z);
    CHECK(z.data == before); // nobody else has it
    const numbers part = numbers_part(z, 1, 2), kept = numbers_keep(part);
    CHECK(part.data == z.data + 1 && kept.data != part.data && kept.data[1] == 3.0 && kept.n[0] == 2);
    numbers taken = numbers_take(&z);
    CHECK(z.memory == NULL && taken.data == before);
    for (int i = 0; i < 100; ++i) numbers_push(&taken, i);
    CHECK(taken.n[0] == 103 && taken.data[102] == 99.0);
    numbers_reverse(taken);
    CHECK(taken.data[0] == 99.0 && taken.data[102] == 1.0);
    matrix m = {0};
    matrix_push_row(&m, kept), matrix_push_row(&m, numbers_part(x, 0, 2));
    CHECK(m.n[0] == 2 && m.n[1] == 2 && m.data[3] == 2.0 && matrix_row(m, 1).data[0] == 1.0);
    matrix copy = matrix_keep(m);
    matrix_own(&copy);
    matrix_set_row(copy, 0, matrix_row(m, 1));
    CHECK(copy.data[0] == 1.0 && m.data[0] == 2.0);
    matrix_release(m), matrix_release(copy), numbers_release(y), numbers_release(kept), numbers_release(taken), numbers_release(z);
}

int main(void) {
    check_i8(), check_u8(), check_i64(), check_u64(), check_arrays();
    if (setjmp(faulted) == 0) ir_checked(3, 3, 1), CHECK(false);
    CHECK(ir_checked(2, 3, 1) == 2);
    for (int64_t n = 0; n < 20; ++n)
        for (int64_t parts = 1; parts < 6; ++parts) CHECK(ir_first(n, parts, 0) == 0 && ir_first(n, parts, parts) == n);
    return failures == 0 ? 0 : 1;
}
