// Rank correlation: orders by radix sort, sums of ranks without a stored column more than the ranks.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> x, y;
    explicit Work(i64 n) : x(n), y(n) {
        x.fill([](auto i) { return unit(i); });
        y.fill([](auto i) { return unit(i) + unit(i + 7); });
    }
};
using Result = std::tuple<double>;
Vec<double> ranks(const Array<double>& x) {
    struct Entry {
        u64 key;
        i64 at;
    };
    const i64 n = x.size();
    Vec<Entry> a(static_cast<size_t>(n)), b(static_cast<size_t>(n));
    Vec<i64> count(4 * 65536);
    for (i64 i = 0; i < n; i++) {
        const u64 k = u64(key(x[i])) ^ (u64(1) << 63);
        a[size_t(i)] = {k, i};
        for (int d = 0; d < 4; d++) count[size_t(d * 65536) + (k >> (16 * d) & 65535)]++;
    }
    for (int d = 0; d < 4; d++) {
        i64* c = count.data() + d * 65536;
        i64 sum = 0;
        for (i64 v = 0; v < 65536; v++) sum += std::exchange(c[v], sum);
        for (const Entry& e : a) b[size_t(c[e.key >> (16 * d) & 65535]++)] = e;
        std::swap(a, b);
    }
    Vec<double> out(static_cast<size_t>(n));
    for (i64 i = 0; i < n; i++) out[size_t(a[size_t(i)].at)] = double(i);
    return out;
}
Result run(const Work& w) {
    const i64 n = w.x.size();
    Vec<double> a, b;
#pragma omp parallel sections num_threads(std::min(threads_for(n), 2))
    {
#pragma omp section
        a = ranks(w.x);
#pragma omp section
        b = ranks(w.y);
    }
    double sa = 0, sb = 0, c = 0, va = 0, vb = 0;
    for (i64 i = 0; i < n; i++) sa += a[size_t(i)], sb += b[size_t(i)];
    sa /= double(n), sb /= double(n);
    for (i64 i = 0; i < n; i++) {
        const double p = a[size_t(i)] - sa, q = b[size_t(i)] - sb;
        c += p * q, va += p * p, vb += q * q;
    }
    return {c / std::sqrt(va * vb)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::spearman(w.x.data, w.y.data)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::spearman(w.x.data, w.y.data)); });
}
