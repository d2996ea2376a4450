// Helpers of emitted CUDA: folds, whose values one thread takes in, in order.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= run_fold
// The result of a kernel of one block.
template <class Part, class Start> Part run_fold(const Part& start, Start start_kernel) {
    const device_memory<Part> found(1);
    start_kernel(found.data());
    Part whole = start;
    cuda_check(cudaMemcpy(reinterpret_cast<void*>(&whole), found.data(), sizeof(Part), cudaMemcpyDeviceToHost));
    return whole;
}
//= fold_indices
// take(part, value) for the value that step(i, value) may give, for all i in order. A block computes values a tile
// at a time, the next tile's while its first thread takes those of the last one in.
template <class Value, class Part, class Step, class Take>
__global__ void __launch_bounds__(block_size) fold_kernel(std::int64_t n, Part part, Step step, Take take, Part* found) {
    constexpr std::int64_t room = 32 << 10, tile = std::clamp<std::int64_t>(room / sizeof(maybe<Value>), 1, block_size);
    alignas(maybe<Value>) __shared__ unsigned char memory[tile * sizeof(maybe<Value>)];
    maybe<Value>* const values = reinterpret_cast<maybe<Value>*>(memory);
    const auto value_of = [&](std::int64_t i) {
        maybe<Value> value;
        if (threadIdx.x < tile && i < n) step(i, value);
        return value;
    };
    maybe<Value> next = value_of(threadIdx.x);
    for (std::int64_t begin = 0; begin < n; begin += tile) {
        if (threadIdx.x < tile) values[threadIdx.x] = next;
        __syncthreads();
        next = value_of(begin + tile + threadIdx.x);
        if (threadIdx.x == 0)
            for (std::int64_t k = 0; k < tile && begin + k < n; ++k)
                if (values[k].any) take(part, values[k].value);
        __syncthreads();
    }
    if (threadIdx.x == 0) *found = part;
}
template <class Value, class Part, class Step, class Take> Part fold_indices(std::int64_t n, const Part& start, Step step, Take take) {
    if (n == 0) return start;
    return run_fold(start, [&](Part* found) { launch(fold_kernel<Value, Part, Step, Take>, 1, n, start, step, take, found); });
}
//= fold_in_turn
// step(i, part) for all i in order, by one thread.
template <class Part, class Step>
__global__ void __launch_bounds__(block_size) turns_kernel(std::int64_t n, Part part, Step step, Part* found) {
    if (threadIdx.x != 0) return;
    for (std::int64_t i = 0; i < n; ++i) step(i, part);
    *found = part;
}
template <class Part, class Step> Part fold_in_turn(std::int64_t n, const Part& start, Step step) {
    if (n == 0) return start;
    return run_fold(start, [&](Part* found) { launch(turns_kernel<Part, Step>, 1, n, start, step, found); });
}
