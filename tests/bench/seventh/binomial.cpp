// American options by trees: one level in place, in lanes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<double> price, strike;
    explicit Work(i64 n) : price(n), strike(n) {
        price.fill([](auto i) { return 80 + 40 * unit(i); });
        strike.fill([](auto i) { return 80 + 40 * unit(i + 9); });
    }
};
using Result = std::tuple<Fresh<double>, double>;
Result run(const Work& w) {
    const i64 n = w.price.size();
    const double dt = 1.0 / 64.0, up = std::exp(0.2 * std::sqrt(dt)), down = 1.0 / up, grow = std::exp(0.05 * dt);
    const double p = (grow - down) / (up - down), discount = 1.0 / grow;
    double even[65], odd[65]; // powers of even and of odd exponents
    for (int j = 0; j <= 64; j++) even[j] = std::pow(up, 2 * j - 64), odd[j] = std::pow(up, 2 * j - 63);
    Fresh<double> out(n);
    double sum = 0;
#pragma omp parallel for schedule(static) num_threads(threads_for(n * 1000)) reduction(+ : sum)
    for (i64 i = 0; i < n; i++) {
        const double s = w.price[i], k = w.strike[i];
        double v[65];
        for (int j = 0; j <= 64; j++) v[j] = k - s * even[j] > 0.0 ? k - s * even[j] : 0.0;
        for (int level = 63; level >= 0; level--) {
            const double* q = (level % 2 ? odd : even) + (64 - level) / 2;
#pragma omp simd
            for (int j = 0; j <= level; j++) {
                const double wait = discount * (p * v[j + 1] + (1.0 - p) * v[j]), now = k - s * q[j];
                v[j] = wait > now ? wait : now;
            }
        }
        out[i] = v[0], sum += v[0];
    }
    return {std::move(out), sum / double(n)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::binomial(w.price.data, w.strike.data, 0.05, 0.2, 1.0); },
        [](const hand::Work& w) { return unfused::binomial(w.price.data, w.strike.data, 0.05, 0.2, 1.0); });
}
