// Sets as bits: one pass over the rows.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<u64> rows;
    Array<u64> query;
    explicit Work(i64 n) : rows(n, 16), query(16) {
        rows.fill([](auto i) { return hash(i) | hash(i / 16); });
        query.fill([](auto i) { return hash(i + 16 * 5) | hash(5); });
    }
};
using Result = std::tuple<Fresh<double>, Vec<i64>, i64>;
Result run(const Work& w) {
    const i64 n = w.rows.rows, m = w.rows.columns;
    const u64 *x = w.rows.data.data(), *q = w.query.data.data();
    Fresh<double> like(n);
    const int threads = threads_for(n * m);
    Vec<Vec<i64>> near(static_cast<size_t>(threads));
    Vec<i64> best(size_t(threads), -1);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        double top = -1;
        i64 at = -1;
        Vec<i64> mine;
        for (i64 i = part(n, t, threads); i < part(n, t + 1, threads); i++) {
            i64 both = 0, either = 0;
            for (i64 k = 0; k < m; k++) {
                both += std::popcount(x[i * m + k] & q[k]);
                either += std::popcount(x[i * m + k] | q[k]);
            }
            const double v = either ? double(both) / double(either) : 1.0;
            like[i] = v;
            if (v >= 0.62) mine.push_back(i);
            if (v > top) top = v, at = i;
        }
        near[size_t(t)] = std::move(mine), best[size_t(t)] = at;
    }
    i64 at = -1;
    for (int t = 0; t < threads; t++) {
        if (t > 0) near[0].insert(near[0].end(), near[size_t(t)].begin(), near[size_t(t)].end());
        const i64 b = best[size_t(t)];
        if (b >= 0 && (at < 0 || like[b] > like[at])) at = b;
    }
    return {std::move(like), std::move(near[0]), at};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::bitsets(w.rows, w.query.data, 0.62); },
        [](const hand::Work& w) { return unfused::bitsets(w.rows, w.query.data, 0.62); });
}
