// Helper of emitted CUDA: bins that no atomic operation changes, made of values that are sorted by key.
//
// A scan in which each bin's values begin anew: a part is what the last bin it has seen came to. (Schwartz, "Ultracomputers";
// Merrill and Grimshaw's radix sort is CUB's, and keeps the order of equal keys.)
#include "printers/cpp_runtime.hpp"

namespace irrewrite::printers::detail {

const std::vector<RuntimeHelper> cuda_sort_helpers = {
    {"sort_by_key", R"(// Keys of so many bits, and what goes with them; equal keys keep their order.
inline void sort_by_key(std::int64_t n, int bits, const std::uint64_t* keys, std::uint64_t* sorted, const std::int64_t* from, std::int64_t* to) {
    std::size_t bytes = 0;
    cuda_check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, from, to, n, 0, bits));
    const device_memory<unsigned char> memory(static_cast<std::int64_t>(bytes));
    cuda_check(cub::DeviceRadixSort::SortPairs(memory.data(), bytes, keys, sorted, from, to, n, 0, bits));
}
)"},
    {"bins_by_sort", R"(// step(i, key, value) gives an index's key, if it has one, and value; combine(bin, next) takes the next value in.
template <class T> struct bin_part {
    T value;
    bool any, begins; // whether there is a value; whether the first one of a bin is among them
};
template <class T, class Step, class Combine> void bins_by_sort(std::int64_t n, std::span<T> bins, Step step, Combine combine) {
    if (n == 0 || bins.empty()) return;
    const device_memory<std::uint64_t> key_memory(n), sorted_memory(n);
    const device_memory<std::int64_t> from_memory(n), order_memory(n);
    const device_memory<T> value_memory(n);
    std::uint64_t* const keys = key_memory.data();
    std::int64_t* const from = from_memory.data();
    T* const values = value_memory.data();
    const std::uint64_t none = bins.size();
    for_each_index(n, [=] __device__(std::int64_t i) {
        std::int64_t key = -1;
        T value{};
        step(i, key, value);
        keys[i] = std::min(static_cast<std::uint64_t>(key), none);
        from[i] = i;
        values[i] = value;
    });
    sort_by_key(n, std::bit_width(none), keys, sorted_memory.data(), from, order_memory.data());
    const std::uint64_t* const sorted = sorted_memory.data();
    const std::int64_t* const order = order_memory.data();
    const auto append = [=] __device__(bin_part<T>& part, const bin_part<T>& next) {
        if (!next.any) return;
        if (part.any && !next.begins) combine(part.value, next.value);
        else part.value = next.value;
        part.any = true;
        part.begins = part.begins || next.begins;
    };
    scan_indices(n, bin_part<T>{}, [=] __device__(std::int64_t i, bin_part<T>& part, bool writing) {
        const std::uint64_t key = sorted[i];
        append(part, bin_part<T>{values[order[i]], true, i == 0 || sorted[i - 1] != key});
        if (writing && key < none && (i + 1 == n || sorted[i + 1] != key)) combine(bins[key], part.value);
    }, append);
}
)"},
};

} // namespace irrewrite::printers::detail
