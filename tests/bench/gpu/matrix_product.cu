// The product of two matrices of n x n, without tensor cores: tiles of 64 x 64 in shared memory, 4 x 4 sums a thread.
#include "fused.cu"
#include "gpu.cuh"

namespace hand {
constexpr int tile = 64, depth = 16, own = 4;

__global__ void compute(int n, const double* x, const double* y, double* z) {
    __shared__ double a[depth][tile + 1], b[depth][tile];
    const int row = blockIdx.y * tile, column = blockIdx.x * tile, ty = threadIdx.x / 16, tx = threadIdx.x % 16;
    double sums[own][own] = {};
    for (int k = 0; k < n; k += depth) {
        for (int at = threadIdx.x; at < tile * depth; at += 256) {
            const int i = at / depth, l = at % depth, j = at % tile, m = at / tile;
            a[l][i] = row + i < n && k + l < n ? x[static_cast<std::int64_t>(row + i) * n + k + l] : 0.0;
            b[m][j] = column + j < n && k + m < n ? y[static_cast<std::int64_t>(k + m) * n + column + j] : 0.0;
        }
        __syncthreads();
        for (int l = 0; l < depth; ++l)
#pragma unroll
            for (int i = 0; i < own; ++i)
#pragma unroll
                for (int j = 0; j < own; ++j) sums[i][j] += a[l][ty * own + i] * b[l][tx + 16 * j];
        __syncthreads();
    }
    for (int i = 0; i < own; ++i)
        for (int j = 0; j < own; ++j)
            if (row + ty * own + i < n && column + tx + 16 * j < n)
                z[static_cast<std::int64_t>(row + ty * own + i) * n + column + tx + 16 * j] = sums[i][j];
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<double> a = harness::numbers(n * n, 1), b = harness::numbers(n * n, 2);
    const fused::array<double, 2> x{fused::view<const double, 2>(a.data(), n, n)}, y{fused::view<const double, 2>(b.data(), n, n)};
    const gpu::buffer<double> z(n * n);
    const double *const xs = x.device().data(), *const ys = y.device().data();
    const double cells = static_cast<double>(n) * static_cast<double>(n);
    const unsigned tiles = static_cast<unsigned>((n + hand::tile - 1) / hand::tile);
    return gpu::bench(argc, argv, 24.0 * cells, 2.0 * cells * static_cast<double>(n), [&] { return fused::compute(x, y); },
                      {{"hand", [&] {
                            if (n == 0) return;
                            hand::compute<<<dim3(tiles, tiles), 256>>>(static_cast<int>(n), xs, ys, z.get());
                            gpu::check(cudaGetLastError());
                        }, [&] { return z.values(n * n); }}});
}
