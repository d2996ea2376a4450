// A finite impulse response filter: each output is the product of a window with the taps.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Array<double> xs, taps;
    explicit Work(std::int64_t n) : xs(n), taps(std::min<std::int64_t>(n, 32)) {
        xs.fill([](auto i) { return unit(i); });
        taps.fill([](auto i) { return unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& w) {
    const std::int64_t n = w.xs.size(), k = w.taps.size(), m = n - k + 1;
    const double *x = w.xs.data.data(), *h = w.taps.data.data();
    Result result(m);
    double* o = result.data();
    constexpr std::int64_t L = 32; // outputs side by side: no sum across lanes
#pragma omp parallel for schedule(static) num_threads(threads_for(n))
    for (std::int64_t b = 0; b < m; b += L) {
        if (b + L <= m) {
            double s[L] = {};
            for (std::int64_t j = 0; j < k; j++)
                for (int l = 0; l < L; l++) s[l] += x[b + l + j] * h[j];
            for (int l = 0; l < L; l++) o[b + l] = s[l];
        } else
            for (std::int64_t i = b; i < m; i++) {
                double s = 0;
                for (std::int64_t j = 0; j < k; j++) s += x[i + j] * h[j];
                o[i] = s;
            }
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::fir(w.xs.data, w.taps.data); },
        [](const hand::Work& w) { return unfused::fir(w.xs.data, w.taps.data); });
}
