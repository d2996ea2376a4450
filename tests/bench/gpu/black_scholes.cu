// Black-Scholes: call options.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
__device__ double normal(double x) {
    const double l = fabs(x), k = 1.0 / (1.0 + 0.2316419 * l);
    const double series = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    const double tail = 0.3989422804014327 * exp(-(l * l) / 2.0) * series;
    return x < 0.0 ? tail : 1.0 - tail;
}
__global__ void compute(std::int64_t n, const double* s, const double* k, const double* t, double* y) {
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        const double spread = 0.3 * sqrt(t[i]);
        const double d1 = (log(s[i] / k[i]) + 0.065 * t[i]) / spread;
        y[i] = s[i] * normal(d1) - k[i] * exp(-0.02 * t[i]) * normal(d1 - spread);
    }
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> prices = harness::numbers(n, 1, 10, 100), strikes = harness::numbers(n, 2, 10, 100),
                              years = harness::numbers(n, 3, 0.1, 3);
    const fused::array<double> s{std::span<const double>(prices)}, k{std::span<const double>(strikes)}, t{std::span<const double>(years)};
    const double *const from_s = s.device().data(), *const from_k = k.device().data(), *const from_t = t.device().data();
    const gpu::buffer<double> y(n);
    // Operations: 30 for each normal distribution, 32 around them, `exp` and `log` counted as ten.
    return gpu::bench(argc, argv, 32.0 * static_cast<double>(n), 92.0 * static_cast<double>(n), [&] { return fused::compute(s, k, t); },
                      {{"hand", [&] {
                            hand::compute<<<gpu::blocks(n), gpu::threads>>>(n, from_s, from_k, from_t, y.get());
                            gpu::check(cudaGetLastError());
                        }, [&] { return y.values(n); }}});
}
