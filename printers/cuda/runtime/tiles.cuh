// Helper of emitted CUDA: sums over all pairs of a row and a column, by tiles in shared memory.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= for_each_tile
// store(i, j, sum) for all rows i in [0, n) and columns j in [0, p): step(sum, left(i, k), right(j, k)) has run for all
// k in [0, m), in their order. A block keeps both sides of a tile in shared memory, a thread 4 x 4 sums.
template <class Left, class Right, class Sum, class LeftOf, class RightOf, class Step, class Store>
__global__ void __launch_bounds__(block_size) tile_kernel(std::int64_t n, std::int64_t p, std::int64_t m, Sum start, LeftOf left,
                                                          RightOf right, Step step, Store store) {
    constexpr std::int64_t side = 16, own = 4, tile = side * own;
    constexpr std::int64_t room = 40960 / ((tile + 1) * (sizeof(Left) + sizeof(Right)));
    constexpr std::int64_t depth = room < 1 ? 1 : room > 16 ? 16 : room;
    alignas(Left) __shared__ unsigned char left_memory[depth * (tile + 1) * sizeof(Left)];
    alignas(Right) __shared__ unsigned char right_memory[depth * (tile + 1) * sizeof(Right)];
    Left(*const lefts)[tile + 1] = reinterpret_cast<Left(*)[tile + 1]>(left_memory);
    Right(*const rights)[tile + 1] = reinterpret_cast<Right(*)[tile + 1]>(right_memory);
    const std::int64_t across = (p + tile - 1) / tile, tiles = (n + tile - 1) / tile * across;
    const std::int64_t y = threadIdx.x / side, x = threadIdx.x % side;
    for (std::int64_t at = blockIdx.x; at < tiles; at += gridDim.x) {
        const std::int64_t row = at / across * tile, column = at % across * tile;
        Sum sums[own][own];
        for (std::int64_t a = 0; a < own; ++a)
            for (std::int64_t b = 0; b < own; ++b) sums[a][b] = start;
        for (std::int64_t begin = 0; begin < m; begin += depth) {
            const std::int64_t count = std::min(depth, m - begin);
            for (std::int64_t e = threadIdx.x; e < tile * depth; e += block_size) {
                const std::int64_t i = e / depth, k = e % depth;
                if (row + i < n && k < count) lefts[k][i] = left(row + i, begin + k);
            }
            for (std::int64_t e = threadIdx.x; e < tile * depth; e += block_size) {
                const std::int64_t j = e % tile, k = e / tile;
                if (column + j < p && k < count) rights[k][j] = right(column + j, begin + k);
            }
            __syncthreads();
            for (std::int64_t k = 0; k < count; ++k)
#pragma unroll
                for (std::int64_t a = 0; a < own; ++a)
#pragma unroll
                    for (std::int64_t b = 0; b < own; ++b) step(sums[a][b], lefts[k][y + side * a], rights[k][x + side * b]);
            __syncthreads();
        }
        for (std::int64_t a = 0; a < own; ++a)
            for (std::int64_t b = 0; b < own; ++b)
                if (row + y + side * a < n && column + x + side * b < p)
                    store(row + y + side * a, column + x + side * b, sums[a][b]);
    }
}
template <class Left, class Right, class Sum, class LeftOf, class RightOf, class Step, class Store>
void for_each_tile(std::int64_t n, std::int64_t p, std::int64_t m, Sum start, LeftOf left, RightOf right, Step step, Store store) {
    if (n == 0 || p == 0) return;
    const auto kernel = tile_kernel<Left, Right, Sum, LeftOf, RightOf, Step, Store>;
    static const std::int64_t most = most_blocks(kernel);
    launch(kernel, std::min((n + 63) / 64 * ((p + 63) / 64), most), n, p, m, start, left, right, step, store);
}
