// An audio effect: two delayed copies, a resonant filter, a soft clip; the peak of each block.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> x;
    Scalar<i64> near{8820}, far{22050};
    Scalar<double> b0{0.0675}, b1{0.1349}, b2{0.0675}, a1{-1.143}, a2{0.4128};
    explicit Work(i64 n) : x(n) {
        x.fill([](auto i) { return unit(i) * 2 - 1; });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.x.size(), blocks = (n + 1023) / 1024;
    const double* x = w.x.data.data();
    Fresh<double> y(n), peaks(blocks);
    double s1 = 0, s2 = 0;
    const double b0 = w.b0.value, b1 = w.b1.value, b2 = w.b2.value, a1 = w.a1.value, a2 = w.a2.value;
    const i64 near = w.near.value, far = w.far.value;
    for (i64 k = 0; k < blocks; k++) {
        const i64 begin = k * 1024, end = std::min(n, begin + 1024);
        double mix[1024];
        if (begin >= near && begin >= far)
            for (i64 i = begin; i < end; i++) mix[i - begin] = x[i] + 0.5 * x[i - near] + 0.25 * x[i - far];
        else
            for (i64 i = begin; i < end; i++)
                mix[i - begin] = x[i] + 0.5 * (i >= near ? x[i - near] : 0.0) + 0.25 * (i >= far ? x[i - far] : 0.0);
        for (i64 i = begin; i < end; i++) {
            const double v = mix[i - begin], o = b0 * v + s1;
            s1 = b1 * v - a1 * o + s2;
            s2 = b2 * v - a2 * o;
            mix[i - begin] = o;
        }
        i64 peak = key(0.0);
#pragma omp simd reduction(max : peak)
        for (i64 i = begin; i < end; i++) {
            const double v = mix[i - begin], c = v / (1.0 + std::abs(v));
            y[i] = c;
            peak = std::max(peak, key_or_top(std::abs(c)));
        }
        peaks[k] = peak == std::numeric_limits<i64>::max() ? std::numeric_limits<double>::quiet_NaN() : unkey(peak);
    }
    return {std::move(y), std::move(peaks)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::echo(w.x.data, w.near.value, w.far.value, w.b0.value, w.b1.value, w.b2.value, w.a1.value,
                               w.a2.value);
        },
        [](const hand::Work& w) {
            return unfused::echo(w.x.data, w.near.value, w.far.value, w.b0.value, w.b1.value, w.b2.value, w.a1.value,
                                 w.a2.value);
        });
}
