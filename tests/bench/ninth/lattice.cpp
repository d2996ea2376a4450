// One pass a step: nine neighbours read, nine values written; rows at the edges by themselves.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    i64 n;
    Array<double> f;
    explicit Work(i64 n) : n(n), f(9 * n * n) {
        const double weight[9] = {4. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 9, 1. / 36, 1. / 36, 1. / 36, 1. / 36};
        f.fill([&](auto i) { return weight[i / u64(n * n)] * (1 + 0.05 * unit(i)); });
    }
};
constexpr double omega = 1.2;
constexpr i64 steps = 10;
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.n, size = n * n;
    const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
    const double weight[9] = {0.4444444444444444,   0.1111111111111111,   0.1111111111111111,
                              0.1111111111111111,   0.1111111111111111,   0.027777777777777776,
                              0.027777777777777776, 0.027777777777777776, 0.027777777777777776};
    Fresh<double> one(9 * size), two(9 * size);
    const double* from = w.f.data.data();
    double* to = one.data();
    for (i64 s = 0; s < steps; s++) {
#pragma omp parallel for schedule(static)
        for (i64 y = 0; y < n; y++) {
            const double* row[9];
            for (int k = 0; k < 9; k++) row[k] = from + k * size + (y - dy[k] + n) % n * n;
            auto cell = [&](i64 x, i64 left, i64 right) {
                const double f[9] = {row[0][x],    row[1][left],  row[2][x],     row[3][right], row[4][x],
                                     row[5][left], row[6][right], row[7][right], row[8][left]};
                double rho = 0;
                for (int k = 0; k < 9; k++) rho += f[k];
                const double u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / rho;
                const double v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / rho;
                const double square = 1.5 * (u * u + v * v);
                for (int k = 0; k < 9; k++) {
                    const double c = 3.0 * (dx[k] * u + dy[k] * v);
                    const double equal = weight[k] * rho * (1.0 + c + 0.5 * c * c - square);
                    to[k * size + y * n + x] = f[k] - omega * (f[k] - equal);
                }
            };
            cell(0, n - 1, n > 1 ? 1 : 0);
#pragma omp simd
            for (i64 x = 1; x < n - 1; x++) cell(x, x - 1, x + 1);
            if (n > 1) cell(n - 1, n - 2, 0);
        }
        from = to;
        to = to == one.data() ? two.data() : one.data();
    }
    Fresh<double> speed(size);
    double mass = 0;
#pragma omp parallel for schedule(static) reduction(+ : mass)
    for (i64 y = 0; y < n; y++) {
        double m = 0;
#pragma omp simd reduction(+ : m)
        for (i64 x = 0; x < n; x++) {
            const double* f = from + y * n + x;
            const double u = f[size] - f[3 * size] + f[5 * size] - f[6 * size] - f[7 * size] + f[8 * size];
            const double v = f[2 * size] - f[4 * size] + f[5 * size] + f[6 * size] - f[7 * size] - f[8 * size];
            speed[y * n + x] = std::sqrt(u * u + v * v);
            for (int k = 0; k < 9; k++) m += f[k * size];
        }
        mass += m;
    }
    return {std::move(speed), mass};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::lattice(fused::view<const double, 3>(w.f.data.data(), 9, w.n, w.n), hand::omega, hand::steps);
        },
        [](const hand::Work& w) {
            return unfused::lattice(unfused::view<const double, 3>(w.f.data.data(), 9, w.n, w.n), hand::omega,
                                    hand::steps);
        });
}
