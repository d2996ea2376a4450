// Bilateral filter: the inside without tests, in lanes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<float> p, weights{5, 5};
    Scalar<float> strength{2.5f};
    explicit Work(i64 n) : p(n, n) {
        p.fill([](auto i) { return float(unit(i)); });
        weights.fill([](auto i) {
            return 1.0f / float(1 + (i % 5 > 2 ? i % 5 - 2 : 2 - i % 5) + (i / 5 > 2 ? i / 5 - 2 : 2 - i / 5));
        });
    }
};
Fresh<float> run(const Work& w) {
    const i64 n = w.p.rows, m = w.p.columns;
    const float *p = w.p.data.data(), *weights = w.weights.data.data(), k = w.strength.value;
    Fresh<float> out(n * m);
    float* y = out.data();
#pragma omp parallel for schedule(static) num_threads(threads_for(n* m))
    for (i64 r = 0; r < n; r++) {
        const auto edge = [&](i64 c) {
            float s = 0, q = 0;
            for (i64 a = 0; a < 5; a++)
                for (i64 b = 0; b < 5; b++) {
                    const i64 v = r + a - 2, u = c + b - 2;
                    if (v < 0 || v >= n || u < 0 || u >= m) continue;
                    const float d = p[v * m + u] - p[r * m + c], f = weights[5 * a + b] / (1.0f + k * d * d);
                    s += f * p[v * m + u], q += f;
                }
            y[r * m + c] = s / q;
        };
        const i64 low = std::max<i64>(r - 2, 0), high = std::min(r + 3, n);
        for (i64 c = 0; c < std::min<i64>(2, m); c++) edge(c);
#pragma omp simd
        for (i64 c = 2; c < m - 2; c++) {
            float s = 0, q = 0;
            const float here = p[r * m + c];
            for (i64 v = low; v < high; v++)
                for (i64 b = 0; b < 5; b++) {
                    const float there = p[v * m + c + b - 2], d = there - here;
                    const float f = weights[5 * (v - r + 2) + b] / (1.0f + k * d * d);
                    s += f * there, q += f;
                }
            y[r * m + c] = s / q;
        }
        for (i64 c = std::max<i64>(2, m - 2); c < m; c++) edge(c);
    }
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::bilateral(w.p, w.weights, w.strength.value); },
        [](const hand::Work& w) { return unfused::bilateral(w.p, w.weights, w.strength.value); });
}
