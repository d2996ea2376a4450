// TPC-H Q5: revenue in each nation of a region from customers and suppliers of the same nation.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> nation_region{25};
    Array<u8> customer_nation, supplier_nation;
    Array<i64> order_customer;
    Array<i32> order_date;
    Array<i64> item_order, item_supplier;
    Array<double> price, discount;
    Scalar<i64> region{2};
    Scalar<i32> from{700}, to{1065};
    explicit Work(i64 n)
        : customer_nation(n / 40 + 1), supplier_nation(n / 600 + 1), order_customer(n / 4 + 1), order_date(n / 4 + 1),
          item_order(n), item_supplier(n), price(n), discount(n) {
        const u64 c = u64(customer_nation.size()), s = u64(supplier_nation.size()), o = u64(order_date.size());
        nation_region.fill([](auto i) { return i64(i % 5); });
        customer_nation.fill([](auto i) { return u8(hash(i) % 25); });
        supplier_nation.fill([](auto i) { return u8(hash(i + 1) % 25); });
        order_customer.fill([c](auto i) { return i64(hash(i + 2) % c); });
        order_date.fill([](auto i) { return i32(hash(i + 3) % 2406); });
        item_order.fill([o](auto i) { return i64(hash(i + 4) % o); });
        item_supplier.fill([s](auto i) { return i64(hash(i + 5) % s); });
        price.fill([](auto i) { return 900 + 1e5 * unit(i + 6); });
        discount.fill([](auto i) { return double(hash(i + 7) % 11) / 100; });
    }
};
using Result = std::tuple<Vec<i64>, Vec<double>>;
Result run(const Work& w) {
    const i64 l = w.item_order.size();
    struct G {
        double sum[25] = {};
        i64 first[25];
    };
    Vec<G> gs(size_t(threads_for(l)));
    parts(l, [&](int t, i64 lo, i64 hi) {
        G g;
        for (i64& f : g.first) f = -1;
        for (i64 i = lo; i < hi; i++) {
            const i64 o = w.item_order[i];
            const i32 d = w.order_date[o];
            if (d < w.from.value || d >= w.to.value) continue;
            const u8 b = w.supplier_nation[w.item_supplier[i]];
            if (w.nation_region[b] != w.region.value) continue;
            if (w.customer_nation[w.order_customer[o]] != b) continue;
            if (g.first[b] < 0) g.first[b] = i;
            g.sum[b] += w.price[i] * (1.0 - w.discount[i]);
        }
        gs[size_t(t)] = g;
    });
    Vec<std::pair<i64, i64>> order;
    double sum[25] = {};
    for (int k = 0; k < 25; k++) {
        i64 f = -1;
        for (auto& g : gs)
            if (g.first[k] >= 0) {
                if (f < 0) f = g.first[k];
                sum[k] += g.sum[k];
            }
        if (f >= 0) order.push_back({f, k});
    }
    std::sort(order.begin(), order.end());
    Result r;
    for (auto [f, k] : order) {
        std::get<0>(r).push_back(k);
        std::get<1>(r).push_back(sum[k]);
    }
    return r;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::q5(w.nation_region.data, w.customer_nation.data, w.supplier_nation.data,
                             w.order_customer.data, w.order_date.data, w.item_order.data, w.item_supplier.data,
                             w.price.data, w.discount.data, w.region.value, w.from.value, w.to.value);
        },
        [](const hand::Work& w) {
            return unfused::q5(w.nation_region.data, w.customer_nation.data, w.supplier_nation.data,
                               w.order_customer.data, w.order_date.data, w.item_order.data, w.item_supplier.data,
                               w.price.data, w.discount.data, w.region.value, w.from.value, w.to.value);
        });
}
