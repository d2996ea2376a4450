// Helpers of emitted CUDA: errors and faults on both sides, arithmetic that faults, memory of the device.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= refuse
// The host throws; the device takes a note that `check_faults` reads, and the caller gives up.
__host__ __device__ inline void refuse(int line, fault_kind kind) {
    NV_IF_ELSE_TARGET(NV_IS_DEVICE,
                      (atomicMin(&first_fault, static_cast<unsigned>(line) * 8 + static_cast<unsigned>(kind));),
                      (throw fault(line, text_of(kind));))
}
//= refuse_overflow
__host__ __device__ inline void refuse_overflow(int line) { refuse(line, fault_kind::overflow); }
//= refused
// Likewise, in a function that gives something: its caller goes on with any value.
template <class T> __device__ T refused(int line, fault_kind kind) {
    refuse(line, kind);
    return T();
}
//= ask
// A thread needs a value that the host has not computed yet.
__device__ inline void ask(std::int32_t& needed) { atomicExch(&needed, 1); }
//= given_up
// Now and then: whether a fault was noted, as the loop that asks may never find out itself.
__host__ __device__ inline bool given_up(unsigned& rounds) {
    if (++rounds % 1024 != 0) return false;
    NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return *const_cast<volatile unsigned*>(&first_fault) != ~0u;), (return false;))
}
//= outside
constexpr bool outside(std::int64_t i, std::int64_t n) {
    return static_cast<std::uint64_t>(i) >= static_cast<std::uint64_t>(n);
}
//= check_faults
// Behind a kernel that may fault.
inline void check_faults() {
    unsigned found = 0;
    cuda_check(cudaMemcpyFromSymbol(&found, first_fault, sizeof found));
    if (found == ~0u) return;
    const unsigned none = ~0u;
    cuda_check(cudaMemcpyToSymbol(first_fault, &none, sizeof none));
    throw fault(static_cast<int>(found / 8), text_of(static_cast<fault_kind>(found % 8)));
}
//= int_div
// Truncates; the least number divided by -1 is itself.
template <class T> constexpr T int_div(T a, std::type_identity_t<T> b, int line) {
    if (b == 0) {
        refuse(line, fault_kind::division);
        return 0;
    }
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return wrap_neg(a);
    return static_cast<T>(a / b);
}
//= int_rem
// With the sign of the dividend.
template <class T> constexpr T int_rem(T a, std::type_identity_t<T> b, int line) {
    if (b == 0) {
        refuse(line, fault_kind::division);
        return 0;
    }
    if constexpr (std::is_signed_v<T>)
        if (b == -1) return 0;
    return static_cast<T>(a % b);
}
//= shift_left
template <class T> constexpr T shift_left(T a, std::type_identity_t<T> bits, int line) {
    if (!is_shift<T>(bits)) {
        refuse(line, fault_kind::shift);
        return 0;
    }
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) << bits);
}
//= shift_right
template <class T> constexpr T shift_right(T a, std::type_identity_t<T> bits, int line) {
    if (!is_shift<T>(bits)) {
        refuse(line, fault_kind::shift);
        return 0;
    }
    return static_cast<T>(a >> bits);
}
//= minimum
// IEEE 754-2019: NaN wins, and -0.0 is less than 0.0.
template <class T> constexpr T minimum(T a, std::type_identity_t<T> b) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T either = std::bit_cast<T>(std::bit_cast<bits>(a) | std::bit_cast<bits>(b)); // of equal ones
    const T less = a < b ? a : b, least = a == b ? either : less;
    return a != a ? a : least;
}
//= maximum
// IEEE 754-2019: NaN wins, and 0.0 is greater than -0.0.
template <class T> constexpr T maximum(T a, std::type_identity_t<T> b) {
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    const T both = std::bit_cast<T>(std::bit_cast<bits>(a) & std::bit_cast<bits>(b)); // of equal ones
    const T more = a > b ? a : b, most = a == b ? both : more;
    return a != a ? a : most;
}
//= same_numbers
// Of two arrays of one length. For a device nvcc leaves out the calls of std::equal and std::copy.
template <class T, class U> constexpr bool same_numbers(const T& a, const U& b) {
    for (std::int64_t i = 0; i < std::ssize(a); ++i)
        if (a[i] != b[i]) return false;
    return true;
}
//= checked_length
__host__ __device__ inline std::int64_t checked_length(std::int64_t n, int line) {
    if (n < 0) refuse(line, fault_kind::length);
    return n;
}
