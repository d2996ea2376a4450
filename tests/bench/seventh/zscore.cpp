// Values beside their group: three sums of a group side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<i64> group;
    Array<double> x;
    i64 k = 1000;
    explicit Work(i64 n) : group(n), x(n) {
        group.fill([](auto i) { return i64(hash(i) % 1000); });
        x.fill([](auto i) { return unit(i) + unit(i + 1) + unit(i + 2) + unit(i + 3); });
    }
};
using Result = std::tuple<Vec<double>, Vec<double>, Vec<i64>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.x.size(), k = w.k;
    struct G {
        double sum, square;
        i64 count, pad;
    };
    Vec<G> all(static_cast<size_t>(k));
    const int threads = threads_for(n);
    parts(n, [&](int, i64 lo, i64 hi) {
        Vec<G> own(static_cast<size_t>(k));
        for (i64 i = lo; i < hi; i++)
            if (u64(w.group[i]) < u64(k)) {
                G& g = own[size_t(w.group[i])];
                g.sum += w.x[i], g.square += w.x[i] * w.x[i], g.count++;
            }
#pragma omp critical
        for (size_t j = 0; j < size_t(k); j++)
            all[j].sum += own[j].sum, all[j].square += own[j].square, all[j].count += own[j].count;
    });
    Vec<double> mean(static_cast<size_t>(k)), dev(static_cast<size_t>(k));
    Vec<i64> each(static_cast<size_t>(k));
    struct M {
        double mean, dev;
    };
    Vec<M> both(static_cast<size_t>(k));
    for (size_t j = 0; j < size_t(k); j++) {
        const double c = double(std::max<i64>(all[j].count, 1)), a = all[j].sum / c, v = all[j].square / c - a * a;
        mean[j] = a, dev[j] = std::sqrt(v > 0.0 ? v : 0.0), both[j] = {mean[j], dev[j]};
    }
    Vec<Vec<i64>> found(static_cast<size_t>(threads));
    parts(n, [&](int t, i64 lo, i64 hi) {
        for (i64 i = lo; i < hi; i++) {
            if (u64(w.group[i]) >= u64(k)) fault("group");
            const M& g = both[size_t(w.group[i])];
            if (std::abs((w.x[i] - g.mean) / g.dev) > 2.0) found[size_t(t)].push_back(i);
        }
    });
    for (int t = 1; t < threads; t++) found[0].insert(found[0].end(), found[size_t(t)].begin(), found[size_t(t)].end());
    for (i64 i : found[0]) each[size_t(w.group[i])]++;
    return {std::move(mean), std::move(dev), std::move(found[0]), std::move(each)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::outliers(w.group.data, w.x.data, w.k); },
        [](const hand::Work& w) { return unfused::outliers(w.group.data, w.x.data, w.k); });
}
