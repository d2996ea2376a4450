// Helpers of emitted C++: parallel loops, groups, mutable state.
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
//= word_of
// At most seven bytes as one word: no read beyond them, and no call.
template <class Byte> constexpr std::uint64_t word_of(const Byte* bytes, std::size_t size) {
    const auto at = [&](auto word, std::size_t i) {
        std::memcpy(&word, bytes + i, sizeof(word));
        return static_cast<std::uint64_t>(word) << (8 * i);
    };
    if (size >= 4) return at(std::uint32_t{}, 0) | at(std::uint32_t{}, size - 4);
    return size == 0 ? 0 : at(std::uint8_t{}, 0) | at(std::uint8_t{}, size / 2) | at(std::uint8_t{}, size - 1);
}
//= hash_of
constexpr std::size_t mix(std::size_t a, std::size_t b) {
    const std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6))) * 0xff51afd7ed558ccdu;
    return x ^ (x >> 32);
}
// Different numbers have different ones, zeros and every NaN the same.
template <class T> constexpr std::uint64_t bits_of(T x) requires std::is_arithmetic_v<T> {
    if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(x != x ? std::numeric_limits<T>::quiet_NaN() : x + T{0});
    else if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(x != x ? std::numeric_limits<T>::quiet_NaN() : x + T{0});
    else return static_cast<std::uint64_t>(x);
}
template <class T> constexpr std::size_t hash_of(T x) requires std::is_arithmetic_v<T> { return mix(0, bits_of(x)); }
template <class... T> constexpr std::size_t hash_of(const std::tuple<T...>& x);
template <class T> constexpr std::size_t hash_of(const T& x) requires requires { x.data(); } {
    std::size_t hash = 0;
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(*x.data())>>) { // eight bytes at a time
        const char* const bytes = reinterpret_cast<const char*>(x.data());
        const std::size_t size = x.size() * sizeof(*x.data());
        for (std::size_t i = 0; i < size; i += 8) {
            std::uint64_t word = 0;
            if (i + 8 <= size) std::memcpy(&word, bytes + i, 8);
            else word = word_of(bytes + i, size - i);
            hash = mix(hash, word);
        }
        return mix(hash, size);
    } else {
        for (std::int64_t i = 0; i < std::ssize(x); ++i) hash = mix(hash, hash_of(x[i]));
        return hash;
    }
}
template <class... T> constexpr std::size_t hash_of(const std::tuple<T...>& x) {
    return std::apply([](const auto&... part) {
        std::size_t hash = 0;
        ((hash = mix(hash, hash_of(part))), ...);
        return hash;
    }, x);
}
template <class T> constexpr std::size_t hash_of(const T& x) requires requires { fields(x); } { return hash_of(fields(x)); }
//= same_numbers
// Of two arrays of one length.
template <class T, class U> constexpr bool same_numbers(const T& a, const U& b) {
    return std::equal(a.data(), a.data() + a.size(), b.data());
}
//= is_equal
// As keys: NaN is equal to NaN.
template <class T> constexpr bool is_equal(T a, T b) requires std::is_arithmetic_v<T> {
    if constexpr (std::is_floating_point_v<T>) return a == b || (a != a && b != b);
    else return a == b;
}
template <class... T> constexpr bool is_equal(const std::tuple<T...>& a, const std::tuple<T...>& b);
template <class T, class U> constexpr bool is_equal(const T& a, const U& b) requires requires { a.data(); b.data(); } {
    if (std::ssize(a) != std::ssize(b)) return false;
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(*a.data())>>) {
        return same_numbers(a, b);
    } else {
        for (std::int64_t i = 0; i < std::ssize(a); ++i)
            if (!is_equal(a[i], b[i])) return false;
        return true;
    }
}
template <class... T, std::size_t... I>
constexpr bool is_equal_parts(const std::tuple<T...>& a, const std::tuple<T...>& b, std::index_sequence<I...>) {
    return (is_equal(std::get<I>(a), std::get<I>(b)) && ...);
}
template <class... T> constexpr bool is_equal(const std::tuple<T...>& a, const std::tuple<T...>& b) {
    return is_equal_parts(a, b, std::index_sequence_for<T...>());
}
template <class T> constexpr bool is_equal(const T& a, const T& b) requires requires { fields(a); } {
    return is_equal(fields(a), fields(b));
}
//= key_index
// Numbers different keys in the order in which they first come.
template <class Key> class key_index {
  public:
    key_index() : table_(16) {}
    std::int64_t size() const { return std::ssize(keys_); }
    const Key& key(std::int64_t number) const { return keys_[number]; }
    // The key's number; size() is one more than before when it is new.
    template <class K> std::int64_t operator()(const K& key) {
        const std::uint64_t tag = tag_of(key);
        for (std::size_t i = start(tag);; i = (i + 1) & (table_.size() - 1)) {
            const slot& at = table_[i];
            if (at.number == 0) return add(i, tag, Key(key));
            if (at.tag != tag) continue;
            if constexpr (!is_number)
                if (!is_whole<K>(tag) && !is_equal(keys_[at.number - 1], key)) continue;
            return at.number - 1;
        }
    }

  private:
    struct slot {
        std::uint64_t tag = 0;
        std::int64_t number = 0; // and one; 0: empty
    };
    static constexpr bool is_number = std::is_arithmetic_v<Key>;
    static constexpr std::uint64_t long_key = std::uint64_t{1} << 63;
    template <class K> static constexpr bool is_text = std::endian::native == std::endian::little && requires(const K& key) {
        key.data();
        requires std::is_integral_v<std::remove_cvref_t<decltype(key[0])>>;
    };
    // True if no other key has this tag.
    template <class K> static constexpr bool is_whole(std::uint64_t tag) { return is_text<K> && tag < long_key; }

    // Of a number its bits, and of at most seven bytes these and their number, which tell it from all others; of anything else
    // its hash.
    template <class K> static std::uint64_t tag_of(const K& key) {
        if constexpr (is_number) return bits_of(static_cast<Key>(key));
        else if constexpr (is_text<K>) {
            const std::size_t size = key.size() * sizeof(*key.data());
            if (size < 8) return word_of(reinterpret_cast<const char*>(key.data()), size) | std::uint64_t{size} << 56;
            return hash_of(key) | long_key;
        } else return hash_of(key);
    }
    // The upper bits of a product with the golden ratio: numbers at equal distances, as many keys are, stay apart
    // (Knuth, The Art of Computer Programming, volume 3, section 6.4).
    std::size_t start(std::uint64_t tag) const { return tag * 0x9e3779b97f4a7c15u >> shift_; }
    std::int64_t add(std::size_t i, std::uint64_t tag, Key key) {
        keys_.push_back(std::move(key));
        table_[i] = {tag, size()};
        if (2 * (size() + 1) > std::ssize(table_)) grow();
        return size() - 1;
    }
    void grow() {
        std::vector<slot> old(2 * table_.size());
        std::swap(old, table_);
        --shift_;
        for (const slot& full : old) {
            if (full.number == 0) continue;
            std::size_t i = start(full.tag);
            while (table_[i].number != 0) i = (i + 1) & (table_.size() - 1);
            table_[i] = full;
        }
    }

    array<Key> keys_;
    std::vector<slot> table_;
    int shift_ = 60; // 64 less the bits of a place in the table
};
//= key_table
// A key of a few bits as a number.
template <class Key> requires std::is_integral_v<Key> std::size_t number_of(Key key) {
    if constexpr (std::is_same_v<Key, bool>) return key ? 1 : 0;
    else return static_cast<std::make_unsigned_t<Key>>(key);
}
template <class... Part> std::size_t number_of(const std::tuple<Part...>& key) {
    const auto together = [](const auto&... part) {
        std::size_t all = 0;
        ((all = all << 8 * sizeof(part) | number_of(part)), ...);
        return all;
    };
    return std::apply(together, key);
}
// Numbers different keys of at most 16 bits in the order in which they first come.
template <class Key> class key_table {
  public:
    key_table() : numbers_(65536) {}
    std::int64_t size() const { return std::ssize(keys_); }
    const Key& key(std::int64_t number) const { return keys_[number]; }
    // The key's number; size() is one more than before when it is new.
    std::int64_t operator()(const Key& key) {
        std::int32_t& number = numbers_[number_of(key)];
        if (number == 0) {
            keys_.push_back(key);
            number = static_cast<std::int32_t>(size());
        }
        return number - 1;
    }

  private:
    std::vector<std::int32_t> numbers_; // and one; 0: not seen
    array<Key> keys_;
};
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
