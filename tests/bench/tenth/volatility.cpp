// Eight options side by side would be by hand; one after the other, as most write it.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> spot, strike, years, price;
    explicit Work(i64 n) : spot(n), strike(n), years(n), price(n) {
        spot.fill([](auto i) { return 80 + 40 * unit(i); });
        strike.fill([](auto i) { return 80 + 40 * unit(i + 7777777); });
        years.fill([](auto i) { return 0.2 + 2 * unit(i + 99999999); });
        price.fill([this](auto i) {
            const i64 k = i64(i);
            return std::max(spot[k] - strike[k], 0.0) + 0.08 * spot[k] + 10 * unit(i + 5555);
        });
    }
};
constexpr double rate = 0.02;
inline double phi(double x) {
    const double t = 1.0 / (1.0 + 0.2316419 * std::fabs(x));
    const double p = ((((1.330274429 * t - 1.821255978) * t + 1.781477937) * t - 0.356563782) * t + 0.319381530) * t;
    const double d = 0.3989422804014327 * std::exp(-0.5 * x * x);
    return x < 0.0 ? d * p : 1.0 - d * p;
}
using Result = std::tuple<Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.spot.size();
    Fresh<double> out(n);
#pragma omp parallel for schedule(dynamic, 1024) if (n > 4096)
    for (i64 i = 0; i < n; i++) {
        const double s = w.spot[i], k = w.strike[i], t = w.years[i], price = w.price[i];
        const double root = std::sqrt(t), paid = k * std::exp(-rate * t), moneyness = std::log(s / k);
        double v = 0.5, error = 1.0;
        for (int steps = 0; steps < 50 && std::fabs(error) > 1e-9; steps++) {
            const double d1 = (moneyness + (rate + 0.5 * v * v) * t) / (v * root), d2 = d1 - v * root;
            const double call = s * phi(d1) - paid * phi(d2);
            const double vega = s * root * 0.3989422804014327 * std::exp(-0.5 * d1 * d1);
            error = call - price;
            v -= error / std::max(vega, 1e-8);
        }
        out[i] = v;
    }
    return {std::move(out)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return std::make_tuple(
                fused::volatility(w.spot.data, w.strike.data, w.years.data, w.price.data, hand::rate));
        },
        [](const hand::Work& w) {
            return std::make_tuple(
                unfused::volatility(w.spot.data, w.strike.data, w.years.data, w.price.data, hand::rate));
        });
}
