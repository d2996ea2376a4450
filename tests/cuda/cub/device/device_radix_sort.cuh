// CUB's radix sort on the CPU, as much of it as emitted programs use: pairs, by some bits of the keys, in the order they had.
#pragma once

#include <cuda_runtime.h>

namespace cub {

struct DeviceRadixSort {
    template <class Key, class Value>
    static cudaError_t SortPairs(void* memory, std::size_t& bytes, const Key* keys, Key* sorted, const Value* from, Value* to,
                                 std::int64_t n, int begin, int end) {
        if (memory == nullptr) return bytes = 1, cuda_on_cpu::status();
        const Key mask = end - begin == 8 * sizeof(Key) ? ~Key{0} : (Key{1} << (end - begin)) - 1;
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
        const cuda_on_cpu::copying copies;
        std::ranges::stable_sort(order, {}, [&](std::int64_t i) { return keys[i] >> begin & mask; });
        for (std::int64_t i : order) *sorted++ = keys[i], *to++ = from[i];
        return cuda_on_cpu::status();
    }
};

} // namespace cub
