// Percent encoding: letters, digits and -._~ stay, a blank is +, the rest is %XX.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <memory>

namespace hand {
struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        i64 i = 0;
        for (u64 k = 0; i < n; k++) {
            const u64 v = hash(k) % 100 < 70 ? hash(k + 1) % 50 : hash(k + 2) % 20000;
            u64 r = hash(v + 999);
            i64 len = 2 + i64(r % 8);
            for (i64 j = 0; j < len && i < n; j++, r /= 26)
                text.data[size_t(i++)] = u8((j == 0 && hash(k) % 10 == 0 ? 65 : 97) + r % 26);
            if (i < n) text.data[size_t(i++)] = hash(k + 4) % 10 ? 32 : 10;
            if (i < n && hash(k + 5) % 12 == 0) text.data[size_t(i++)] = 44;
        }
    }
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
    return harness::bench(
        argc, argv, [](std::int64_t n) { return std::make_unique<hand::Work>(n); },
        [](const auto& work) { return hand::run(*work); },
        [](const auto& work) {
            const hand::Work& w = *work;
            return fused::urlescape(w.text.data);
        },
        [](const auto& work) {
            const hand::Work& w = *work;
            return unfused::urlescape(w.text.data);
        });
}
