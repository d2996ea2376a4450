// Sums in lanes over the samples.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> samples, grid;
    explicit Work(i64 n) : samples(n), grid(n / 16) {
        samples.fill([](auto i) { return unit(i) + unit(i + 1) + unit(i + 2); });
        grid.fill([n](auto i) { return 3.0 * double(i) / double(n / 16); });
    }
};
constexpr double width = 0.05;
using Result = std::tuple<Fresh<double>, i64>;
Result run(const Work& w) {
    const i64 n = w.samples.size(), m = w.grid.size();
    const double scale = 1.0 / (double(n) * width * 2.5066282746310002);
    const double* s = w.samples.data.data();
    Fresh<double> out(m);
#pragma omp parallel for schedule(static) if (n * m > 20000)
    for (i64 j = 0; j < m; j++) {
        const double g = w.grid[j];
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (i64 i = 0; i < n; i++) sum += std::exp(-0.5 * ((g - s[i]) / width) * ((g - s[i]) / width));
        out[j] = scale * sum;
    }
    double top = 0;
    i64 at = m;
    for (i64 j = 0; j < m; j++)
        if (out[j] > top) top = out[j];
    for (i64 j = m - 1; j >= 0; j--)
        if (out[j] == top) at = j;
    return {std::move(out), at};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::density(w.samples.data, w.grid.data, hand::width); },
        [](const hand::Work& w) { return unfused::density(w.samples.data, w.grid.data, hand::width); });
}
