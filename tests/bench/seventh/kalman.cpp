// Kalman's filter of many series: eight side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<double> z;
    explicit Work(i64 n) : z(n, 256) {
        z.fill([](auto i) { return double(i % 256) * 0.01 + unit(i); });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.z.rows, m = w.z.columns;
    const double dt = 0.1, noise = 0.01, error = 0.5;
    Fresh<double> xs(n), vs(n);
    double total = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(n * 256)) reduction(+ : total)
    for (i64 b = 0; b < n; b += 8) {
        const i64 k = std::min<i64>(8, n - b);
        double x[8] = {}, v[8] = {}, p[8], q[8] = {}, r[8], s[8] = {};
        const double* z[8];
        for (int j = 0; j < 8; j++) p[j] = r[j] = 1.0, z[j] = w.z.data.data() + (b + std::min<i64>(j, k - 1)) * m;
        for (i64 t = 0; t < m; t++)
#pragma omp simd
            for (int j = 0; j < 8; j++) {
                const double x1 = x[j] + dt * v[j], p1 = p[j] + dt * (2.0 * q[j] + dt * r[j]) + noise;
                const double q1 = q[j] + dt * r[j], r1 = r[j] + noise, y = z[j][t] - x1;
                const double g = p1 / (p1 + error), l = q1 / (p1 + error);
                x[j] = x1 + g * y, v[j] = v[j] + l * y, p[j] = (1.0 - g) * p1, q[j] = (1.0 - g) * q1,
                r[j] = r1 - l * q1;
                s[j] += y * y;
            }
        for (i64 j = 0; j < k; j++) xs[b + j] = x[j], vs[b + j] = v[j], total += s[j];
    }
    return {std::move(xs), std::move(vs), total / double(n * m)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::kalman(w.z, 0.1, 0.01, 0.5); },
        [](const hand::Work& w) { return unfused::kalman(w.z, 0.1, 0.01, 0.5); });
}
