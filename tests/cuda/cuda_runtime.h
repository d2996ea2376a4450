// CUDA on the CPU, as much of it as emitted programs use: the text meant for nvcc compiles as C++ and runs without
// a device. Blocks run on a few threads at the same time, each block's threads as coroutines that take turns at
// barriers. Memory of the "device" is the host's, filled with rubbish, and must be copied all the same.
#pragma once

#include "apart.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __shared__ static thread_local
#define __launch_bounds__(threads)

struct dim3 {
    dim3(unsigned x = 1) : x(x) {}
    unsigned x;
};
inline thread_local dim3 gridDim, blockDim, blockIdx, threadIdx;

// -- the threads of a block -------------------------------------------------------------------------

namespace cuda_on_cpu {

constexpr unsigned warp_size = 32;
inline std::atomic<bool> backwards = false; // the threads' turns: in every second kernel

class block {
  public:
    static thread_local block* current; // of this thread of the CPU; none on the host

    block(unsigned threads, std::function<void()> work)
        : threads_(threads), work_(std::move(work)), stacks_(std::make_unique_for_overwrite<char[]>(threads * stack_size)) {}
    void run() {
        current = this;
        left_ = threads_;
        for (unsigned t = 0; t < threads_; ++t) {
            thread& thread = of_threads_[t];
            thread = {};
            getcontext(&thread.context);
            thread.context.uc_stack = {.ss_sp = &stacks_[t * stack_size], .ss_flags = 0, .ss_size = stack_size};
            thread.context.uc_link = &home_;
            makecontext(&thread.context, [] { current->body(); }, 0);
        }
        for (unsigned done = 0; done < threads_;) {
            done = 0;
            bool moved = false;
            for (unsigned turn = 0; turn < threads_; ++turn) {
                now_ = backwards ? threads_ - 1 - turn : turn;
                thread& thread = of_threads_[now_];
                if (thread.ended) {
                    ++done;
                    continue;
                }
                if (waits(thread)) continue;
                moved = true;
                threadIdx.x = now_;
                swapcontext(&home_, &thread.context);
            }
            if (!moved && done < threads_) std::abort(); // a barrier that somebody never reaches
        }
        current = nullptr;
    }
    void barrier() { await(all_, left_); }
    void warp_barrier() { await(warps_[threadIdx.x / warp_size], warp_size); }
    void yield() { swapcontext(&of_threads_[now_].context, &home_); }
    unsigned long long& slot(unsigned thread) { return of_threads_[thread].slot; }

  private:
    static constexpr std::size_t stack_size = 1 << 16;
    struct meeting {
        unsigned there = 0, round = 0;
    };
    struct thread {
        ucontext_t context;
        meeting* at = nullptr; // waits until its round is over
        unsigned round = 0;
        bool ended = false;
        unsigned long long slot = 0;
    };
    static bool waits(const thread& thread) { return thread.at != nullptr && thread.at->round == thread.round; }
    void await(meeting& at, unsigned expected) {
        thread& mine = of_threads_[now_];
        mine.at = &at;
        mine.round = at.round;
        if (++at.there == expected) at.there = 0, ++at.round;
        else yield();
        mine.at = nullptr;
    }
    void body() {
        work_();
        of_threads_[now_].ended = true;
        --left_;
        if (all_.there > 0 && all_.there == left_) all_.there = 0, ++all_.round;
    }

    unsigned threads_, left_ = 0, now_ = 0;
    std::function<void()> work_;
    ucontext_t home_;
    std::unique_ptr<char[]> stacks_;
    meeting all_, warps_[32];
    thread of_threads_[1024];
};
inline thread_local block* block::current = nullptr;

template <class T> T exchange(T value, int from) {
    static_assert(sizeof(T) <= 8);
    block& here = *block::current;
    unsigned long long& mine = here.slot(threadIdx.x);
    std::memcpy(&mine, &value, sizeof(T));
    here.warp_barrier();
    T result = value;
    const int lane = static_cast<int>(threadIdx.x % warp_size) + from;
    if (lane >= 0 && lane < static_cast<int>(warp_size))
        std::memcpy(&result, &here.slot(static_cast<unsigned>(static_cast<int>(threadIdx.x) + from)), sizeof(T));
    here.warp_barrier();
    return result;
}

} // namespace cuda_on_cpu

inline void __syncthreads() { cuda_on_cpu::block::current->barrier(); }
inline void __syncwarp() { cuda_on_cpu::block::current->warp_barrier(); }
inline void __threadfence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
template <class T> T __shfl_up_sync(unsigned, T value, unsigned lanes) { return cuda_on_cpu::exchange(value, -static_cast<int>(lanes)); }
template <class T> T __shfl_down_sync(unsigned, T value, unsigned lanes) { return cuda_on_cpu::exchange(value, static_cast<int>(lanes)); }
inline unsigned __ballot_sync(unsigned, bool mine) {
    unsigned all = 0;
    const int lane = static_cast<int>(threadIdx.x % cuda_on_cpu::warp_size);
    for (int other = 0; other < 32; ++other)
        all |= static_cast<unsigned>(cuda_on_cpu::exchange(static_cast<int>(mine), other - lane)) << other;
    return all;
}
inline int __ffs(int x) { return __builtin_ffs(x); }

// -- atomic operations --------------------------------------------------------------------------------

template <class T> T atomicCAS(T* place, T expected, T value) {
    std::atomic_ref<T>(*place).compare_exchange_strong(expected, value);
    return expected;
}
template <class T, class Change> T cuda_on_cpu_change(T* place, Change change) {
    static thread_local unsigned calls = 0;
    if (cuda_on_cpu::block::current != nullptr && ++calls % 61 == 0) cuda_on_cpu::block::current->yield(); // others come in between
    std::atomic_ref<T> value(*place);
    T old = value.load();
    while (!value.compare_exchange_weak(old, change(old))) {}
    return old;
}
template <class T> T atomicAdd(T* place, std::type_identity_t<T> more) {
    return cuda_on_cpu_change(place, [=](T old) { return static_cast<T>(old + more); });
}
// Integers have one sum wherever they are: every second time they count as shared, so that both ways are taken.
template <class T> bool __isShared(const T*) {
    static thread_local unsigned calls = 0;
    return std::is_integral_v<T> && ++calls % 2 == 0;
}
// In the device's memory subnormal numbers are zero to it (PTX ISA, `atom`: "atom.add.f32").
inline float atomicAdd(float* place, float more) {
    const auto flushed = [](float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; };
    return cuda_on_cpu_change(place, [=](float old) { return flushed(flushed(old) + flushed(more)); });
}
template <class T> T atomicMin(T* place, std::type_identity_t<T> other) {
    return cuda_on_cpu_change(place, [=](T old) { return std::min(old, other); });
}
template <class T> T atomicMax(T* place, std::type_identity_t<T> other) {
    return cuda_on_cpu_change(place, [=](T old) { return std::max(old, other); });
}
template <class T> T atomicExch(T* place, std::type_identity_t<T> value) {
    return cuda_on_cpu_change(place, [=](T) { return value; });
}

// -- the host's side ----------------------------------------------------------------------------------

enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount, cudaDevAttrMaxThreadsPerMultiProcessor };
enum cudaMemPoolAttr { cudaMemPoolAttrReleaseThreshold };
using cudaStream_t = void*;
using cudaMemPool_t = void*;
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
};

namespace cuda_on_cpu {
// CUDA_ON_CPU_COUNT=1: what happened, on standard error at the end; CUDA_ON_CPU_FAIL=N: call N of CUDA fails.
struct account {
    std::atomic<long> calls = 0, launches = 0, to_device = 0, to_host = 0, checks = 0;
    const char* const fail = std::getenv("CUDA_ON_CPU_FAIL");
    ~account() {
        if (std::getenv("CUDA_ON_CPU_COUNT") == nullptr) return;
        std::fprintf(stderr, "launches=%ld to_device=%ld to_host=%ld checks=%ld\n", launches.load(), to_device.load(), to_host.load(), checks.load());
    }
};
inline account done;
inline cudaError_t status() {
    if (done.fail == nullptr || ++done.calls != std::atol(done.fail)) return cudaSuccess;
    std::fputs("made to fail\n", stderr);
    return cudaErrorInvalidValue;
}
} // namespace cuda_on_cpu

inline const char* cudaGetErrorString(cudaError_t) { return "an invalid value"; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cuda_on_cpu::status(); }
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t*, int) { return cuda_on_cpu::status(); }
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cuda_on_cpu::status(); }
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
    return *value = which == cudaDevAttrMultiProcessorCount ? 3 : 256, cuda_on_cpu::status(); // a block each
}
template <class Kernel> cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, unsigned, std::size_t) {
    return *blocks = 1, cuda_on_cpu::status();
}
inline cudaError_t cudaMallocFromPoolAsync(void** memory, std::size_t bytes, cudaMemPool_t, cudaStream_t) {
    *memory = nullptr;
    if (cuda_on_cpu::status() != cudaSuccess) return cudaErrorInvalidValue;
    const cuda_on_cpu::copying copies;
    *memory = cuda_on_cpu::device_allocate(bytes);
    if (*memory == nullptr) return cudaErrorInvalidValue;
    std::memset(*memory, 0xA5, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return cuda_on_cpu::device_free(memory), cuda_on_cpu::status(); }
inline cudaError_t cudaDeviceSynchronize() { return cuda_on_cpu::status(); }
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    if (kind == cudaMemcpyHostToDevice) cuda_on_cpu::done.to_device += static_cast<long>(bytes);
    if (kind == cudaMemcpyDeviceToHost) cuda_on_cpu::done.to_host += static_cast<long>(bytes);
    const cuda_on_cpu::copying copies;
    return std::memcpy(to, from, bytes), cuda_on_cpu::status();
}
inline cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes) {
    const cuda_on_cpu::copying copies;
    return std::memset(memory, value, bytes), cuda_on_cpu::status();
}
template <class T> cudaError_t cudaMemcpyFromSymbol(T* to, const T& from, std::size_t bytes) { // for faults alone
    ++cuda_on_cpu::done.checks;
    return std::memcpy(to, &from, bytes), cuda_on_cpu::status();
}
template <class T> cudaError_t cudaMemcpyToSymbol(T& to, const T* from, std::size_t bytes) {
    return std::memcpy(&to, from, bytes), cuda_on_cpu::status();
}

// Blocks are taken in order by a few threads.
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...), Arguments... arguments) {
    std::atomic<unsigned> next = 0;
    const auto work = [&] {
        const cuda_on_cpu::own_work own;
        const auto one = std::make_unique<cuda_on_cpu::block>(config->blockDim.x, [&] { kernel(arguments...); });
        gridDim = config->gridDim;
        blockDim = config->blockDim;
        for (unsigned b = next++; b < config->gridDim.x; b = next++) {
            blockIdx.x = b;
            one->run();
        }
    };
    if (config->gridDim.x == 0 || cuda_on_cpu::status() != cudaSuccess) return cudaErrorInvalidValue;
    cuda_on_cpu::backwards = ++cuda_on_cpu::done.launches % 2 == 0;
    std::vector<std::thread> helpers;
    const cuda_on_cpu::launching launches;
    for (unsigned k = 1; k < std::min(3u, config->gridDim.x); ++k) helpers.emplace_back(work);
    work();
    for (std::thread& helper : helpers) helper.join();
    return cudaSuccess;
}
