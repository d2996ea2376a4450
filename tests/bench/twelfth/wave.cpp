// The wave equation: three buffers that change places, borders apart from the middle.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<double> u, v;
    explicit Work(i64 n) : u(n, n), v(n, n) {
        u.fill([](auto i) { return unit(i); });
        v.fill([](auto i) { return unit(i + 99); });
    }
};
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& work) {
    const i64 h = work.u.rows, w = work.u.columns;
    const double c = 0.2;
    Fresh<double> a(h * w), b(h * w), d(h * w);
    std::copy(work.u.data.begin(), work.u.data.end(), a.data());
    std::copy(work.v.data.begin(), work.v.data.end(), b.data());
    for (int t = 0; t < 10; t++) {
#pragma omp parallel for schedule(static) num_threads(threads_for(h* w))
        for (i64 i = 0; i < h; i++) {
            const double *u = a.data() + i * w, *v = b.data() + i * w;
            double* o = d.data() + i * w;
            if (i == 0 || i == h - 1) {
                for (i64 j = 0; j < w; j++) o[j] = 0.5 * u[j];
                continue;
            }
            const double *up = u - w, *down = u + w;
            o[0] = 0.5 * u[0];
            for (i64 j = 1; j < w - 1; j++)
                o[j] = 2.0 * u[j] - v[j] + c * (up[j] + down[j] + u[j - 1] + u[j + 1] - 4.0 * u[j]);
            if (w > 1) o[w - 1] = 0.5 * u[w - 1];
        }
        std::swap(b, a);
        std::swap(a, d);
    }
    double energy = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(h* w)) reduction(+ : energy)
    for (i64 i = 0; i < h; i++) {
        double row = 0;
        const double* u = a.data() + i * w;
#pragma omp simd reduction(+ : row)
        for (i64 j = 0; j < w; j++) row += u[j] * u[j];
        energy += row;
    }
    return {std::move(a), energy};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::wave(w.u, w.v, 0.2, 10); },
        [](const hand::Work& w) { return unfused::wave(w.u, w.v, 0.2, 10); });
}
