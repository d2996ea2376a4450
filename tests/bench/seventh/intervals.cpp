// Union of intervals: pairs sorted, merged in one pass.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<i64> low, high;
    explicit Work(i64 n) : low(n), high(n) {
        low.fill([n](auto i) { return i64(hash(i) % u64(40 * n)); });
        high.fill([this](auto i) { return low[i64(i)] + 1 + i64(hash(i + 5) % 60); });
    }
};
using Result = std::tuple<Vec<i64>, Vec<i64>, i64>;
Result run(const Work& w) {
    const i64 n = w.low.size();
    struct P {
        u64 key;
        i64 high;
    };
    Fresh<P> a(n), b(n);
    u64 most = 0;
    for (i64 i = 0; i < n; i++) {
        a[i] = {u64(w.low[i]) ^ u64(1) << 63, w.high[i]};
        most |= a[i].key ^ a[0].key;
    }
    const i64 bits = std::bit_width(most);
    for (i64 s = 0; s < bits; s += 11) { // stable, 11 bits at a time
        Vec<i64> counts(2049);
        for (i64 i = 0; i < n; i++) counts[(a[i].key >> s & 2047) + 1]++;
        for (size_t k = 0; k < 2048; k++) counts[k + 1] += counts[k];
        for (i64 i = 0; i < n; i++) b[counts[a[i].key >> s & 2047]++] = a[i];
        std::swap(a, b);
    }
    Vec<i64> from, to;
    i64 covered = 0;
    for (i64 i = 0; i < n;) {
        const i64 low = i64(a[i].key ^ u64(1) << 63);
        i64 reach = a[i].high;
        for (i++; i < n && i64(a[i].key ^ u64(1) << 63) <= reach; i++) reach = std::max(reach, a[i].high);
        from.push_back(low), to.push_back(reach), covered += reach - low;
    }
    return {std::move(from), std::move(to), covered};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::merged(w.low.data, w.high.data); },
        [](const hand::Work& w) { return unfused::merged(w.low.data, w.high.data); });
}
