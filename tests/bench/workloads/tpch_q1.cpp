// TPC-H query 1 over an array of records: a group is found by its flag and status.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
struct Group {
    std::int64_t quantity = 0, base = 0, reduced = 0, charged = 0, count = 0, first = INT64_MAX;
};
using Result = std::tuple<std::vector<std::tuple<std::uint8_t, std::uint8_t>>, std::vector<std::int64_t>,
                          std::vector<std::int64_t>, std::vector<std::int64_t>, std::vector<std::int64_t>,
                          std::vector<double>, std::vector<std::int64_t>>;
Result compute(std::span<const fused::LineItem> items, std::int64_t last) {
    const std::int64_t n = std::ssize(items);
    const int parts = n > 32768 ? omp_get_max_threads() : 1;
    std::vector<std::vector<Group>> groups(static_cast<std::size_t>(parts));
#pragma omp parallel for num_threads(parts) if (parts > 1)
    for (int part = 0; part < parts; ++part) {
        std::vector<Group> mine(65536);
        for (std::int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) {
            const fused::LineItem& l = items[static_cast<std::size_t>(i)];
            if (l.shipped > last) continue;
            Group& g = mine[static_cast<std::size_t>(l.flag) << 8 | l.status];
            if (g.count == 0) g.first = i;
            const std::int64_t reduced = l.price * (100 - l.discount);
            g.quantity += l.quantity, g.base += l.price, g.reduced += reduced;
            g.charged += reduced * (100 + l.tax), ++g.count;
        }
        groups[static_cast<std::size_t>(part)] = std::move(mine);
    }
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    std::vector<Group>& all = groups[0];
    for (std::size_t key = 0; key < 65536; ++key) {
        for (int part = 1; part < parts; ++part) {
            const Group& g = groups[static_cast<std::size_t>(part)][key];
            all[key].quantity += g.quantity, all[key].base += g.base, all[key].reduced += g.reduced;
            all[key].charged += g.charged, all[key].count += g.count,
                all[key].first = std::min(all[key].first, g.first);
        }
        if (all[key].count) order.emplace_back(all[key].first, key);
    }
    std::sort(order.begin(), order.end());
    Result result;
    for (auto [first, key] : order) {
        const Group& g = all[key];
        std::get<0>(result).emplace_back(static_cast<std::uint8_t>(key >> 8), static_cast<std::uint8_t>(key));
        std::get<1>(result).push_back(g.quantity), std::get<2>(result).push_back(g.base);
        std::get<3>(result).push_back(g.reduced), std::get<4>(result).push_back(g.charged);
        std::get<5>(result).push_back(static_cast<double>(g.quantity) / static_cast<double>(g.count));
        std::get<6>(result).push_back(g.count);
    }
    return result;
}
} // namespace hand

template <class Item> std::vector<Item> items(std::int64_t n) {
    harness::Random random(1);
    std::vector<Item> list(static_cast<std::size_t>(n));
    for (Item& item : list) {
        item = {};
        item.quantity = 1 + random.below(50);
        item.price = 90000 + random.below(10000);
        item.discount = random.below(11);
        item.tax = random.below(9);
        item.shipped = random.below(2526);
        item.flag = static_cast<std::uint8_t>("ANR"[random.below(3)]);
        item.status = static_cast<std::uint8_t>("FO"[random.below(2)]);
    }
    return list;
}

int main(int argc, char** argv) {
    struct Input {
        std::vector<fused::LineItem> a;
        std::span<const unfused::LineItem> b;
    };
    static_assert(sizeof(fused::LineItem) == sizeof(unfused::LineItem));
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            Input in{items<fused::LineItem>(n), {}};
            in.b = {reinterpret_cast<const unfused::LineItem*>(in.a.data()), in.a.size()}; // the same fields
            return in;
        },
        [](const Input& in) { return hand::compute(in.a, 2400); },
        [](const Input& in) { return fused::compute(in.a, 2400); },
        [](const Input& in) { return unfused::compute(in.b, 2400); });
}
