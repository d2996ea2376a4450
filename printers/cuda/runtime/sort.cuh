// Helper of emitted CUDA: histogram bins that no atomic operation changes, made of values that are sorted by key.
//
// A segmented scan: a part is the total of the last key that it has seen. (Schwartz, "Ultracomputers"; Merrill and
// Grimshaw's radix sort is CUB's, and keeps the order of equal keys.)
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= sort_by_key
// Keys of so many bits, and what goes with them; equal keys keep their order.
inline void sort_by_key(std::int64_t n, int bits, const std::uint64_t* keys, std::uint64_t* sorted, const std::int64_t* from, std::int64_t* to) {
    std::size_t bytes = 0;
    cuda_check(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys, sorted, from, to, n, 0, bits));
    const device_memory<unsigned char> memory(static_cast<std::int64_t>(bytes));
    cuda_check(cub::DeviceRadixSort::SortPairs(memory.data(), bytes, keys, sorted, from, to, n, 0, bits));
}
//= maybe
// A value, where one is given.
template <class T> struct maybe {
    T value{};
    bool any = false;
    __device__ void operator=(const T& given) { value = given, any = true; }
};
//= reduce_runs
// put(key, bin) for each key in a sorted list, less than `count`, that has a value: combine(bin, next) has taken its values
// into `start` in their order. step(i, value) gives that at a place of the list, if there is one.
template <class T> struct run_part {
    T value;
    bool any, begins; // whether there is a value of the last key; whether it is not the first key
};
template <class T, class Step, class Combine, class Put>
void reduce_runs(std::int64_t n, std::int64_t count, const std::uint64_t* sorted, const T& start, Step step, Combine combine, Put put) {
    const auto append = [=] __device__(run_part<T>& part, const run_part<T>& next) {
        if (next.begins || (next.any && !part.any)) {
            part = {next.value, next.any, part.begins || next.begins};
        } else if (next.any) {
            combine(part.value, next.value);
        }
    };
    const run_part<T> nothing{start, false, false};
    scan_indices(n, nothing, [=] __device__(std::int64_t i, run_part<T>& part, bool writing) {
        const std::uint64_t key = sorted[i];
        maybe<T> own;
        if (key < static_cast<std::uint64_t>(count)) step(i, own);
        append(part, run_part<T>{own.value, own.any, i > 0 && sorted[i - 1] != key});
        if (!writing || !part.any || (i + 1 < n && sorted[i + 1] == key)) return;
        T bin = start;
        combine(bin, part.value);
        put(static_cast<std::int64_t>(key), bin);
    }, append);
}
//= bins_by_sort
// The same for keys that step(i, key, value) gives, if an index has one.
template <class T, class Step, class Combine, class Put>
void bins_by_sort(std::int64_t n, std::int64_t count, const T& start, Step step, Combine combine, Put put) {
    if (n == 0 || count == 0) return;
    const device_memory<std::uint64_t> key_memory(n), sorted_memory(n);
    const device_memory<std::int64_t> from_memory(n), order_memory(n);
    const device_memory<T> value_memory(n);
    std::uint64_t* const keys = key_memory.data();
    std::int64_t* const from = from_memory.data();
    T* const values = value_memory.data();
    const std::uint64_t none = static_cast<std::uint64_t>(count);
    for_each_index(n, [=] __device__(std::int64_t i) {
        std::int64_t key = -1;
        T value{};
        step(i, key, value);
        keys[i] = std::min(static_cast<std::uint64_t>(key), none);
        from[i] = i;
        values[i] = value;
    });
    sort_by_key(n, std::bit_width(none), keys, sorted_memory.data(), from, order_memory.data());
    const std::int64_t* const order = order_memory.data();
    reduce_runs(n, count, sorted_memory.data(), start, [=] __device__(std::int64_t i, maybe<T>& value) { value = values[order[i]]; }, combine, put);
}
