// Stockham's transform, a butterfly once for both of its results, strides as loops.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
constexpr u64 modulus = 998244353;
u64 power(u64 b, u64 e) {
    u64 r = 1;
    for (; e; e >>= 1, b = b * b % modulus)
        if (e & 1) r = r * b % modulus;
    return r;
}
struct Work {
    i64 n, bits;
    Array<u64> a, b;
    u64 root, back, size;
    explicit Work(i64 m) : n(i64(std::bit_ceil(u64(std::max<i64>(m, 1))))), bits(std::countr_zero(u64(n))), a(n), b(n) {
        a.fill([this](auto i) { return i < u64(n / 2) ? hash(i) % modulus : 0; });
        b.fill([this](auto i) { return i < u64(n / 2) ? hash(i + 77) % modulus : 0; });
        root = power(3, (modulus - 1) / u64(n)), back = power(root, modulus - 2), size = power(u64(n), modulus - 2);
    }
};
using Result = std::tuple<Vec<u64>, u64>;
void transform(Vec<u64>& x, Vec<u64>& y, const Vec<u64>& roots, i64 n) {
    const i64 half = n / 2;
    for (i64 s = 1; s < n; s *= 2) {
        const u64* from = x.data();
        u64* to = y.data();
        if (s < 16) {
#pragma omp parallel for schedule(static) if (n > 20000)
            for (i64 p = 0; p < half / s; p++) {
                const u64 w = roots[size_t(p * s)];
                for (i64 q = 0; q < s; q++) {
                    const u64 a = from[q + s * p], b = from[q + s * p + half];
                    const u64 sum = a + b;
                    to[q + 2 * s * p] = sum >= modulus ? sum - modulus : sum;
                    to[q + 2 * s * p + s] = (a + modulus - b) * w % modulus;
                }
            }
        } else {
#pragma omp parallel for collapse(2) schedule(static) if (n > 20000)
            for (i64 p = 0; p < half / s; p++)
                for (i64 c = 0; c < s; c += 16) {
                    const u64 w = roots[size_t(p * s)];
                    for (i64 q = c; q < c + 16; q++) {
                        const u64 a = from[q + s * p], b = from[q + s * p + half];
                        const u64 sum = a + b;
                        to[q + 2 * s * p] = sum >= modulus ? sum - modulus : sum;
                        to[q + 2 * s * p + s] = (a + modulus - b) * w % modulus;
                    }
                }
        }
        x.swap(y);
    }
}
Result run(const Work& w) {
    const i64 n = w.n;
    Vec<u64> forth(size_t(std::max<i64>(n / 2, 1)), 1), home = forth;
    for (size_t i = 1; i < size_t(n / 2); i++)
        forth[i] = forth[i - 1] * w.root % modulus, home[i] = home[i - 1] * w.back % modulus;
    Vec<u64> a = w.a.data, b = w.b.data, other(static_cast<size_t>(n));
    transform(a, other, forth, n);
    transform(b, other, forth, n);
#pragma omp parallel for simd schedule(static) if (n > 20000)
    for (i64 i = 0; i < n; i++) a[size_t(i)] = a[size_t(i)] * b[size_t(i)] % modulus;
    transform(a, other, home, n);
    u64 all = 0;
#pragma omp parallel for simd schedule(static) reduction(^ : all) if (n > 20000)
    for (i64 i = 0; i < n; i++) all ^= a[size_t(i)] = a[size_t(i)] * w.size % modulus;
    return {std::move(a), all};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::ntt(w.a.data, w.b.data, w.bits, w.root, w.back, w.size); },
        [](const hand::Work& w) { return unfused::ntt(w.a.data, w.b.data, w.bits, w.root, w.back, w.size); });
}
