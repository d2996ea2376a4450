// The gradient: rows' greatest and least of three columns first, then of three rows; four tables of counts.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    Matrix<u8> p;
    explicit Work(i64 n) : p(n, n) {
        p.fill([n](auto i) {
            return u8(128 + 60 * std::sin(double(i % u64(n)) * 0.02) * std::cos(double(i / u64(n)) * 0.03) +
                      double(hash(i) % 20));
        });
    }
};
using Result = std::tuple<Fresh<u8>, Vec<i64>>;
Result run(const Work& w) {
    const i64 h = w.p.rows, m = w.p.columns;
    const u8* p = w.p.data.data();
    Fresh<u8> out(h * m);
    Vec<i64> counts(256);
    const int threads = threads_for(h * m);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        Vec<u8> most(size_t(m) + 2), least(size_t(m) + 2);
        Vec<u32> own(4 * 256);
        for (i64 y = part(h, t, threads); y < part(h, t + 1, threads); y++) {
            const u8 *a = p + std::max<i64>(y - 1, 0) * m, *b = p + y * m, *c = p + std::min(y + 1, h - 1) * m;
            u8 *hi = most.data() + 1, *lo = least.data() + 1, *o = out.data() + y * m;
#pragma omp simd
            for (i64 x = 0; x < m; x++) {
                hi[x] = std::max(std::max(a[x], b[x]), c[x]);
                lo[x] = std::min(std::min(a[x], b[x]), c[x]);
            }
            hi[-1] = hi[0], lo[-1] = lo[0], hi[m] = hi[m - 1], lo[m] = lo[m - 1];
#pragma omp simd
            for (i64 x = 0; x < m; x++)
                o[x] = u8(std::max(std::max(hi[x - 1], hi[x]), hi[x + 1]) -
                          std::min(std::min(lo[x - 1], lo[x]), lo[x + 1]));
            i64 x = 0;
            for (; x + 4 <= m; x += 4)
                for (i64 k = 0; k < 4; k++) own[size_t(256 * k + o[x + k])]++;
            for (; x < m; x++) own[o[x]]++;
        }
#pragma omp critical
        for (size_t k = 0; k < 256; k++) counts[k] += i64(own[k]) + own[256 + k] + own[512 + k] + own[768 + k];
    }
    return {std::move(out), std::move(counts)};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::morph(w.p); },
        [](const hand::Work& w) { return unfused::morph(w.p); });
}
