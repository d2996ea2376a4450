// Separable blur: rows of the first pass are kept, five at a time are read.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<float> p;
    Array<float> w{5};
    explicit Work(i64 n) : p(n, n) {
        p.fill([](auto i) { return float(unit(i)); });
        w.fill([](auto i) { return i == 2 ? 0.4f : i % 2 ? 0.2f : 0.1f; });
    }
};
using Result = std::tuple<Fresh<float>, double>;
Result run(const Work& w) {
    const i64 n = w.p.rows, m = w.p.columns;
    const float *p = w.p.data.data(), *k = w.w.data.data();
    Fresh<float> rows(n * m), out(n * m);
    float change = 0;
#pragma omp parallel num_threads(threads_for(n* m)) reduction(+ : change)
    {
#pragma omp for schedule(static)
        for (i64 r = 0; r < n; r++) {
            const float* x = p + r * m;
            float* y = rows.data() + r * m;
            const auto at = [&](i64 c) { return x[std::min(std::max<i64>(c, 0), m - 1)]; };
            const auto edge = [&](i64 c) {
                y[c] = 0.0f + k[0] * at(c - 2) + k[1] * at(c - 1) + k[2] * at(c) + k[3] * at(c + 1) + k[4] * at(c + 2);
            };
            for (i64 c = 0; c < std::min<i64>(2, m); c++) edge(c);
#pragma omp simd
            for (i64 c = 2; c < m - 2; c++)
                y[c] = 0.0f + k[0] * x[c - 2] + k[1] * x[c - 1] + k[2] * x[c] + k[3] * x[c + 1] + k[4] * x[c + 2];
            for (i64 c = std::max<i64>(2, m - 2); c < m; c++) edge(c);
        }
#pragma omp for schedule(static)
        for (i64 r = 0; r < n; r++) {
            const auto row = [&](i64 v) { return rows.data() + std::min(std::max<i64>(v, 0), n - 1) * m; };
            const float *a = row(r - 2), *b = row(r - 1), *c = row(r), *d = row(r + 1), *e = row(r + 2), *x = p + r * m;
            float *y = out.data() + r * m, sum = 0;
#pragma omp simd reduction(+ : sum)
            for (i64 j = 0; j < m; j++) {
                y[j] = 0.0f + k[0] * a[j] + k[1] * b[j] + k[2] * c[j] + k[3] * d[j] + k[4] * e[j];
                sum += std::abs(x[j] - y[j]);
            }
            change += sum;
        }
    }
    return {std::move(out), std::round(double(change) / std::max(1.0, double(n * m)) * 1e3)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            auto r = fused::blur(w.p, w.w.data);
            return std::tuple(std::move(std::get<0>(r)),
                              std::round(double(std::get<1>(r)) / std::max(1.0, double(w.p.size())) * 1e3));
        },
        [](const hand::Work& w) {
            auto r = unfused::blur(w.p, w.w.data);
            return std::tuple(std::move(std::get<0>(r)),
                              std::round(double(std::get<1>(r)) / std::max(1.0, double(w.p.size())) * 1e3));
        });
}
