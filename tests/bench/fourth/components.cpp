// The connected components of an undirected graph in rows: the least vertex of each, and in how many rounds they are known.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
// Communities of up to 64 vertices, each with a path through it and some further edges.
struct Work {
    Array<i64> starts, edges{0};
    explicit Work(i64 n) : starts(n + 1) {
        std::vector<std::vector<i64>> rows(static_cast<size_t>(n));
        const auto join = [&](i64 a, i64 b) { rows[size_t(a)].push_back(b), rows[size_t(b)].push_back(a); };
        for (i64 i = 0; i < n; i++) {
            const i64 first = i / 64 * 64, k = 1 + i64(hash(u64(i)) % 3);
            if (i > first) join(i - 1, i);
            for (i64 j = 0; j < k; j++)
                join(i, first + i64(hash(u64(i) * 8 + u64(j)) % u64(std::min<i64>(64, n - first))));
        }
        for (i64 i = 0; i < n; i++) {
            starts.data[size_t(i) + 1] = starts[i] + i64(rows[size_t(i)].size());
            edges.data.insert(edges.data.end(), rows[size_t(i)].begin(), rows[size_t(i)].end());
        }
    }
};
using Result = std::tuple<Fresh<i64>, i64>;
Result run(const Work& w) {
    const i64 n = w.starts.size() - 1;
    Fresh<i64> old(n), next(n);
    for (i64 i = 0; i < n; i++) old[i] = i;
    const int threads = threads_for(n);
    i64 rounds = 0;
    for (bool changed = true; changed; rounds++) {
        changed = false;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(|| : changed) if (threads > 1)
        for (i64 i = 0; i < n; i++) {
            i64 least = old[i];
            for (i64 e = w.starts[i]; e < w.starts[i + 1]; e++) least = std::min<i64>(least, old[w.edges[e]]);
            next[i] = least;
            changed = changed || least != old[i];
        }
        std::swap(old, next);
    }
    return {std::move(old), rounds};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::components(w.starts.data, w.edges.data); },
        [](const hand::Work& w) { return unfused::components(w.starts.data, w.edges.data); });
}
