// One gradient step of logistic regression.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> x;
    Array<double> y, w;
    Scalar<double> rate;
    explicit Work(std::int64_t n) : x(n, 32), y(n), w(32), rate{0.1} {
        x.fill([](auto i) { return unit(i) - 0.5; });
        y.fill([](auto i) { return double(hash(i) & 1); });
        w.fill([](auto i) { return unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& work) {
    const std::int64_t n = work.x.rows, d = work.x.columns;
    const double *x = work.x.data.data(), *w = work.w.data.data();
    std::vector<double> gradient(static_cast<std::size_t>(d));
    Result result(d);
#pragma omp parallel num_threads(threads_for(n* d))
    {
        std::vector<double> own(static_cast<std::size_t>(d));
        double* o = own.data();
#pragma omp for schedule(static) nowait
        for (std::int64_t i = 0; i < n; i++) {
            const double* row = x + i * d;
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (std::int64_t j = 0; j < d; j++) s += row[j] * w[j];
            const double e = 1.0 / (1.0 + std::exp(-s)) - work.y[i];
#pragma omp simd
            for (std::int64_t j = 0; j < d; j++) o[j] += row[j] * e;
        }
#pragma omp critical
        for (std::int64_t j = 0; j < d; j++) gradient[std::size_t(j)] += o[j];
    }
    for (std::int64_t j = 0; j < d; j++) result[j] = w[j] - work.rate.value * (gradient[std::size_t(j)] / double(n));
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::logreg(w.x, w.y.data, w.w.data, w.rate.value); },
        [](const hand::Work& w) { return unfused::logreg(w.x, w.y.data, w.w.data, w.rate.value); });
}
