// Percent encoding: letters, digits and -._~ stay, a blank is +, the rest is %XX.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(words(n)) {}
};
using Result = Fresh<u8>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    u8 kind[256];
    for (int c = 0; c < 256; c++)
        kind[c] = (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || (c >= 48 && c <= 57) || c == 45 || c == 46 ||
                          c == 95 || c == 126 || c == 32
                      ? 1
                      : 3;
    const int threads = threads_for(n);
    Vec<i64> at(size_t(threads) + 1, 0);
    parts(n, [&](int t, i64 lo, i64 hi) {
        i64 c = 0;
        for (i64 i = lo; i < hi; i++) c += kind[x[i]];
        at[size_t(t) + 1] = c;
    });
    for (int t = 0; t < threads; t++) at[size_t(t) + 1] += at[size_t(t)];
    Fresh<u8> r(at[size_t(threads)]);
    parts(n, [&](int t, i64 lo, i64 hi) {
        u8* p = r.data() + at[size_t(t)];
        const char* d = "0123456789ABCDEF";
        for (i64 i = lo; i < hi; i++) {
            const u8 c = x[i];
            if (kind[c] == 1)
                *p++ = c == 32 ? 43 : c;
            else
                *p++ = 37, *p++ = u8(d[c >> 4]), *p++ = u8(d[c & 15]);
        }
    });
    return r;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::urlescape(w.text.data); },
        [](const hand::Work& w) { return unfused::urlescape(w.text.data); });
}
