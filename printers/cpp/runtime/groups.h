// Helpers of emitted C++: hashes of keys, the numbers of keys, rows of groups.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
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
// Numbers different keys in the order in which they first come. Keys are hashed; once there are eight integers, and 16 places are
// enough for each, a key is its place in a table.
template <class Key> class key_index {
  public:
    key_index() : table_(16) {}
    std::int64_t size() const { return std::ssize(keys_); }
    const Key& key(std::int64_t number) const { return keys_[number]; }
    // The key's number; size() is one more than before when it is new.
    template <class K> std::int64_t operator()(const K& key) {
        if constexpr (has_places) {
            const auto place = static_cast<std::uint64_t>(key);
            if (place < places_.size() && places_[place] != 0) return std::int64_t{places_[place]} - 1;
            if (table_.empty()) return add(key);
        }
        const std::uint64_t tag = tag_of(key);
        for (std::size_t i = start(tag);; i = (i + 1) & (table_.size() - 1)) {
            const slot& at = table_[i];
            if (at.number == 0) return add(key);
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
    static constexpr bool is_number = std::is_arithmetic_v<Key>, has_places = std::is_integral_v<Key>;
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
    template <class K> [[gnu::noinline]] std::int64_t add(const K& key) {
        if constexpr (has_places) {
            if (table_.empty() && widen(static_cast<std::uint64_t>(key))) {
                keys_.push_back(key);
                place(size());
                return size() - 1;
            }
            if (table_.empty()) hash_all();
        }
        keys_.push_back(Key(key));
        put({tag_of(key), size()});
        if (2 * (size() + 1) > std::ssize(table_)) grow();
        return size() - 1;
    }
    void grow() {
        if constexpr (has_places)
            if (lie_close()) return spread();
        std::vector<slot> old(2 * table_.size());
        std::swap(old, table_);
        --shift_;
        for (const slot& full : old)
            if (full.number != 0) put(full);
    }
    void put(const slot& full) {
        std::size_t i = start(full.tag);
        while (table_[i].number != 0) i = (i + 1) & (table_.size() - 1);
        table_[i] = full;
    }
    // In a table in which as many keys as there are find room.
    void hash_all() {
        table_.resize(std::bit_ceil(4 * static_cast<std::size_t>(size() + 1)));
        shift_ = 64 - std::countr_zero(table_.size());
        for (std::int64_t i = 0; i < size(); ++i) put({tag_of(keys_[i]), i + 1});
        places_ = {};
    }
    bool is_close(std::uint64_t place) const {
        return place < 16 * static_cast<std::uint64_t>(size()) && place < UINT32_MAX;
    }
    bool widen(std::uint64_t place) {
        if (place < places_.size()) return true;
        if (is_close(place)) places_.resize(std::bit_ceil(place + 1));
        return place < places_.size();
    }
    bool lie_close() const {
        return std::ranges::all_of(keys_, [&](Key key) { return is_close(static_cast<std::uint64_t>(key)); });
    }
    void spread() {
        table_ = {};
        places_.resize(std::bit_ceil(static_cast<std::uint64_t>(*std::ranges::max_element(keys_)) + 1));
        for (std::int64_t i = 1; i <= size(); ++i) place(i);
    }
    // Of a number and one.
    void place(std::int64_t number) {
        places_[static_cast<std::uint64_t>(keys_[number - 1])] = static_cast<std::uint32_t>(number);
    }

    array<Key> keys_;
    std::vector<slot> table_;
    std::vector<std::uint32_t> places_; // the number and one; 0: none
    int shift_ = 60;                    // 64 less the bits of a place in the table
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
//= growing_rows
// Rows to whose ends values are appended in any order: each value with the number of its row, until `lay` lays the rows one
// behind the other.
template <class T> class growing_rows {
  public:
    std::int64_t size() const { return size_; }
    void add_row() {
        if (size_ == UINT32_MAX) throw std::bad_alloc();
        ++size_;
    }
    void push_back(std::int64_t row, T value) {
        values_.push_back(value);
        numbers_.push_back(static_cast<std::uint32_t>(row));
    }
    void append(std::int64_t row, std::span<const T> more) {
        std::copy_n(more.data(), std::ssize(more), values_.grow(std::ssize(more)));
        std::fill_n(numbers_.grow(std::ssize(more)), std::ssize(more), static_cast<std::uint32_t>(row));
    }
    // A counting sort.
    void lay() {
        begins_ = array<std::int64_t>(size_ + 2, 0);
        for (std::uint32_t number : numbers_) ++begins_[std::int64_t{number} + 2];
        for (std::int64_t row = 0; row < size_; ++row) begins_[row + 2] += begins_[row + 1];
        array<T> rows(std::ssize(values_));
        for (std::int64_t i = 0; i < std::ssize(values_); ++i) rows[begins_[std::int64_t{numbers_[i]} + 1]++] = values_[i];
        values_ = std::move(rows);
        numbers_ = {};
        begins_.truncate(size_ + 1);
    }
    std::span<const T> operator[](std::int64_t row) const {
        return {values_.data() + begins_[row], static_cast<std::size_t>(begins_[row + 1] - begins_[row])};
    }
    operator rows<const T>() const { return {values_, begins_}; }

  private:
    std::int64_t size_ = 0;
    array<T> values_;
    array<std::uint32_t> numbers_;
    array<std::int64_t> begins_; // row i begins at begins_[i]
};
