// Total variation: one pass over the rows, each beside the next one.
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
using Result = std::tuple<double>;
Result run(const Work& w) {
    const i64 h = w.m.rows, n = w.m.columns;
    double sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(h* n)) reduction(+ : sum)
    for (i64 i = 0; i < h; i++) {
        const double* x = w.m.data.data() + i * n;
        const double* y = i + 1 < h ? x + n : x;
        double row = 0;
#pragma omp simd reduction(+ : row)
        for (i64 j = 0; j < n - 1; j++) row += std::fabs(x[j + 1] - x[j]) + std::fabs(y[j] - x[j]);
        if (n > 0) row += 0.0 + std::fabs(y[n - 1] - x[n - 1]);
        sum += row;
    }
    return {sum};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::variation(w.m)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::variation(w.m)); });
}
