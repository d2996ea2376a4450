// Mean and variance by combining (count, mean, sum of squares) as Chan does.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Array<double> xs;
    explicit Work(std::int64_t n) : xs(n) {
        xs.fill([](auto i) { return 5 + unit(i); });
    }
};
using Result = std::tuple<double, double>;
struct Moments {
    double n = 0, mean = 0, m2 = 0;
};
static Moments join(Moments a, Moments b) {
    const double n = a.n + b.n, delta = b.mean - a.mean, share = n > 0 ? b.n / n : 0;
    return {n, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.n * share};
}
Result run(const Work& w) {
    constexpr int L = 32; // so many running moments side by side, all of one count
    const std::int64_t n = w.xs.size();
    const double* x = w.xs.data.data();
    const int threads = threads_for(n);
    std::vector<Moments> parts(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        std::int64_t i = part(n, t, threads);
        const std::int64_t hi = part(n, t + 1, threads);
        double mean[L] = {}, m2[L] = {}, count = 0;
        for (; i + L <= hi; i += L) {
            const double share = 1.0 / (count + 1.0);
#pragma omp simd
            for (int l = 0; l < L; l++) {
                const double delta = x[i + l] - mean[l];
                mean[l] += delta * share;
                m2[l] += delta * delta * count * share;
            }
            count += 1.0;
        }
        Moments own;
        for (int l = 0; l < L; l++) own = join(own, {count, mean[l], m2[l]});
        for (; i < hi; i++) own = join(own, {1.0, x[i], 0.0});
        parts[std::size_t(t)] = own;
    }
    Moments all;
    for (auto& p : parts) all = join(all, p);
    return {all.mean, all.m2 / all.n};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::welford(w.xs.data); },
        [](const hand::Work& w) { return unfused::welford(w.xs.data); });
}
