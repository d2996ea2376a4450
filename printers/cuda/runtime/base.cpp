// Helpers of emitted CUDA: errors and faults on both sides, arithmetic that faults, memory of the device.
#include "printers/cpp/runtime/runtime.hpp"

namespace irrewrite::printers::detail {

constexpr RuntimeHelper cuda_base_helpers_table[] = {
    {"block_size", R"(inline constexpr unsigned block_size = 256; // threads
)"},
    {"warp_size", R"(inline constexpr unsigned warp_size = 32;
)"},
    {"block_warps", R"(inline constexpr unsigned block_warps = block_size / warp_size;
)"},
    {"stretch", R"(// Neighbouring elements that a thread takes where the order matters.
inline constexpr std::int64_t stretch = 8;
)"},
    {"missed_error", R"(// The first error where nothing may be thrown: the next check throws it.
inline std::atomic<cudaError_t> missed_error = cudaSuccess;
)"},
    {"note_error", R"(inline void note_error(cudaError_t status) {
    cudaError_t none = cudaSuccess;
    if (status != cudaSuccess) missed_error.compare_exchange_strong(none, status);
}
)"},
    {"cuda_check", R"(inline void cuda_check(cudaError_t status) {
    const cudaError_t missed = missed_error.exchange(cudaSuccess);
    if (status == cudaSuccess) status = missed;
    if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(status));
}
)"},
    {"fault_kind", R"(enum class fault_kind : unsigned { division, shift, overflow, index, length, lengths };
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
)"},
    {"first_fault", R"(// The least line on which a kernel faulted, and why; all ones while there is none.
__device__ unsigned first_fault = ~0u;
)"},
    {"device_memory", R"(// Elements in memory of the device, from a pool that keeps for the next what is given back.
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
)"},
};
constinit const RuntimeHelpers cuda_base_helpers = cuda_base_helpers_table;

constexpr RuntimeHelper cuda_scalar_helpers_table[] = {
    {"refuse", R"(// The host throws; the device takes a note that `check_faults` reads, and the caller gives up.
__host__ __device__ inline void refuse(int line, fault_kind kind) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (atomicMin(&first_fault, static_cast<unsigned>(line) * 8 + static_cast<unsigned>(kind));),
                      (throw fault(line, text_of(kind));))
}
)"},
    {"refuse_overflow",
     R"(__host__ __device__ inline void refuse_overflow(int line) { refuse(line, fault_kind::overflow); }
)"},
    {"refused", R"(// Likewise, in a function that gives something: its caller goes on with any value.
template <class T> __device__ T refused(int line, fault_kind kind) {
    refuse(line, kind);
    return T();
}
)"},
    {"ask", R"(// A thread needs a value that the host has not computed yet.
__device__ inline void ask(std::int32_t& needed) { atomicExch(&needed, 1); }
)"},
    {"given_up", R"(// Now and then: whether a fault was noted, as the loop that asks may never find out itself.
__host__ __device__ inline bool given_up(unsigned& rounds) {
    if (++rounds % 1024 != 0) return false;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return *const_cast<volatile unsigned*>(&first_fault) != ~0u;), (return false;))
}
)"},
    {"outside", R"(constexpr bool outside(std::int64_t i, std::int64_t n) {
    return static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(n);
}
)"},
    {"check_faults", R"(// Behind a kernel that may fault.
inline void check_faults() {
    unsigned found = 0;
    cuda_check(cudaMemcpyFromSymbol(&found, first_fault, sizeof found));
    if (found == ~0u) return;
    const unsigned none = ~0u;
    cuda_check(cudaMemcpyToSymbol(first_fault, &none, sizeof none));
    throw fault(static_cast<int>(found / 8), text_of(static_cast<fault_kind>(found % 8)));
}
)"},
    {"int_div", R"(// Truncates; the least number divided by -1 is itself.
template <class T> constexpr T int_div(T a, std::type_identity_t<T> b, int line) {
    if (b == 0) {
        refuse(line, fault_kind::division);
        return 0;
    }
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return wrap_neg(a);
    return static_cast<T>(a / b);
}
)"},
    {"int_rem", R"(// With the sign of the dividend.
template <class T> constexpr T int_rem(T a, std::type_identity_t<T> b, int line) {
    if (b == 0) {
        refuse(line, fault_kind::division);
        return 0;
    }
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
    return static_cast<T>(a % b);
}
)"},
    {"shift_left",
     R"(template <class T> constexpr T shift_left(T a, std::type_identity_t<T> bits, int line) {
    if (!is_shift<T>(bits)) {
        refuse(line, fault_kind::shift);
        return 0;
    }
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) << bits);
}
)"},
    {"shift_right",
     R"(template <class T> constexpr T shift_right(T a, std::type_identity_t<T> bits, int line) {
    if (!is_shift<T>(bits)) {
        refuse(line, fault_kind::shift);
        return 0;
    }
    return static_cast<T>(a >> bits);
}
)"},
    {"minimum", R"(// IEEE 754-2019: NaN wins, and -0.0 is less than 0.0.
template <class T> constexpr T minimum(T a, std::type_identity_t<T> b) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T either = std::bit_cast<T>(std::bit_cast<bits>(a) | std::bit_cast<bits>(b)); // of equal ones
    const T less = a < b ? a : b, least = a == b ? either : less;
    return a != a ? a : least;
}
)"},
    {"maximum", R"(// IEEE 754-2019: NaN wins, and 0.0 is greater than -0.0.
template <class T> constexpr T maximum(T a, std::type_identity_t<T> b) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T both = std::bit_cast<T>(std::bit_cast<bits>(a) & std::bit_cast<bits>(b)); // of equal ones
    const T more = a > b ? a : b, most = a == b ? both : more;
    return a != a ? a : most;
}
)"},
    {"same_numbers",
     R"(// Of two arrays of one length. For a device nvcc leaves out the calls of std::equal and std::copy.
template <class T, class U> constexpr bool same_numbers(const T& a, const U& b) {
    for (std::int64_t i = 0; i < std::ssize(a); ++i)
        if (a[i] != b[i]) return false;
    return true;
}
)"},
    {"checked_length", R"(__host__ __device__ inline std::int64_t checked_length(std::int64_t n, int line) {
    if (n < 0) refuse(line, fault_kind::length);
    return n;
}
)"},
};
constinit const RuntimeHelpers cuda_scalar_helpers = cuda_scalar_helpers_table;

} // namespace irrewrite::printers::detail
