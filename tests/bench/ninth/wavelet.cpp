// A row at a time, two buffers; only the part that a level changes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<double> rows;
    explicit Work(i64 n) : rows(n, 1024) {
        rows.fill([](auto i) { return std::sin(double(i) * 0.01) + 0.1 * unit(i); });
    }
};
constexpr i64 levels = 5;
constexpr double least = 0.05, root = 0.7071067811865476;
using Result = std::tuple<Fresh<double>, i64>;
Result run(const Work& w) {
    const i64 h = w.rows.rows, m = w.rows.columns;
    Fresh<double> out(h * m);
    i64 kept = 0;
#pragma omp parallel reduction(+ : kept) if (h * m > 20000)
    {
        Vec<double> a(static_cast<size_t>(m)), b(static_cast<size_t>(m));
#pragma omp for schedule(static)
        for (i64 y = 0; y < h; y++) {
            std::copy_n(w.rows.data.data() + y * m, m, a.data());
            for (i64 l = 0; l < levels; l++) {
                const i64 size = m >> l, half = size / 2;
                double *p = a.data(), *q = b.data();
#pragma omp simd
                for (i64 i = 0; i < half; i++) {
                    q[i] = (p[2 * i] + p[2 * i + 1]) * root;
                    q[half + i] = (p[2 * i] - p[2 * i + 1]) * root;
                }
                std::copy_n(q, size, p);
            }
            i64 some = 0;
            for (i64 i = 0; i < m; i++) {
                if (std::abs(a[size_t(i)]) < least) a[size_t(i)] = 0;
                some += a[size_t(i)] != 0;
            }
            kept += some;
            for (i64 l = levels; l-- > 0;) {
                const i64 size = m >> l, half = size / 2;
                double *p = a.data(), *q = b.data();
#pragma omp simd
                for (i64 i = 0; i < half; i++) {
                    q[2 * i] = (p[i] + p[half + i]) * root;
                    q[2 * i + 1] = (p[i] - p[half + i]) * root;
                }
                std::copy_n(q, size, p);
            }
            std::copy_n(a.data(), m, out.data() + y * m);
        }
    }
    return {std::move(out), kept};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::wavelet(w.rows, hand::levels, hand::least); },
        [](const hand::Work& w) { return unfused::wavelet(w.rows, hand::levels, hand::least); });
}
