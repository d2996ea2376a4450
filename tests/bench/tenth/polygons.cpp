// One walk around each polygon; the corner before is carried.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> x, y;
    Array<i64> begin;
    explicit Work(i64 n) : x(n), y(n), begin(n / 8 + 1) {
        begin.fill([n](auto i) { return i64(i) * 8 == n / 8 * 8 ? n : i64(i) * 8 + i64(i ? hash(i) % 4 : 0); });
        x.fill([](auto i) { return std::cos(double(i % 8) * 0.78) * (1 + unit(i)) + unit(i / 8); });
        y.fill([](auto i) { return std::sin(double(i % 8) * 0.78) * (1 + unit(i)) + unit(i / 8 + 3); });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>, Fresh<double>, double, double>;
Result run(const Work& w) {
    const i64 p = w.begin.size() - 1;
    const double *x = w.x.data.data(), *y = w.y.data.data();
    Fresh<double> area(p), cx(p), cy(p);
    double total = 0, most = 0;
#pragma omp parallel for schedule(static) reduction(+ : total) reduction(max : most) if (p > 1000)
    for (i64 i = 0; i < p; i++) {
        const i64 lo = w.begin[i], hi = w.begin[i + 1];
        double a = 0, u = 0, v = 0;
        for (i64 j = lo; j < hi; j++) {
            const i64 k = j + 1 < hi ? j + 1 : lo;
            const double cross = x[j] * y[k] - x[k] * y[j];
            a += cross, u += (x[j] + x[k]) * cross, v += (y[j] + y[k]) * cross;
        }
        const double half = 0.5 * a;
        area[i] = half, cx[i] = u / (6.0 * half), cy[i] = v / (6.0 * half);
        total += half, most = half > most ? half : most;
    }
    return {std::move(area), std::move(cx), std::move(cy), total, most};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::polygons(w.x.data, w.y.data, w.begin.data); },
        [](const hand::Work& w) { return unfused::polygons(w.x.data, w.y.data, w.begin.data); });
}
