// TPC-H Q6 on columns: the revenue of the small orders of one year with a middling discount.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<std::int32_t> ship;
    Array<double> discount, quantity, price;
    explicit Work(std::int64_t n) : ship(n), discount(n), quantity(n), price(n) {
        ship.fill([](auto i) { return std::int32_t((hash(i) >> 44) % 2526); });
        discount.fill([](auto i) { return double((hash(i) >> 32) % 11) / 100.0; });
        quantity.fill([](auto i) { return double(1 + hash(i) % 50); });
        price.fill([](auto i) { return double(90000 + (hash(i) >> 8) % 10000000) / 100.0; });
    }
};
using Result = double;
Result run(const Work& w) {
    const std::int64_t n = w.ship.size();
    const std::int32_t* ship = w.ship.data.data();
    const double *d = w.discount.data.data(), *q = w.quantity.data.data(), *p = w.price.data.data();
    double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static) num_threads(threads_for(n))
    for (std::int64_t i = 0; i < n; i++) {
        const bool kept = (ship[i] >= 731) & (ship[i] < 1096) & (d[i] >= 0.05) & (d[i] <= 0.07) & (q[i] < 24.0);
        s += kept ? p[i] * d[i] : 0.0;
    }
    return s;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::q6(w.ship.data, w.discount.data, w.quantity.data, w.price.data); },
        [](const hand::Work& w) { return unfused::q6(w.ship.data, w.discount.data, w.quantity.data, w.price.data); });
}
