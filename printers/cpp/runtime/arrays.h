// Helpers of emitted C++: arrays that own their elements, and views of them.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= view
// Elements in several dimensions, row by row, that somebody else owns.
template <class T, std::size_t Rank> class view {
  public:
    template <class... Extent>
    constexpr view(T* data, Extent... extents) requires(sizeof...(Extent) == Rank)
        : data_(data), extents_{static_cast<std::int64_t>(extents)...} {}
    constexpr view(T* data, const std::array<std::int64_t, Rank>& extents) : data_(data), extents_(extents) {}

    static constexpr std::size_t rank = Rank;
    constexpr T* data() const { return data_; }
    constexpr std::int64_t size() const { return extents_[0]; }
    constexpr std::int64_t extent(std::size_t k) const { return extents_[k]; }
    // Elements of one row.
    constexpr std::int64_t width() const {
        std::int64_t elements = 1;
        for (std::size_t k = 1; k < Rank; ++k) elements *= extents_[k];
        return elements;
    }
    constexpr auto operator[](std::int64_t i) const {
        if constexpr (Rank == 2) {
            return std::span<T>(data_ + i * width(), static_cast<std::size_t>(width()));
        } else {
            std::array<std::int64_t, Rank - 1> inner{};
            for (std::size_t k = 1; k < Rank; ++k) inner[k - 1] = extents_[k];
            return view<T, Rank - 1>(data_ + i * width(), inner);
        }
    }
    // Memory of one row, to be filled in.
    constexpr auto row(std::int64_t i) const {
        if constexpr (Rank == 2) return (*this)[i].data();
        else return (*this)[i];
    }
    template <class Row> constexpr void set_row(std::int64_t i, const Row& row) const {
        T* const to = data_ + i * width();
        for (std::int64_t j = 0; j < width(); ++j) to[j] = row.data()[j];
    }

  private:
    T* data_;
    std::array<std::int64_t, Rank> extents_;
};
//= part_of
// So many elements behind the first `from`, which are all there; none may begin anywhere.
template <class T> constexpr std::span<T> part_of(std::span<T> values, std::int64_t from, std::int64_t n) {
    return {values.data() + (n > 0 ? from : 0), static_cast<std::size_t>(n)};
}
//= is_part
// True if `n` elements from `from` on are there.
constexpr bool is_part(std::int64_t from, std::int64_t n, std::int64_t size) { return n <= 0 || (from >= 0 && from <= size - n); }
//= slice_of
// The same where they may not be there.
template <class T> constexpr std::span<T> slice_of(std::span<T> values, std::int64_t from, std::int64_t n, int line) {
    const std::int64_t size = std::ssize(values);
    if (n > 0 && (from < 0 || from >= size)) out_of_bounds(from, size, line);
    if (n > 0 && n > size - from) out_of_bounds(size, size, line);
    return part_of(values, from, n);
}
//= row_of
// A row of a matrix of so many columns.
template <class T> constexpr std::span<T> row_of(T* data, std::int64_t row, std::int64_t columns) {
    return {data + row * columns, static_cast<std::size_t>(columns)};
}
//= rows
// Rows of different lengths that somebody else owns: row i is values[offsets[i] .. offsets[i + 1]).
template <class T> class rows {
  public:
    constexpr rows(std::span<T> values, std::span<const std::int64_t> offsets) : values_(values), offsets_(offsets) {}

    constexpr std::int64_t size() const { return offsets_.empty() ? 0 : std::ssize(offsets_) - 1; }
    constexpr std::span<T> operator[](std::int64_t i) const {
        return values_.subspan(static_cast<std::size_t>(offsets_[i]), static_cast<std::size_t>(offsets_[i + 1] - offsets_[i]));
    }

  private:
    std::span<T> values_;
    std::span<const std::int64_t> offsets_;
};
//= array
// An array that owns its elements. `array<double>(n)` does not fill them in.
template <class T, std::size_t Rank = 1> class array;

template <class T> class array<T, 1> {
  public:
    array() = default;
    explicit array(std::int64_t n) : data_(new_elements(n)), size_(n) {}
    array(std::int64_t n, const T& value) : data_(is_zero(value) ? zeros(n) : new_elements(n)), size_(n) {
        if (!is_zero(value)) std::fill_n(data(), n, value);
    }
    array(std::initializer_list<T> values) : array(std::span<const T>(values.begin(), values.size())) {}
    explicit array(std::span<const T> values) : array(std::ssize(values)) {
        std::copy(values.begin(), values.end(), data());
    }
    array(const array& other) : array(std::span<const T>(other)) {}
    array(array&& other) noexcept { swap(other); }
    array& operator=(array other) noexcept {
        swap(other);
        return *this;
    }

    std::size_t size() const { return static_cast<std::size_t>(size_); }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }
    const T& operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }
    operator std::span<const T>() const { return {data(), size()}; }

    // Memory for so many elements. Plain ones are left to the system, which can move whole pages.
    void reserve(std::int64_t capacity) {
        if (capacity <= this->capacity()) return;
        if constexpr (is_plain) {
            T* const larger = resized(data(), this->capacity(), capacity);
            data_.release();
            data_ = memory(larger, {capacity});
        } else {
            memory larger = new_elements(capacity);
            std::move(begin(), end(), larger.get());
            data_ = std::move(larger);
        }
    }
    void push_back(T value) {
        if (size_ == capacity()) reserve(2 * capacity() + 8);
        data_[size()] = std::move(value);
        ++size_;
    }
    // Without a branch, where room is reserved: the next one overwrites a value that is not kept.
    void push_back_if(bool kept, T value) {
        data_[size_] = value;
        size_ += kept ? 1 : 0;
    }
    void truncate(std::int64_t n) { size_ = n; } // no more than there are
    // So many more elements, to be written.
    T* grow(std::int64_t n) {
        const std::int64_t begin = size_;
        if (n > 0) {
            if (n > capacity() - size_) reserve(std::max(size_ + n, 2 * capacity() + 8));
            size_ += n;
        }
        return data() + begin;
    }
    // These elements behind its own.
    template <std::size_t N> void append(std::span<const T, N> more) {
        const std::int64_t n = std::ssize(more);
        if (size_ + n > capacity()) reserve(std::max(size_ + n, 2 * capacity()));
        std::copy_n(more.data(), n, end());
        size_ += n;
    }
    void append(const array& more) { append(std::span<const T>(more)); }
    void append(array&& other) {
        if (size_ == 0) return swap(other);
        if (size_ + other.size_ > capacity()) reserve(std::max(size_ + other.size_, 2 * capacity()));
        std::move(other.begin(), other.end(), end());
        size_ += other.size_;
    }

  private:
    static constexpr bool is_plain = std::is_trivially_copyable_v<T>;
    struct release {
        std::int64_t capacity = 0;
        void operator()(T* elements) const {
            if constexpr (is_plain) plain_memory::release(elements, static_cast<std::size_t>(capacity) * sizeof(T));
            else delete[] elements;
        }
    };
    using memory = std::unique_ptr<T[], release>;

    std::int64_t capacity() const { return data_.get_deleter().capacity; }
    static std::size_t bytes(std::int64_t n) {
        constexpr std::int64_t most = INT64_MAX / static_cast<std::int64_t>(sizeof(T)) - 8192;
        if (n > most) throw std::bad_alloc();
        return static_cast<std::size_t>(n) * sizeof(T);
    }
    // If there is no memory, the elements stay as they are.
    static T* resized(T* elements, std::int64_t before, std::int64_t n) {
        void* const larger = plain_memory::resized(elements, bytes(before), bytes(n));
        if (larger == nullptr && n > 0) throw std::bad_alloc();
        return static_cast<T*>(larger);
    }
    static bool is_zero(const T& value) {
        if constexpr (!std::is_arithmetic_v<T>) return false;
        constexpr unsigned char zero[sizeof(T)] = {};
        return std::memcmp(&value, zero, sizeof(T)) == 0;
    }
    static memory zeros(std::int64_t n) {
        void* const elements = plain_memory::zeros(bytes(n));
        if (elements == nullptr && n > 0) throw std::bad_alloc();
        return memory(static_cast<T*>(elements), {n});
    }
    static memory new_elements(std::int64_t n) {
        if constexpr (is_plain) return memory(resized(nullptr, 0, n), {n});
        else return memory(new T[static_cast<std::size_t>(n)], {n});
    }
    void swap(array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    memory data_;
    std::int64_t size_ = 0;
};
//= elements_of
// Their product. More than 64 bits count have no memory.
template <std::size_t Rank> std::int64_t elements_of(const std::array<std::int64_t, Rank>& extents) {
    std::int64_t elements = 1;
    for (std::int64_t extent : extents) {
        if (extent > 0 && elements > INT64_MAX / extent) throw std::bad_alloc();
        elements *= extent;
    }
    return elements;
}
//= array_of_rows
// Several dimensions, row by row.
template <class T, std::size_t Rank> class array {
  public:
    array() = default;
    template <class... Extent>
    explicit array(Extent... extents) requires(sizeof...(Extent) == Rank)
        : extents_{static_cast<std::int64_t>(extents)...}, values_(elements_of(extents_)) {}
    explicit array(view<const T, Rank> other) : values_(std::span<const T>()) {
        for (std::size_t k = 0; k < Rank; ++k) extents_[k] = other.extent(k);
        values_ = array<T>(std::span<const T>(other.data(), static_cast<std::size_t>(extents_[0] * width())));
    }
    array(const array&) = default;
    array(array&& other) noexcept
        : extents_(std::exchange(other.extents_, {})), values_(std::move(other.values_)) {}
    array& operator=(array other) noexcept {
        std::swap(extents_, other.extents_);
        values_ = std::move(other.values_);
        return *this;
    }

    // `n` rows like this one.
    template <class Row> static array like(std::int64_t n, const Row& row) {
        array result;
        result.extents_[0] = n;
        if constexpr (Rank == 2) result.extents_[1] = std::ssize(row);
        else for (std::size_t k = 1; k < Rank; ++k) result.extents_[k] = row.extent(k - 1);
        result.values_ = array<T>(elements_of(result.extents_));
        return result;
    }

    // `n` times this one.
    template <class Row> static array repeat(std::int64_t n, const Row& row) {
        array result = like(n, row);
        for (std::int64_t i = 0; i < n; ++i) result.set_row(i, row);
        return result;
    }

    static constexpr std::size_t rank = Rank;
    std::size_t size() const { return static_cast<std::size_t>(extents_[0]); }
    std::int64_t extent(std::size_t k) const { return extents_[k]; }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }
    T* begin() { return data(); }
    T* end() { return data() + extents_[0] * width(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + extents_[0] * width(); }
    operator view<const T, Rank>() const { return {data(), extents_}; }
    // Memory of one row, to be filled in.
    auto row(std::int64_t i) { return view<T, Rank>(data(), extents_).row(i); }

    // Elements of one row.
    std::int64_t width() const {
        std::int64_t elements = 1;
        for (std::size_t k = 1; k < Rank; ++k) elements *= extents_[k];
        return elements;
    }
    // The first row says how long rows are.
    template <class Row> void push_back(const Row& row) {
        if (extents_[0] == 0) *this = like(0, row);
        for (std::int64_t i = 0; i < width(); ++i) values_.push_back(row.data()[i]);
        ++extents_[0];
    }
    void append(array&& other) {
        if (extents_[0] == 0) return void(*this = std::move(other));
        values_.append(std::move(other.values_));
        extents_[0] += other.extents_[0];
    }

  private:
    std::array<std::int64_t, Rank> extents_{};
    array<T> values_;
};
//= rows_of
// The rows of an array of arrays in one piece of memory, to be passed as `rows`.
template <class T> class rows_of {
  public:
    template <class Arrays> explicit rows_of(const Arrays& arrays) : offsets_(std::ssize(arrays) + 1, 0) {
        for (std::int64_t i = 0; i < std::ssize(arrays); ++i) {
            for (const T& value : arrays[i]) values_.push_back(value);
            offsets_[i + 1] = std::ssize(values_);
        }
    }
    operator rows<const T>() const { return {values_, offsets_}; }

  private:
    array<T> values_;
    array<std::int64_t> offsets_;
};
//= column
// One field of each.
template <class Row, class T> array<T> column(const array<Row>& rows, T Row::*field) {
    array<T> values(std::ssize(rows));
    for (std::int64_t i = 0; i < std::ssize(rows); ++i) values[i] = rows[i].*field;
    return values;
}
//= remade
// An array of this size to be filled, in the memory of an old one that has it.
template <class T> array<T> remade(array<T> old, std::int64_t n) {
    if (std::ssize(old) == n) return old;
    return array<T>(n);
}
template <class T, std::size_t Rank, class... Extent>
array<T, Rank> remade(array<T, Rank> old, Extent... extents) requires(Rank > 1) {
    bool same = true;
    std::size_t k = 0;
    ((same = same && old.extent(k++) == extents), ...);
    if (same) return old;
    return array<T, Rank>(extents...);
}
//= converted
template <class To> struct conversion {
    template <class From> static To from(const From& x, int) { return To(x); }
};
template <class T> struct conversion<array<T, 1>> {
    template <class From> static array<T> from(const From& x, int line) {
        array<T> result(std::ssize(x));
        for (std::int64_t i = 0; i < std::ssize(x); ++i) result[i] = conversion<T>::from(x[i], line);
        return result;
    }
};
template <class T, std::size_t Rank> requires(Rank > 1) struct conversion<array<T, Rank>> {
    template <class From> static array<T, Rank> from(const From& x, int line) {
        array<T, Rank> result;
        for (std::int64_t i = 0; i < std::ssize(x); ++i) {
            const array<T, Rank - 1> row = conversion<array<T, Rank - 1>>::from(x[i], line);
            if (i == 0) result = array<T, Rank>::like(std::ssize(x), row);
            bool fits = std::ssize(row) == result.extent(1);
            if constexpr (Rank > 2)
                for (std::size_t k = 1; k + 1 < Rank; ++k) fits = fits && row.extent(k) == result.extent(k + 1);
            if (!fits) throw fault(line, "rows of different lengths");
            result.set_row(i, row);
        }
        return result;
    }
};
template <class... T> struct conversion<std::tuple<T...>> {
    template <class From> static std::tuple<T...> from(const From& x, int line) {
        return std::apply([&](const auto&... part) { return std::tuple<T...>(conversion<T>::from(part, line)...); }, x);
    }
};
// The same value, its arrays held in another way.
template <class To, class From> To converted(const From& x, int line) { return conversion<To>::from(x, line); }
//= has_rows
// True if something is found by descending so many dimensions.
template <std::size_t Depth, class Array> constexpr bool has_rows(const Array& x) {
    constexpr std::size_t rank = rank_of<Array>;
    if constexpr (Depth == 0) return true;
    else if constexpr (Depth < rank) {
        for (std::size_t k = 0; k < Depth; ++k)
            if (x.extent(k) == 0) return false;
        return true;
    } else {
        for (std::int64_t i = 0; i < elements_within(x); ++i)
            if (has_rows<Depth - rank>(element_within(x, i))) return true;
        return false;
    }
}
//= extent_of
// The length found by descending so many dimensions, or another one where nothing is found.
template <std::size_t Depth, class Array> constexpr std::int64_t extent_of(const Array& x, std::int64_t otherwise = 0) {
    constexpr std::size_t rank = rank_of<Array>;
    if constexpr (Depth == 0) return std::ssize(x);
    else if constexpr (Depth < rank) return has_rows<Depth>(x) ? x.extent(Depth) : otherwise;
    else {
        for (std::int64_t i = 0; i < elements_within(x); ++i)
            if (has_rows<Depth - rank>(element_within(x, i))) return extent_of<Depth - rank>(element_within(x, i), otherwise);
        return otherwise;
    }
}
//= check_extent
template <std::size_t Depth, class Array> void check_extent(const Array& x, std::int64_t n, int line) {
    constexpr std::size_t rank = rank_of<Array>;
    if constexpr (Depth == 0) same_length(n, std::ssize(x), line);
    else if constexpr (Depth < rank) same_length(n, has_rows<Depth>(x) ? x.extent(Depth) : n, line);
    else for (std::int64_t i = 0; i < elements_within(x); ++i) check_extent<Depth - rank>(element_within(x, i), n, line);
}
//= bytes
template <std::size_t N> std::span<const std::uint8_t, N - 1> bytes(const char (&text)[N]) {
    return std::span<const std::uint8_t, N - 1>(reinterpret_cast<const std::uint8_t*>(text), N - 1);
}
