// Rays against spheres: what does not depend on the ray is computed once; eight rays side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct V {
    double x, y, z;
};
struct Sphere {
    V centre;
    double radius, color;
};
struct Work {
    Records<Sphere> spheres{32};
    i64 n, m;
    explicit Work(i64 n) : n(n), m(n) {
        spheres.fill([](auto i) {
            return Sphere{{4 * unit(i) - 2, 4 * unit(i + 40) - 2, 4 + 4 * unit(i + 80)},
                          0.2 + 0.4 * unit(i + 99),
                          unit(i + 7) + 0.1};
        });
    }
};
using Result = std::tuple<Fresh<double>, i64>;
Result run(const Work& w) {
    const i64 n = w.n, m = w.m, k = w.spheres.size();
    const double light = 1.0 / std::sqrt(1.0 + 1.0 + 1.0), lx = light, ly = light, lz = -light;
    Vec<double> c(static_cast<size_t>(k));
    for (i64 s = 0; s < k; s++) {
        const Sphere& q = w.spheres[s];
        c[size_t(s)] =
            (q.centre.x * q.centre.x + q.centre.y * q.centre.y + q.centre.z * q.centre.z) - q.radius * q.radius;
    }
    Fresh<double> out(n * m);
    i64 lit = 0;
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads_for(n* m)) reduction(+ : lit)
    for (i64 y = 0; y < n; y++)
        for (i64 b = 0; b < m; b += 8) {
            double dx[8], dy[8], dz[8], best[8], which[8];
            for (int j = 0; j < 8; j++) {
                const double a = double(b + j - m / 2) / double(m), e = double(y - n / 2) / double(n);
                const double f = 1.0 / std::sqrt(a * a + e * e + 1.0);
                dx[j] = a * f, dy[j] = e * f, dz[j] = f, best[j] = infinity, which[j] = -1;
            }
            for (i64 s = 0; s < k; s++) {
                const Sphere& q = w.spheres[s];
#pragma omp simd
                for (int j = 0; j < 8; j++) {
                    const double r = dx[j] * q.centre.x + dy[j] * q.centre.y + dz[j] * q.centre.z,
                                 d = r * r - c[size_t(s)];
                    const double t0 = r - std::sqrt(d < 0.0 ? 0.0 : d), t = d < 0.0 || !(t0 > 0.0) ? infinity : t0;
                    which[j] = best[j] <= t ? which[j] : double(s);
                    best[j] = best[j] <= t ? best[j] : t;
                }
            }
            for (int j = 0; j < 8 && b + j < m; j++) {
                double v = 0.0;
                if (best[j] < infinity) {
                    const Sphere& q = w.spheres[i64(which[j])];
                    const double r = 1.0 / q.radius, t = best[j];
                    const double nx = (dx[j] * t - q.centre.x) * r, ny = (dy[j] * t - q.centre.y) * r,
                                 nz = (dz[j] * t - q.centre.z) * r;
                    const double l = nx * lx + ny * ly + nz * lz;
                    v = q.color * (0.2 + 0.8 * (l > 0.0 ? l : 0.0));
                }
                out[y * m + b + j] = v, lit += v > 0.0;
            }
        }
    return {std::move(out), lit};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::rays(hand::records<fused::Sphere>(w.spheres), fused::Vec{1, 1, -1}, w.n, w.m);
        },
        [](const hand::Work& w) {
            return unfused::rays(hand::records<unfused::Sphere>(w.spheres), unfused::Vec{1, 1, -1}, w.n, w.m);
        });
}
