// Levels of a breadth-first search over a graph in rows, -1 where nothing leads.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> starts, edges;
    Scalar<i64> root{0};
    explicit Work(i64 n) : starts(n + 2), edges(0) {
        const i64 v = n + 1;
        i64 k = 0;
        for (i64 i = 0; i < v; i++) {
            k += i64(hash(u64(i)) % 16);
            starts.data[size_t(i) + 1] = k;
        }
        edges = Array<i64>(k);
        const u64 m = u64(v);
        edges.fill([m](auto i) { return i64(hash(i + 5) % m); });
    }
};
using Result = Vec<i64>;
Result run(const Work& w) {
    const i64 n = w.starts.size() - 1;
    Vec<i64> level(size_t(n), -1);
    level[size_t(w.root.value)] = 0;
    Vec<i64> front{w.root.value}, next;
    for (i64 d = 1; !front.empty(); d++) {
        next.clear();
        for (i64 v : front)
            for (i64 e = w.starts[v]; e < w.starts[v + 1]; e++) {
                const size_t u = size_t(w.edges[e]);
                if (level[u] < 0) level[u] = d, next.push_back(i64(u));
            }
        front.swap(next);
    }
    return level;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::bfs(w.starts.data, w.edges.data, w.root.value); },
        [](const hand::Work& w) { return unfused::bfs(w.starts.data, w.edges.data, w.root.value); });
}
