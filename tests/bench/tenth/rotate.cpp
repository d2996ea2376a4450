// Row by row, with a branch for the outside.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
struct Work {
    Matrix<u8> p;
    explicit Work(i64 n) : p(n, n) {
        p.fill([](auto i) { return u8(hash(i)); });
    }
};
constexpr double cosine = 0.8, sine = 0.6;
using Result = std::tuple<Fresh<u8>, i64>;
Result run(const Work& w) {
    const i64 h = w.p.rows, width = w.p.columns;
    const u8* p = w.p.data.data();
    const double my = double(h - 1) * 0.5, mx = double(width - 1) * 0.5;
    Fresh<u8> out(h * width);
    i64 lit = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : lit) if (h > 64)
    for (i64 i = 0; i < h; i++) {
        const double dy = double(i) - my;
        for (i64 j = 0; j < width; j++) {
            const double dx = double(j) - mx;
            const double y = my + cosine * dy - sine * dx, x = mx + sine * dy + cosine * dx;
            const double fy = std::floor(y), fx = std::floor(x);
            const i64 iy = i64(fy), ix = i64(fx);
            u8 v = 0;
            if (iy >= 0 && ix >= 0 && iy + 1 < h && ix + 1 < width) {
                const double ty = y - fy, tx = x - fx;
                const u8* q = p + iy * width + ix;
                v = u8((q[0] * (1.0 - tx) + q[1] * tx) * (1.0 - ty) + (q[width] * (1.0 - tx) + q[width + 1] * tx) * ty +
                       0.5);
            }
            out[i * width + j] = v;
            lit += v > 0;
        }
    }
    return {std::move(out), lit};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::rotate(w.p, hand::cosine, hand::sine); },
        [](const hand::Work& w) { return unfused::rotate(w.p, hand::cosine, hand::sine); });
}
