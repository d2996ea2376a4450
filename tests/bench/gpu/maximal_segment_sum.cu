// The largest sum of a contiguous segment: an operator that is not commutative.
#include "fused.cu"
#include "gpu.cuh"

struct Segment {
    std::int64_t best = 0, front = 0, back = 0, sum = 0;
};
struct Join {
    __host__ __device__ Segment operator()(const Segment& a, const Segment& b) const {
        const std::int64_t either = a.best > b.best ? a.best : b.best, across = a.back + b.front;
        const std::int64_t front = a.sum + b.front, back = a.back + b.sum;
        return {either > across ? either : across, a.front > front ? a.front : front, back > b.back ? back : b.back, a.sum + b.sum};
    }
};

namespace hand {
constexpr int each = 8, tile = each * gpu::threads;

// A block takes consecutive tiles; a thread, consecutive elements of each.
__global__ void parts(std::int64_t n, const std::int64_t* x, Segment* found) {
    using Load = cub::BlockLoad<std::int64_t, gpu::threads, each, cub::BLOCK_LOAD_TRANSPOSE>;
    using Reduce = cub::BlockReduce<Segment, gpu::threads, cub::BLOCK_REDUCE_RAKING>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Reduce::TempStorage reduce;
    } storage;
    const std::int64_t tiles = (n + tile - 1) / tile, per_block = (tiles + gridDim.x - 1) / gridDim.x;
    Segment whole;
    for (std::int64_t t = blockIdx.x * per_block; t < tiles && t < (blockIdx.x + 1) * per_block; ++t) {
        std::int64_t values[each];
        const std::int64_t left = n - t * tile;
        __syncthreads();
        Load(storage.load).Load(x + t * tile, values, static_cast<int>(left < tile ? left : tile), std::int64_t{0});
        __syncthreads();
        Segment mine;
        for (std::int64_t value : values) {
            mine.sum += value;
            mine.back = mine.back + value > 0 ? mine.back + value : 0;
            mine.best = mine.best > mine.back ? mine.best : mine.back;
            mine.front = mine.front > mine.sum ? mine.front : mine.sum;
        }
        mine = Reduce(storage.reduce).Reduce(mine, Join{});
        if (threadIdx.x == 0) whole = Join{}(whole, mine);
    }
    if (threadIdx.x == 0) found[blockIdx.x] = whole;
}
double compute(std::int64_t n, const std::int64_t* x) {
    static const gpu::buffer<Segment> found(1 << 16);
    const int blocks = gpu::blocks(n / each);
    parts<<<blocks, gpu::threads>>>(n, x, found.get());
    gpu::check(cudaGetLastError());
    Segment whole;
    for (const Segment& part : found.values(blocks)) whole = Join{}(whole, part);
    return static_cast<double>(whole.best);
}
} // namespace hand

int main(int argc, char** argv) {
    const std::int64_t n = gpu::size_of(argc, argv);
    const std::vector<std::int64_t> values = harness::integers(n, 1, -1000, 1000);
    const fused::array<std::int64_t> xs{std::span<const std::int64_t>(values)};
    const std::int64_t* const x = xs.device().data();
    double by_hand = 0;
    return gpu::bench(argc, argv, 8.0 * static_cast<double>(n), 7.0 * static_cast<double>(n), [&] { return fused::compute(xs); },
                      {{"hand", [&] { by_hand = hand::compute(n, x); }, [&] { return std::vector<double>{by_hand}; }}});
}
