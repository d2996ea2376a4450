// Division by two as a shift; one pass.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    i64 n;
    explicit Work(i64 size) : n(size) {}
};
using Result = std::tuple<i64, i64, Vec<i64>>;
Result run(const Work& w) {
    i64 longest = 0, first = w.n + 1;
    Vec<i64> bins(64);
#pragma omp parallel if (w.n > 4096)
    {
        i64 most = 0, at = w.n + 1;
        i64 own[64] = {};
#pragma omp for schedule(dynamic, 1024) nowait
        for (i64 i = 0; i < w.n; i++) {
            i64 k = 0;
            for (u64 x = u64(i) + 1; x != 1; k++) x = x & 1 ? 3 * x + 1 : x >> 1;
            if (k > most || (k == most && i + 1 < at)) most = k, at = i + 1;
            if (k < 64) own[k]++;
        }
#pragma omp critical
        {
            if (most > longest || (most == longest && at < first)) longest = most, first = at;
            for (size_t j = 0; j < 64; j++) bins[j] += own[j];
        }
    }
    return {longest, first, std::move(bins)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::collatz(w.n); },
        [](const hand::Work& w) { return unfused::collatz(w.n); });
}
