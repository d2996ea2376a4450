// A chain of five maps.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
__global__ void compute(std::int64_t n, const double* x, double* y) {
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
#pragma unroll 4
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        const double a = x[i] + 1.0;
        y[i] = 1.0 / sqrt(a * a - 0.5);
    }
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> values = harness::numbers(n, 1);
    const fused::array<double> xs{std::span<const double>(values)};
    const double* const x = xs.device().data();
    const gpu::buffer<double> y(n);
    return gpu::bench(argc, argv, 16.0 * static_cast<double>(n), 5.0 * static_cast<double>(n), [&] { return fused::compute(xs); },
                      {{"hand", [&] { hand::compute<<<gpu::blocks(n), gpu::threads>>>(n, x, y.get()); gpu::check(cudaGetLastError()); },
                        [&] { return y.values(n); }}});
}
