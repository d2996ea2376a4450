// Two rows that change places.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Good {
    i32 weight, value;
};
struct Work {
    Records<Good> goods;
    i64 capacity;
    explicit Work(i64 n) : goods(n), capacity(n * 50) {
        goods.fill([](auto i) { return Good{i32(1 + hash(i) % 300), i32(hash(i + 5) % 1000)}; });
    }
};
using Result = std::tuple<Vec<i64>, i64, i64>;
Result run(const Work& w) {
    const i64 c = w.capacity;
    Vec<i64> best(size_t(c) + 1), next(size_t(c) + 1);
    for (const Good& g : w.goods.data) {
        const i64 *b = best.data(), v = g.value, from = std::min<i64>(g.weight, c + 1);
        i64* o = next.data();
#pragma omp parallel if (c > 20000)
        {
#pragma omp for simd schedule(static) nowait
            for (i64 k = 0; k < from; k++) o[k] = b[k];
#pragma omp for simd schedule(static)
            for (i64 k = from; k <= c; k++) o[k] = std::max(b[k], b[k - from] + v);
        }
        best.swap(next);
    }
    const i64 most = best[size_t(c)];
    i64 least = 0;
    while (best[size_t(least)] != most) least++;
    return {std::move(best), most, least};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::knapsack(hand::records<fused::Good>(w.goods), w.capacity); },
        [](const hand::Work& w) { return unfused::knapsack(hand::records<unfused::Good>(w.goods), w.capacity); });
}
