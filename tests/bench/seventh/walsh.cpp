// Walsh and Hadamard's transform: butterflies in place.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<double> x;
    i64 levels = 10;
    explicit Work(i64 n) : x(n, 1024) {
        x.fill([](auto i) { return unit(i) - 0.5; });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<i64>>;
Result run(const Work& w) {
    const i64 n = w.x.rows, m = w.x.columns;
    Fresh<double> out(n * m);
    Fresh<i64> best(n);
#pragma omp parallel for schedule(static) num_threads(threads_for(n* m))
    for (i64 i = 0; i < n; i++) {
        double* v = out.data() + i * m;
        std::copy(w.x.data.data() + i * m, w.x.data.data() + (i + 1) * m, v);
        for (i64 d = 1; d < m; d *= 2)
            for (i64 b = 0; b < m; b += 2 * d)
                for (i64 j = b; j < b + d; j++) {
                    const double p = v[j], q = v[j + d];
                    v[j] = p + q, v[j + d] = p - q;
                }
        double most = -1.0;
        for (i64 j = 0; j < m; j++) most = std::max(most, std::abs(v[j]));
        i64 j = 0;
        while (j < m && std::abs(v[j]) != most) j++;
        best[i] = j;
    }
    return {std::move(out), std::move(best)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::walsh(w.x, w.levels); },
        [](const hand::Work& w) { return unfused::walsh(w.x, w.levels); });
}
