// The transpose of a sparse matrix in rows: a counting sort of its entries by column.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<i64> starts, columns{0};
    Array<double> values{0};
    Scalar<i64> k{0};
    explicit Work(i64 n) : starts(n + 1) {
        u64 cols = u64(n) + 1;
        i64 k = 0;
        for (i64 i = 0; i < n; i++) {
            k += i64(hash(u64(i)) % 24);
            starts.data[size_t(i) + 1] = k;
        }
        this->k.value = n + 1;
        columns = Array<i64>(k);
        values = Array<double>(k);
        columns.fill([cols](auto i) { return i64(hash(i + 3) % cols); });
        values.fill([](auto i) { return unit(i) - 0.5; });
    }
};
using Result = std::tuple<Vec<i64>, Fresh<i64>, Fresh<double>>;
Result run(const Work& w) {
    const i64 n = w.starts.size() - 1, e = w.columns.size(), k = w.k.value;
    Vec<i64> s(size_t(k) + 1, 0);
    for (i64 c : w.columns.data) s[size_t(c) + 1]++;
    for (i64 c = 0; c < k; c++) s[size_t(c) + 1] += s[size_t(c)];
    Vec<i64> at(s);
    Fresh<i64> rows(e);
    Fresh<double> v(e);
    for (i64 i = 0; i < n; i++)
        for (i64 j = w.starts[i]; j < w.starts[i + 1]; j++) {
            const i64 p = at[size_t(w.columns[j])]++;
            rows[p] = i;
            v[p] = w.values[j];
        }
    return {std::move(s), std::move(rows), std::move(v)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) { return fused::csrtrans(w.starts.data, w.columns.data, w.values.data, w.k.value); },
        [](const hand::Work& w) { return unfused::csrtrans(w.starts.data, w.columns.data, w.values.data, w.k.value); });
}
