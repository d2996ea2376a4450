// Falls through an atmosphere whose density is a table: eight bodies side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> height, speed, drag, table{1024};
    Scalar<double> dt{0.05};
    explicit Work(i64 n) : height(n), speed(n), drag(n) {
        height.fill([](auto i) { return 1000 + 80000 * unit(i); });
        speed.fill([](auto i) { return -100 - 900 * unit(i + 1); });
        drag.fill([](auto i) { return 0.0005 + 0.003 * unit(i + 2); });
        table.fill([](auto i) { return 1.2 * std::exp(-double(i) / 80.0); });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.height.size();
    const double *table = w.table.data.data(), dt = w.dt.value, last = double(w.table.size() - 2);
    Fresh<double> hs(n), vs(n);
    i64 most = key(0.0);
    const int threads = threads_for(n * 64);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(max : most) if (threads > 1)
    for (i64 block = 0; block < n; block += 16) {
        const i64 k = std::min<i64>(16, n - block);
        double h[16] = {}, v[16] = {}, d[16] = {}, m[16] = {};
        for (i64 j = 0; j < k; j++) h[j] = w.height[block + j], v[j] = w.speed[block + j], d[j] = w.drag[block + j];
        for (int s = 0; s < 64; s++)
#pragma omp simd
            for (int j = 0; j < 16; j++) {
                const auto force = [&](double height, double speed) {
                    const double low = height * 0.01 > 0.0 ? height * 0.01 : 0.0, place = low < last ? low : last;
                    const double down = std::floor(place);
                    const i64 i = i64(down);
                    const double part = place - down;
                    return d[j] * (table[i] * (1.0 - part) + table[i + 1] * part) * speed * speed - 9.81;
                };
                const double a1 = force(h[j], v[j]), v2 = v[j] + 0.5 * dt * a1;
                const double a2 = force(h[j] + 0.5 * dt * v[j], v2), v3 = v[j] + 0.5 * dt * a2;
                const double a3 = force(h[j] + 0.5 * dt * v2, v3), v4 = v[j] + dt * a3;
                const double a4 = force(h[j] + dt * v3, v4);
                h[j] = h[j] + dt / 6.0 * (v[j] + 2.0 * v2 + 2.0 * v3 + v4);
                v[j] = v[j] + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
                m[j] = m[j] > a1 ? m[j] : a1;
            }
        for (i64 j = 0; j < k; j++) hs[block + j] = h[j], vs[block + j] = v[j], most = std::max(most, key(m[j]));
    }
    return {std::move(hs), std::move(vs), unkey(most)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::flight(w.height.data, w.speed.data, w.drag.data, w.table.data, w.dt.value);
        },
        [](const hand::Work& w) {
            return unfused::flight(w.height.data, w.speed.data, w.drag.data, w.table.data, w.dt.value);
        });
}
