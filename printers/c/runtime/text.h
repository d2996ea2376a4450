// Helpers of emitted C: values as literals of the IR, in both directions.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
#include "base.h"
//= ir_reader
// Literals of the IR, read one after the other.
typedef struct ir_reader {
    const char *at, *end;
} ir_reader;
static inline _Noreturn void ir_refuse(const char *what) {
    fprintf(stderr, "error: %s\n", what);
    _Exit(2);
}
//= ir_accept
static inline bool ir_accept(ir_reader *in, char c) {
    while (in->at != in->end && (*in->at == ' ' || *in->at == '\n' || *in->at == '\t' || *in->at == '\r')) ++in->at;
    if (in->at == in->end || *in->at != c) return false;
    ++in->at;
    return true;
}
//= ir_expect
static inline void ir_expect(ir_reader *in, char c) {
    const char what[] = {'e', 'x', 'p', 'e', 'c', 't', 'e', 'd', ' ', '\'', c, '\'', 0};
    if (!ir_accept(in, c)) ir_refuse(what);
}
//= ir_word
// A name or a number, where it stands.
typedef struct ir_letters {
    const char *at;
    size_t length;
} ir_letters;
static inline ir_letters ir_word(ir_reader *in) {
    ir_accept(in, '\0');
    const char *const begin = in->at;
    for (; in->at != in->end; ++in->at) {
        const char c = *in->at;
        const bool sign = (c == '-' || c == '+') && (in->at == begin || in->at[-1] == 'e' || in->at[-1] == 'E');
        const bool part = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
        if (!part && !sign) break;
    }
    return (ir_letters){begin, (size_t)(in->at - begin)};
}
//= ir_is_word
static inline bool ir_is_word(ir_letters word, const char *name) {
    return word.length == strlen(name) && memcmp(word.at, name, word.length) == 0;
}
//= ir_expect_word
static inline void ir_expect_word(ir_reader *in, const char *name) {
    if (!ir_is_word(ir_word(in), name)) ir_refuse("expected the name of a struct or field");
}
//= ir_byte
// The next byte of a literal between such quotes, or -1 behind the last one.
static inline int ir_byte(ir_reader *in, char quote) {
    if (in->at == in->end) ir_expect(in, quote);
    char c = *in->at++;
    if (c == quote) return -1;
    if (c != '\\' || in->at == in->end) return (unsigned char)c;
    c = *in->at++;
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c != 'x' || in->end - in->at < 3) return (unsigned char)c;
    const char digits[3] = {in->at[0], in->at[1], 0};
    in->at += 2;
    return (int)strtoul(digits, NULL, 16);
}
//= ir_number
// A word that is a number, without underscores and the suffix that is its type. More digits than there is place for are refused;
// those of the least float fit.
enum { ir_longest_number = 1100 };
static inline void ir_number(ir_reader *in, char digits[ir_longest_number], const char *suffix) {
    ir_letters word = ir_word(in);
    const bool negative = word.length > 0 && word.at[0] == '-';
    const bool hexadecimal = word.length > 2u + negative && memcmp(word.at + negative, "0x", 2) == 0;
    const size_t end = strlen(suffix);
    if (word.length >= end && memcmp(word.at + word.length - end, suffix, end) == 0 && !(hexadecimal && suffix[0] == 'f'))
        word.length -= end;
    size_t kept = 0;
    for (size_t i = 0; i < word.length; ++i) {
        if (word.at[i] == '_') continue;
        if (kept + 1 == ir_longest_number) ir_refuse("a number of too many digits");
        digits[kept++] = word.at[i];
    }
    digits[kept] = 0;
}
//= ir_integer
// Its magnitude, which is at most that of the type's end on its side.
static inline uint64_t ir_integer(ir_reader *in, const char *suffix, uint64_t least, uint64_t most, bool *negative) {
    char word[ir_longest_number];
    ir_number(in, word, suffix);
    const char *at = word;
    *negative = *at == '-';
    if (*negative) ++at;
    const uint64_t base = strncmp(at, "0x", 2) == 0 ? 16 : 10, limit = *negative ? least : most;
    if (base == 16) at += 2;
    uint64_t value = 0;
    bool fits = true;
    if (*at == 0 || (*negative && least == 0)) ir_refuse("expected a number");
    for (; *at != 0; ++at) {
        const char *const digits = "0123456789abcdef", *const found = strchr(digits, *at >= 'A' && *at <= 'F' ? *at + 32 : *at);
        if (found == NULL || (uint64_t)(found - digits) >= base) ir_refuse("expected a number");
        const uint64_t digit = (uint64_t)(found - digits);
        fits = fits && value <= (limit - digit) / base && digit <= limit;
        value = value * base + digit;
    }
    if (!fits) ir_refuse("a number that does not fit");
    return value;
}
//= ir_read_bool
static inline bool ir_read_bool(ir_reader *in) {
    const ir_letters word = ir_word(in);
    const bool yes = ir_is_word(word, "true");
    if (!yes && !ir_is_word(word, "false")) ir_refuse("expected true or false");
    return yes;
}
//= ir_check_float
// `strtod` has read up to `end`: all of it, no `0x1p3`, and no number that the type does not have.
static inline void ir_check_float(const char *word, const char *end, bool finite) {
    if (word[0] == 0 || word[0] == '+' || *end != 0 || strpbrk(word, "xX") != NULL) ir_refuse("expected a number");
    if (!finite && strpbrk(word, "0123456789") != NULL) ir_refuse("a number that does not fit");
}
//= ir_read_f64
static inline double ir_read_f64(ir_reader *in) {
    char word[ir_longest_number], *end;
    ir_number(in, word, "f64");
    const double value = strtod(word, &end);
    ir_check_float(word, end, isfinite(value));
    return value;
}
//= ir_read_f32
static inline float ir_read_f32(ir_reader *in) {
    char word[ir_longest_number], *end;
    ir_number(in, word, "f32");
    const float value = strtof(word, &end);
    ir_check_float(word, end, isfinite(value));
    return value;
}
//= ir_read_input
static inline ir_reader ir_read_input(void) {
    size_t length = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (;;) {
        if (text == NULL) ir_out_of_memory();
        length += fread(text + length, 1, capacity - length, stdin);
        if (length < capacity) break;
        capacity *= 2;
        text = realloc(text, capacity);
    }
    if (ferror(stdin)) {
        fputs("error: cannot read standard input\n", stderr);
        _Exit(1);
    }
    return (ir_reader){text, text + length};
}
//= ir_write_bool
static inline void ir_write_bool(bool x) { fputs(x ? "true" : "false", stdout); }
//= ir_write_float
// The shortest digits that read as the same number: `%.*e` gives those of each length, rounded; the ones beside them may do, too.
static inline bool ir_reads_as(const char *text, double x, bool single) {
    return single ? strtof(text, NULL) == (float)x : strtod(text, NULL) == x;
}
static inline int ir_shortest(double x, bool single, char digits[32], int *exponent) {
    for (int count = 1; count <= 17; ++count)
        for (int step = 0; step < 3; ++step) {
            char text[40], whole[20];
            int length = 0;
            snprintf(text, sizeof text, "%.*e", count - 1, x);
            char *const e = strchr(text, 'e');
            for (const char *at = text; at != e; ++at)
                if (*at != '.') whole[length++] = *at;
            whole[length] = 0;
            const long long number = strtoll(whole, NULL, 10) + (step == 0 ? 0 : step == 1 ? 1 : -1);
            const int power = atoi(e + 1);
            snprintf(text, sizeof text, "%llde%d", number, power - count + 1);
            if (!ir_reads_as(text, x, single)) continue;
            const int made = snprintf(digits, 32, "%lld", number);
            *exponent = power + made - count;
            return made;
        }
    return 0;
}
static inline void ir_write_float(double x, bool single) {
    if (signbit(x) && x == x) putchar('-'), x = -x;
    if (x != x || x == 0 || isinf(x)) {
        fputs(x != x ? "nan" : x == 0 ? "0.0" : "inf", stdout);
        return;
    }
    char digits[32];
    int exponent = 0;
    const int count = ir_shortest(x, single, digits, &exponent);
    const int scientific = count + (count > 1 ? 1 : 0) + (exponent >= 100 || exponent <= -100 ? 5 : 4);
    const int fixed = exponent < 0 ? count - exponent + 1 : count > exponent + 1 ? count + 1 : exponent + 1;
    if (fixed > scientific) {
        printf("%c%s%se%c%02d", digits[0], count > 1 ? "." : "", digits + 1, exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        printf("0.%.*s%s", -exponent - 1, "00000", digits);
    } else if (count > exponent + 1) {
        printf("%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    } else {
        printf("%.0f.0", x);
    }
}
//= ir_write_f64
static inline void ir_write_f64(double x) { ir_write_float(x, false); }
//= ir_write_f32
static inline void ir_write_f32(float x) { ir_write_float((double)x, true); }
//= ir_print_text
static inline void ir_print_text(const uint8_t *data, int64_t n) {
    if (n > 0) fwrite(data, 1, (size_t)n, stdout);
}
//= ir_write_text
static inline void ir_write_text(const uint8_t *data, int64_t n) {
    putchar('"');
    for (int64_t i = 0; i < n; ++i) {
        const uint8_t byte = data[i];
        if (byte == '\n') fputs("\\n", stdout);
        else if (byte == '\t') fputs("\\t", stdout);
        else if (byte == '"' || byte == '\\') printf("\\%c", byte);
        else if (byte >= 0x20 && byte < 0x7f) putchar(byte);
        else printf("\\x%02x", byte);
    }
    putchar('"');
}
//= ir_watch_stack
// Recursion deeper than the stack ends the program with a message; any other bad access is one.
#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
static _Thread_local char ir_other_stack[1 << 14];
static _Thread_local uintptr_t ir_stack_top;
static uintptr_t ir_stack_size;
static void ir_out_of_stack(int signal, siginfo_t *info, void *context) {
    const char text[] = "error: out of stack\n";
    const uintptr_t at = (uintptr_t)info->si_addr;
    struct sigaction none = {0};
    (void)context;
    if (at < ir_stack_top && ir_stack_top - at <= ir_stack_size + (1 << 20) && write(2, text, sizeof text - 1) > 0) _exit(4);
    none.sa_handler = SIG_DFL; // the access is tried again when this returns
    sigaction(signal, &none, NULL);
}
static inline void ir_watch_stack(void) {
    struct rlimit most;
    const uintptr_t least = 64 << 20; // of threads
    ir_stack_size = getrlimit(RLIMIT_STACK, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? most.rlim_cur : UINTPTR_MAX / 2;
    if (ir_stack_size < least) ir_stack_size = least;
#pragma omp parallel
    {
        char here = 0;
        ir_stack_top = (uintptr_t)&here;
        stack_t stack = {0};
        stack.ss_sp = ir_other_stack, stack.ss_size = sizeof ir_other_stack;
        sigaltstack(&stack, NULL);
    }
    struct sigaction action = {0};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK; // several threads may come to their ends at once
    action.sa_sigaction = ir_out_of_stack;
    sigaction(SIGSEGV, &action, NULL);
}
#else
static inline void ir_watch_stack(void) {}
#endif
