// All shortest paths: rows in place, step by step.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<double> d;
    explicit Work(i64 n) : d(n, n) {
        d.fill([n](auto i) { return i64(i) / n == i64(i) % n ? 0.0 : hash(i) % 8 ? infinity : 1 + 100 * unit(i); });
    }
};
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.d.rows;
    Fresh<double> out(n * n);
    double* d = out.data();
    std::copy(w.d.data.begin(), w.d.data.end(), d);
    Vec<double> row(static_cast<size_t>(n));
    double longest = 0.0;
#pragma omp parallel num_threads(threads_for(n* n)) reduction(max : longest)
    {
        for (i64 k = 0; k < n; k++) {
#pragma omp single
            std::copy(d + k * n, d + (k + 1) * n, row.data());
            const double* r = row.data();
#pragma omp for schedule(static)
            for (i64 i = 0; i < n; i++) {
                double* x = d + i * n;
                const double first = x[k];
#pragma omp simd
                for (i64 j = 0; j < n; j++) x[j] = first + r[j] < x[j] ? first + r[j] : x[j];
            }
        }
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++)
            for (i64 j = 0; j < n; j++)
                longest = d[i * n + j] < infinity && d[i * n + j] > longest ? d[i * n + j] : longest;
    }
    return {std::move(out), longest};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::floyd(w.d); },
        [](const hand::Work& w) { return unfused::floyd(w.d); });
}
