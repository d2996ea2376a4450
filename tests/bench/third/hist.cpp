// A histogram of 4096 bins: the keys are the top bits of h^2 + h.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Array<std::uint16_t> hashes;
    explicit Work(std::int64_t n) : hashes(n) {
        hashes.fill([](auto i) { return std::uint16_t(hash(i * 7 + 1)); });
    }
};
using Result = std::vector<std::int64_t>;
Result run(const Work& w) {
    constexpr std::int64_t bins = 4096, block = std::int64_t(1) << 30; // no count of a block overflows
    const std::int64_t n = w.hashes.size();
    const std::uint16_t* h = w.hashes.data.data();
    const auto bin = [](std::uint16_t v) { return (std::uint32_t(v) * v + v) >> 20; };
    const int threads = threads_for(n);
    Result counts(bins);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const std::int64_t hi = part(n, t + 1, threads);
        for (std::int64_t lo = part(n, t, threads); lo < hi; lo += block) {
            std::vector<std::uint32_t> own(2 * bins); // two tables: neighbours often meet in one bin
            std::uint32_t *even = own.data(), *odd = even + bins;
            const std::int64_t stop = std::min(hi, lo + block), pairs = (stop - lo) / 2;
            const std::uint16_t* p = h + lo;
            for (std::int64_t i = 0; i < pairs; i++) {
                const std::uint32_t first = bin(p[2 * i]), second = bin(p[2 * i + 1]); // loads before stores
                even[first]++, odd[second]++;
            }
            if (2 * pairs < stop - lo) even[bin(h[stop - 1])]++;
#pragma omp critical
            for (std::int64_t b = 0; b < bins; b++) counts[std::size_t(b)] += std::int64_t(even[b]) + odd[b];
        }
    }
    return counts;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::hist(w.hashes.data); },
        [](const hand::Work& w) { return unfused::hist(w.hashes.data); });
}
