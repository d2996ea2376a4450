// One pass over the rods a step, forces added at both ends; one over the points.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Rod {
    i32 a, b;
    double rest, k;
};
struct Work {
    i64 n;
    Array<double> x, y;
    Records<Rod> rods;
    explicit Work(i64 n) : n(n), x(n), y(n), rods(n > 0 ? 3 * n : 0) {
        x.fill([](auto i) { return double(i % 1000) + 0.2 * unit(i); });
        y.fill([](auto i) { return double(i / 1000) + 0.2 * unit(i + 3); });
        rods.fill([n](auto i) {
            const u64 p = i / 3, q = i % 3 == 0 ? p + 1 : i % 3 == 1 ? p + 1000 : p + 1001;
            return Rod{i32(p), i32(q % u64(n)), i % 3 == 2 ? 1.4 : 1.0, 20.0};
        });
    }
};
constexpr i64 steps = 10;
constexpr double dt = 0.001;
using Result = std::tuple<Vec<double>, Vec<double>, double>;
Result run(const Work& w) {
    const size_t n = size_t(w.n);
    const i64 m = w.rods.size();
    const Rod* r = w.rods.data.data();
    Vec<double> x = w.x.data, y = w.y.data, u(n), v(n);
    for (i64 s = 0; s < steps; s++) {
        Vec<double> fx(n), fy(n);
        parts(m, [&](int, i64 lo, i64 hi) {
            const bool alone = lo == 0 && hi == m;
            Vec<double> ox(alone ? 0 : n), oy(alone ? 0 : n);
            double *gx = alone ? fx.data() : ox.data(), *gy = alone ? fy.data() : oy.data();
            for (i64 i = lo; i < hi; i++) {
                const size_t a = size_t(r[i].a), b = size_t(r[i].b);
                const double dx = x[b] - x[a], dy = y[b] - y[a], d = std::sqrt(dx * dx + dy * dy);
                const double f = r[i].k * (d - r[i].rest) / std::max(d, 1.0e-9);
                gx[a] += f * dx, gy[a] += f * dy, gx[b] -= f * dx, gy[b] -= f * dy;
            }
            if (!alone) {
#pragma omp critical
                for (size_t p = 0; p < n; p++) fx[p] += ox[p], fy[p] += oy[p];
            }
        });
#pragma omp parallel for simd schedule(static) if (n > 20000)
        for (size_t p = 0; p < n; p++) {
            u[p] = 0.999 * (u[p] + dt * fx[p]), v[p] = 0.999 * (v[p] + dt * (fy[p] - 9.81));
            x[p] += dt * u[p], y[p] += dt * v[p];
        }
    }
    double energy = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : energy) if (n > 20000)
    for (size_t p = 0; p < n; p++) energy += 0.5 * (u[p] * u[p] + v[p] * v[p]);
    return {std::move(x), std::move(y), energy};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::trusses(w.x.data, w.y.data, hand::records<fused::Rod>(w.rods), hand::steps, hand::dt);
        },
        [](const hand::Work& w) {
            return unfused::trusses(w.x.data, w.y.data, hand::records<unfused::Rod>(w.rods), hand::steps, hand::dt);
        });
}
