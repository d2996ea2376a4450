// TPC-H Q3: the ten unshipped orders of one market segment with the highest revenue.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Customer {
    i64 key;
    u8 segment;
    auto tie() const { return std::tie(key, segment); }
};
struct Order {
    i64 key, customer;
    i32 date, priority;
    auto tie() const { return std::tie(key, customer, date, priority); }
};
struct Item {
    i64 order, price, discount;
    i32 ship;
    auto tie() const { return std::tie(order, price, discount, ship); }
};
struct Row {
    i64 order, revenue;
    i32 date, priority;
};

struct Work {
    Records<Customer> customers;
    Records<Order> orders;
    Records<Item> items;
    Scalar<u8> segment{1};
    Scalar<i32> day{1200};
    explicit Work(i64 n) : customers(n / 40 + 1), orders(n / 4 + 1), items(n) {
        const u64 c = u64(customers.size()), o = u64(orders.size());
        customers.fill([](auto i) { return Customer{i64(i), u8(hash(i) % 5)}; });
        orders.fill([c](auto i) {
            return Order{i64(i / 8 * 32 + i % 8), i64(hash(i + 5) % c), i32(hash(i + 6) % 2406), 0};
        });
        items.fill([o](auto i) {
            const u64 k = hash(i + 9) % o;
            return Item{i64(k / 8 * 32 + k % 8), i64(90000 + hash(i + 10) % 10000000), i64(hash(i + 11) % 11),
                        i32(hash(k + 6) % 2406 + 1 + hash(i + 12) % 121)};
        });
    }
};
using Result = Vec<Row>;
Result run(const Work& w) {
    const i64 c = w.customers.size(), o = w.orders.size(), l = w.items.size();
    Vec<u8> wanted(size_t(c), 0);
    for (i64 i = 0; i < c; i++) wanted[size_t(w.customers[i].key)] = w.customers[i].segment == w.segment.value;
    i64 most = -1;
    for (i64 i = 0; i < o; i++) most = std::max(most, w.orders[i].key);
    Vec<i32> row(size_t(most) + 1, -1);
    Vec<i32> open;
    for (i64 i = 0; i < o; i++) {
        const Order& x = w.orders[i];
        if (x.date < w.day.value && wanted[size_t(x.customer)]) {
            row[size_t(x.key)] = i32(open.size());
            open.push_back(i32(i));
        }
    }
    Vec<Vec<i64>> sums(size_t(threads_for(l)));
    parts(l, [&](int t, i64 lo, i64 hi) {
        Vec<i64> s(open.size(), -1);
        for (i64 i = lo; i < hi; i++) {
            const Item& x = w.items[i];
            if (x.ship <= w.day.value) continue;
            const i32 r = row[size_t(x.order)];
            if (r >= 0) {
                i64& v = s[size_t(r)];
                v = (v < 0 ? 0 : v) + x.price * (100 - x.discount);
            }
        }
        sums[size_t(t)] = std::move(s);
    });
    Vec<Row> best;
    const auto before = [](const Row& a, const Row& b) {
        return a.revenue != b.revenue ? a.revenue > b.revenue : a.date < b.date;
    };
    for (size_t k = 0; k < open.size(); k++) {
        i64 v = -1;
        for (auto& s : sums)
            if (s[k] >= 0) v = (v < 0 ? 0 : v) + s[k];
        if (v < 0) continue;
        const Order& x = w.orders[open[k]];
        const Row r{x.key, v, x.date, x.priority};
        if (best.size() == 10 && !before(r, best.back())) continue;
        best.insert(std::upper_bound(best.begin(), best.end(), r, before), r);
        if (best.size() > 10) best.pop_back();
    }
    while (best.size() < 10) best.push_back({-1, -1, 0, 0});
    return best;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::q3(hand::records<fused::Customer>(w.customers), hand::records<fused::Order>(w.orders),
                             hand::records<fused::Item>(w.items), w.segment.value, w.day.value);
        },
        [](const hand::Work& w) {
            return unfused::q3(hand::records<unfused::Customer>(w.customers), hand::records<unfused::Order>(w.orders),
                               hand::records<unfused::Item>(w.items), w.segment.value, w.day.value);
        });
}
