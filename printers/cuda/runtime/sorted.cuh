// Helpers of emitted CUDA: groups whose indices are sorted by group, so that each group's values lie next to one
// another.
//
// One sort serves everything that is made of the same groups. It keeps the order of equal keys: what is put together,
// folded or kept comes in the order of the indices.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= sorted_view
// Each place's group and index; behind the last group's, indices that have none.
struct sorted_view {
    std::int64_t n, size; // of places, of groups
    const std::uint64_t* groups;
    const std::int64_t* indices;
};
//= sorted_groups
class sorted_groups {
  public:
    sorted_groups(std::int64_t n, std::int64_t size, device_memory<std::uint64_t> groups, device_memory<std::int64_t> indices)
        : n_(n), size_(size), groups_(std::move(groups)), indices_(std::move(indices)) {}
    sorted_view device() const { return {n_, size_, groups_.data(), indices_.data()}; }

  private:
    std::int64_t n_, size_;
    device_memory<std::uint64_t> groups_;
    device_memory<std::int64_t> indices_;
};
//= sort_groups
inline sorted_groups sort_groups(const group_numbers& groups) {
    const std::int64_t n = groups.indices(), size = groups.size();
    if (n == 0) return {0, 0, {}, {}};
    const device_memory<std::uint64_t> key_memory(n);
    const device_memory<std::int64_t> from_memory(n);
    device_memory<std::uint64_t> sorted_memory(n);
    device_memory<std::int64_t> order_memory(n);
    std::uint64_t* const keys = key_memory.data();
    std::int64_t* const from = from_memory.data();
    const group_view all = groups.device();
    for_each_index(n, [=] __device__(std::int64_t i) {
        keys[i] = static_cast<std::uint64_t>(all.has(i) ? all[i] : size);
        from[i] = i;
    });
    sort_by_key(n, std::bit_width(static_cast<std::uint64_t>(size)), keys, sorted_memory.data(), from, order_memory.data());
    return {n, size, std::move(sorted_memory), std::move(order_memory)};
}
//= reduce_groups
// put(group, bin) for each group that has a value: step(i, value) gives an index's, combine(bin, next) takes it in.
template <class T, class Step, class Combine, class Put>
void reduce_groups(sorted_view sorted, const T& start, Step step, Combine combine, Put put) {
    const auto value_at = [=] __device__(std::int64_t place, maybe<T>& value) { step(sorted.indices[place], value); };
    reduce_runs(sorted.n, sorted.size, sorted.groups, start, value_at, combine, put);
}
//= fold_groups
// put(group, bin) for each group: step(i, bin) takes its indices in, one after the other.
template <class T, class Step, class Put> void fold_groups(sorted_view sorted, const T& start, Step step, Put put) {
    for_each_index(sorted.size, [=] __device__(std::int64_t group) {
        const auto key = static_cast<std::uint64_t>(group);
        std::int64_t place = 0;
        for (std::int64_t end = sorted.n; place < end;) { // the first one
            const std::int64_t middle = place + (end - place) / 2;
            if (sorted.groups[middle] < key) place = middle + 1;
            else end = middle;
        }
        T bin = start;
        for (; place < sorted.n && sorted.groups[place] == key; ++place) step(sorted.indices[place], bin);
        put(group, bin);
    });
}
//= collect_groups
// put(place, value) for what step(i, value) gives, group by group; where each group begins, and how much there is.
template <class T, class Step, class Put> array<std::int64_t> collect_groups(sorted_view sorted, Step step, Put put) {
    if (sorted.n == 0) return array<std::int64_t>(1, 0);
    array<std::int64_t> begins(sorted.size + 1);
    const auto d_begins = begins.device_to_fill();
    scan_indices(sorted.n, std::int64_t{0}, [=] __device__(std::int64_t i, std::int64_t& count, bool writing) {
        const auto group = static_cast<std::int64_t>(sorted.groups[i]);
        if (writing && group < sorted.size && (i == 0 || sorted.groups[i - 1] != sorted.groups[i])) d_begins[group] = count;
        maybe<T> own;
        if (group < sorted.size) step(sorted.indices[i], own);
        if (own.any) {
            if (writing) put(count, own.value);
            ++count;
        }
        if (writing && i + 1 == sorted.n) d_begins[sorted.size] = count;
    }, [=] __device__(std::int64_t& count, std::int64_t more) { count += more; });
    return begins;
}
//= many
// Any number of values: they are counted, and written one behind the other where there is a place for them.
template <class T> struct many {
    T* place;
    std::int64_t count;
    __device__ void operator=(const T& given) {
        if (place != nullptr) place[count] = given;
        ++count;
    }
};
//= collect_many
// All that step(i, values) gives, group by group; where each group begins, and how much there is.
template <class T, class Step> array<std::int64_t> collect_many(sorted_view sorted, Step step, array<T>& values) {
    if (sorted.n == 0) return array<std::int64_t>(1, 0);
    const auto take = [=] __device__(std::int64_t i, std::int64_t& count, T* place) {
        many<T> own{place, count};
        if (static_cast<std::int64_t>(sorted.groups[i]) < sorted.size) step(sorted.indices[i], own);
        count = own.count;
    };
    const auto combine = [=] __device__(std::int64_t& count, std::int64_t more) { count += more; };
    values = array<T>(reduce_indices<any_order>(
        sorted.n, std::int64_t{0}, [=] __device__(std::int64_t i, std::int64_t& count) { take(i, count, nullptr); }, combine));
    array<std::int64_t> begins(sorted.size + 1);
    T* const d_values = values.device_to_fill().data();
    const auto d_begins = begins.device_to_fill();
    scan_indices(sorted.n, std::int64_t{0}, [=] __device__(std::int64_t i, std::int64_t& count, bool writing) {
        const auto group = static_cast<std::int64_t>(sorted.groups[i]);
        if (writing && group < sorted.size && (i == 0 || sorted.groups[i - 1] != sorted.groups[i])) d_begins[group] = count;
        take(i, count, writing ? d_values : nullptr);
        if (writing && i + 1 == sorted.n) d_begins[sorted.size] = count;
    }, combine);
    return begins;
}
//= part_of_each
// Of what stands side by side one part.
template <std::size_t Part, class Whole> array<std::tuple_element_t<Part, Whole>> part_of_each(const array<Whole>& all) {
    array<std::tuple_element_t<Part, Whole>> parts(std::ssize(all));
    const auto d_all = all.device();
    const auto d_parts = parts.device_to_fill();
    for_each_index(std::ssize(all), [=] __device__(std::int64_t i) { d_parts[i] = std::get<Part>(d_all[i]); });
    return parts;
}
//= group_rows
// Rows that lie in one piece: row i is values[begins[i] .. begins[i + 1]).
template <class T> class group_rows {
  public:
    group_rows() = default;
    group_rows(array<T> values, array<std::int64_t> begins) : values_(std::move(values)), begins_(std::move(begins)) {
        values_.shrink(std::as_const(begins_)[size()]);
    }
    std::int64_t size() const { return std::ssize(begins_) - 1; }
    array_row<T, 1> operator[](std::int64_t i) const {
        const std::int64_t* const begin = begins_.data() + i;
        return {values_, *begin, {begin[1] - *begin}};
    }
    rows<const T> device() const { return {values_.device(), begins_.device()}; }

  private:
    array<T> values_;
    array<std::int64_t> begins_ = array<std::int64_t>(1, 0);
};
