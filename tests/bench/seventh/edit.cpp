// Distances of words from one: one row of 64 numbers at most on the stack.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text, word{12};
    Vec<i64> offsets{0};
    explicit Work(i64 n) : text(n * 12) {
        text.fill([](auto i) { return u8('a' + hash(i) % 6); });
        word.fill([](auto i) { return u8('a' + hash(i + 5) % 6); });
        for (i64 i = 0; i < n; i++) offsets.push_back(offsets.back() + i64(3 + hash(u64(i)) % 10));
    }
};
using Result = std::tuple<i64, i64, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = i64(w.offsets.size()) - 1, m = w.word.size();
    const u8* b = w.word.data.data();
    Vec<i64> bins(32);
    i64 at = -1, best = 1000000;
    const int threads = threads_for(n * 100);
#pragma omp parallel num_threads(threads)
    {
        i64 own[32] = {}, mine = -1, least = 1000000;
        Vec<i64> row(size_t(m) + 1);
#pragma omp for schedule(static) nowait
        for (i64 k = 0; k < n; k++) {
            const std::span a(w.text.data.data() + w.offsets[size_t(k)],
                              size_t(w.offsets[size_t(k) + 1] - w.offsets[size_t(k)]));
            for (i64 j = 0; j <= m; j++) row[size_t(j)] = j;
            for (i64 i = 0; i < i64(a.size()); i++) {
                i64 diag = i, left = i + 1;
                row[0] = i + 1;
                for (i64 j = 0; j < m; j++) {
                    const i64 up = row[size_t(j) + 1];
                    const i64 x = std::min(std::min(up, left) + 1, diag + (b[j] != a[size_t(i)]));
                    row[size_t(j) + 1] = x, diag = up, left = x;
                }
            }
            const i64 x = row[size_t(m)];
            if (x < least) least = x, mine = k;
            if (u64(x) < 32) own[x]++;
        }
#pragma omp critical
        {
            if (least < best || (least == best && mine >= 0 && (at < 0 || mine < at))) best = least, at = mine;
            for (int k = 0; k < 32; k++) bins[size_t(k)] += own[k];
        }
    }
    return {at, best, std::move(bins)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::nearest(
                fused::rows<const std::uint8_t>({w.text.data.data(), size_t(w.offsets.back())}, w.offsets),
                w.word.data);
        },
        [](const hand::Work& w) {
            return unfused::nearest(
                unfused::rows<const std::uint8_t>({w.text.data.data(), size_t(w.offsets.back())}, w.offsets),
                w.word.data);
        });
}
