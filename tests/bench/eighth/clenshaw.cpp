// Chebyshev's sums: points side by side; area and zeros behind each block.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> x, c;
    explicit Work(i64 n) : x(n), c(24) {
        x.fill([n](auto i) { return -1.0 + 2.0 * double(i) / double(n); });
        c.fill([](auto i) { return (unit(i) - 0.5) / double(1 + i / 4); });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>, double, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.x.size(), k = w.c.size();
    const double *x = w.x.data.data(), *c = w.c.data.data();
    Fresh<double> y(n), d(n);
    const int threads = threads_for(n);
    Vec<Vec<i64>> zeros(static_cast<size_t>(threads));
    double area = 0;
    parts(n, [&](int t, i64 lo, i64 hi) {
        double sum = 0;
        const auto pairs = [&](i64 from, i64 to) {
#pragma omp simd reduction(+ : sum)
            for (i64 i = from; i < to; i++) sum += 0.5 * (y[i] + y[i + 1]) * (x[i + 1] - x[i]);
            for (i64 i = from; i < to; i++)
                if (y[i] * y[i + 1] < 0) zeros[size_t(t)].push_back(i);
        };
        constexpr i64 lanes = 16;
        for (i64 b = lo; b < hi; b += lanes) {
            double v[lanes], b1[lanes] = {}, b2[lanes] = {}, e1[lanes] = {}, e2[lanes] = {};
            const i64 m = std::min(lanes, hi - b);
            for (i64 j = 0; j < lanes; j++) v[j] = x[b + std::min(j, m - 1)];
            for (i64 a = k - 1; a > 0; a--)
#pragma omp simd
                for (i64 j = 0; j < lanes; j++) {
                    const double e = 2.0 * v[j] * e1[j] - e2[j] + 2.0 * b1[j], f = 2.0 * v[j] * b1[j] - b2[j] + c[a];
                    e2[j] = e1[j], e1[j] = e, b2[j] = b1[j], b1[j] = f;
                }
            for (i64 j = 0; j < m; j++) y[b + j] = v[j] * b1[j] - b2[j] + c[0], d[b + j] = b1[j] + v[j] * e1[j] - e2[j];
        }
        if (hi > lo) pairs(lo, hi - 1);
#pragma omp critical
        area += sum;
    });
    for (int t = 0; t + 1 < threads; t++) { // between the parts
        const i64 i = part(n, t + 1, threads) - 1;
        area += 0.5 * (y[i] + y[i + 1]) * (x[i + 1] - x[i]);
        if (y[i] * y[i + 1] < 0) zeros[size_t(t)].push_back(i);
    }
    for (int t = 1; t < threads; t++) zeros[0].insert(zeros[0].end(), zeros[size_t(t)].begin(), zeros[size_t(t)].end());
    return {std::move(y), std::move(d), area, std::move(zeros[0])};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::clenshaw(w.x.data, w.c.data); },
        [](const hand::Work& w) { return unfused::clenshaw(w.x.data, w.c.data); });
}
