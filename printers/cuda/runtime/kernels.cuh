// Helpers of emitted CUDA: the kernels that run a loop's step for all its indices.
//
// `part` is the state that a thread carries from index to index: accumulators, running values, the number of collected
// values. combine(part, next) appends the part of the indices after it. If the order matters, a block takes tiles of
// consecutive indices and each thread a strip of a tile. (Merrill and Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back".)
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= most_blocks
// As many blocks as the device runs at a time.
template <class Kernel> std::int64_t most_blocks(Kernel* kernel) {
    int device = 0, processors = 0, each = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, block_size, 0));
    return std::max<std::int64_t>(1, std::int64_t{processors} * each);
}
//= launch
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), std::int64_t blocks, Arguments... arguments) {
    static_assert((std::is_trivially_copy_constructible_v<Arguments> && ...) && (std::is_trivially_destructible_v<Arguments> && ...),
                  "what has memory on the host does not go to the device by value");
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(block_size);
    cuda_check(cudaLaunchKernelEx(&config, kernel, arguments...));
}
//= blocks_of
// Blocks whose threads take so many indices each.
inline std::int64_t blocks_of(std::int64_t n, std::int64_t each) { return (n + each * block_size - 1) / (each * block_size); }
//= for_each_index
// step(i) for all i in [0, n), in any order; step(i, elements...) where columns(n, arrays...) stands for n.
template <class Columns, class Step> __global__ void __launch_bounds__(block_size) for_each_kernel(Columns over, Step step) {
    run_grid(over, step);
}
template <class Indices, class Step> void for_each_index(Indices indices, Step step) {
    const auto over = as_columns(indices);
    if (over.n == 0) return;
    const auto kernel = for_each_kernel<decltype(as_columns(indices)), Step>;
    static const std::int64_t most = most_blocks(kernel);
    launch(kernel, std::min({blocks_of(over.n, over.wide), most, over.blocks}), over, step);
}
//= shuffle
// The value of the lane so many lanes above (or, negative, below), word by word.
template <class Part> __device__ Part shuffle(const Part& part, int lanes) {
    constexpr std::size_t words = (sizeof(Part) + 3) / 4;
    unsigned buffer[words] = {};
    const unsigned char* const from = reinterpret_cast<const unsigned char*>(&part);
    for (std::size_t k = 0; k < sizeof(Part); ++k) reinterpret_cast<unsigned char*>(buffer)[k] = from[k];
    for (std::size_t k = 0; k < words; ++k)
        buffer[k] = lanes < 0 ? __shfl_up_sync(~0u, buffer[k], static_cast<unsigned>(-lanes))
                              : __shfl_down_sync(~0u, buffer[k], static_cast<unsigned>(lanes));
    Part result = part;
    unsigned char* const to = reinterpret_cast<unsigned char*>(&result);
    for (std::size_t k = 0; k < sizeof(Part); ++k) to[k] = reinterpret_cast<unsigned char*>(buffer)[k];
    return result;
}
//= shuffle_across
// The value of the lane whose number differs in this bit.
template <class T> __device__ T shuffle_across(const T& value, unsigned bit) {
    const unsigned lane = threadIdx.x % warp_size;
    const T above = shuffle(value, static_cast<int>(bit)), below = shuffle(value, -static_cast<int>(bit));
    return (lane & bit) == 0 ? above : below;
}
//= reduce_block
// The parts of a block's threads, in order; the first thread gets all of them.
template <class Part, class Combine> __device__ void reduce_warp(Part& part, unsigned count, Combine combine) {
    const unsigned lane = threadIdx.x % warp_size;
    for (unsigned distance = 1; distance < count; distance *= 2) {
        const Part next = shuffle(part, static_cast<int>(distance));
        if (lane % (2 * distance) == 0 && lane + distance < count) combine(part, next);
    }
}
template <class Part, class Combine> __device__ void reduce_block(Part& part, Combine combine) {
    alignas(Part) __shared__ unsigned char memory[block_warps * sizeof(Part)];
    Part* const of_warps = reinterpret_cast<Part*>(memory);
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    reduce_warp(part, warp_size, combine);
    if (lane == 0) of_warps[warp] = part;
    __syncthreads();
    if (warp == 0) {
        if (lane < block_warps) part = of_warps[lane];
        reduce_warp(part, block_warps, combine);
    }
    __syncthreads();
}
//= any_order
// The orders in which a reduction goes through its indices.
struct any_order {
    template <class Columns, class Part, class Step, class Combine>
    static __device__ void run(const Columns& over, const Part&, Part& part, Step step, Combine) {
        run_grid(over, [&](std::int64_t i, auto&... elements) { step(i, part, elements...); });
    }
};
//= ordered
// Each thread takes stretches of consecutive ones.
struct ordered {
    template <class Columns, class Part, class Step, class Combine>
    static __device__ void run(const Columns& over, const Part& start, Part& whole, Step step, Combine combine) {
        constexpr std::int64_t tile = stretch * block_size;
        const std::int64_t tiles = (over.n + tile - 1) / tile, each = tiles / gridDim.x, rest = tiles % gridDim.x;
        const std::int64_t first = blockIdx.x * each + std::min<std::int64_t>(blockIdx.x, rest);
        const std::int64_t last = first + each + (blockIdx.x < rest ? 1 : 0);
        for (std::int64_t at = first; at < last; ++at) {
            Part part = start;
            const std::int64_t begin = at * tile + threadIdx.x * stretch;
            auto elements = load_stretch<stretch>(over, begin);
            run_stretch<stretch>(over, begin, elements, [&](std::int64_t i, auto&... own) { step(i, part, own...); });
            reduce_block(part, combine);
            if (threadIdx.x == 0) combine(whole, part);
        }
    }
};
//= reduce_in_grid
// The parts of all indices combined, each beginning with `start`, which is neutral: the last block to end
// combines what the blocks found.
template <class Order, class Columns, class Part, class Step, class Combine>
__device__ void reduce_in_grid(const Columns& over, const Part& start, Step step, Combine combine, Part* found, unsigned* ended) {
    __shared__ bool is_last;
    Part part = start;
    Order::run(over, start, part, step, combine);
    reduce_block(part, combine);
    if (threadIdx.x == 0) {
        found[blockIdx.x] = part;
        __threadfence();
        is_last = atomicAdd(ended, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    const unsigned each = (gridDim.x + block_size - 1) / block_size;
    part = start;
    for (unsigned k = threadIdx.x * each; k < (threadIdx.x + 1) * each && k < gridDim.x; ++k) combine(part, found[k]);
    reduce_block(part, combine);
    if (threadIdx.x == 0) found[0] = part;
}
template <class Part, class Start> Part reduce_on(std::int64_t blocks, const Part& start, Start start_kernel) {
    const device_memory<Part> found(blocks);
    const device_memory<unsigned> ended(1);
    cuda_check(cudaMemsetAsync(ended.data(), 0, sizeof(unsigned)));
    start_kernel(found.data(), ended.data());
    Part whole = start;
    cuda_check(cudaMemcpy(reinterpret_cast<void*>(&whole), found.data(), sizeof(Part), cudaMemcpyDeviceToHost));
    return whole;
}
//= reduce_indices
// One kernel.
template <class Order, class Columns, class Part, class Step, class Combine>
__global__ void __launch_bounds__(block_size) reduce_kernel(Columns over, Part start, Step step, Combine combine, Part* found,
                                                            unsigned* ended) {
    reduce_in_grid<Order>(over, start, step, combine, found, ended);
}
template <class Order, class Indices, class Part, class Step, class Combine>
Part reduce_indices(Indices indices, const Part& start, Step step, Combine combine) {
    const auto over = as_columns(indices);
    if (over.n == 0) return start;
    const auto kernel = reduce_kernel<Order, decltype(as_columns(indices)), Part, Step, Combine>;
    static const std::int64_t most = most_blocks(kernel);
    const std::int64_t blocks = std::min({blocks_of(over.n, over.wide), most, over.blocks});
    return reduce_on(blocks, start, [&](Part* found, unsigned* ended) {
        launch(kernel, blocks, over, start, step, combine, found, ended);
    });
}
//= scan_indices
// step(i, part, writing) in order: `part` holds what came before i. A tile runs twice, first to learn what
// it adds, then to write; what the tiles before it came to is looked up in the states they publish.
template <class Part> struct tile_state {
    unsigned known; // 0: nothing, 1: `own`, 2: `all` too
    alignas(Part) unsigned char own[sizeof(Part)], all[sizeof(Part)]; // this tile; all up to and with it
};
template <class Part> __device__ void publish(tile_state<Part>& state, const Part& part, unsigned known) {
    *reinterpret_cast<Part*>(known == 1 ? state.own : state.all) = part;
    __threadfence();
    atomicExch(&state.known, known);
}
// The tiles before this one combined, in the first lane of the warp that asks.
template <class Part, class Combine>
__device__ Part look_back(tile_state<Part>* states, std::int64_t tile, const Part& start, Combine combine) {
    const unsigned lane = threadIdx.x % warp_size;
    Part before = start;
    for (std::int64_t end = tile; end > 0; end -= warp_size) {
        const std::int64_t mine = end - 1 - lane; // the first lane looks at the last tile
        unsigned known = 2;
        Part part = start;
        if (mine >= 0) {
            do known = atomicAdd(&states[mine].known, 0u);
            while (known == 0);
            __threadfence();
        }
        const unsigned whole = __ballot_sync(~0u, known == 2);
        const unsigned nearest = whole == 0 ? warp_size : static_cast<unsigned>(__ffs(static_cast<int>(whole))) - 1;
        if (mine >= 0 && lane <= nearest)
            part = *reinterpret_cast<const Part*>(known == 2 ? states[mine].all : states[mine].own);
        for (unsigned distance = 1; distance < warp_size; distance *= 2) { // earlier tiles are in later lanes
            Part earlier = shuffle(part, static_cast<int>(distance));
            if (lane % (2 * distance) == 0) {
                combine(earlier, part);
                part = earlier;
            }
        }
        if (lane == 0) {
            combine(part, before);
            before = part;
        }
        if (whole != 0) break;
    }
    return before;
}
template <class Columns, class Part, class Step, class Combine>
__global__ void __launch_bounds__(block_size) scan_kernel(Columns over, Part start, Step step, Combine combine,
                                                          tile_state<Part>* states, unsigned long long* taken, Part* found) {
    constexpr std::int64_t tile = stretch * block_size;
    __shared__ std::int64_t number;
    alignas(Part) __shared__ unsigned char memory[(block_warps + 1) * sizeof(Part)];
    Part* const of_warps = reinterpret_cast<Part*>(memory);
    const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
    for (;;) {
        if (threadIdx.x == 0) number = static_cast<std::int64_t>(atomicAdd(taken, 1ull));
        __syncthreads();
        const std::int64_t at = number, begin = at * tile + threadIdx.x * stretch;
        if (at * tile >= over.n) return;
        Part part = start;
        auto elements = load_stretch<stretch>(over, begin);
        run_stretch<stretch>(over, begin, elements, [&](std::int64_t i, auto&... own) { step(i, part, false, own...); });
        for (unsigned distance = 1; distance < warp_size; distance *= 2) {
            Part before = shuffle(part, -static_cast<int>(distance));
            if (lane >= distance) {
                combine(before, part);
                part = before;
            }
        }
        if (lane == warp_size - 1) of_warps[warp] = part;
        Part before = shuffle(part, -1); // of the lanes before this one
        if (lane == 0) before = start;
        __syncthreads();
        if (warp == 0) {
            Part all = start;
            for (unsigned w = 0; w < block_warps; ++w) combine(all, of_warps[w]);
            if (lane == 0 && at > 0) publish(states[at], all, 1);
            __syncwarp();
            Part prefix = look_back(states, at, start, combine);
            if (lane == 0) {
                of_warps[block_warps] = prefix;
                combine(prefix, all);
                publish(states[at], prefix, 2);
                if ((at + 1) * tile >= over.n) *found = prefix;
            }
        }
        __syncthreads();
        part = of_warps[block_warps];
        for (unsigned w = 0; w < warp; ++w) combine(part, of_warps[w]);
        combine(part, before);
        run_stretch<stretch>(over, begin, elements, [&](std::int64_t i, auto&... own) { step(i, part, true, own...); });
        __syncthreads();
    }
}
template <class Indices, class Part, class Step, class Combine>
Part scan_indices(Indices indices, const Part& start, Step step, Combine combine) {
    const auto over = as_columns(indices);
    if (over.n == 0) return start;
    const auto kernel = scan_kernel<decltype(as_columns(indices)), Part, Step, Combine>;
    static const std::int64_t most = most_blocks(kernel);
    const std::int64_t tiles = blocks_of(over.n, stretch);
    const device_memory<tile_state<Part>> states(tiles);
    const device_memory<unsigned long long> taken(1);
    const device_memory<Part> found(1);
    cuda_check(cudaMemsetAsync(states.data(), 0, sizeof(tile_state<Part>) * static_cast<std::size_t>(tiles)));
    cuda_check(cudaMemsetAsync(taken.data(), 0, sizeof(unsigned long long)));
    launch(kernel, std::min({tiles, most, over.blocks}), over, start, step, combine, states.data(), taken.data(), found.data());
    Part whole = start;
    cuda_check(cudaMemcpy(reinterpret_cast<void*>(&whole), found.data(), sizeof(Part), cudaMemcpyDeviceToHost));
    return whole;
}
//= count_indices
// The parts of all indices combined when nothing is written: how much will be collected.
template <class Indices, class Part, class Step, class Combine>
Part count_indices(Indices indices, const Part& start, Step step, Combine combine) {
    const auto only_count = [=] __device__(std::int64_t i, Part& part) { step(i, part, false); };
    return reduce_indices<any_order>(indices, start, only_count, combine);
}
//= atomic_update
// One element changed by many threads: `value` is what it was, stored() whether nobody came in between.
template <class T> class atomic_update {
  public:
    using bits = std::conditional_t<sizeof(T) == 8, unsigned long long, std::conditional_t<sizeof(T) == 2, unsigned short, unsigned>>;
    static_assert(sizeof(T) == 8 || sizeof(T) == 4 || sizeof(T) == 2);
    __device__ explicit atomic_update(T* place)
        : place_(reinterpret_cast<bits*>(place)), seen_(*const_cast<volatile bits*>(place_)), value(std::bit_cast<T>(seen_)) {}
    __device__ bool stored() {
        const bits found = atomicCAS(place_, seen_, std::bit_cast<bits>(value));
        if (found == seen_) return true;
        seen_ = found;
        value = std::bit_cast<T>(found);
        return false;
    }

  private:
    bits* place_;
    bits seen_;

  public:
    T value;
};
//= add_halves
// A sum of 64 bits in shared memory, whose atomic additions are of 32 bits: the lower half, then what it carries.
__device__ inline void add_halves(void* place, std::uint64_t more) {
    unsigned* const halves = static_cast<unsigned*>(place);
    const unsigned low = static_cast<unsigned>(more);
    const unsigned carry = atomicAdd(halves, low) + low < low ? 1 : 0;
    const unsigned high = static_cast<unsigned>(more >> 32) + carry;
    if (high != 0) atomicAdd(halves + 1, high);
}
//= atomic_sum
// Adds to one element; integers wrap.
template <class T> __device__ void atomic_sum(T* place, std::type_identity_t<T> more) {
    if constexpr (std::is_same_v<T, float>) { // of which atomicAdd flushes subnormal numbers to zero, but in shared memory
        if (__isShared(place)) return static_cast<void>(atomicAdd(place, more));
        atomic_update<float> element(place);
        do element.value += more;
        while (!element.stored());
    } else if constexpr (std::is_floating_point_v<T>) atomicAdd(place, more);
    else if constexpr (sizeof(T) == 8) {
        if (__isShared(place)) return add_halves(place, static_cast<std::uint64_t>(more));
        atomicAdd(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(more));
    }
    else atomicAdd(reinterpret_cast<unsigned*>(place), static_cast<unsigned>(more));
}
//= atomic_latest
// The greatest of what it was and this.
__device__ inline void atomic_latest(std::int64_t* place, std::int64_t i) {
    atomicMax(reinterpret_cast<long long*>(place), static_cast<long long>(i));
}
