// Distances in place of the round before, offers in an array of its own, for each thread.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Edge {
    i32 from, to;
    float cost;
};
struct Work {
    i64 n;
    Records<Edge> edges;
    explicit Work(i64 n) : n(n), edges(8 * n) {
        edges.fill([n](auto i) { return Edge{i32(hash(i) % u64(n)), i32(hash(i + 11) % u64(n)), float(1 + unit(i))}; });
    }
};
constexpr i64 rounds = 100;
using Result = std::tuple<Vec<float>, i64, float>;
Result run(const Work& w) {
    const i64 n = w.n, m = w.edges.size();
    const Edge* e = w.edges.data.data();
    const float inf = std::numeric_limits<float>::infinity();
    Vec<float> d(size_t(n), inf), next;
    if (n > 0) d[0] = 0;
    bool change = true;
    for (i64 r = 0; change && r < rounds; r++) {
        next = d;
        const int threads = threads_for(m);
        if (threads == 1) {
            for (i64 i = 0; i < m; i++) {
                const float o = d[size_t(e[i].from)] + e[i].cost;
                float& x = next[size_t(e[i].to)];
                x = o < x ? o : x;
            }
        } else {
            parts(m, [&](int, i64 lo, i64 hi) {
                Vec<float> own(size_t(n), inf);
                for (i64 i = lo; i < hi; i++) {
                    const float o = d[size_t(e[i].from)] + e[i].cost;
                    float& x = own[size_t(e[i].to)];
                    x = o < x ? o : x;
                }
#pragma omp critical
                for (i64 v = 0; v < n; v++) next[size_t(v)] = std::min(next[size_t(v)], own[size_t(v)]);
            });
        }
        change = next != d;
        d.swap(next);
    }
    i64 reached = 0;
    float most = 0;
    for (float x : d)
        if (x < inf) reached++, most = std::max(most, x);
    return {std::move(d), reached, most};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::bellman(hand::records<fused::Edge>(w.edges), w.n, 0, hand::rounds); },
        [](const hand::Work& w) {
            return unfused::bellman(hand::records<unfused::Edge>(w.edges), w.n, 0, hand::rounds);
        });
}
