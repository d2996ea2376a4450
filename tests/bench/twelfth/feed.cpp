// Layer norm and two layers: four rows at a time, columns in lanes.
#include "../third/common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

namespace hand {
constexpr i64 D = 64, H = 256;
struct Work {
    Matrix<float> x, w1{D, H}, w2{H, D};
    explicit Work(i64 n) : x(n, D) {
        x.fill([](auto i) { return float(unit(i)); });
        w1.fill([](auto i) { return float(unit(i + 5) - 0.5); });
        w2.fill([](auto i) { return float(unit(i + 9)); });
    }
};
using Result = std::tuple<Fresh<float>>;
// out[r][j] = sum of in[r][k] * w[k][j], for R rows, 32 columns at a time, in the order of k.
template <int R> void product(const float* in, i64 k, const float* w, i64 m, float* out) {
    for (i64 j = 0; j < m; j += 32) {
        float sum[R][32] = {};
        for (i64 p = 0; p < k; p++)
            for (int r = 0; r < R; r++)
#pragma omp simd
                for (int l = 0; l < 32; l++) sum[r][l] += in[r * k + p] * w[p * m + j + l];
        for (int r = 0; r < R; r++) std::copy(sum[r], sum[r] + 32, out + r * m + j);
    }
}
template <int R> void rows(const Work& work, i64 i, float* out) {
    alignas(64) float y[R * D], u[R * H], z[R * D];
    const float* x = work.x.data.data() + i * D;
    for (int r = 0; r < R; r++) {
        float m = 0, v = 0;
#pragma omp simd reduction(+ : m)
        for (i64 j = 0; j < D; j++) m += x[r * D + j];
        m /= float(D);
#pragma omp simd reduction(+ : v)
        for (i64 j = 0; j < D; j++) v += (x[r * D + j] - m) * (x[r * D + j] - m);
        const float s = std::sqrt(v / float(D) + 0.00001f);
        for (i64 j = 0; j < D; j++) y[r * D + j] = (x[r * D + j] - m) / s;
    }
    product<R>(y, D, work.w1.data.data(), H, u);
    for (i64 j = 0; j < R * H; j++) u[j] = u[j] > 0 ? u[j] : 0;
    product<R>(u, H, work.w2.data.data(), D, z);
    for (i64 j = 0; j < R * D; j++) out[i * D + j] = x[j] + z[j];
}
Result run(const Work& work) {
    const i64 n = work.x.rows;
    Fresh<float> out(n * D);
#pragma omp parallel for schedule(static) num_threads(threads_for(n * 100))
    for (i64 i = 0; i < n / 4; i++) rows<4>(work, i * 4, out.data());
    for (i64 i = n / 4 * 4; i < n; i++) rows<1>(work, i, out.data());
    return {std::move(out)};
}
} // namespace hand
int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return std::make_tuple(fused::ffn(w.x, w.w1, w.w2)); },
        [](const hand::Work& w) { return std::make_tuple(unfused::ffn(w.x, w.w1, w.w2)); });
}
