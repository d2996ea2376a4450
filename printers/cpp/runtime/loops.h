// Helpers of emitted C++: parallel loops, mutable state.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= in_parallel
// Runs body(begin, end, in_order) for contiguous parts of [0, n): one for each thread where there are
// `enough` indices, else one. in_order(join) runs join(first) when all earlier parts have done so.
// The fault thrown is that of the earliest part.
template <class Body> void in_parallel(std::int64_t n, std::int64_t enough, Body body) {
    if (n < enough || omp_in_parallel() || omp_get_max_threads() == 1) {
        body(std::int64_t{0}, n, [](auto&& join) { join(true); });
        return;
    }
    std::atomic<int> turn = 0;
    std::exception_ptr error;
#pragma omp parallel
    {
        const int part = omp_get_thread_num();
        const std::int64_t size = n / omp_get_num_threads(), rest = n % omp_get_num_threads();
        const std::int64_t begin = part * size + std::min<std::int64_t>(part, rest);
        const auto await_turn = [&] {
            for (int now = turn.load(); now != part; now = turn.load()) turn.wait(now);
        };
        std::exception_ptr mine;
        try {
            body(begin, begin + size + (part < rest ? 1 : 0), [&](auto&& join) {
                await_turn();
                if (!error) join(part == 0);
            });
        } catch (...) {
            mine = std::current_exception();
        }
        await_turn();
        if (!error) error = mine;
        turn.store(part + 1);
        turn.notify_all();
    }
    if (error) std::rethrow_exception(error);
}
//= tile_rows
// Sums of so many rows and columns, two vectors of each row, stand in vector registers: 32 where there are vectors of 64 bytes, else 16.
#ifdef __AVX512F__
inline constexpr std::int64_t tile_rows = 8, tile_bytes = 128;
#elif defined(__AVX__)
inline constexpr std::int64_t tile_rows = 4, tile_bytes = 64;
#else
inline constexpr std::int64_t tile_rows = 4, tile_bytes = 32;
#endif
template <class T> inline constexpr std::int64_t tile_columns = tile_bytes / std::int64_t(sizeof(T));
//= divides_rarely
// True if of n numbers from `from` on, which are not negative, few are multiples of the divisor.
constexpr bool divides_rarely(std::int64_t from, std::int64_t n, std::int64_t divisor) {
    return divisor >= 8 && from >= 0 && from <= std::numeric_limits<std::int64_t>::max() - n;
}
//= in_pieces
// Runs body(begin, end) for pieces of [0, n), each on the thread that is free first, where there are `enough` indices: some
// take much longer than others. Pieces are begun in order: the fault thrown is that of the earliest.
template <class Body> void in_pieces(std::int64_t n, std::int64_t enough, Body body) {
    if (n < enough || omp_in_parallel() || omp_get_max_threads() == 1) {
        body(std::int64_t{0}, n);
        return;
    }
    const std::int64_t size = std::max<std::int64_t>(1, n / 64 / omp_get_max_threads());
    std::atomic<std::int64_t> next = 0, faulty = n;
    std::exception_ptr error;
    std::mutex lock;
#pragma omp parallel
    for (std::int64_t begin = next.fetch_add(size); begin < faulty; begin = next.fetch_add(size)) {
        try {
            body(begin, std::min(begin + size, n));
        } catch (...) {
            const std::lock_guard guard(lock);
            if (begin < faulty) faulty = begin, error = std::current_exception();
        }
    }
    if (error) std::rethrow_exception(error);
}
//= in_parallel_behind
// As in_parallel, for bodies that write behind what the parts before them write: `end` holds how much that is at first, and
// how much it is with theirs at last, `limit` where the next part's begins. It is what count(begin, end) says of each part; room(sizes) makes room for all of it. One
// part alone is not counted where there is a bound, one for each index. The sizes.
template <class Count, class Room, class Body>
auto in_parallel_behind(std::int64_t n, std::int64_t enough, bool bounded, Count count, Room room, Body body) {
    const std::int64_t parts = n < enough || omp_in_parallel() ? 1 : omp_get_max_threads();
    const auto begin_of = [&](std::int64_t part) { return n / parts * part + std::min(part, n % parts); };
    std::vector<decltype(count(n, n))> ends(static_cast<std::size_t>(parts) + 1);
    if (parts == 1 && bounded) {
        ends[1].fill(std::max<std::int64_t>(0, n));
    } else {
        in_parallel(parts, 2, [&](std::int64_t first, std::int64_t last, auto&&) {
            for (std::int64_t part = first; part < last; ++part) ends[part + 1] = count(begin_of(part), begin_of(part + 1));
        });
    }
    for (std::int64_t part = 1; part < parts; ++part)
        for (std::size_t k = 0; k < ends[0].size(); ++k) ends[part + 1][k] += ends[part][k];
    auto sizes = ends[parts];
    room(sizes);
    in_parallel(parts, 2, [&](std::int64_t first, std::int64_t last, auto&& in_order) {
        auto end = ends[first];
        body(begin_of(first), begin_of(last), end, ends[last], in_order);
        if (last == parts) sizes = end;
    });
    return sizes;
}
//= in_parallel_from
// As in_parallel, for bodies that go on from what the parts before them come to, `before`: `start`, and the
// total(begin, end) of each of them, joined in order.
template <class State, class Total, class Join, class Body>
void in_parallel_from(std::int64_t n, std::int64_t enough, const State& start, Total total, Join join, Body body) {
    const std::int64_t parts = n < enough || omp_in_parallel() ? 1 : omp_get_max_threads();
    const auto begin_of = [&](std::int64_t part) { return n / parts * part + std::min(part, n % parts); };
    std::vector<State> before(static_cast<std::size_t>(parts), start);
    in_parallel(parts - 1, 1, [&](std::int64_t first, std::int64_t last, auto&&) {
        for (std::int64_t part = first; part < last; ++part) before[part + 1] = total(begin_of(part), begin_of(part + 1));
    });
    for (std::int64_t part = 1; part < parts; ++part) before[part] = join(before[part - 1], before[part]);
    in_parallel(parts, 2, [&](std::int64_t first, std::int64_t last, auto&& in_order) {
        body(begin_of(first), begin_of(last), before[std::min(first, parts - 1)], in_order);
    });
}
//= once
// Computes what several threads may need: the first one that needs it does, the others wait. A fault is there for all that ask.
class once {
  public:
    template <class F> void operator()(const F& compute) {
        if (!*this) [[unlikely]] first(compute);
    }
    explicit operator bool() const { return done_.load(std::memory_order_acquire); }

  private:
    template <class F> [[gnu::noinline]] void first(const F& compute) {
        const std::lock_guard guard(lock_);
        if (fault_) std::rethrow_exception(fault_);
        if (done_.load()) return;
        try {
            compute();
        } catch (...) {
            fault_ = std::current_exception();
            throw;
        }
        done_.store(true, std::memory_order_release);
    }

    std::atomic<bool> done_ = false;
    std::exception_ptr fault_;
    std::mutex lock_;
};
//= fetch_ahead
// Asks for the memory that lies a page behind, which a loop over an array comes to soon; where there is none, nothing happens.
inline void fetch_ahead(const void* place) {
    __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(place) + 4096));
}
//= wrap_sum_i8
#pragma omp declare reduction(wrap_sum_i8 : std::int8_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_i16
#pragma omp declare reduction(wrap_sum_i16 : std::int16_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_i32
#pragma omp declare reduction(wrap_sum_i32 : std::int32_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_i64
#pragma omp declare reduction(wrap_sum_i64 : std::int64_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_u8
#pragma omp declare reduction(wrap_sum_u8 : std::uint8_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_u16
#pragma omp declare reduction(wrap_sum_u16 : std::uint16_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_u32
#pragma omp declare reduction(wrap_sum_u32 : std::uint32_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= wrap_sum_u64
#pragma omp declare reduction(wrap_sum_u64 : std::uint64_t : omp_out = wrap_add(omp_out, omp_in)) initializer(omp_priv = 0)
//= ref
// A cell; copies are the same cell.
template <class T> class ref {
  public:
    ref() = default;
    explicit ref(T value) : cell_(std::make_shared<T>(std::move(value))) {}
    T& operator*() const { return *cell_; }

  private:
    std::shared_ptr<T> cell_;
};
//= grown
// So many more elements of this value, behind those that are there.
template <class T> std::span<T> grown(array<T>& x, std::int64_t n, std::type_identity_t<T> value) {
    T* const first = x.grow(n);
    for (std::int64_t i = 0; i < n; ++i) first[i] = value;
    return {first, static_cast<std::size_t>(n)};
}
//= own_mut
// An array that is updated in place, and known under one name.
template <class T> class own_mut {
  public:
    explicit own_mut(array<T> values) : values_(std::move(values)) {}
    own_mut(const own_mut&) = delete;
    T* data() const { return values_.data(); }
    std::int64_t size() const { return std::ssize(values_); }
    T& operator[](std::int64_t i) const { return values_[i]; }
    const array<T>& values() const { return values_; }
    array<T> take() const { return std::move(values_); } // by whom uses it last

  private:
    mutable array<T> values_;
};
//= mut
// An array that is updated in place; copies are the same array.
template <class T> class mut {
  public:
    mut() = default;
    explicit mut(array<T> values) : values_(std::make_shared<array<T>>(std::move(values))), data_(values_->data()) {}
    T* data() const { return data_; }
    std::int64_t size() const { return values_ ? std::ssize(*values_) : 0; }
    T& operator[](std::int64_t i) const { return data_[i]; }
    const array<T>& values() const { return *values_; }
    array<T> take() const { return std::move(*values_); } // by whom uses it last

  private:
    std::shared_ptr<array<T>> values_;
    T* data_ = nullptr;
};
//= eight_bytes
// Truth values that lie one behind the other, each a byte of 0 or 1, as one number.
inline std::uint64_t eight_bytes(const bool* values) {
    std::uint64_t all;
    std::memcpy(&all, values, sizeof all);
    return all;
}
//= first_byte
// The place of the first byte of these that is not 0: it is taken away by `all & all - 1`.
inline std::int64_t first_byte(std::uint64_t all) {
    static_assert(std::endian::native == std::endian::little);
    return std::countr_zero(all) / 8;
}
