// Attention of each query over all keys.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> q, k, v;
    explicit Work(std::int64_t n) : q(n, n == 512 ? 64 : 5), k(n + 1, q.columns), v(n + 1, q.columns) {
        q.fill([](auto i) { return unit(i); });
        k.fill([](auto i) { return unit(i + 5) - 0.5; });
        v.fill([](auto i) { return unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& w) {
    const std::int64_t n = w.q.rows, m = w.k.rows, d = w.q.columns;
    const double scale = 1.0 / std::sqrt(double(d));
    Result result(n * d);
#pragma omp parallel num_threads(threads_for(n* m))
    {
        Fresh<double> scores(m);
        double* s = scores.data();
#pragma omp for schedule(static)
        for (std::int64_t i = 0; i < n; i++) {
            const double* q = w.q.data.data() + i * d;
            double top = -infinity, total = 0;
            for (std::int64_t j = 0; j < m; j++) {
                const double* k = w.k.data.data() + j * d;
                double t = 0;
#pragma omp simd reduction(+ : t)
                for (std::int64_t c = 0; c < d; c++) t += q[c] * k[c];
                s[j] = t * scale;
                top = s[j] <= top ? top : s[j];
            }
#pragma omp simd reduction(+ : total)
            for (std::int64_t j = 0; j < m; j++) s[j] = std::exp(s[j] - top), total += s[j];
            double* o = result.data() + i * d;
            for (std::int64_t c = 0; c < d; c++) o[c] = 0;
            for (std::int64_t j = 0; j < m; j++) {
                const double p = s[j] / total;
                const double* v = w.v.data.data() + j * d;
#pragma omp simd
                for (std::int64_t c = 0; c < d; c++) o[c] += p * v[c];
            }
        }
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::attention(w.q, w.k, w.v); },
        [](const hand::Work& w) { return unfused::attention(w.q, w.k, w.v); });
}
