// Helpers of emitted CUDA: groups, numbered in the order in which their keys first occur.
//
// A hash table of indices with a slot for each key: threads that meet at a slot compare the keys of their indices, and
// the least index stays. An index is its group's first one if it is in the table; a scan that counts those numbers the
// groups. Any key can be hashed and compared, however long, and none is stored.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= filled
// n times one value, in memory of the device.
template <class T> array<T> filled(std::int64_t n, T value) {
    array<T> result(n);
    const auto all = result.device_to_fill();
    for_each_index(columns(n, all), [=] __device__(std::int64_t, T& element) { element = value; });
    return result;
}
//= rows_at
// The rows of these numbers, each in memory of its own.
template <class T> array<array<T>> rows_at(const rows<const T>& all, const array<std::int64_t>& numbers) {
    array<array<T>> result(std::ssize(numbers));
    std::transform(numbers.begin(), numbers.end(), result.begin(), [&](std::int64_t i) { return array<T>(all[i]); });
    return result;
}
//= group_view
// The group of each index that has one; the first index of each group.
struct group_view {
    const std::int64_t *places, *numbers, *firsts;
    __device__ bool has(std::int64_t i) const { return places[i] != -1; }
    __device__ std::int64_t operator[](std::int64_t i) const { return numbers[places[i]]; }
    __device__ std::int64_t first(std::int64_t group) const { return firsts[group]; }
};
//= group_numbers
class group_numbers {
  public:
    group_numbers(std::int64_t n, std::int64_t size, device_memory<std::int64_t> places, device_memory<std::int64_t> numbers, device_memory<std::int64_t> firsts)
        : n_(n), size_(size), places_(std::move(places)), numbers_(std::move(numbers)), firsts_(std::move(firsts)) {}
    std::int64_t size() const { return size_; }
    // The number of indices, with a group or without.
    std::int64_t indices() const { return n_; }
    // The first index of each.
    array<std::int64_t> firsts() const { return array<std::int64_t>::from_device(firsts_.data(), size_); }
    group_view device() const { return {places_.data(), numbers_.data(), firsts_.data()}; }

  private:
    std::int64_t n_, size_;
    device_memory<std::int64_t> places_, numbers_, firsts_;
};
//= number_groups
// A place for each key in a table with room for a power of two, `places` of all indices; whether there was room enough.
template <class Key, class KeyOf>
bool find_places(std::int64_t n, KeyOf key_of, std::int64_t room, std::int64_t* table, std::int64_t* places) {
    const device_memory<unsigned> memory(1);
    unsigned* const full = memory.data();
    cuda_check(cudaMemsetAsync(full, 0, sizeof(unsigned)));
    cuda_check(cudaMemsetAsync(table, 0xff, sizeof(std::int64_t) * static_cast<std::size_t>(room)));
    const std::int64_t far = room < 2 * n ? 64 : room; // at least half of it stays empty where all keys differ
    for_each_index(n, [=] __device__(std::int64_t i) {
        maybe<Key> key;
        key_of(i, key);
        places[i] = -1;
        if (!key.any || *const_cast<volatile unsigned*>(full) != 0) return;
        const std::uint64_t hash = hash_of(key.value);
        for (std::int64_t k = 0; k < far; ++k) {
            const std::int64_t place = static_cast<std::int64_t>(hash + static_cast<std::uint64_t>(k)) & (room - 1);
            std::int64_t seen = *const_cast<volatile std::int64_t*>(table + place);
            if (seen == -1)
                seen = static_cast<std::int64_t>(atomicCAS(reinterpret_cast<unsigned long long*>(table + place), ~0ull, static_cast<unsigned long long>(i)));
            if (seen != -1) {
                maybe<Key> other;
                key_of(seen, other);
                if (!is_equal(key.value, other.value)) continue;
                if (i < seen) atomicMin(reinterpret_cast<long long*>(table + place), static_cast<long long>(i));
            }
            places[i] = place;
            return;
        }
        *full = 1;
    });
    unsigned is_full = 0;
    cuda_check(cudaMemcpy(&is_full, full, sizeof is_full, cudaMemcpyDeviceToHost));
    return is_full == 0;
}
// Groups of the indices [0, n) by their keys: key_of(i, key) gives an index's, if it has one.
template <class Key, class KeyOf> group_numbers number_groups(std::int64_t n, KeyOf key_of) {
    if (n == 0) return {0, 0, {}, {}, {}};
    const std::int64_t most = static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(n)));
    std::int64_t room = std::min<std::int64_t>(4096, most);
    device_memory<std::int64_t> place_memory(n), table_memory(room);
    while (!find_places<Key>(n, key_of, room, table_memory.data(), place_memory.data())) {
        room = std::min(16 * room, most);
        table_memory = device_memory<std::int64_t>(room);
    }
    device_memory<std::int64_t> number_memory(room), first_memory(std::min(n, room));
    const std::int64_t *const places = place_memory.data(), *const table = table_memory.data();
    std::int64_t *const numbers = number_memory.data(), *const firsts = first_memory.data();
    const std::int64_t size = scan_indices(
        n, std::int64_t{0},
        [=] __device__(std::int64_t i, std::int64_t& number, bool writing) {
            const std::int64_t place = places[i];
            if (place == -1 || table[place] != i) return;
            if (writing) numbers[place] = number, firsts[number] = i;
            ++number;
        },
        [=] __device__(std::int64_t& number, std::int64_t more) { number += more; });
    return {n, size, std::move(place_memory), std::move(number_memory), std::move(first_memory)};
}
