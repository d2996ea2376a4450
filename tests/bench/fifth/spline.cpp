// A cubic spline at many places, and its mean squared difference from what was measured there.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> knots{500}, a{500}, b{500}, c{500}, d{500}, queries, measured;
    explicit Work(i64 n) : queries(n), measured(n) {
        knots.fill([](auto i) { return double(i) + 0.9 * unit(i); });
        a.fill([](auto i) { return unit(i + 1); });
        b.fill([](auto i) { return unit(i + 2) - 0.5; });
        c.fill([](auto i) { return unit(i + 3) - 0.5; });
        d.fill([](auto i) { return unit(i + 4) - 0.5; });
        queries.fill([](auto i) { return unit(i + 5) * 502.0 - 1.0; });
        measured.fill([](auto i) { return unit(i + 6); });
    }
};
using Result = std::tuple<Fresh<double>, double>;
// Eight queries side by side: the number of steps differs by one at most, and a step too many changes nothing.
Result run(const Work& w) {
    const i64 n = w.queries.size(), k = w.knots.size();
    const double *knots = w.knots.data.data(), *a = w.a.data.data(), *b = w.b.data.data(), *c = w.c.data.data(),
                 *d = w.d.data.data(), *q = w.queries.data.data(), *y = w.measured.data.data();
    Fresh<double> values(n);
    double sum = 0;
    int steps = 0;
    for (i64 s = 1; s < k; s *= 2) steps++;
    const int threads = threads_for(n);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sum) if (threads > 1)
    for (i64 first = 0; first < n; first += 16) {
        i64 low[16] = {}, high[16];
        double at[16];
        const i64 lanes = std::min<i64>(16, n - first);
        for (i64 l = 0; l < 16; l++) high[l] = k, at[l] = l < lanes ? q[first + l] : 0.0;
        for (int s = 0; s < steps; s++)
#pragma omp simd
            for (i64 l = 0; l < 16; l++) {
                const i64 middle = (low[l] + high[l]) >> 1;
                const bool right = knots[middle] <= at[l], more = high[l] - low[l] > 1;
                low[l] = more & right ? middle : low[l];
                high[l] = more & !right ? middle : high[l];
            }
        double part = 0;
        for (i64 l = 0; l < lanes; l++) {
            const i64 i = low[l];
            const double t = at[l] - knots[i], v = a[i] + t * (b[i] + t * (c[i] + t * d[i])), off = v - y[first + l];
            values[first + l] = v;
            part += off * off;
        }
        sum += part;
    }
    return {std::move(values), sum / double(std::max<i64>(n, 1))};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::spline(w.knots.data, w.a.data, w.b.data, w.c.data, w.d.data, w.queries.data, w.measured.data);
        },
        [](const hand::Work& w) {
            return unfused::spline(w.knots.data, w.a.data, w.b.data, w.c.data, w.d.data, w.queries.data,
                                   w.measured.data);
        });
}
