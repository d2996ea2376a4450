// TPC-H query 6 over an array of records.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
double compute(std::span<const fused::LineItem> items, std::int64_t from, std::int64_t to) {
    const fused::LineItem* item = items.data();
    const std::int64_t n = std::ssize(items);
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) if (n > 32768)
    for (std::int64_t i = 0; i < n; ++i) {
        const fused::LineItem& l = item[i];
        if (l.shipped >= from && l.shipped < to && l.discount >= 0.05 && l.discount <= 0.07 && l.quantity < 24)
            sum += l.price * l.discount;
    }
    return sum;
}
} // namespace hand

template <class Item> std::vector<Item> items(std::int64_t n) {
    harness::Random random(1);
    std::vector<Item> list(static_cast<std::size_t>(n));
    for (Item& item : list) {
        item.quantity = 1 + random.below(50);
        item.price = 900.0 + 100.0 * random.unit();
        item.discount = static_cast<double>(random.below(11)) / 100.0;
        item.tax = static_cast<double>(random.below(9)) / 100.0;
        item.shipped = random.below(2526);
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
        [](const Input& in) { return hand::compute(in.a, 731, 1096); },
        [](const Input& in) { return fused::compute(in.a, 731, 1096); },
        [](const Input& in) { return unfused::compute(in.b, 731, 1096); });
}
