// The power of a signal at some frequencies, by Goertzel's recurrence.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> signal, frequencies{64};
    explicit Work(i64 n) : signal(n) {
        signal.fill([](auto i) { return unit(i) - 0.5 + std::sin(0.1 * double(i)); });
        frequencies.fill([](auto i) { return 0.002 + 0.007 * double(i); });
    }
};
using Result = Fresh<double>;
// Sixteen frequencies at a time: two vectors of eight, whose steps overlap.
Result run(const Work& w) {
    const i64 n = w.signal.size(), k = w.frequencies.size();
    const double* x = w.signal.data.data();
    Fresh<double> power(k);
    const int threads = threads_for(n * k);
#pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (i64 first = 0; first < k; first += 16) {
        const i64 lanes = std::min<i64>(16, k - first);
        double c[16] = {}, a[16] = {}, b[16] = {};
        for (i64 l = 0; l < lanes; l++) c[l] = 2.0 * std::cos(6.283185307179586 * w.frequencies[first + l]);
        for (i64 i = 0; i < n; i++) {
            const double v = x[i];
#pragma omp simd
            for (i64 l = 0; l < 16; l++) {
                const double next = v + c[l] * a[l] - b[l];
                b[l] = a[l], a[l] = next;
            }
        }
        for (i64 l = 0; l < lanes; l++) power[first + l] = a[l] * a[l] + b[l] * b[l] - c[l] * a[l] * b[l];
    }
    return power;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::goertzel(w.signal.data, w.frequencies.data); },
        [](const hand::Work& w) { return unfused::goertzel(w.signal.data, w.frequencies.data); });
}
