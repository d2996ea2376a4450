// Linear recurrences along rows, forward and backward, as scans of linear functions (the sweeps of LocVolCalib's tridag).
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> x;
    Array<double> k;
    explicit Work(std::int64_t n) : x(n, n == 4096 ? 1024 : n == 3 ? 5 : n), k(x.columns) {
        x.fill([](auto i) { return unit(i); });
        k.fill([](auto i) { return 0.5 * unit(i + 99); });
    }
};
using Result = Fresh<double>;
Result run(const Work& w) {
    const std::int64_t n = w.x.rows, m = w.x.columns;
    Result result(n * m);
    const double *x = w.x.data.data(), *k = w.k.data.data();
    double* out = result.data();
    constexpr std::int64_t L = 8; // rows at a time: the recurrence is a chain of latencies
#pragma omp parallel for schedule(static) num_threads(threads_for(n* m))
    for (std::int64_t b = 0; b < n; b += L) {
        if (b + L <= n) {
            double y[L] = {};
            for (std::int64_t j = 0; j < m; j++)
                for (int l = 0; l < L; l++) out[(b + l) * m + j] = y[l] = k[j] * y[l] + x[(b + l) * m + j];
            for (int l = 0; l < L; l++) y[l] = 0;
            for (std::int64_t j = m - 1; j >= 0; j--)
                for (int l = 0; l < L; l++) out[(b + l) * m + j] = y[l] = k[j] * y[l] + out[(b + l) * m + j];
        } else
            for (std::int64_t i = b; i < n; i++) {
                double y = 0;
                for (std::int64_t j = 0; j < m; j++) out[i * m + j] = y = k[j] * y + x[i * m + j];
                y = 0;
                for (std::int64_t j = m - 1; j >= 0; j--) out[i * m + j] = y = k[j] * y + out[i * m + j];
            }
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::tridag(w.x, w.k.data); },
        [](const hand::Work& w) { return unfused::tridag(w.x, w.k.data); });
}
