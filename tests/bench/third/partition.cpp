// A stable partition of records by a pivot, with the two counts, and the ids in the new order.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Record {
    i64 key;
    i32 id;
    float weight;
    auto tie() const { return std::tie(key, id, weight); }
};
struct Work {
    Records<Record> xs;
    Scalar<i64> pivot{400};
    explicit Work(i64 n) : xs(n) {
        xs.fill([](auto i) { return Record{i64(hash(i) % 1000), i32(i), float(unit(i))}; });
    }
};
struct Plain {
    i64 key;
    i32 id;
    float weight;
};
using Result = std::tuple<Fresh<Plain>, i64, Fresh<i32>>;
Result run(const Work& w) {
    const i64 n = w.xs.size(), p = w.pivot.value;
    const int threads = threads_for(n);
    Vec<i64> c(size_t(threads) + 1, 0);
    parts(n, [&](int t, i64 lo, i64 hi) {
        i64 k = 0;
        for (i64 i = lo; i < hi; i++) k += w.xs[i].key < p;
        c[size_t(t) + 1] = k;
    });
    for (int t = 0; t < threads; t++) c[size_t(t) + 1] += c[size_t(t)];
    const i64 small = c[size_t(threads)];
    Fresh<Plain> r(n);
    Fresh<i32> ids(n);
    parts(n, [&](int t, i64 lo, i64 hi) {
        i64 a = c[size_t(t)], b = small + lo - a;
        for (i64 i = lo; i < hi; i++) {
            const Record& x = w.xs[i];
            i64& q = x.key < p ? a : b;
            r[q] = {x.key, x.id, x.weight};
            ids[q++] = x.id;
        }
    });
    return {std::move(r), small, std::move(ids)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::partition(hand::records<fused::Record>(w.xs), w.pivot.value); },
        [](const hand::Work& w) { return unfused::partition(hand::records<unfused::Record>(w.xs), w.pivot.value); });
}
