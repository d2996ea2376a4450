// A sparse matrix in rows times a dense one.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> starts;
    Array<i32> columns{0};
    Array<double> values{0};
    Matrix<double> b;
    explicit Work(i64 n) : starts(n + 1), b(n + 1, 16) {
        u64 cols = u64(n) + 1;
        i64 k = 0;
        for (i64 i = 0; i < n; i++) {
            k += i64(hash(u64(i)) % 24);
            starts.data[size_t(i) + 1] = k;
        }
        columns = Array<i32>(k);
        values = Array<double>(k);
        columns.fill([cols](auto i) { return i32(hash(i + 3) % cols); });
        values.fill([](auto i) { return unit(i) - 0.5; });
        b.fill([](auto i) { return unit(i + 4); });
    }
};
using Result = Fresh<double>;
Result run(const Work& w) {
    const i64 n = w.starts.size() - 1, m = w.b.columns;
    Fresh<double> r(n * m);
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads_for(n))
    for (i64 i = 0; i < n; i++) {
        double* o = &r[i * m];
        for (i64 j = 0; j < m; j++) o[j] = 0;
        for (i64 e = w.starts[i]; e < w.starts[i + 1]; e++) {
            const double v = w.values[e];
            const double* x = &w.b.data[size_t(w.columns[e] * m)];
            for (i64 j = 0; j < m; j++) o[j] += v * x[j];
        }
    }
    return r;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::spmm(w.starts.data, w.columns.data, w.values.data, w.b); },
        [](const hand::Work& w) { return unfused::spmm(w.starts.data, w.columns.data, w.values.data, w.b); });
}
