// A Bloom filter: bits of both, then answers by blocks: hashes in lanes, then the look-ups.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u64> keys, asked;
    explicit Work(i64 n) : keys(n / 64), asked(n) {
        keys.fill([](auto i) { return hash(i) >> 20; });
        asked.fill(
            [n](auto i) { return hash(i) % 10 == 0 ? hash(i % (u64(n) / 64 + 1)) >> 20 : hash(i + 1000003) >> 20; });
    }
};
inline u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
using Result = std::tuple<Vec<i64>, i64>;
Result run(const Work& w) {
    const i64 n = w.keys.size(), m = w.asked.size();
    Vec<u64> words(16384);
    for (i64 i = 0; i < n; i++) {
        const u64 h = mix(w.keys[i]);
        words[h >> 6 & 16383] |= 1ull << (h & 63);
        words[h >> 38 & 16383] |= 1ull << (h >> 32 & 63);
    }
    const int threads = threads_for(m);
    Vec<Vec<i64>> found(static_cast<size_t>(threads));
    const u64 *a = w.asked.data.data(), *bits = words.data();
    parts(m, [&](int t, i64 lo, i64 hi) {
        Vec<i64>& mine = found[size_t(t)];
        i64 places[1024];
        for (i64 b = lo; b < hi; b += 1024) {
            u8 yes[1024];
            const i64 k = std::min<i64>(1024, hi - b);
#pragma omp simd
            for (i64 j = 0; j < k; j++) {
                const u64 h = mix(a[b + j]);
                yes[j] = u8((bits[h >> 6 & 16383] >> (h & 63)) & (bits[h >> 38 & 16383] >> (h >> 32 & 63)) & 1);
            }
            i64 some = 0;
            for (i64 j = 0; j < k; j++) places[some] = b + j, some += yes[j];
            mine.insert(mine.end(), places, places + some);
        }
    });
    for (int t = 1; t < threads; t++) found[0].insert(found[0].end(), found[size_t(t)].begin(), found[size_t(t)].end());
    i64 set = 0;
    for (u64 v : words) set += std::popcount(v);
    return {std::move(found[0]), set};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::bloom(w.keys.data, w.asked.data); },
        [](const hand::Work& w) { return unfused::bloom(w.keys.data, w.asked.data); });
}
