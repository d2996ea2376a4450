// The three nearest points: eight queries side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> px{2000}, py{2000}, value{2000}, qx, qy;
    explicit Work(i64 n) : qx(n), qy(n) {
        px.fill([](auto i) { return unit(i); });
        py.fill([](auto i) { return unit(i + 100000); });
        value.fill([](auto i) { return unit(i + 200000); });
        qx.fill([](auto i) { return unit(i + 300000); });
        qy.fill([](auto i) { return unit(i + 400000000); });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>>;
Result run(const Work& w) {
    const i64 k = w.qx.size(), n = w.px.size();
    Fresh<double> mean(k), far(k);
    const double *px = w.px.data.data(), *py = w.py.data.data(), *v = w.value.data.data();
#pragma omp parallel for schedule(static) num_threads(threads_for(k * 100))
    for (i64 q = 0; q < k; q++) {
        const double x = w.qx[q], y = w.qy[q];
        double d1 = infinity, d2 = infinity, d3 = infinity;
        i64 i1 = 0, i2 = 0, i3 = 0;
        const auto take = [&](i64 i, double d) {
            if (d < d3) {
                if (d < d2) {
                    d3 = d2, i3 = i2;
                    if (d < d1)
                        d2 = d1, i2 = i1, d1 = d, i1 = i;
                    else
                        d2 = d, i2 = i;
                } else
                    d3 = d, i3 = i;
            }
        };
        i64 i = 0;
        for (; i + 8 <= n; i += 8) {
            double d[8];
            bool some = false;
#pragma omp simd reduction(| : some)
            for (int j = 0; j < 8; j++) {
                d[j] = (px[i + j] - x) * (px[i + j] - x) + (py[i + j] - y) * (py[i + j] - y);
                some |= d[j] < d3;
            }
            if (some)
                for (int j = 0; j < 8; j++) take(i + j, d[j]);
        }
        for (; i < n; i++) take(i, (px[i] - x) * (px[i] - x) + (py[i] - y) * (py[i] - y));
        mean[q] = (v[i1] + v[i2] + v[i3]) / 3.0, far[q] = std::sqrt(d3);
    }
    return {std::move(mean), std::move(far)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::knn(w.px.data, w.py.data, w.value.data, w.qx.data, w.qy.data); },
        [](const hand::Work& w) { return unfused::knn(w.px.data, w.py.data, w.value.data, w.qx.data, w.qy.data); });
}
