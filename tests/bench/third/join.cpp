// An inner join of two frames on a key, every pair of equal keys, in the order of the left one.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> left_key;
    Array<double> left;
    Array<i64> right_key;
    Array<double> right;
    explicit Work(i64 n) : left_key(n), left(n), right_key(n / 2), right(n / 2) {
        const u64 k = u64(n) / 4 + 1;
        left_key.fill([k](auto i) { return i64(hash(i) % k); });
        right_key.fill([k](auto i) { return i64(hash(i + 1) % k); });
        left.fill([](auto i) { return unit(i); });
        right.fill([](auto i) { return unit(i + 3); });
    }
};
using Result = std::tuple<Fresh<i64>, Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.left_key.size(), m = w.right_key.size();
    i64 most = -1;
    for (i64 k : w.left_key.data) most = std::max(most, k);
    for (i64 k : w.right_key.data) most = std::max(most, k);
    Vec<i32> start(size_t(most) + 2, 0);
    for (i64 k : w.right_key.data) start[size_t(k) + 1]++;
    for (size_t k = 1; k < start.size(); k++) start[k] += start[k - 1];
    Vec<double> sorted(static_cast<size_t>(m));
    {
        Vec<i32> at(start);
        for (i64 j = 0; j < m; j++) sorted[size_t(at[size_t(w.right_key[j])]++)] = w.right[j];
    }
    const int threads = threads_for(n);
    Vec<i64> offset(size_t(threads) + 1, 0);
    parts(n, [&](int t, i64 lo, i64 hi) {
        i64 c = 0;
        for (i64 i = lo; i < hi; i++) {
            const size_t k = size_t(w.left_key[i]);
            c += start[k + 1] - start[k];
        }
        offset[size_t(t) + 1] = c;
    });
    for (int t = 0; t < threads; t++) offset[size_t(t) + 1] += offset[size_t(t)];
    Fresh<i64> keys(offset[size_t(threads)]);
    Fresh<double> out(offset[size_t(threads)]);
    parts(n, [&](int t, i64 lo, i64 hi) {
        i64 p = offset[size_t(t)];
        for (i64 i = lo; i < hi; i++) {
            const size_t k = size_t(w.left_key[i]);
            for (i32 j = start[k]; j < start[k + 1]; j++) keys[p] = i64(k), out[p++] = w.left[i] * sorted[size_t(j)];
        }
    });
    return {std::move(keys), std::move(out)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::join(w.left_key.data, w.left.data, w.right_key.data, w.right.data); },
        [](const hand::Work& w) {
            return unfused::join(w.left_key.data, w.left.data, w.right_key.data, w.right.data);
        });
}
