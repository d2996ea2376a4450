// Two moving averages and their crossings, in one pass.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> p;
    explicit Work(i64 n) : p(n) {
        p.fill([](auto i) { return 100 + unit(i) + unit(i / 30 + 7); });
    }
};
struct Both {
    double fast, slow;
};
using Result = std::tuple<Fresh<Both>, i64>;
Result run(const Work& w) {
    const i64 n = w.p.size();
    if (n == 0) fault("no prices");
    Fresh<Both> out(n);
    double fast = w.p[0], slow = w.p[0], before = 0;
    i64 up = 0;
    for (i64 i = 0; i < n; i++) {
        fast = fast * 0.85 + w.p[i] * 0.15;
        slow = slow * 0.93 + w.p[i] * 0.07;
        out[i] = {fast, slow};
        const double d = fast - slow;
        up += i > 0 && before <= 0.0 && d > 0.0;
        before = d;
    }
    return {std::move(out), up};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::macd(w.p.data); },
        [](const hand::Work& w) { return unfused::macd(w.p.data); });
}
