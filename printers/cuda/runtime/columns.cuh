// Helpers of emitted CUDA: what kernels read and write by their own index, in words of 16 bytes.
//
// A thread takes elements next to one another, as many as fill such a word, and two words of each array are under way
// before it computes: that is what keeps memory busy. Words are aligned where arrays begin as an allocation does; a row
// may begin between two words, and then elements move one by one.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= pack
// Elements next to one another, which move together: as aligned as each so many of them are, up to 16 bytes.
template <class T, std::int64_t Count> struct alignas(std::min<std::size_t>(Count * sizeof(T) & -(Count * sizeof(T)), 16)) pack {
    T values[Count] = {};
};
//= columns
// Arrays of n elements, of which a step takes its own: constant ones are read before it, others are written behind it.
template <class... T> struct columns {
    std::int64_t n;
    std::tuple<T*...> data;
    bool aligned;

    explicit columns(std::int64_t n, std::span<T>... all)
        : n(n), data(all.data()...), aligned(((reinterpret_cast<std::uintptr_t>(all.data()) % 16 == 0) && ...)) {}
    // True if the bytes before `end` move in words.
    __device__ bool in_words(std::int64_t end) const { return aligned && end <= n; }
    // So many elements make words of 16 bytes, or eight do: a step is written out for each. Longer ones come one by one.
    static constexpr std::int64_t blocks = std::numeric_limits<std::int64_t>::max(); // at most
    static constexpr std::int64_t wide = std::clamp<std::int64_t>(16 / std::max({sizeof(T)...}), 1, 8);

    template <std::int64_t Count> using packs = std::tuple<pack<std::remove_const_t<T>, Count>...>;
    template <std::int64_t Count, class Step> __device__ void run(std::int64_t i, packs<Count>& elements, Step step) const {
        std::apply([&](pack<std::remove_const_t<T>, Count>&... mine) {
#pragma unroll
            for (std::int64_t k = 0; k < Count; ++k) step(i + k, mine.values[k]...);
            std::apply([&](T*... all) { (store(all + i, mine), ...); }, data);
        }, elements);
    }
    template <std::int64_t Count> __device__ packs<Count> load(std::int64_t i) const {
        return std::apply([&](T*... all) { return packs<Count>{load_pack<Count>(all + i)...}; }, data);
    }

  private:
    template <std::int64_t Count, class E> static __device__ pack<E, Count> load_pack(const E* place) {
        return *reinterpret_cast<const pack<E, Count>*>(place);
    }
    template <std::int64_t Count, class E> static __device__ pack<E, Count> load_pack(E*) { return {}; }
    template <std::int64_t Count, class E> static __device__ void store(E* place, const pack<E, Count>& elements) {
        *reinterpret_cast<pack<E, Count>*>(place) = elements;
    }
    template <std::int64_t Count, class E> static __device__ void store(const E*, const pack<E, Count>&) {}
};
template <> struct columns<> {
    std::int64_t n, blocks; // so many at most

    explicit columns(std::int64_t n, std::int64_t blocks = std::numeric_limits<std::int64_t>::max()) : n(n), blocks(blocks) {}
    __device__ bool in_words(std::int64_t end) const { return end <= n; }
    static constexpr std::int64_t wide = 1;
    template <std::int64_t> struct packs {};
    template <std::int64_t Count, class Step> __device__ void run(std::int64_t i, packs<Count>&, Step step) const {
#pragma unroll
        for (std::int64_t k = 0; k < Count; ++k) step(i + k);
    }
    template <std::int64_t Count> __device__ packs<Count> load(std::int64_t) const { return {}; }
};
//= as_columns
inline columns<> as_columns(std::int64_t n) { return columns<>(n); }
template <class... T> columns<T...> as_columns(const columns<T...>& over) { return over; }
//= run_some
// step(i, elements...) for up to Count indices next to one another.
template <std::int64_t Count, class Columns, class Step> __device__ void run_some(const Columns& over, std::int64_t begin, Step step) {
#pragma unroll 1
    for (std::int64_t i = begin; i < over.n && i < begin + Count; ++i) {
        auto elements = over.template load<1>(i);
        over.template run<1>(i, elements, step);
    }
}
//= run_grid
// step(i, elements...) for all indices, each in one thread of the grid.
template <class Columns, class Step> __device__ void run_grid(const Columns& over, Step step) {
    constexpr std::int64_t wide = Columns::wide;
    const std::int64_t stride = std::int64_t{gridDim.x} * block_size * wide;
    std::int64_t i = (std::int64_t{blockIdx.x} * block_size + threadIdx.x) * wide;
    for (; over.in_words(i + stride + wide); i += 2 * stride) {
        auto first = over.template load<wide>(i), second = over.template load<wide>(i + stride);
        over.template run<wide>(i, first, step);
        over.template run<wide>(i + stride, second, step);
    }
    for (; i < over.n; i += stride) run_some<wide>(over, i, step);
}
//= run_stretch
// step(i, elements...) for a stretch of indices in order; its elements, to run through it again.
template <std::int64_t Stretch, class Columns> __device__ auto load_stretch(const Columns& over, std::int64_t begin) {
    using packs = typename Columns::template packs<Stretch>;
    return over.in_words(begin + Stretch) ? over.template load<Stretch>(begin) : packs{};
}
template <std::int64_t Stretch, class Columns, class Packs, class Step>
__device__ void run_stretch(const Columns& over, std::int64_t begin, Packs& elements, Step step) {
    if (over.in_words(begin + Stretch)) over.template run<Stretch>(begin, elements, step);
    else run_some<Stretch>(over, begin, step);
}
