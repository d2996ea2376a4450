// Two rows at a time: luma and counts of both, chroma of their blocks.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Pixel {
    u8 r, g, b;
};
struct Work {
    i64 n;
    Records<Pixel> p;
    explicit Work(i64 n) : n(n), p(n * n) {
        p.fill([](auto i) { return Pixel{u8(hash(i)), u8(hash(i) >> 8), u8(hash(i / 5) >> 16)}; });
    }
};
using Result = std::tuple<Fresh<u8>, Fresh<u8>, Fresh<u8>, Vec<i64>>;
Result run(const Work& w) {
    const i64 n = w.n, m = n / 2;
    const Pixel* p = w.p.data.data();
    Fresh<u8> luma(n * n), us(m * m), vs(m * m);
    Vec<i64> counts(256);
    const int threads = threads_for(n * n);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        Vec<u32> own(4 * 256);
        for (i64 y2 = part(m, t, threads); y2 < part(m, t + 1, threads); y2++) {
            const Pixel *a = p + 2 * y2 * n, *b = a + n;
            u8 *u = us.data() + y2 * m, *v = vs.data() + y2 * m;
#pragma omp simd
            for (i64 x = 0; x < m; x++) {
                const int r = (a[2 * x].r + a[2 * x + 1].r + b[2 * x].r + b[2 * x + 1].r + 2) / 4;
                const int g = (a[2 * x].g + a[2 * x + 1].g + b[2 * x].g + b[2 * x + 1].g + 2) / 4;
                const int c = (a[2 * x].b + a[2 * x + 1].b + b[2 * x].b + b[2 * x + 1].b + 2) / 4;
                u[x] = u8(((-38 * r - 74 * g + 112 * c + 128) >> 8) + 128);
                v[x] = u8(((112 * r - 94 * g - 18 * c + 128) >> 8) + 128);
            }
        }
        for (i64 y = part(n, t, threads); y < part(n, t + 1, threads); y++) {
            const Pixel* a = p + y * n;
            u8* l = luma.data() + y * n;
#pragma omp simd
            for (i64 x = 0; x < n; x++) l[x] = u8(((66 * a[x].r + 129 * a[x].g + 25 * a[x].b + 128) >> 8) + 16);
            i64 x = 0;
            for (; x + 4 <= n; x += 4)
                for (i64 k = 0; k < 4; k++) own[size_t(256 * k + l[x + k])]++;
            for (; x < n; x++) own[l[x]]++;
        }
#pragma omp critical
        for (size_t k = 0; k < 256; k++) counts[k] += i64(own[k]) + own[256 + k] + own[512 + k] + own[768 + k];
    }
    return {std::move(luma), std::move(us), std::move(vs), std::move(counts)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv,
        [](const hand::Work& w) {
            return fused::yuv(fused::view<const fused::Pixel, 2>(hand::records<fused::Pixel>(w.p).data(), w.n, w.n));
        },
        [](const hand::Work& w) {
            return unfused::yuv(
                unfused::view<const unfused::Pixel, 2>(hand::records<unfused::Pixel>(w.p).data(), w.n, w.n));
        });
}
