// Rodinia's HotSpot: some steps of heat flow on a chip; neighbours outside the chip are the border itself.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> temp, power;
    Scalar<std::int64_t> steps;
    explicit Work(std::int64_t n) : temp(n, n == 3 ? 5 : n), power(n, n == 3 ? 5 : n), steps{4} {
        temp.fill([](auto i) { return 300 + 20 * unit(i); });
        power.fill([](auto i) { return unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& work) {
    const std::int64_t h = work.temp.rows, w = work.temp.columns;
    Result a(h * w), b(h * w);
    const double* in = work.temp.data.data();
    const double* power = work.power.data.data();
    for (std::int64_t s = 0; s < work.steps.value; s++) {
        double* out = a.data();
#pragma omp parallel for schedule(static) num_threads(threads_for(h* w))
        for (std::int64_t i = 0; i < h; i++) {
            const double *row = in + i * w, *north = in + std::max<std::int64_t>(i - 1, 0) * w,
                         *south = in + std::min(i + 1, h - 1) * w, *p = power + i * w;
            double* o = out + i * w;
            const auto cell = [&](std::int64_t j, double west, double east) {
                const double c = row[j], v = (north[j] + south[j] - 2.0 * c) * 0.1, hz = (east + west - 2.0 * c) * 0.1;
                o[j] = c + 0.3 * (p[j] + v + hz + (80.0 - c) * 0.02);
            };
            cell(0, row[0], row[std::min<std::int64_t>(1, w - 1)]);
#pragma omp simd
            for (std::int64_t j = 1; j < w - 1; j++) cell(j, row[j - 1], row[j + 1]);
            if (w > 1) cell(w - 1, row[w - 2], row[w - 1]);
        }
        in = out;
        std::swap(a, b);
    }
    return b;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::hotspot(w.temp, w.power, w.steps.value); },
        [](const hand::Work& w) { return unfused::hotspot(w.temp, w.power, w.steps.value); });
}
