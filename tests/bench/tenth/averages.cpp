// All columns of a day side by side, in place.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<double> prices;
    explicit Work(i64 n) : prices(n, 64) {
        prices.fill([](auto i) { return 100 + 10 * unit(i); });
    }
};
constexpr double fast = 0.2, slow = 0.05;
using Result = std::tuple<Vec<i64>, Vec<double>, Vec<double>>;
Result run(const Work& w) {
    const i64 n = w.prices.rows, k = w.prices.columns;
    Vec<double> f(static_cast<size_t>(k)), s(static_cast<size_t>(k));
    Vec<i64> crossings(static_cast<size_t>(k));
    double *a = f.data(), *b = s.data();
    i64* c = crossings.data();
    for (i64 i = 0; i < n; i++) {
        const double* x = w.prices.data.data() + i * k;
        if (i == 0) {
            for (i64 j = 0; j < k; j++) a[j] = b[j] = x[j];
            continue;
        }
#pragma omp simd
        for (i64 j = 0; j < k; j++) {
            const double next = a[j] + fast * (x[j] - a[j]), after = b[j] + slow * (x[j] - b[j]);
            c[j] += (a[j] <= b[j]) & (next > after);
            a[j] = next, b[j] = after;
        }
    }
    return {std::move(crossings), std::move(f), std::move(s)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::averages(w.prices, hand::fast, hand::slow); },
        [](const hand::Work& w) { return unfused::averages(w.prices, hand::fast, hand::slow); });
}
