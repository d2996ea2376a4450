// How many steps z^2 + c takes to leave the circle of radius 2, at most %limit, for a grid of points c.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Array<double> re, im;
    Scalar<std::int32_t> limit{200};
    explicit Work(std::int64_t h) : re(h * 4 / 3), im(h) {
        re.fill([h](auto i) { return -2.0 + 3.0 * double(i) / double(h * 4 / 3); });
        im.fill([h](auto i) { return -1.0 + 2.0 * double(i) / double(h); });
    }
};
using Result = Fresh<std::int32_t>;
Result run(const Work& work) {
    const std::int64_t w = work.re.size(), h = work.im.size();
    const double *re = work.re.data.data(), *im = work.im.data.data();
    const std::int32_t limit = work.limit.value;
    Result result(w * h);
    std::int32_t* steps = result.data();
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t y = 0; y < h; y++) {
        std::int64_t x = 0;
        for (; x + 8 <= w; x += 8) { // eight points a step, those that are out stand still
            double cr[8], zr[8] = {}, zi[8] = {};
            long count[8] = {};
            const double ci = im[y];
            for (int l = 0; l < 8; l++) cr[l] = re[x + l];
            for (std::int32_t step = 0; step < limit; step++) {
                long any = 0;
#pragma omp simd reduction(| : any)
                for (int l = 0; l < 8; l++) {
                    const double a = zr[l], b = zi[l], aa = a * a, bb = b * b;
                    const long in = aa + bb <= 4.0;
                    const double re_next = aa - bb + cr[l], im_next = 2.0 * a * b + ci;
                    zr[l] = in ? re_next : a;
                    zi[l] = in ? im_next : b;
                    count[l] += in, any |= in;
                }
                if (!any) break;
            }
            for (int l = 0; l < 8; l++) steps[y * w + x + l] = std::int32_t(count[l]);
        }
        for (; x < w; x++) {
            double a = 0, b = 0;
            std::int32_t count = 0;
            while (count < limit && a * a + b * b <= 4.0) {
                const double next = a * a - b * b + re[x];
                b = 2.0 * a * b + im[y], a = next, count++;
            }
            steps[y * w + x] = count;
        }
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::mandelbrot(w.re.data, w.im.data, w.limit.value); },
        [](const hand::Work& w) { return unfused::mandelbrot(w.re.data, w.im.data, w.limit.value); });
}
