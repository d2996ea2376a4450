// Dot product.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
double compute(std::span<const double> xs, std::span<const double> ys) {
    const double *x = xs.data(), *y = ys.data();
    const std::int64_t n = std::ssize(xs);
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > 32768)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
    return sum;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<double> xs, ys;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return Input{harness::numbers(n, 1), harness::numbers(n, 2)};
        },
        [](const Input& in) { return hand::compute(in.xs, in.ys); },
        [](const Input& in) { return fused::compute(in.xs, in.ys); },
        [](const Input& in) { return unfused::compute(in.xs, in.ys); });
}
