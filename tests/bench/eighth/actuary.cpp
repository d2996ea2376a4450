// Insurance: eight policies side by side, as long as the longest of their terms.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Policy {
    i32 age, term;
    double sum;
};
struct Work {
    Records<Policy> policies;
    Array<double> dies;
    explicit Work(i64 n) : policies(n), dies(120) {
        policies.fill([](auto i) {
            return Policy{i32(20 + hash(i) % 60), i32(hash(i + 5) % 30), 1000.0 * double(1 + hash(i + 9) % 100)};
        });
        dies.fill([](auto i) { return std::min(1.0, 0.0004 * std::exp(0.09 * double(i) - 1.5) + 0.0005); });
    }
};
using Result = std::tuple<Fresh<double>, Vec<double>, double>;
Result run(const Work& w) {
    const i64 n = w.policies.size();
    const Policy* p = w.policies.data.data();
    const double *dies = w.dies.data.data(), v = 1.0 / (1.0 + 0.03);
    Fresh<double> premiums(n);
    Vec<double> by(120);
    double most = 0;
    parts(n, [&](int, i64 lo, i64 hi) {
        Vec<double> own(120);
        double top = 0;
        for (i64 b = lo; b < hi; b += 8) {
            const i64 k = std::min<i64>(8, hi - b);
            double alive[8], death[8] = {}, annuity[8] = {}, d = 1;
            i64 age[8], term[8], longest = 0;
            for (i64 j = 0; j < 8; j++) {
                const Policy& q = p[b + std::min(j, k - 1)];
                alive[j] = 1, age[j] = q.age, term[j] = q.term;
                longest = std::max(longest, term[j]);
            }
            for (i64 t = 0; t < longest; t++) {
#pragma omp simd
                for (i64 j = 0; j < 8; j++) {
                    const double q = dies[std::min<i64>(age[j] + t, 119)];
                    const double a = t < term[j] ? alive[j] : 0.0;
                    death[j] += a * q * d * v;
                    annuity[j] += a * d;
                    alive[j] = a * (1.0 - q);
                }
                d *= v;
            }
            for (i64 j = 0; j < k; j++) {
                const double worth = death[j] * p[b + j].sum, premium = annuity[j] > 0 ? worth / annuity[j] : 0.0;
                premiums[b + j] = premium;
                top = std::max(top, premium);
                own[size_t(age[j])] += worth;
            }
        }
#pragma omp critical
        {
            most = std::max(most, top);
            for (size_t k = 0; k < 120; k++) by[k] += own[k];
        }
    });
    return {std::move(premiums), std::move(by), most};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::actuary(hand::records<fused::Policy>(w.policies), w.dies.data, 0.03); },
        [](const hand::Work& w) {
            return unfused::actuary(hand::records<unfused::Policy>(w.policies), w.dies.data, 0.03);
        });
}
