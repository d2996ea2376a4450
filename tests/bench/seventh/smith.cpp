// Local alignment of reads: one row of scores.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<u8> reads;
    Array<u8> ref{400};
    explicit Work(i64 n) : reads(n, 50) {
        reads.fill([](auto i) { return u8("ACGT"[hash(i) % 4]); });
        ref.fill([](auto i) { return u8("ACGT"[hash(i + 11) % 4]); });
    }
};
using Result = std::tuple<Fresh<i32>, i64>;
Result run(const Work& w) {
    const i64 n = w.reads.rows, k = w.reads.columns, m = w.ref.size();
    Fresh<i32> out(n);
    i64 sum = 0;
#pragma omp parallel num_threads(threads_for(n * 1000)) reduction(+ : sum)
    {
        Vec<i32> row(size_t(m) + 1);
#pragma omp for schedule(static)
        for (i64 r = 0; r < n; r++) {
            std::fill(row.begin(), row.end(), 0);
            i32 best = 0;
            for (i64 i = 0; i < k; i++) {
                const u8 c = w.reads[r * k + i];
                i32 diag = 0, left = 0;
                for (i64 j = 0; j < m; j++) {
                    const i32 up = row[size_t(j) + 1], match = w.ref[j] == c ? 2 : -1;
                    const i32 x = std::max(std::max(diag + match, 0), std::max(up, left) - 1);
                    row[size_t(j) + 1] = x, diag = up, left = x, best = std::max(best, x);
                }
            }
            out[r] = best, sum += best;
        }
    }
    return {std::move(out), sum};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::align(w.reads, w.ref.data); },
        [](const hand::Work& w) { return unfused::align(w.reads, w.ref.data); });
}
