// Row by row with two buffers; the energy of a row is computed where it is added.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<double> m;
    explicit Work(i64 n) : m(n, n) {
        m.fill([](auto i) { return unit(i); });
    }
};
using Result = std::tuple<Fresh<double>>;
Result run(const Work& w) {
    const i64 h = w.m.rows, n = w.m.columns;
    Fresh<double> cost(n), next(n);
    std::fill_n(cost.data(), n, 0.0);
    for (i64 i = 0; i < h; i++) {
        const double* x = w.m.data.data() + i * n;
        const double *above = i > 0 ? x - n : x, *below = i + 1 < h ? x + n : x;
        const double* c = cost.data();
        double* o = next.data();
        const auto edge = [&](i64 j) {
            const i64 l = std::max<i64>(j - 1, 0), r = std::min(j + 1, n - 1);
            o[j] = std::fabs(x[r] - x[l]) + std::fabs(below[j] - above[j]) + std::min(c[j], std::min(c[l], c[r]));
        };
        if (n > 0) edge(0);
#pragma omp simd
        for (i64 j = 1; j < n - 1; j++)
            o[j] = std::fabs(x[j + 1] - x[j - 1]) + std::fabs(below[j] - above[j]) +
                   std::min(c[j], std::min(c[j - 1], c[j + 1]));
        if (n > 1) edge(n - 1);
        std::swap(cost, next);
    }
    return {std::move(cost)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::carving(w.m)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::carving(w.m)); });
}
