// One step of k-means: n points in 4 dimensions, 10 centres.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
constexpr int k = 10, d = 4;

__global__ void add_up(std::int64_t n, const double* points, const double* centres, double* sums) {
    __shared__ double own[k * (d + 1)], c[k * d];
    for (int j = threadIdx.x; j < k * (d + 1); j += gpu::threads) own[j] = 0;
    for (int j = threadIdx.x; j < k * d; j += gpu::threads) c[j] = centres[j];
    __syncthreads();
    const std::int64_t stride = std::int64_t{gridDim.x} * gpu::threads;
    for (std::int64_t i = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; i < n; i += stride) {
        double p[d], best = HUGE_VAL;
        int nearest = 0;
        for (int e = 0; e < d; ++e) p[e] = points[i * d + e];
        for (int j = 0; j < k; ++j) {
            double distance = 0;
            for (int e = 0; e < d; ++e) distance += (p[e] - c[j * d + e]) * (p[e] - c[j * d + e]);
            if (distance < best) best = distance, nearest = j;
        }
        for (int e = 0; e < d; ++e) atomicAdd(&own[nearest * d + e], p[e]);
        atomicAdd(&own[k * d + nearest], 1.0);
    }
    __syncthreads();
    for (int j = threadIdx.x; j < k * (d + 1); j += gpu::threads) atomicAdd(&sums[j], own[j]);
}
__global__ void divide(const double* sums, double* means) {
    if (threadIdx.x < k * d) means[threadIdx.x] = sums[threadIdx.x] / sums[k * d + threadIdx.x / d];
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> p = harness::numbers(4 * n, 1), c = harness::numbers(40, 2);
    const fused::array<double, 2> points{fused::view<const double, 2>(p.data(), n, 4)}, centres{fused::view<const double, 2>(c.data(), 10, 4)};
    const gpu::buffer<double> sums(50), means(40);
    const double *const on_device = points.device().data(), *const centres_there = centres.device().data();
    return gpu::bench(argc, argv, 32.0 * static_cast<double>(n), 135.0 * static_cast<double>(n), [&] { return fused::compute(points, centres); },
                      {{"hand", [&] {
                            gpu::check(cudaMemset(sums.get(), 0, 50 * sizeof(double)));
                            hand::add_up<<<gpu::blocks(n), gpu::threads>>>(n, on_device, centres_there, sums.get());
                            hand::divide<<<1, 64>>>(sums.get(), means.get());
                            gpu::check(cudaGetLastError());
                        }, [&] { return means.values(40); }}});
}
