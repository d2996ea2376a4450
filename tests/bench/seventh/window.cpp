// Window functions over sales: one pass for each shop's total, one for the rest.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Sale {
    i32 shop, time;
    double amount;
};
struct Work {
    Records<Sale> sales;
    explicit Work(i64 n) : sales(n) {
        sales.fill([](auto i) { return Sale{i32(i / 50 + hash(i / 50) % 50 / 49), i32(i % 50), unit(i) * 100}; });
    }
};
using Result = std::tuple<Fresh<double>, Fresh<i64>, Fresh<double>, Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.sales.size();
    const Sale* s = w.sales.data.data();
    Fresh<double> total(n), share(n), before(n);
    Fresh<i64> rank(n);
    parts(n, [&](int, i64 lo, i64 hi) { // shops that begin in the part
        i64 i = lo;
        if (lo > 0)
            while (i < hi && s[i].shop == s[i - 1].shop) i++;
        while (i < hi) {
            double sum = 0;
            i64 j = i;
            for (; j < n && s[j].shop == s[i].shop; j++) {
                sum += s[j].amount;
                total[j] = sum, rank[j] = j - i + 1, before[j] = j == i ? 0.0 : s[j].amount - s[j - 1].amount;
            }
            for (i64 k = i; k < j; k++) share[k] = s[k].amount / sum;
            i = j;
        }
    });
    return {std::move(total), std::move(rank), std::move(share), std::move(before)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::window(hand::records<fused::Sale>(w.sales)); },
        [](const hand::Work& w) { return unfused::window(hand::records<unfused::Sale>(w.sales)); });
}
