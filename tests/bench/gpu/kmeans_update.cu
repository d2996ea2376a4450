// The second half of a step of k-means, 10 centres.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
constexpr int k = 10;

// One traversal: each block has sums of its own, in a copy for each lane.
__global__ void add_up(std::int64_t n, const double* x, const std::int64_t* nearest, double* sums) {
    __shared__ double own[2 * k][32];
    for (int j = threadIdx.x; j < 2 * k * 32; j += gpu::threads) (&own[0][0])[j] = 0;
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        const std::int64_t j = nearest[i];
        if (j < 0 || j >= k) continue;
        atomicAdd(&own[j][lane], x[i]);
        atomicAdd(&own[k + j][lane], 1.0);
    }
    __syncthreads();
    if (threadIdx.x >= 2 * k) return;
    double sum = 0;
    for (const double part : own[threadIdx.x]) sum += part;
    atomicAdd(&sums[threadIdx.x], sum);
}
__global__ void divide(const double* sums, double* means) {
    if (threadIdx.x < k) means[threadIdx.x] = sums[threadIdx.x] / sums[k + threadIdx.x];
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> values = harness::numbers(n, 1);
    const std::vector<std::int64_t> centres = harness::integers(n, 2, 0, hand::k);
    const fused::array<double> xs{std::span<const double>(values)};
    const fused::array<std::int64_t> nearest{std::span<const std::int64_t>(centres)};
    const double* const x = xs.device().data();
    const std::int64_t* const centre = nearest.device().data();
    const gpu::buffer<double> sums(2 * hand::k), means(hand::k);
    return gpu::bench(argc, argv, 16.0 * static_cast<double>(n), 2.0 * static_cast<double>(n),
                      [&] { return fused::update(xs, nearest, hand::k); },
                      {{"hand", [&] {
                            gpu::check(cudaMemset(sums.get(), 0, 2 * hand::k * sizeof(double)));
                            hand::add_up<<<gpu::blocks(n), gpu::threads>>>(n, x, centre, sums.get());
                            hand::divide<<<1, 32>>>(sums.get(), means.get());
                            gpu::check(cudaGetLastError());
                        }, [&] { return means.values(hand::k); }}});
}
