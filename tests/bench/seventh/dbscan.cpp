// Dense points: counts in lanes; only points that are not dense look for dense ones, and stop at the first.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<float> x, y;
    explicit Work(i64 n) : x(n), y(n) {
        x.fill([](auto i) { return float(unit(i)); });
        y.fill([](auto i) { return float(unit(i + 77777)); });
    }
};
using Result = std::tuple<Fresh<i64>, Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.x.size();
    const float *x = w.x.data.data(), *y = w.y.data.data(), r = 0.02f * 0.02f;
    Fresh<i64> near(n);
    Vec<u8> dense(static_cast<size_t>(n)), border(static_cast<size_t>(n));
#pragma omp parallel num_threads(threads_for(n * 10))
    {
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++) {
            i32 c = 0;
            for (i64 j = 0; j < n; j++) c += (x[j] - x[i]) * (x[j] - x[i]) + (y[j] - y[i]) * (y[j] - y[i]) <= r;
            near[i] = c, dense[size_t(i)] = c >= 12;
        }
#pragma omp for schedule(static)
        for (i64 i = 0; i < n; i++) {
            bool touch = false;
            if (!dense[size_t(i)])
                for (i64 b = 0; b < n && !touch; b += 256) {
                    i32 c = 0;
                    for (i64 j = b; j < std::min(b + 256, n); j++)
                        c |= dense[size_t(j)] & ((x[j] - x[i]) * (x[j] - x[i]) + (y[j] - y[i]) * (y[j] - y[i]) <= r);
                    touch = c;
                }
            border[size_t(i)] = touch;
        }
    }
    Vec<i64> a, b;
    for (i64 i = 0; i < n; i++) {
        if (dense[size_t(i)]) a.push_back(i);
        if (border[size_t(i)]) b.push_back(i);
    }
    return {std::move(near), std::move(a), std::move(b)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::dense(w.x.data, w.y.data, 0.02f, 12); },
        [](const hand::Work& w) { return unfused::dense(w.x.data, w.y.data, 0.02f, 12); });
}
