// Pairs of letters: a table of the letters, two tables of counts.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(words(n)) {}
};
using Result = std::tuple<Vec<i64>, double, i64>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    u8 letter[256];
    for (int c = 0; c < 256; c++) letter[c] = u8((c | 32) - 'a') < 26 ? u8((c | 32) - 'a') : 26;
    Vec<i64> counts(676), rows(26);
    parts(std::max<i64>(n - 1, 0), [&](int, i64 lo, i64 hi) {
        Vec<u32> a(27 * 27), b(27 * 27);
        u32 before = lo < hi ? letter[x[lo]] : 0;
        i64 i = lo;
        for (; i + 1 < hi; i += 2) {
            const u32 c = letter[x[i + 1]], d = letter[x[i + 2]];
            a[27 * before + c]++, b[27 * c + d]++;
            before = d;
        }
        for (; i < hi; i++) a[27u * letter[x[i]] + letter[x[i + 1]]]++;
#pragma omp critical
        for (size_t p = 0; p < 26; p++)
            for (size_t q = 0; q < 26; q++) counts[26 * p + q] += a[27 * p + q] + b[27 * p + q];
    });
    i64 total = 0, most = -1, at = -1;
    for (size_t k = 0; k < 676; k++) {
        rows[k / 26] += counts[k], total += counts[k];
        if (counts[k] > most) most = counts[k], at = i64(k);
    }
    double entropy = 0;
    for (size_t k = 0; k < 676; k++)
        if (counts[k])
            entropy += double(counts[k]) / double(total) * std::log(double(rows[k / 26]) / double(counts[k]));
    return {std::move(counts), entropy, at};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::bigrams(w.text.data); },
        [](const hand::Work& w) { return unfused::bigrams(w.text.data); });
}
