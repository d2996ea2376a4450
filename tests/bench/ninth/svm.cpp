// One pass a step: the margin of a row, and the row into the sum where it is in.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<double> x;
    Array<double> y;
    explicit Work(i64 n) : x(n, 16), y(n) {
        x.fill([](auto i) { return unit(i) - 0.5; });
        y.fill([this](auto i) {
            return x[i64(i) * 16] + x[i64(i) * 16 + 3] + 0.3 * (unit(i + 5) - 0.5) > 0 ? 1.0 : -1.0;
        });
    }
};
constexpr double rate = 0.5, lambda = 0.01;
constexpr i64 steps = 20, K = 16;
using Result = std::tuple<Vec<double>, double, i64>;
Result run(const Work& w) {
    const i64 n = w.x.rows, k = w.x.columns;
    const double *x = w.x.data.data(), *y = w.y.data.data();
    Vec<double> weights(static_cast<size_t>(k));
    for (i64 s = 0; s < steps; s++) {
        Vec<double> sum(static_cast<size_t>(k));
        parts(n, [&](int, i64 lo, i64 hi) {
            Vec<double> own(static_cast<size_t>(k));
            double *o = own.data(), *v = weights.data();
            for (i64 i = lo; i < hi; i++) {
                const double* r = x + i * k;
                double m = 0;
#pragma omp simd reduction(+ : m)
                for (i64 j = 0; j < k; j++) m += r[j] * v[j];
                if (y[i] * m < 1.0)
                    for (i64 j = 0; j < k; j++) o[j] += r[j] * y[i];
            }
#pragma omp critical
            for (size_t j = 0; j < own.size(); j++) sum[j] += own[j];
        });
        for (size_t j = 0; j < sum.size(); j++) weights[j] -= rate * (lambda * weights[j] - sum[j] / double(n));
    }
    double loss = 0;
    i64 wrong = 0;
#pragma omp parallel for schedule(static) reduction(+ : loss, wrong)
    for (i64 i = 0; i < n; i++) {
        double m = 0;
#pragma omp simd reduction(+ : m)
        for (i64 j = 0; j < k; j++) m += x[i * k + j] * weights[size_t(j)];
        m *= y[i];
        loss += m < 1.0 ? 1.0 - m : 0.0;
        wrong += m <= 0.0;
    }
    return {std::move(weights), loss / double(n), wrong};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::svm(w.x, w.y.data, hand::rate, hand::lambda, hand::steps); },
        [](const hand::Work& w) { return unfused::svm(w.x, w.y.data, hand::rate, hand::lambda, hand::steps); });
}
