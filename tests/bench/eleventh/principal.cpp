// Two passes over the rows: the means; then each row is centred, multiplied, and added while it is in the cache.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<double> x;
    Array<double> v;
    explicit Work(i64 n) : x(n, 64), v(64) {
        x.fill([](auto i) { return unit(i) - 0.25; });
        v.fill([](auto i) { return 1 + unit(i + 999); });
    }
};
using Result = std::tuple<Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.x.rows, d = w.x.columns;
    const double *x = w.x.data.data(), *v = w.v.data.data();
    std::vector<double> mean(d), total(d);
    const int threads = threads_for(n * d);
#pragma omp parallel num_threads(threads)
    {
        std::vector<double> part(d);
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++)
            for (i64 j = 0; j < d; j++) part[j] += x[i * d + j];
#pragma omp critical
        for (i64 j = 0; j < d; j++) mean[j] += part[j];
    }
    for (double& m : mean) m /= double(n);
#pragma omp parallel num_threads(threads)
    {
        std::vector<double> part(d), row(d);
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++) {
            double p = 0;
#pragma omp simd reduction(+ : p)
            for (i64 j = 0; j < d; j++) row[j] = x[i * d + j] - mean[j], p += row[j] * v[j];
            for (i64 j = 0; j < d; j++) part[j] += row[j] * p;
        }
#pragma omp critical
        for (i64 j = 0; j < d; j++) total[j] += part[j];
    }
    double square = 0;
    for (double t : total) square += t * t;
    const double norm = std::sqrt(square);
    Fresh<double> out(d);
    for (i64 j = 0; j < d; j++) out[j] = total[j] / norm;
    return {std::move(out)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::principal(w.x, w.v.data)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::principal(w.x, w.v.data)); });
}
