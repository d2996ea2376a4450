// The largest loss since the peak before, on how many days it was more than a fifth, and where each day stands.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
std::tuple<double, std::int64_t, fused::array<double>> compute(std::span<const double> prices) {
    const double* p = prices.data();
    const std::int64_t n = std::ssize(prices);
    const int parts = n > 32768 ? omp_get_max_threads() : 1;
    fused::array<double> losses(n);
    double* out = losses.data();
    std::vector<double> peaks(static_cast<std::size_t>(parts) + 1);
    double worst = 0;
    std::int64_t bad = 0;
#pragma omp parallel num_threads(parts) if (parts > 1)
    {
        const int part = omp_get_thread_num();
        const std::int64_t begin = n * part / parts, end = n * (part + 1) / parts;
        if (part + 1 < parts) {
            double top = 0;
#pragma omp simd reduction(max : top)
            for (std::int64_t i = begin; i < end; ++i) top = p[i] > top ? p[i] : top;
            peaks[static_cast<std::size_t>(part) + 1] = top;
        }
#pragma omp barrier
        double peak = 0, mine = 0;
        std::int64_t count = 0;
        for (int before = 0; before <= part; ++before) peak = std::max(peak, peaks[static_cast<std::size_t>(before)]);
        for (std::int64_t i = begin; i < end; ++i) {
            peak = p[i] > peak ? p[i] : peak;
            const double loss = (peak - p[i]) / peak;
            out[i] = loss;
            mine = loss > mine ? loss : mine;
            count += loss > 0.2 ? 1 : 0;
        }
#pragma omp critical
        worst = std::max(worst, mine), bad += count;
    }
    return {worst, bad, std::move(losses)};
}
} // namespace hand

int main(int argc, char** argv) {
    using Input = std::vector<double>;
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            Input prices = harness::numbers(n, 1, -1.0, 1.01);
            double price = 1000.0;
            for (double& p : prices) p = price = std::max(1.0, price + p);
            return prices;
        },
        [](const Input& prices) { return hand::compute(prices); },
        [](const Input& prices) { return fused::compute(prices); },
        [](const Input& prices) { return unfused::compute(prices); });
}
