// Sum, sum of squares, smallest, largest, count. IEEE minimum and maximum: a NaN is the result, and -0.0 is
// less than 0.0, which a plain comparison does not give.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
std::tuple<double, double, double, double, std::int64_t> compute(std::span<const double> xs) {
    const double* x = xs.data();
    const std::int64_t n = std::ssize(xs);
    double sum = 0, squares = 0, low = HUGE_VAL, high = -HUGE_VAL;
    std::int64_t count = 0;
#pragma omp parallel for simd reduction(+ : sum, squares, count) reduction(min : low) reduction(max : high) if (n > 32768)
    for (std::int64_t i = 0; i < n; ++i) {
        sum += x[i];
        squares += x[i] * x[i];
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
        count += x[i] > 0.5 ? 1 : 0;
    }
    // What the loop does not see: NaN, and the sign of zero.
    if (sum != sum || low == 0 || high == 0) {
        low = HUGE_VAL, high = -HUGE_VAL;
        for (std::int64_t i = 0; i < n; ++i) low = fused::minimum(low, x[i]), high = fused::maximum(high, x[i]);
    }
    return {sum, squares, low, high, count};
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<double>;
    return harness::bench(
        argc, argv, [](std::int64_t n) { return harness::numbers(n, 1); },
        [](const Input& xs) { return hand::compute(xs); }, [](const Input& xs) { return fused::compute(xs); },
        [](const Input& xs) { return unfused::compute(xs); });
}
