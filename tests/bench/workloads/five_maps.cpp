// A chain of five maps.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
fused::array<double> compute(std::span<const double> xs) {
    const double* x = xs.data();
    const std::int64_t n = std::ssize(xs);
    fused::array<double> out(n);
    double* y = out.data();
#pragma omp parallel for simd if (n > 32768)
    for (std::int64_t i = 0; i < n; ++i) {
        const double a = x[i] + 1.0;
        y[i] = 1.0 / std::sqrt(a * a - 0.5);
    }
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<double>;
    return harness::bench(
        argc, argv, [](std::int64_t n) { return harness::numbers(n, 1); },
        [](const Input& xs) { return hand::compute(xs); }, [](const Input& xs) { return fused::compute(xs); },
        [](const Input& xs) { return unfused::compute(xs); });
}
