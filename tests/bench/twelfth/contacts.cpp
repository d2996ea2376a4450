// Pairs of discs that touch: counts in lanes, pairs only where a block of points has any.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> x, y, r;
    explicit Work(i64 n) : x(n), y(n), r(n) {
        x.fill([](auto i) { return unit(i); });
        y.fill([](auto i) { return unit(i + 77777); });
        r.fill([](auto i) { return 0.005 + 0.005 * unit(i + 5); });
    }
};
struct Pair {
    i64 i, j;
};
using Result = std::tuple<Vec<Pair>, Fresh<i64>>;
Result run(const Work& w) {
    const i64 n = w.x.size();
    const double *x = w.x.data.data(), *y = w.y.data.data(), *r = w.r.data.data();
    Fresh<i64> count(n);
    const int threads = threads_for(n * 10);
    Vec<Vec<Pair>> found(static_cast<size_t>(threads));
    const auto touch = [&](i64 i, i64 j) {
        return (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]) < (r[i] + r[j]) * (r[i] + r[j]);
    };
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        Vec<Pair>& mine = found[size_t(t)];
        for (i64 i = part(n, t, threads); i < part(n, t + 1, threads); i++) {
            i64 all = 0;
            for (i64 b = 0; b < n; b += 256) {
                const i64 end = std::min(b + 256, n);
                i64 c = 0;
                for (i64 j = b; j < end; j++) c += touch(i, j) & (j != i);
                all += c;
                if (c > 0 && end > i)
                    for (i64 j = std::max(b, i + 1); j < end; j++)
                        if (touch(i, j)) mine.push_back({i, j});
            }
            count[i] = all;
        }
    }
    Vec<Pair> pairs;
    for (Vec<Pair>& f : found) pairs.insert(pairs.end(), f.begin(), f.end());
    return {std::move(pairs), std::move(count)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::contacts(w.x.data, w.y.data, w.r.data); },
        [](const hand::Work& w) { return unfused::contacts(w.x.data, w.y.data, w.r.data); });
}
