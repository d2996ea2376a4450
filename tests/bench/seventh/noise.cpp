// Noise of four octaves: points of a row side by side.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {

struct Work {
    i64 n;
    explicit Work(i64 n) : n(n) {}
};
using Result = std::tuple<Fresh<float>, float, float>;
Result run(const Work& w) {
    const i64 n = w.n;
    Fresh<float> out(n * n);
    float low = float(infinity), high = -float(infinity);
#pragma omp parallel for schedule(static) num_threads(threads_for(n* n)) reduction(min : low) reduction(max : high)
    for (i64 y = 0; y < n; y++) {
        float* row = out.data() + y * n;
        float least = low, most = high;
#pragma omp simd reduction(min : least) reduction(max : most)
        for (i64 x = 0; x < n; x++) {
            float s = 0, a = 1, f = 0.02f;
            for (int o = 0; o < 4; o++) {
                const float px = float(x) * f, py = float(y) * f, fx = std::floor(px), fy = std::floor(py);
                const u32 i = u32(i32(fx)) * 0x9e3779b1u, j = u32(i32(fy)) * 0x85ebca77u;
                const float tx = px - fx, ty = py - fy, u = tx * tx * (3.0f - 2.0f * tx),
                            v = ty * ty * (3.0f - 2.0f * ty);
                const auto lattice = [](u32 h) {
                    h = (h ^ h >> 15) * 0x2c1b3c6du;
                    return float(i32((h ^ h >> 12) >> 8)) * 0.000000059604645f;
                };
                const float p = lattice(i ^ j), q = lattice((i + 0x9e3779b1u) ^ j);
                const float r = lattice(i ^ (j + 0x85ebca77u)), t = lattice((i + 0x9e3779b1u) ^ (j + 0x85ebca77u));
                const float d = p + u * (q - p), e = r + u * (t - r);
                s += a * (d + v * (e - d));
                a *= 0.5f, f *= 2.0f;
            }
            row[x] = s;
            least = s < least ? s : least, most = s > most ? s : most;
        }
        low = least < low ? least : low, high = most > high ? most : high;
    }
    return {std::move(out), low, high};
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::clouds(w.n, w.n, 0.02f); },
        [](const hand::Work& w) { return unfused::clouds(w.n, w.n, 0.02f); });
}
