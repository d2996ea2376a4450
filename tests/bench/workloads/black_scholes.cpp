// Black-Scholes: call options, the arithmetic strict (scalar exp and log).
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
inline double normal(double x) {
    const double l = std::fabs(x), k = 1.0 / (1.0 + 0.2316419 * l);
    const double series =
        k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double tail = 0.3989422804014327 * std::exp(-(l * l) / 2.0) * series;
    return x < 0.0 ? tail : 1.0 - tail;
}
fused::array<double> compute(std::span<const double> prices, std::span<const double> strikes,
                             std::span<const double> years) {
    const double *s = prices.data(), *k = strikes.data(), *t = years.data();
    const std::int64_t n = std::ssize(prices);
    fused::array<double> out(n);
    double* y = out.data();
#pragma omp parallel for if (n > 1024)
    for (std::int64_t i = 0; i < n; ++i) {
        const double spread = 0.3 * std::sqrt(t[i]);
        const double d1 = (std::log(s[i] / k[i]) + 0.065 * t[i]) / spread;
        y[i] = s[i] * normal(d1) - k[i] * std::exp(-0.02 * t[i]) * normal(d1 - spread);
    }
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<double> s, k, t;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return Input{harness::numbers(n, 1, 10, 100), harness::numbers(n, 2, 10, 100),
                         harness::numbers(n, 3, 0.1, 3)};
        },
        [](const Input& in) { return hand::compute(in.s, in.k, in.t); },
        [](const Input& in) { return fused::compute(in.s, in.k, in.t); },
        [](const Input& in) { return unfused::compute(in.s, in.k, in.t); });
}
