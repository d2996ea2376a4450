// Sum of squares.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
double compute(std::span<const double> xs) {
    const double* x = xs.data();
    const std::int64_t n = std::ssize(xs);
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum) if (n > 32768)
    for (std::int64_t i = 0; i < n; ++i) sum += x[i] * x[i];
    return sum;
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<double>;
    return harness::bench(
        argc, argv, [](std::int64_t n) { return harness::numbers(n, 1); },
        [](const Input& xs) { return hand::compute(xs); }, [](const Input& xs) { return fused::compute(xs); },
        [](const Input& xs) { return unfused::compute(xs); });
}
