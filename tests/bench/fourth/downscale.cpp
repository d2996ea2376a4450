// A color image in three planes becomes gray (ITU-R BT.601, in 256ths) and half as wide and high, and how many pixels are dark.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<u8> red, green, blue;
    explicit Work(i64 n) : red(n, n), green(n, n), blue(n, n) {
        red.fill([](auto i) { return u8(hash(i)); });
        green.fill([](auto i) { return u8(hash(i) >> 8); });
        blue.fill([](auto i) { return u8(hash(i) >> 16); });
    }
};
using Result = std::tuple<Fresh<u8>, i64>;
Result run(const Work& w) {
    const i64 h = w.red.rows / 2, width = w.red.columns, k = width / 2;
    Fresh<u8> small(h * k);
    i64 dark = 0;
    const int threads = threads_for(h * width);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : dark) if (threads > 1)
    for (i64 i = 0; i < h; i++) {
        const u8 *r = &w.red.data[size_t(2 * i * width)], *g = &w.green.data[size_t(2 * i * width)],
                 *b = &w.blue.data[size_t(2 * i * width)];
        u8* out = small.data() + i * k;
        i64 count = 0;
#pragma omp simd reduction(+ : count)
        for (i64 j = 0; j < k; j++) {
            const i64 a = 2 * j, c = 2 * j + width;
            const std::int32_t reds = r[a] + r[a + 1] + r[c] + r[c + 1], greens = g[a] + g[a + 1] + g[c] + g[c + 1],
                               blues = b[a] + b[a + 1] + b[c] + b[c + 1];
            const u8 p = u8((reds * 77 + greens * 150 + blues * 29 + 512) >> 10);
            out[j] = p;
            count += p < 64 ? 1 : 0;
        }
        dark += count;
    }
    return {std::move(small), dark};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::downscale(w.red, w.green, w.blue); },
        [](const hand::Work& w) { return unfused::downscale(w.red, w.green, w.blue); });
}
