// A pivot table: the mean of the values in each cell of row and column, nan where there is none, and totals.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> row, column;
    Array<double> value;
    Scalar<i64> rows{100}, columns{40};
    explicit Work(i64 n) : row(n), column(n), value(n) {
        row.fill([](auto i) { return i64(hash(i) % 100); });
        column.fill([](auto i) { return i64(hash(i + 3) % 40); });
        value.fill([](auto i) { return unit(i + 5); });
    }
};
using Result = std::tuple<Vec<double>, Vec<double>, Vec<double>>;
Result run(const Work& w) {
    const i64 n = w.row.size(), R = w.rows.value, C = w.columns.value;
    Vec<double> sums(size_t(R * C), 0), rs(size_t(R), 0), cs(size_t(C), 0);
    Vec<i64> counts(size_t(R * C), 0);
    parts(n, [&](int, i64 lo, i64 hi) {
        Vec<double> s(size_t(R * C), 0);
        Vec<i64> c(size_t(R * C), 0);
        for (i64 i = lo; i < hi; i++) {
            const u64 k = u64(w.row[i] * C + w.column[i]);
            if (k < u64(R * C)) s[k] += w.value[i], c[k]++;
        }
#pragma omp critical
        for (size_t k = 0; k < s.size(); k++) sums[k] += s[k], counts[k] += c[k];
    });
    for (i64 r = 0; r < R; r++)
        for (i64 c = 0; c < C; c++) {
            double& s = sums[size_t(r * C + c)];
            rs[size_t(r)] += s;
            cs[size_t(c)] += s;
            s = counts[size_t(r * C + c)] ? s / double(counts[size_t(r * C + c)]) : NAN;
        }
    return {sums, rs, cs};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::pivot(w.row.data, w.column.data, w.value.data, w.rows.value, w.columns.value);
        },
        [](const hand::Work& w) {
            return unfused::pivot(w.row.data, w.column.data, w.value.data, w.rows.value, w.columns.value);
        });
}
