// Both results in one pass.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<u64> questions, prints;
    explicit Work(i64 n) : questions(n / 64, 4), prints(n, 4) {
        questions.fill([](auto i) { return hash(i + 9999999); });
        prints.fill([](auto i) { return hash(i); });
    }
};
using Result = std::tuple<Fresh<i64>, Fresh<i64>>;
Result run(const Work& w) {
    const i64 q = w.questions.rows, n = w.prints.rows;
    const u64 *v = w.questions.data.data(), *p = w.prints.data.data();
    Fresh<i64> least(q), near(q);
#pragma omp parallel for schedule(static) if (q * n > 20000)
    for (i64 j = 0; j < q; j++) {
        const u64 a = v[4 * j], b = v[4 * j + 1], c = v[4 * j + 2], d = v[4 * j + 3];
        i64 best = 257, within = 0;
        for (i64 i = 0; i < n; i++) {
            const u64* r = p + 4 * i;
            const i64 far =
                std::popcount(r[0] ^ a) + std::popcount(r[1] ^ b) + std::popcount(r[2] ^ c) + std::popcount(r[3] ^ d);
            best = far < best ? far : best, within += far <= 100;
        }
        least[j] = best, near[j] = within;
    }
    return {std::move(least), std::move(near)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::hamming(w.questions, w.prints); },
        [](const hand::Work& w) { return unfused::hamming(w.questions, w.prints); });
}
