// Words of bases: rolling codes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Array<u8> text;
    explicit Work(i64 n) : text(n) {
        text.fill([](auto i) { return u8(hash(i) % 5000 == 0 ? 'N' : "ACGT"[hash(i / 3) % 4]); });
    }
};
using Result = std::tuple<Vec<i64>, i64, i64>;
Result run(const Work& w) {
    const i64 n = w.text.size();
    const u8* x = w.text.data.data();
    u8 code[256];
    for (int c = 0; c < 256; c++) code[c] = c == 'A' ? 0 : c == 'C' ? 1 : c == 'G' ? 2 : c == 'T' ? 3 : 4;
    Vec<i64> counts(65536);
    parts(std::max<i64>(n - 7, 0), [&](int, i64 lo, i64 hi) {
        Vec<u32> own(65536);
        u32 word = 0, back = 0;
        i64 good = 0;
        for (i64 i = lo; lo < hi && i < hi + 7; i++) {
            const u32 d = code[x[i]];
            good = d < 4 ? good + 1 : 0;
            word = (word << 2 | (d & 3)) & 0xffff;
            back = back >> 2 | (3 - (d & 3)) << 14;
            if (good >= 8 && i >= lo + 7) own[std::min(word, back)]++;
        }
#pragma omp critical
        for (size_t k = 0; k < 65536; k++) counts[k] += own[k];
    });
    i64 most = 0, at = -1, some = 0;
    for (i64 k = 0; k < 65536; k++) {
        if (counts[size_t(k)] > most) most = counts[size_t(k)], at = k;
        some += counts[size_t(k)] > 0;
    }
    return {std::move(counts), at, some};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::kmers(w.text.data); },
        [](const hand::Work& w) { return unfused::kmers(w.text.data); });
}
