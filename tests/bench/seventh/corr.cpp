// Correlation of columns: sums by rows, then products of what is left of each row, a block of rows at a time.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<double> t;
    explicit Work(i64 n) : t(n, 32) {
        t.fill([](auto i) { return unit(i) + unit(i / 32); });
    }
};
Fresh<double> run(const Work& w) {
    const i64 n = w.t.rows, m = w.t.columns;
    const double* x = w.t.data.data();
    Vec<double> mean(static_cast<size_t>(m)), dev(static_cast<size_t>(m)), sums(size_t(m * m));
    const int threads = threads_for(n * m);
#pragma omp parallel num_threads(threads)
    {
        Vec<double> own(static_cast<size_t>(m)), rest(size_t(64 * m)), mine(size_t(m * m));
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++)
            for (i64 j = 0; j < m; j++) own[size_t(j)] += x[i * m + j];
#pragma omp critical
        for (i64 j = 0; j < m; j++) mean[size_t(j)] += own[size_t(j)];
#pragma omp barrier
#pragma omp single
        for (i64 j = 0; j < m; j++) mean[size_t(j)] /= double(n);
#pragma omp for schedule(static)
        for (i64 b = 0; b < n; b += 64) {
            const i64 rows = std::min<i64>(64, n - b);
            for (i64 i = 0; i < rows; i++)
                for (i64 j = 0; j < m; j++) rest[size_t(i * m + j)] = x[(b + i) * m + j] - mean[size_t(j)];
            for (i64 i = 0; i < m; i += 4)
                for (i64 j = 0; j < m; j += 8) {
                    double s[4][8] = {};
                    for (i64 r = 0; r < rows; r++)
                        for (int a = 0; a < 4; a++)
                            for (int c = 0; c < 8; c++)
                                s[a][c] += rest[size_t(r * m + i + a)] * rest[size_t(r * m + j + c)];
                    for (int a = 0; a < 4; a++)
                        for (int c = 0; c < 8; c++) mine[size_t((i + a) * m + j + c)] += s[a][c];
                }
        }
#pragma omp critical
        for (i64 i = 0; i < m * m; i++) sums[size_t(i)] += mine[size_t(i)];
    }
    for (i64 j = 0; j < m; j++) dev[size_t(j)] = std::sqrt(sums[size_t(j * m + j)]);
    Fresh<double> out(m * m);
    for (i64 i = 0; i < m; i++)
        for (i64 j = 0; j < m; j++) out[i * m + j] = sums[size_t(i * m + j)] / (dev[size_t(i)] * dev[size_t(j)]);
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::corr(w.t); },
        [](const hand::Work& w) { return unfused::corr(w.t); });
}
