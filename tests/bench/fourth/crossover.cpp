// A trading rule on daily prices: hold while the mean of the last `quick` days is above that of the last `slow` days. What one unit
// becomes, the largest loss since the peak before, and how often the position changes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> prices;
    Scalar<i64> quick{20}, slow{50};
    explicit Work(i64 n) : prices(n) {
        double price = 100.0;
        for (i64 i = 0; i < n; i++) prices.data[size_t(i)] = price = std::max(1.0, price + unit(u64(i)) - 0.5);
    }
};
using Result = std::tuple<double, double, i64>;
// On one thread: each day goes on from the day before.
Result run(const Work& w) {
    const i64 n = w.prices.size(), quick = w.quick.value, slow = w.slow.value;
    const double* p = w.prices.data.data();
    std::vector<double> sums(static_cast<size_t>(n) + 1);
    for (i64 i = 0; i < n; i++) sums[size_t(i) + 1] = sums[size_t(i)] + p[i];
    const double* s = sums.data();
    double wealth = 1, peak = 1, loss = 0;
    i64 changes = 0;
    bool before = false;
    for (i64 day = slow; day < n; day++) {
        const bool in = (s[day] - s[day - quick]) / double(quick) > (s[day] - s[day - slow]) / double(slow);
        wealth *= in ? p[day] / p[day - 1] : 1.0;
        peak = wealth > peak ? wealth : peak;
        const double lost = (peak - wealth) / peak;
        loss = lost > loss ? lost : loss;
        changes += day > slow && in != before;
        before = in;
    }
    return {wealth, loss, changes};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::crossover(w.prices.data, w.quick.value, w.slow.value); },
        [](const hand::Work& w) { return unfused::crossover(w.prices.data, w.quick.value, w.slow.value); });
}
