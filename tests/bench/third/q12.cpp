// TPC-H Q12: for two ways of shipping, how many late items are of urgent orders and how many are not.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Item {
    i64 order;
    u8 mode;
    i32 ship, commit, receipt;
    auto tie() const { return std::tie(order, mode, ship, commit, receipt); }
};
struct Work {
    Array<u8> priority;
    Records<Item> items;
    Scalar<u8> first{2}, second{5};
    Scalar<i32> from{700}, to{1065};
    explicit Work(i64 n) : priority(n / 4 + 1), items(n) {
        const u64 o = u64(priority.size());
        priority.fill([](auto i) { return u8(hash(i) % 5); });
        items.fill([o](auto i) {
            const i32 s = i32(hash(i + 1) % 2500);
            return Item{i64(hash(i + 2) % o), u8(hash(i + 3) % 7), s, s + i32(hash(i + 4) % 100) - 40,
                        s + i32(hash(i + 5) % 120) - 20};
        });
    }
};
using Result = std::tuple<Vec<u8>, Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const i64 l = w.items.size();
    struct G {
        i64 high[2] = {}, low[2] = {}, first[2] = {-1, -1};
    };
    Vec<G> gs(size_t(threads_for(l)));
    parts(l, [&](int t, i64 lo, i64 hi) {
        G g;
        for (i64 i = lo; i < hi; i++) {
            const Item& x = w.items[i];
            if ((x.mode == w.first.value || x.mode == w.second.value) & (x.commit < x.receipt) & (x.ship < x.commit) &
                (x.receipt >= w.from.value) & (x.receipt < w.to.value)) {
                const int k = x.mode == w.second.value;
                if (g.first[k] < 0) g.first[k] = i;
                if (w.priority[x.order] < 2)
                    g.high[k]++;
                else
                    g.low[k]++;
            }
        }
        gs[size_t(t)] = g;
    });
    G a;
    for (auto& g : gs)
        for (int k = 0; k < 2; k++) {
            if (a.first[k] < 0) a.first[k] = g.first[k];
            a.high[k] += g.high[k];
            a.low[k] += g.low[k];
        }
    Result r;
    int order[2] = {0, 1};
    if (a.first[1] >= 0 && (a.first[0] < 0 || a.first[1] < a.first[0])) std::swap(order[0], order[1]);
    for (int k : order)
        if (a.first[k] >= 0) {
            std::get<0>(r).push_back(k ? w.second.value : w.first.value);
            std::get<1>(r).push_back(a.high[k]);
            std::get<2>(r).push_back(a.low[k]);
        }
    return r;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::q12(w.priority.data, hand::records<fused::Item>(w.items), w.first.value, w.second.value,
                              w.from.value, w.to.value);
        },
        [](const hand::Work& w) {
            return unfused::q12(w.priority.data, hand::records<unfused::Item>(w.items), w.first.value, w.second.value,
                                w.from.value, w.to.value);
        });
}
