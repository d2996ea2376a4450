// A histogram with 4096 bins.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
constexpr int bins = 4096;

__global__ void compute(std::int64_t n, const double* x, unsigned long long* counts) {
    __shared__ unsigned own[bins];
    for (int k = threadIdx.x; k < bins; k += gpu::threads) own[k] = 0;
    __syncthreads();
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
#pragma unroll 4
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        const int bin = static_cast<int>(x[i] * bins);
        if (0 <= bin && bin < bins) atomicAdd(&own[bin], 1u);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < bins; k += gpu::threads)
        if (own[k] != 0) atomicAdd(&counts[k], static_cast<unsigned long long>(own[k]));
}
} // namespace hand

template <class T> std::vector<double> list(const gpu::buffer<T>& counts) {
    const std::vector<T> values = counts.values(hand::bins);
    return {values.begin(), values.end()};
}

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> values = harness::numbers(n, 1);
    const fused::array<double> xs{std::span<const double>(values)};
    const double* const x = xs.device().data();
    const gpu::buffer<unsigned long long> counts(hand::bins);
    const gpu::buffer<int> of_cub(hand::bins);
    const gpu::buffer<unsigned char> memory(1 << 26);
    return gpu::bench(argc, argv, 8.0 * static_cast<double>(n), 2.0 * static_cast<double>(n), [&] { return fused::compute(xs); },
                      {{"hand", [&] {
                            gpu::check(cudaMemset(counts.get(), 0, sizeof(unsigned long long) * hand::bins));
                            hand::compute<<<gpu::blocks(n / 8), gpu::threads>>>(n, x, counts.get());
                            gpu::check(cudaGetLastError());
                        }, [&] { return list(counts); }},
                       {"CUB", [&] {
                            std::size_t bytes = 1 << 26;
                            gpu::check(cub::DeviceHistogram::HistogramEven(memory.get(), bytes, x, of_cub.get(), hand::bins + 1, 0.0, 1.0, n));
                        }, [&] { return list(of_cub); }}});
}
