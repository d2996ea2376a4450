// Histogram equalization of a grey image.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Array<std::uint8_t> pixels;
    explicit Work(std::int64_t n) : pixels(n) {
        pixels.fill([](auto i) { return std::uint8_t(40 + (hash(i) % 100 + hash(i + 12345) % 100) / 2); });
    }
};
using Result = Fresh<std::uint8_t>;
Result run(const Work& w) {
    const std::int64_t n = w.pixels.size();
    const std::uint8_t* p = w.pixels.data.data();
    std::int64_t counts[256] = {};
    Result result(n);
    std::uint8_t table[256];
    const int threads = threads_for(n);
#pragma omp parallel num_threads(threads)
    {
        std::uint32_t own[4][256] = {};
        const int t = omp_get_thread_num();
        std::int64_t i = part(n, t, threads);
        const std::int64_t hi = part(n, t + 1, threads);
        for (; i + 4 <= hi; i += 4) own[0][p[i]]++, own[1][p[i + 1]]++, own[2][p[i + 2]]++, own[3][p[i + 3]]++;
        for (; i < hi; i++) own[0][p[i]]++;
#pragma omp critical
        for (int b = 0; b < 256; b++) counts[b] += std::int64_t(own[0][b]) + own[1][b] + own[2][b] + own[3][b];
#pragma omp barrier
#pragma omp single
        {
            std::int64_t sum = 0, low = n;
            for (int b = 0; b < 256; b++) {
                sum += counts[b];
                if (sum > 0) low = std::min(low, sum);
            }
            const std::int64_t range = std::max<std::int64_t>(n - low, 1);
            sum = 0;
            for (int b = 0; b < 256; b++) sum += counts[b], table[b] = std::uint8_t((sum - low) * 255 / range);
        }
#pragma omp for schedule(static)
        for (std::int64_t k = 0; k < n; k++) result[k] = table[p[k]];
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::histeq(w.pixels.data); },
        [](const hand::Work& w) { return unfused::histeq(w.pixels.data); });
}
