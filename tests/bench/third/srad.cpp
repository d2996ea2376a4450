// Rodinia's SRAD: one step of speckle-reducing anisotropic diffusion.
#include "common.hpp"
#include "fused.cpp"
#include "unfused.cpp"

#include <algorithm>

namespace hand {
struct Work {
    Matrix<double> img;
    Scalar<double> lambda;
    explicit Work(std::int64_t n) : img(n, n == 3 ? 5 : n), lambda{0.5} {
        img.fill([](auto i) { return 1 + unit(i); });
    }
};
using Result = Fresh<double>;
Result run(const Work& work) {
    const std::int64_t h = work.img.rows, w = work.img.columns, n = h * w;
    const double* img = work.img.data.data();
    double sum = 0, squares = 0;
#pragma omp parallel for simd reduction(+ : sum, squares) schedule(static) num_threads(threads_for(n))
    for (std::int64_t i = 0; i < n; i++) sum += img[i], squares += img[i] * img[i];
    const double mean = sum / double(n), q0 = (squares / double(n) - mean * mean) / (mean * mean),
                 scale = q0 * (1.0 + q0), lambda = 0.25 * work.lambda.value;
    Fresh<double> co(n);
    Result result(n);
#pragma omp parallel for schedule(static) num_threads(threads_for(n))
    for (std::int64_t i = 0; i < h; i++) {
        const double *row = img + i * w, *up = img + std::max<std::int64_t>(i - 1, 0) * w,
                     *down = img + std::min(i + 1, h - 1) * w;
        double* o = co.data() + i * w;
        const auto cell = [&](std::int64_t j, double west, double east) {
            const double c = row[j], N = up[j] - c, S = down[j] - c, W = west - c, E = east - c;
            const double g2 = (N * N + S * S + W * W + E * E) / (c * c), l = (N + S + W + E) / c;
            const double num = 0.5 * g2 - 0.0625 * l * l, den = 1.0 + 0.25 * l, q = num / (den * den),
                         k = 1.0 / (1.0 + (q - q0) / scale);
            o[j] = k < 0.0 ? 0.0 : k > 1.0 ? 1.0 : k;
        };
        cell(0, row[0], row[std::min<std::int64_t>(1, w - 1)]);
#pragma omp simd
        for (std::int64_t j = 1; j < w - 1; j++) cell(j, row[j - 1], row[j + 1]);
        if (w > 1) cell(w - 1, row[w - 2], row[w - 1]);
    }
#pragma omp parallel for schedule(static) num_threads(threads_for(n))
    for (std::int64_t i = 0; i < h; i++) {
        const double *row = img + i * w, *up = img + std::max<std::int64_t>(i - 1, 0) * w,
                     *down = img + std::min(i + 1, h - 1) * w;
        const double *k = co.data() + i * w, *below = co.data() + std::min(i + 1, h - 1) * w;
        double* o = result.data() + i * w;
        const auto cell = [&](std::int64_t j, double west, double east, double ke) {
            const double c = row[j], N = up[j] - c, S = down[j] - c, W = west - c, E = east - c;
            o[j] = c + lambda * (k[j] * N + below[j] * S + k[j] * W + ke * E);
        };
        const std::int64_t second = std::min<std::int64_t>(1, w - 1);
        cell(0, row[0], row[second], k[second]);
#pragma omp simd
        for (std::int64_t j = 1; j < w - 1; j++) cell(j, row[j - 1], row[j + 1], k[j + 1]);
        if (w > 1) cell(w - 1, row[w - 2], row[w - 1], k[w - 1]);
    }
    return result;
}
} // namespace hand

int main(int argc, char** argv) {
    return hand::bench<hand::Work>(
        argc, argv, [](const hand::Work& w) { return fused::srad(w.img, w.lambda.value); },
        [](const hand::Work& w) { return unfused::srad(w.img, w.lambda.value); });
}
