// Margins of a table in one pass, the statistic in a second one.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<double> t;
    explicit Work(i64 n) : t(n, n / 2) {
        t.fill([](auto i) { return 1 + 9 * unit(i); });
    }
};
using Result = std::tuple<Fresh<double>, Vec<double>, double, double>;
Result run(const Work& w) {
    const i64 n = w.t.rows, m = w.t.columns;
    const double* t = w.t.data.data();
    Fresh<double> rows(n);
    Vec<double> columns(static_cast<size_t>(m));
    double total = 0, chi = 0;
#pragma omp parallel num_threads(threads_for(n* m)) reduction(+ : chi)
    {
        Vec<double> own(static_cast<size_t>(m));
        double all = 0;
#pragma omp for schedule(static) nowait
        for (i64 i = 0; i < n; i++) {
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (i64 j = 0; j < m; j++) s += t[i * m + j], own[size_t(j)] += t[i * m + j];
            rows[i] = s, all += s;
        }
#pragma omp critical
        {
            for (i64 j = 0; j < m; j++) columns[size_t(j)] += own[size_t(j)];
            total += all;
        }
#pragma omp barrier
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++) {
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (i64 j = 0; j < m; j++) {
                const double e = rows[i] * columns[size_t(j)] / total, d = t[i * m + j] - e;
                s += d * d / e;
            }
            chi += s;
        }
    }
    return {std::move(rows), std::move(columns), total, chi};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::margins(w.t); },
        [](const hand::Work& w) { return unfused::margins(w.t); });
}
