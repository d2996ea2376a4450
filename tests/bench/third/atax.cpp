// PolyBench's atax: A^T (A x).
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> a;
    Array<double> x;
    explicit Work(std::int64_t n) : a(n, n == 3 ? 5 : n), x(a.columns) {
        a.fill([](auto i) { return unit(i); });
        x.fill([](auto i) { return unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& w) { // one pass: a row is used twice while it is in the cache
    const std::int64_t n = w.a.rows, m = w.a.columns;
    const double *a = w.a.data.data(), *x = w.x.data.data();
    Result result(m);
    for (std::int64_t j = 0; j < m; j++) result[j] = 0;
#pragma omp parallel num_threads(threads_for(n* m))
    {
        std::vector<double> own(static_cast<std::size_t>(m));
        double* o = own.data();
#pragma omp for schedule(static) nowait
        for (std::int64_t i = 0; i < n; i++) {
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (std::int64_t j = 0; j < m; j++) s += a[i * m + j] * x[j];
#pragma omp simd
            for (std::int64_t j = 0; j < m; j++) o[j] += a[i * m + j] * s;
        }
#pragma omp critical
        for (std::int64_t j = 0; j < m; j++) result[j] += o[j];
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::atax(w.a, w.x.data); },
        [](const hand::Work& w) { return unfused::atax(w.a, w.x.data); });
}
