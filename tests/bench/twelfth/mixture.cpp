// One step of expectation maximization: rows of weights beside column sums, two passes over them.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
constexpr i64 K = 8;
struct Work {
    Array<double> x, w{K}, mu{K}, s2{K};
    explicit Work(i64 n) : x(n) {
        x.fill([](auto i) { return 10 * unit(i) * unit(i + 5); });
        w.fill([](auto) { return 1.0 / K; });
        mu.fill([](auto i) { return 0.5 + double(i); });
        s2.fill([](auto i) { return 0.5 + 0.1 * double(i); });
    }
};
using Result = std::tuple<Vec<double>, Vec<double>, Vec<double>, double>;
Result run(const Work& work) {
    const i64 n = work.x.size(), k = work.w.size();
    const double* x = work.x.data.data();
    Vec<double> two(static_cast<size_t>(k)), root(static_cast<size_t>(k));
    for (i64 j = 0; j < k; j++)
        two[size_t(j)] = 2.0 * work.s2[j], root[size_t(j)] = std::sqrt(6.283185307179586 * work.s2[j]);
    Fresh<double> r(n * k);
    Vec<double> weight(static_cast<size_t>(k)), first(static_cast<size_t>(k)), second(static_cast<size_t>(k));
    double *nk = weight.data(), *sx = first.data(), *sq = second.data(), logs = 0;
    const int threads = threads_for(n * k);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : nk[:k], sx[:k], logs)
    for (i64 i = 0; i < n; i++) {
        double* row = r.data() + i * k;
        double z = 0;
        for (i64 j = 0; j < k; j++) {
            const double d = x[i] - work.mu[j];
            row[j] = work.w[j] * std::exp(-(d * d) / two[size_t(j)]) / root[size_t(j)];
        }
        for (i64 j = 0; j < k; j++) z += row[j];
        for (i64 j = 0; j < k; j++) {
            row[j] /= z;
            nk[j] += row[j];
            sx[j] += row[j] * x[i];
        }
        logs += std::log(z);
    }
    for (i64 j = 0; j < k; j++) first[size_t(j)] /= weight[size_t(j)];
    const double* mean = first.data();
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : sq[:k])
    for (i64 i = 0; i < n; i++) {
        const double* row = r.data() + i * k;
        for (i64 j = 0; j < k; j++) sq[j] += row[j] * (x[i] - mean[j]) * (x[i] - mean[j]);
    }
    for (i64 j = 0; j < k; j++) second[size_t(j)] /= weight[size_t(j)], weight[size_t(j)] /= double(n);
    return {std::move(weight), std::move(first), std::move(second), logs};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::em(w.x.data, w.w.data, w.mu.data, w.s2.data); },
        [](const hand::Work& w) { return unfused::em(w.x.data, w.w.data, w.mu.data, w.s2.data); });
}
