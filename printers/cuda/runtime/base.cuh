// Helpers of emitted CUDA: errors and faults on both sides, arithmetic that faults, memory of the device.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= block_size
inline constexpr unsigned block_size = 256; // threads
//= warp_size
inline constexpr unsigned warp_size = 32;
//= block_warps
inline constexpr unsigned block_warps = block_size / warp_size;
//= stretch
// Neighbouring elements that a thread takes where the order matters.
inline constexpr std::int64_t stretch = 8;
//= missed_error
// The first error where nothing may be thrown: the next check throws it.
inline std::atomic<cudaError_t> missed_error = cudaSuccess;
//= note_error
inline void note_error(cudaError_t status) {
    cudaError_t none = cudaSuccess;
    if (status != cudaSuccess) missed_error.compare_exchange_strong(none, status);
}
//= cuda_check
inline void cuda_check(cudaError_t status) {
    const cudaError_t missed = missed_error.exchange(cudaSuccess);
    if (status == cudaSuccess) status = missed;
    if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}
//= fault_kind
enum class fault_kind : unsigned { division, shift, overflow, index, length, lengths };
inline const char* text_of(fault_kind kind) {
    switch (kind) {
    case fault_kind::division: return "division by zero";
    case fault_kind::shift: return "shift by less than 0 or by the width or more";
    case fault_kind::overflow: return "overflow";
    case fault_kind::index: return "index is out of bounds";
    case fault_kind::length: return "negative length";
    default: return "lengths differ";
    }
}
//= first_fault
// The least line on which a kernel faulted, and why; all ones while there is none.
__device__ unsigned first_fault = ~0u;
//= device_memory
// Elements in memory of the device, from a pool that keeps for the next what is given back.
template <class T> class device_memory {
  public:
    device_memory() = default;
    explicit device_memory(std::int64_t n) {
        static const cudaMemPool_t pool = keeping_pool();
        if (n > INT64_MAX / static_cast<std::int64_t>(sizeof(T))) throw std::bad_alloc();
        const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(std::max<std::int64_t>(n, 1));
        cuda_check(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&data_), bytes, pool, nullptr));
    }
    device_memory(device_memory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    device_memory& operator=(device_memory&& other) noexcept {
        std::swap(data_, other.data_);
        return *this;
    }
    ~device_memory() {
        if (data_ != nullptr) note_error(cudaFreeAsync(data_, nullptr));
    }
    T* data() const { return data_; }

  private:
    static cudaMemPool_t keeping_pool() {
        int device = 0;
        cudaMemPool_t pool{};
        std::uint64_t everything = ~std::uint64_t{0};
        cuda_check(cudaGetDevice(&device));
        cuda_check(cudaDeviceGetDefaultMemPool(&pool, device));
        cuda_check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything));
        return pool;
    }

    T* data_ = nullptr;
};
