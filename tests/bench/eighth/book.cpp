// An order book: sums by tick, running sums, binary searches.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Offer {
    i32 tick, amount;
    bool open;
};
struct Work {
    Records<Offer> offers;
    Array<i64> wanted;
    explicit Work(i64 n) : offers(n), wanted(n / 4) {
        offers.fill([](auto i) {
            return Offer{i32(hash(i) % 10000 * (hash(i + 1) % 10000) / 10000), i32(1 + hash(i + 2) % 100),
                         hash(i + 3) % 4 != 0};
        });
        wanted.fill([n](auto i) { return i64(hash(i + 11) % u64(40 * n + 1)); });
    }
};
constexpr i64 ticks = 10000;
using Result = std::tuple<Vec<i64>, Fresh<i64>, Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.offers.size(), m = w.wanted.size();
    const Offer* o = w.offers.data.data();
    const i64* want = w.wanted.data.data();
    Vec<i64> upto(ticks), cost(ticks);
    parts(n, [&](int, i64 lo, i64 hi) {
        Vec<i64> own(ticks);
        for (i64 i = lo; i < hi; i++) own[size_t(o[i].tick)] += o[i].open ? o[i].amount : 0;
#pragma omp critical
        for (size_t k = 0; k < ticks; k++) upto[k] += own[k];
    });
    i64 sum = 0, paid = 0;
    for (i64 k = 0; k < ticks; k++)
        paid += upto[size_t(k)] * k, sum += upto[size_t(k)], upto[size_t(k)] = sum, cost[size_t(k)] = paid;
    Fresh<i64> last(m);
    Fresh<double> mean(m);
    parts(m, [&](int, i64 begin, i64 end) {
        for (i64 i = begin; i < end; i++) {
            const i64 v = want[i];
            const i64* p = upto.data();
            i64 length = ticks;
            while (length > 1) { // without a branch
                const i64 half = length / 2;
                p += p[half - 1] < v ? half : 0;
                length -= half;
            }
            const i64 k = p - upto.data() + (*p < v);
            if (k < ticks && v > 0) {
                const i64 before = k ? upto[size_t(k - 1)] : 0, spent = k ? cost[size_t(k - 1)] : 0;
                last[i] = k, mean[i] = double(spent + (v - before) * k) / double(v);
            } else {
                last[i] = -1, mean[i] = -1;
            }
        }
    });
    return {std::move(upto), std::move(last), std::move(mean)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::book(hand::records<fused::Offer>(w.offers), hand::ticks, w.wanted.data);
        },
        [](const hand::Work& w) {
            return unfused::book(hand::records<unfused::Offer>(w.offers), hand::ticks, w.wanted.data);
        });
}
