// Matrix product, n x n (512 at the full size), interchanged so that the inner loop runs along rows.
#include "fused.cpp"
#include "harness.hpp"
#include "unfused.cpp"

namespace hand {
fused::array<double, 2> compute(const double* x, const double* y, std::int64_t n) {
    fused::array<double, 2> out(n, n);
    double* z = out.data();
#pragma omp parallel for if (n > 32)
    for (std::int64_t i = 0; i < n; ++i) {
        std::fill(z + i * n, z + (i + 1) * n, 0.0);
        for (std::int64_t k = 0; k < n; ++k) {
            const double a = x[i * n + k];
#pragma omp simd
            for (std::int64_t j = 0; j < n; ++j) z[i * n + j] += a * y[k * n + j];
        }
    }
    return out;
}
} // namespace hand

int main(int argc, char** argv) {
    struct Input {
        std::vector<double> x, y;
        std::int64_t n;
    };
    return harness::bench(
        argc, argv,
        [](std::int64_t n) {
            return Input{harness::numbers(n * n, 1), harness::numbers(n * n, 2), n};
        },
        [](const Input& in) { return hand::compute(in.x.data(), in.y.data(), in.n); },
        [](const Input& in) {
            return fused::compute(fused::view<const double, 2>(in.x.data(), in.n, in.n),
                                  fused::view<const double, 2>(in.y.data(), in.n, in.n));
        },
        [](const Input& in) {
            return unfused::compute(unfused::view<const double, 2>(in.x.data(), in.n, in.n),
                                    unfused::view<const double, 2>(in.y.data(), in.n, in.n));
        });
}
