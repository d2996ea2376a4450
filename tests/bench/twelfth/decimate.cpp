// A filter of 64 taps, every fourth sample, and the energy of what comes out.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    static constexpr double tolerance = 1e-5; // the energy is made of sums of floats
    Array<float> x, h{64};
    explicit Work(i64 n) : x(n) {
        x.fill([](auto i) { return float(unit(i)); });
        h.fill([](auto i) { return float(unit(i + 3)); });
    }
};
using Result = std::tuple<Fresh<float>, double>;
Result run(const Work& w) {
    const i64 n = w.x.size(), k = w.h.size(), m = std::max<i64>((n - k) / 4 + 1, 0);
    const float *x = w.x.data.data(), *h = w.h.data.data();
    Fresh<float> y(m);
    double energy = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(m * 4)) reduction(+ : energy)
    for (i64 b = 0; b < m / 16; b++) { // sixteen outputs in lanes: the sums keep the order of the taps
        float s[16] = {};
        const float* from = x + b * 64;
        for (i64 j = 0; j < k; j++)
#pragma omp simd
            for (int l = 0; l < 16; l++) s[l] += from[l * 4 + j] * h[j];
        for (int l = 0; l < 16; l++) y[b * 16 + l] = s[l], energy += double(s[l]) * double(s[l]);
    }
    for (i64 i = m / 16 * 16; i < m; i++) {
        float s = 0;
        for (i64 j = 0; j < k; j++) s += x[i * 4 + j] * h[j];
        y[i] = s, energy += double(s) * double(s);
    }
    return {std::move(y), energy};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::decimate(w.x.data, w.h.data); },
        [](const hand::Work& w) { return unfused::decimate(w.x.data, w.h.data); });
}
