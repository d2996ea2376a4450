// Helpers of emitted CUDA: histogram bins in a block's shared memory, rows that several threads share.
//
// A block has bins of its own if they fit and are few compared with the values; they join the others after its last
// index, so that global memory sees one change of a bin from each block. If there is room, the block has copies of
// them, up to one for each lane of a warp: threads that change one bin at the same time would wait for one another.
// (Podlozhnyuk, "Histogram calculation in CUDA"; Gómez-Luna, González-Linares, Benavides and Guil, "An optimized
// approach to histogram computation on GPU".)
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= all_of
// Elements of a vector, or of all rows.
template <class T> std::span<T> all_of(std::span<T> elements) { return elements; }
template <class T, std::size_t Rank> std::span<T> all_of(const view<T, Rank>& rows) {
    return {rows.data(), static_cast<std::size_t>(rows.size() * rows.width())};
}
//= each_starts
// The start of bins: one value; a row for each.
template <class T> struct each_starts {
    T value;
    __device__ T operator()(std::int64_t) const { return value; }
};
//= rows_start
template <class T> struct rows_start {
    std::span<const T> row;
    __device__ T operator()(std::int64_t k) const { return row[static_cast<std::size_t>(k) % row.size()]; }
};
//= fill_rows
// Gives all bins their start where each is a row.
template <class T> void fill_rows(const view<T, 2>& bins, rows_start<T> start) {
    const std::span<T> all = all_of(bins);
    for_each_index(columns(std::ssize(all), all), [=] __device__(std::int64_t k, T& element) { element = start(k); });
}
//= block_bins
// Bins of a histogram: a block's own, copies of which join the others at the end, or all of them.
template <class T, class Start, class Join> struct block_bins {
    std::span<T> all;
    Start start;
    Join join;

    block_bins(std::span<T> all, Start start, Join join) : all(all), start(start), join(join) {}
    __host__ __device__ std::int64_t bytes() const {
        return (static_cast<std::int64_t>(all.size() * sizeof(T)) + 7) / 8 * 8;
    }
    // Those of this thread; `memory` holds the first copy, the others follow at this distance.
    __device__ T* open(unsigned char* memory, std::int64_t copies, std::int64_t distance) const {
        if (copies == 0) return all.data();
        for (std::int64_t copy = 0; copy < copies; ++copy)
            for (std::int64_t k = threadIdx.x; k < std::ssize(all); k += block_size) bins(memory + copy * distance)[k] = start(k);
        return bins(memory + threadIdx.x % copies * distance);
    }
    __device__ void close(unsigned char* memory, std::int64_t copies, std::int64_t distance) const {
        if (copies == 0) return;
        for (std::int64_t k = threadIdx.x; k < std::ssize(all); k += block_size) {
            T* const first = bins(memory) + k;
            for (std::int64_t copy = 1; copy < copies; ++copy) join(first, bins(memory + copy * distance)[k]);
            join(&all[k], *first);
        }
    }

  private:
    static __device__ T* bins(unsigned char* memory) { return reinterpret_cast<T*>(memory); }
};
inline constexpr std::int64_t bins_memory = 32768; // bytes
// From one copy to the next, an odd number of words: what lanes have of one bin lies in different banks.
template <class... Bins> __host__ __device__ std::int64_t copy_distance(const Bins&... bins) { return (bins.bytes() + ...) | 8; }
template <class Body, class... Bins> __device__ void with_bins(std::int64_t copies, Body body, const Bins&... bins) {
    alignas(16) __shared__ unsigned char memory[bins_memory];
    const std::int64_t distance = copy_distance(bins...);
    std::int64_t used = 0;
    const auto place = [&](const auto& some) { return memory + std::exchange(used, used + some.bytes()); };
    const auto open = [&](const auto& some) { return some.open(place(some), copies, distance); };
    const std::tuple<decltype(bins.all.data())...> own{open(bins)...};
    __syncthreads();
    std::apply(body, own);
    __syncthreads();
    used = 0;
    (bins.close(place(bins), copies, distance), ...);
}
// The number of blocks, and of copies of the bins that each has; 0: none.
struct bins_plan {
    std::int64_t blocks, copies;
};
template <class... Bins> bins_plan plan_bins(std::int64_t n, std::int64_t most, const Bins&... bins) {
    const std::int64_t distance = copy_distance(bins...), values = std::max<std::int64_t>((std::ssize(bins.all) + ...), 1);
    const std::int64_t blocks = std::min(blocks_of(n, 1), most), worth = n / (16 * values);
    if ((bins.bytes() + ...) > bins_memory || worth == 0) return {blocks, 0};
    const std::int64_t copies = std::min({std::int64_t{warp_size}, std::max<std::int64_t>(bins_memory / distance, 1), worth});
    return {std::min(blocks, std::max(worth, most / 8 + 1)), static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(copies)))};
}
//= bin_indices
// step(i, bins..., elements...) for all i, in any order.
template <class Columns, class Step, class... Bins>
__global__ void __launch_bounds__(block_size) bin_kernel(Columns over, std::int64_t copies, Step step, Bins... bins) {
    with_bins(copies, [&](auto*... own) {
        run_grid(over, [&](std::int64_t i, auto&... elements) { step(i, own..., elements...); });
    }, bins...);
}
template <class Indices, class Step, class... Bins> void bin_indices(Indices indices, Step step, Bins... bins) {
    const auto over = as_columns(indices);
    if (over.n == 0) return;
    const auto kernel = bin_kernel<decltype(as_columns(indices)), Step, Bins...>;
    static const std::int64_t most = most_blocks(kernel);
    const bins_plan plan = plan_bins(over.n, std::min(most, over.blocks), bins...);
    launch(kernel, plan.blocks, over, plan.copies, step, bins...);
}
//= reduce_and_bin
// The same with what all indices' parts come to: step(i, part, bins..., elements...).
template <class Order, class Columns, class Part, class Step, class Combine, class... Bins>
__global__ void __launch_bounds__(block_size) reduce_and_bin_kernel(Columns over, std::int64_t copies, Part start, Step step, Combine combine,
                                                                    Part* found, unsigned* ended, Bins... bins) {
    with_bins(copies, [&](auto*... own) {
        const auto with_own = [&](std::int64_t i, Part& part, auto&... elements) { step(i, part, own..., elements...); };
        reduce_in_grid<Order>(over, start, with_own, combine, found, ended);
    }, bins...);
}
template <class Order, class Indices, class Part, class Step, class Combine, class... Bins>
Part reduce_and_bin(Indices indices, const Part& start, Step step, Combine combine, Bins... bins) {
    const auto over = as_columns(indices);
    if (over.n == 0) return start;
    const auto kernel = reduce_and_bin_kernel<Order, decltype(as_columns(indices)), Part, Step, Combine, Bins...>;
    static const std::int64_t most = most_blocks(kernel);
    const bins_plan plan = plan_bins(over.n, std::min(most, over.blocks), bins...);
    return reduce_on(plan.blocks, start, [&](Part* found, unsigned* ended) {
        launch(kernel, plan.blocks, over, plan.copies, start, step, combine, found, ended, bins...);
    });
}
//= team
// Threads that share what is made for one index: one thread, a warp or a block.
struct team {
    unsigned lane, lanes;

    // The parts of all of them, for each of them: append(next) puts another one's part to this one's, in any order.
    template <class T, class Append> __device__ void join(T& mine, Append append) const {
        if (lanes == 1) return;
        for (unsigned distance = 1; distance < warp_size; distance *= 2) {
            const T other = shuffle_across(mine, distance);
            append(other);
        }
        if (lanes == warp_size) return;
        alignas(T) __shared__ unsigned char memory[block_warps * sizeof(T)];
        T* const of_warps = reinterpret_cast<T*>(memory);
        const unsigned warp = threadIdx.x / warp_size;
        if (threadIdx.x % warp_size == 0) of_warps[warp] = mine;
        __syncthreads();
        mine = of_warps[0];
        for (unsigned w = 1; w < block_warps; ++w) append(of_warps[w]);
        __syncthreads();
    }
    // Behind it each of them sees what any of them wrote before.
    __device__ void wait() const {
        if (lanes == warp_size) __syncwarp();
        else if (lanes > 1) __syncthreads();
    }
    // Of the team, within the grid.
    __device__ std::int64_t number() const { return (std::int64_t{blockIdx.x} * block_size + threadIdx.x) / lanes; }
};
//= team_lanes
// So many threads, for about so much to share.
inline unsigned team_lanes(std::int64_t shared) { return shared < 8 ? 1 : shared < 2 * block_size ? warp_size : block_size; }
//= for_each_team
// step(i, team) for all i in [0, n), each with at most about so much to share.
template <class Step> __global__ void __launch_bounds__(block_size) for_each_team_kernel(std::int64_t n, unsigned lanes, Step step) {
    const std::int64_t teams = std::int64_t{gridDim.x} * (block_size / lanes);
    const team mine{threadIdx.x % lanes, lanes};
    for (std::int64_t i = mine.number(); i < n; i += teams) step(i, mine);
}
template <class Indices, class Step> void for_each_team(Indices indices, std::int64_t shared, Step step) {
    const auto over = as_columns(indices);
    if (over.n == 0) return;
    const auto kernel = for_each_team_kernel<Step>;
    static const std::int64_t most = most_blocks(kernel);
    const unsigned lanes = team_lanes(shared);
    const std::int64_t teams = block_size / lanes;
    launch(kernel, std::min({(over.n + teams - 1) / teams, most, over.blocks}), over.n, lanes, step);
}
//= most_threads
// As many threads as the device runs at a time.
inline std::int64_t most_threads() {
    int device = 0, processors = 0, each = 0;
    cuda_check(cudaGetDevice(&device));
    cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    cuda_check(cudaDeviceGetAttribute(&each, cudaDevAttrMaxThreadsPerMultiProcessor, device));
    return std::int64_t{processors} * each;
}
//= most_teams
// No more than so many run at a time: each may keep something.
inline std::int64_t most_teams(std::int64_t n, std::int64_t shared) { return std::min(n, most_threads() / team_lanes(shared)); }
//= thread_number
// Of the thread, within the grid.
__device__ inline std::int64_t thread_number() { return std::int64_t{blockIdx.x} * block_size + threadIdx.x; }
//= bytes_of
// Of an array that nobody has made yet, however large.
template <class T, class... Extents> double bytes_of(Extents... extents) {
    return (static_cast<double>(sizeof(T)) * ... * static_cast<double>(extents));
}
//= kept_rows
// So many rows, or arrays of rows, of these extents.
template <class T, class... Extents> array<T, 1 + sizeof...(Extents)> kept_rows(std::int64_t rows, Extents... extents) {
    if (bytes_of<T>(rows, extents...) > 0x1p60) throw std::bad_alloc();
    return array<T, 1 + sizeof...(Extents)>(rows, extents...);
}
//= few_threads
// Indices for so few threads that each may keep so many bytes: 1 GiB all together, or what a block needs.
struct few_threads {
    std::int64_t n, blocks;

    few_threads(std::int64_t n, double bytes) : n(n), blocks(std::min(blocks_of(n, 1), most_threads() / block_size)) {
        const double room = 0x1p30 / (block_size * bytes);
        if (room < static_cast<double>(blocks)) blocks = std::max<std::int64_t>(static_cast<std::int64_t>(room), 1);
    }
    std::int64_t threads() const { return blocks * block_size; }
};
inline columns<> as_columns(const few_threads& over) { return columns<>(over.n, over.blocks); }
