// Mandelbrot set, n pixels in rows of 1024, 200 steps at most.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
__global__ void compute(std::int64_t width, std::int64_t height, std::int64_t most, std::int64_t* counts) {
    const std::int64_t n = width * height, stride = std::int64_t{gridDim.x} * gpu::threads;
    const double across = static_cast<double>(width), down = static_cast<double>(height);
    for (std::int64_t p = std::int64_t{blockIdx.x} * gpu::threads + threadIdx.x; p < n; p += stride) {
        const int row = static_cast<int>(p / width), column = static_cast<int>(p - row * width);
        const double re = column * 3.0 / across - 2.0, im = row * 2.0 / down - 1.0;
        double x = 0, y = 0, xx = 0, yy = 0;
        int count = 0;
        for (; count < most && xx + yy <= 4.0; ++count) {
            y = 2.0 * x * y + im;
            x = xx - yy + re;
            xx = x * x;
            yy = y * y;
        }
        counts[p] = count;
    }
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::int64_t width = std::min<std::int64_t>(n, 1024), height = n < 1024 ? std::min<std::int64_t>(n, 1) : n / 1024;
    const gpu::buffer<std::int64_t> counts(width * height);
    const auto by_hand = [&] {
        hand::compute<<<gpu::blocks(width * height), gpu::threads>>>(width, height, 200, counts.get());
        gpu::check(cudaGetLastError());
    };
    by_hand();
    double steps = 0;
    for (std::int64_t count : counts.values(width * height)) steps += static_cast<double>(count);
    // Operations: ten for each step, with the comparison and the counting.
    return gpu::bench(argc, argv, 8.0 * static_cast<double>(width * height), 10.0 * steps,
                      [&] { return fused::compute(width, height, 200); },
                      {{"hand", by_hand, [&] { return harness::flattened(counts.values(width * height)); }}});
}
