// Resampling: eight products a sample.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<float> x;
    Matrix<float> taps;
    i64 m;
    explicit Work(i64 n) : x(n), taps(32, 8), m(n - n / 10) {
        // Multiples of 1/64, so that sums are exact, however they are grouped.
        x.fill([](auto i) { return float(std::round(64 * (std::sin(double(i) * 0.05) + unit(i) * 0.1)) / 64); });
        taps.fill([](auto i) {
            return float(std::round(64 * std::cos((double(i % 8) - 3.5 - double(i / 8) / 32) * 0.4)) / 64);
        });
    }
};
constexpr double ratio = 1.0884353741496598;
using Result = std::tuple<Fresh<float>, Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.x.size(), m = w.m, blocks = m / 4096;
    const float *x = w.x.data.data(), *c = w.taps.data.data();
    Fresh<float> y(m);
    Fresh<double> energy(blocks);
    parts((m + 4095) / 4096, [&](int, i64 lo, i64 hi) {
        for (i64 b = lo; b < hi; b++) {
            double sum = 0;
            const i64 end = std::min(m, b * 4096 + 4096);
            for (i64 j = b * 4096; j < end; j++) {
                const double place = double(j) * ratio;
                const i64 i = i64(place), phase = std::min<i64>(i64((place - double(i)) * 32), 31);
                const float* from = x + std::min(std::max<i64>(i - 3, 0), n - 8);
                const float* k = c + 8 * phase;
                float s = 0;
#pragma omp simd reduction(+ : s)
                for (int t = 0; t < 8; t++) s += from[t] * k[t];
                y[j] = s;
            }
            if (b >= blocks) continue;
#pragma omp simd reduction(+ : sum)
            for (i64 j = b * 4096; j < end; j++) sum += double(y[j]) * double(y[j]);
            energy[b] = sum;
        }
    });
    return {std::move(y), std::move(energy)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::resample(w.x.data, w.taps, hand::ratio, w.m); },
        [](const hand::Work& w) { return unfused::resample(w.x.data, w.taps, hand::ratio, w.m); });
}
