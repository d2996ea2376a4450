// Labels along edges until none changes: one pass over the edges with both ends, one over the vertices.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> a, b;
    explicit Work(i64 n) : a(2 * n), b(2 * n) {
        a.fill([n](auto i) { return i64(hash(i) % u64(n)); });
        b.fill([n](auto i) { return i64(hash(i + 1234567) % u64(n)); });
    }
};
using Result = std::tuple<Vec<i64>, i64>;
Result run(const Work& w) {
    const i64 m = w.a.size(), n = m / 2;
    Vec<i64> l(static_cast<size_t>(n)), to(static_cast<size_t>(n));
    std::iota(l.begin(), l.end(), 0);
    i64 rounds = 0;
    for (bool changed = true; changed; rounds++) {
        to = l;
        for (i64 e = 0; e < m; e++) {
            const i64 i = w.a[e], j = w.b[e], low = std::min(l[size_t(i)], l[size_t(j)]);
            to[size_t(i)] = std::min(to[size_t(i)], low);
            to[size_t(j)] = std::min(to[size_t(j)], low);
        }
        changed = false;
        for (i64 i = 0; i < n; i++) changed |= to[size_t(i)] != l[size_t(i)];
        std::swap(l, to);
    }
    return {std::move(l), rounds};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::labels(w.a.size() / 2, w.a.data, w.b.data); },
        [](const hand::Work& w) { return unfused::labels(w.a.size() / 2, w.a.data, w.b.data); });
}
