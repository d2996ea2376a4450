// Histogram of 4096 bins, private to each thread.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
std::vector<std::int64_t> compute(std::span<const double> xs) {
    const std::int64_t n = std::ssize(xs);
    std::vector<std::int64_t> bins(4096);
    std::int64_t* b = bins.data();
#pragma omp parallel for reduction(+ : b[:4096]) if (n > 32768)
    for (std::int64_t i = 0; i < n; ++i) {
        const double scaled = xs[static_cast<std::size_t>(i)] * 4096.0;
        const std::int64_t bin = scaled >= -9e18 && scaled < 9e18 ? static_cast<std::int64_t>(scaled) : -1;
        if (static_cast<std::uint64_t>(bin) < 4096) ++b[bin];
    }
    return bins;
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<double>;
    return harness::bench(
        argc, argv, [](std::int64_t n) { return harness::numbers(n, 1); },
        [](const Input& xs) { return hand::compute(xs); }, [](const Input& xs) { return fused::compute(xs); },
        [](const Input& xs) { return unfused::compute(xs); });
}
