// What the workloads on a device share: reductions written by hand and CUB's, comparing results, timing.
//
// A workload includes what `irrewrite -emit cuda` made of ../workloads/NAME.ir (namespace fused) and calls bench().
//   check N        prints a line for each peer that disagrees; exit code 1
//   time N RUNS    "bytes operations milliseconds" of the emitted program, then "name milliseconds" for each peer
//   copy BYTES     bytes a second that a copy on the device moves, reads and writes counted
#pragma once

#include "harness.hpp"

#include <chrono>
#include <cub/cub.cuh>
#include <functional>
#include <thrust/iterator/counting_iterator.h>

namespace gpu {

inline void check(cudaError_t status) {
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
    std::exit(1);
}

// Memory that is there from one run to the next.
template <class T> class buffer {
  public:
    explicit buffer(std::int64_t n) { check(cudaMalloc(&data_, sizeof(T) * static_cast<std::size_t>(std::max<std::int64_t>(n, 1)))); }
    explicit buffer(std::span<const T> values) : buffer(std::ssize(values)) { fill(values); }
    buffer(const buffer&) = delete;
    ~buffer() { cudaFree(data_); }
    T* get() const { return data_; }
    void fill(std::span<const T> values) const {
        if (!values.empty()) check(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice));
    }
    std::vector<T> values(std::int64_t n) const {
        std::vector<T> result(static_cast<std::size_t>(n));
        if (n > 0) check(cudaMemcpy(result.data(), data_, sizeof(T) * result.size(), cudaMemcpyDeviceToHost));
        return result;
    }

  private:
    T* data_ = nullptr;
};

constexpr int threads = 256;
inline int blocks(std::int64_t n) {
    static const int most = [] {
        int processors = 0;
        check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
        return 8 * processors;
    }();
    return static_cast<int>(std::clamp<std::int64_t>((n + threads - 1) / threads, 1, most));
}

// By hand: each thread strides, a block reduces, one more block puts the parts together.
template <class T, class Term, class Op> __global__ void reduce_kernel(std::int64_t n, T zero, Term term, Op op, T* parts) {
    using Reduce = cub::BlockReduce<T, threads>;
    __shared__ typename Reduce::TempStorage storage;
    T mine = zero;
    const std::int64_t stride = std::int64_t{gridDim.x} * threads;
#pragma unroll 4
    for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < n; i += stride) mine = op(mine, term(i));
    mine = Reduce(storage).Reduce(mine, op);
    if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}
template <class T, class Term, class Op> T reduce_by_hand(std::int64_t n, T zero, Term term, Op op) {
    static buffer<T> parts(1 << 16), whole(1);
    const int count = blocks(n);
    T* const found = parts.get();
    reduce_kernel<<<count, threads>>>(n, zero, term, op, found);
    reduce_kernel<<<1, threads>>>(count, zero, [=] __device__(std::int64_t i) { return found[i]; }, op, whole.get());
    check(cudaGetLastError());
    return whole.values(1)[0];
}
template <class T, class Term, class Op> T reduce_by_cub(std::int64_t n, T zero, Term term, Op op) {
    static buffer<T> whole(1);
    static buffer<unsigned char> memory(1 << 24);
    std::size_t bytes = 1 << 24;
    check(cub::DeviceReduce::TransformReduce(memory.get(), bytes, thrust::make_counting_iterator<std::int64_t>(0), whole.get(), n, op,
                                             term, zero));
    return whole.values(1)[0];
}
struct plus {
    template <class T> __host__ __device__ T operator()(const T& a, const T& b) const { return a + b; }
};

template <class F> double milliseconds(F&& f, int runs) {
    std::vector<double> times;
    for (int run = -2; run < runs; ++run) { // two to warm up
        check(cudaDeviceSynchronize());
        const auto start = std::chrono::steady_clock::now();
        {
            [[maybe_unused]] const auto result = f();
            check(cudaDeviceSynchronize());
        }
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        if (run >= 0) times.push_back(time.count());
    }
    return harness::median(times);
}

inline int copy(std::int64_t bytes) {
    const buffer<unsigned char> from(bytes), to(bytes);
    const double time = milliseconds([&] {
        check(cudaMemcpyAsync(to.get(), from.get(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice));
        return 0;
    }, 20);
    std::printf("%.6g\n", 2e3 * static_cast<double>(bytes) / time);
    return 0;
}

// How a peer computes the same, results on the device or the host; what it gives, to compare.
struct peer {
    const char* name;
    std::function<void()> run;
    std::function<std::vector<double>()> result;
};

// `emitted()` gives results whose arrays stay on the device until they are read.
template <class Emitted>
int bench(int argc, char** argv, double bytes, double operations, Emitted emitted, std::initializer_list<peer> peers) {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "check") {
        bool same = true;
        const std::vector<double> found = harness::flattened(emitted());
        for (const peer& other : peers) {
            other.run();
            if (harness::agree(found, other.result())) continue;
            same = false;
            std::printf("%s differs at %s\n", other.name, argv[2]);
        }
        return same ? 0 : 1;
    }
    const int runs = argc > 3 ? std::atoi(argv[3]) : 20;
    std::printf("%.6g %.6g %.6g\n", bytes, operations, milliseconds(emitted, runs));
    for (const peer& other : peers)
        std::printf("%s %.6g\n", other.name, milliseconds([&] { return other.run(), 0; }, runs));
    return 0;
}
inline std::int64_t size_of(int argc, char** argv) { return argc > 2 ? std::atoll(argv[2]) : 0; }

} // namespace gpu
