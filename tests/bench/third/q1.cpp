// TPC-H Q1 on an array of records: sums for each pair of flags, of what was shipped up to a day.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Item {
    double quantity, price, discount, tax;
    std::int32_t ship;
    std::uint8_t flag, status;
    auto tie() const { return std::tie(quantity, price, discount, tax, ship, flag, status); }
};
struct Summary {
    std::uint8_t flag, status;
    double quantity, base, discounted, charge, discount;
    std::int64_t count;
};
struct Work {
    Records<Item> items;
    Scalar<std::int32_t> last{2436};
    explicit Work(std::int64_t n) : items(n) {
        items.fill([](auto i) {
            const std::uint64_t r = hash(i);
            return Item{double(1 + r % 50),
                        double(90000 + (r >> 8) % 10000000) / 100.0,
                        double((r >> 32) % 11) / 100.0,
                        double((r >> 40) % 9) / 100.0,
                        std::int32_t((r >> 44) % 2526),
                        std::uint8_t("ANR"[(r >> 56) % 3]),
                        std::uint8_t("FO"[(r >> 60) % 2])};
        });
    }
};
using Result = std::vector<Summary>;
Result run(const Work& w) {
    struct Groups { // a slot for each pair of bytes, sums in the order in which the pairs appear
        std::vector<std::int32_t> slots = std::vector<std::int32_t>(65536, -1);
        std::vector<Summary> sums;
        std::int32_t add(std::uint8_t flag, std::uint8_t status) {
            sums.push_back({flag, status, 0, 0, 0, 0, 0, 0});
            return slots[flag * 256u + status] = std::int32_t(sums.size()) - 1;
        }
    };
    const std::int64_t n = w.items.size();
    const Item* items = w.items.data.data();
    const std::int32_t last = w.last.value;
    const int threads = threads_for(n);
    std::vector<Groups> parts(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        Groups own;
        const std::int32_t* slots = own.slots.data();
        Summary* sums = nullptr; // where they stand now: adding one may move them
        const std::int64_t hi = part(n, t + 1, threads);
        for (std::int64_t i = part(n, t, threads); i < hi; i++) {
            const Item& r = items[i];
            if (r.ship > last) continue;
            std::int32_t slot = slots[r.flag * 256u + r.status];
            if (slot < 0) [[unlikely]]
                slot = own.add(r.flag, r.status), sums = own.sums.data();
            Summary& s = sums[slot];
            const double net = r.price * (1.0 - r.discount);
            s.quantity += r.quantity, s.base += r.price, s.discounted += net;
            s.charge += net * (1.0 + r.tax), s.discount += r.discount, s.count++;
        }
        parts[std::size_t(t)] = std::move(own);
    }
    Groups& all = parts[0];
    for (std::size_t t = 1; t < parts.size(); t++)
        for (const Summary& p : parts[t].sums) {
            std::int32_t slot = all.slots[p.flag * 256u + p.status];
            if (slot < 0) slot = all.add(p.flag, p.status);
            Summary& s = all.sums[std::size_t(slot)];
            s.quantity += p.quantity, s.base += p.base, s.discounted += p.discounted;
            s.charge += p.charge, s.discount += p.discount, s.count += p.count;
        }
    return std::move(all.sums);
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::q1(hand::records<fused::Item>(w.items), w.last.value); },
        [](const hand::Work& w) { return unfused::q1(hand::records<unfused::Item>(w.items), w.last.value); });
}
