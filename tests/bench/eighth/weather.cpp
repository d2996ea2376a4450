// Weather stations: one pass, what is known of a station in one record.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Reading {
    i32 station;
    float temperature, rain;
};
struct Work {
    Records<Reading> readings;
    explicit Work(i64 n) : readings(n) {
        readings.fill([](auto i) {
            const double t =
                10 + 15 * std::sin(double(i) * 1e-5) + 20 * (unit(i) - 0.5) + double(hash(i) % 5000) * 1e-3;
            return Reading{i32(hash(i) % 5000), hash(i + 3) % 50 ? float(t) : -999.0f, float(unit(i + 7) * 10 - 5)};
        });
    }
};
constexpr i64 stations = 5000;
using Result = std::tuple<Vec<double>, Vec<float>, Vec<float>, Vec<i64>, Vec<double>, Vec<i64>>;
Result run(const Work& w) {
    struct Sum {
        double sum = 0, rain = 0;
        i64 count = 0, frost = 0;
        float least = std::numeric_limits<float>::infinity(), most = -std::numeric_limits<float>::infinity();
    };
    const i64 n = w.readings.size();
    const Reading* r = w.readings.data.data();
    Vec<Sum> all(stations);
    parts(n, [&](int, i64 lo, i64 hi) {
        Vec<Sum> own(stations);
        for (i64 i = lo; i < hi; i++) {
            if (!(r[i].temperature > -900.0f)) continue;
            Sum& s = own[size_t(r[i].station)];
            const float t = r[i].temperature;
            s.sum += double(t), s.count++, s.frost += t < 0;
            s.least = std::min(s.least, t), s.most = std::max(s.most, t);
            s.rain += double(std::max(r[i].rain, 0.0f));
        }
#pragma omp critical
        for (size_t k = 0; k < stations; k++) {
            all[k].sum += own[k].sum, all[k].rain += own[k].rain, all[k].count += own[k].count,
                all[k].frost += own[k].frost;
            all[k].least = std::min(all[k].least, own[k].least), all[k].most = std::max(all[k].most, own[k].most);
        }
    });
    Vec<double> mean(stations), rain(stations);
    Vec<float> least(stations), most(stations);
    Vec<i64> frost(stations), order(stations);
    for (size_t k = 0; k < stations; k++) {
        mean[k] = all[k].sum / double(std::max<i64>(all[k].count, 1)), rain[k] = all[k].rain;
        least[k] = all[k].least, most[k] = all[k].most, frost[k] = all[k].frost;
    }
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](i64 a, i64 b) { return mean[size_t(a)] > mean[size_t(b)]; });
    return {std::move(mean), std::move(least), std::move(most), std::move(frost), std::move(rain), std::move(order)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::weather(hand::records<fused::Reading>(w.readings), hand::stations); },
        [](const hand::Work& w) {
            return unfused::weather(hand::records<unfused::Reading>(w.readings), hand::stations);
        });
}
