// Eight paths side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    i64 n;
    explicit Work(i64 size) : n(size) {}
};
constexpr i64 steps = 250;
constexpr double start = 100, strike = 101, barrier = 90;
using Result = std::tuple<double, double>;
Result run(const Work& w) {
    double total = 0;
    i64 fallen = 0;
#pragma omp parallel for schedule(static) reduction(+ : total, fallen) if (w.n > 512)
    for (i64 first = 0; first < w.n; first += 8) {
        u64 x[8];
        double s[8], sum[8] = {};
        i64 low[8] = {};
        for (int l = 0; l < 8; l++) x[l] = (u64(first + l) + 1) * 11400714819323198485u, s[l] = start;
        for (i64 k = 0; k < steps; k++)
#pragma omp simd
            for (int l = 0; l < 8; l++) {
                const u64 a = x[l] ^ (x[l] << 13), b = a ^ (a >> 7), c = b ^ (b << 17);
                x[l] = c;
                s[l] = s[l] * (1.0 + 0.0002 + 0.03 * (double(c >> 11) * 1.1102230246251565e-16 - 0.5));
                sum[l] += s[l];
                low[l] |= s[l] < barrier;
            }
        for (int l = 0; l < 8 && first + l < w.n; l++)
            total += std::max(sum[l] / double(steps) - strike, 0.0), fallen += low[l];
    }
    return {total / double(std::max<i64>(w.n, 1)), double(fallen) / double(std::max<i64>(w.n, 1))};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::paths(w.n, hand::steps, hand::start, hand::strike, hand::barrier); },
        [](const hand::Work& w) { return unfused::paths(w.n, hand::steps, hand::start, hand::strike, hand::barrier); });
}
