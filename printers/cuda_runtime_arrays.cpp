// Helpers of emitted CUDA: arrays that live on the host, on the device, or on both.
#include "printers/cpp_runtime.hpp"

namespace irrewrite::printers::detail {

const std::vector<RuntimeHelper> cuda_array_helpers = {
    {"view", R"(// Elements in several dimensions, row by row, that somebody else owns.
template <class T, std::size_t Rank> class view {
  public:
    template <class... Extent>
    constexpr view(T* data, Extent... extents) requires(sizeof...(Extent) == Rank)
        : data_(data), extents_{static_cast<std::int64_t>(extents)...} {}
    constexpr view(T* data, const std::array<std::int64_t, Rank>& extents) : data_(data), extents_(extents) {}

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
        for (std::int64_t j = 0; j < width(); ++j) data_[i * width() + j] = row.data()[j];
    }

  private:
    T* data_;
    std::array<std::int64_t, Rank> extents_;
};
)"},
    {"array", R"(// An array that owns its elements, in memory of the host, of the device, or of both: each side gets
// them when it asks. `array<double>(n)` does not fill them in. What holds memory of its own stays on the host.
template <class T, std::size_t Rank = 1> class array;

template <class T> class array<T, 1> {
  public:
    array() = default;
    explicit array(std::int64_t n) : size_(n) {}
    array(std::int64_t n, const T& value) : array(n) { std::fill_n(data(), n, value); }
    array(std::initializer_list<T> values) : array(std::span<const T>(values.begin(), values.size())) {}
    explicit array(std::span<const T> values) : array(std::ssize(values)) {
        std::copy(values.begin(), values.end(), data());
    }
    array(const array& other) : array(other.size_) {
        if constexpr (moves_to_device)
            if (other.is_on_device_) {
                copy(device_to_fill().data(), other.device_.data(), cudaMemcpyDeviceToDevice);
                return;
            }
        if (other.is_on_host_) std::copy(other.host_.get(), other.host_.get() + size_, data());
    }
    array(array&& other) noexcept { swap(other); }
    array& operator=(array other) noexcept {
        swap(other);
        return *this;
    }
    // A copy of elements in memory of the device.
    static array from_device(const T* elements, std::int64_t n) {
        array result(n);
        result.copy(result.device_to_fill().data(), elements, cudaMemcpyDeviceToDevice);
        return result;
    }

    // -- on the host
    std::size_t size() const { return static_cast<std::size_t>(size_); }
    T* data() {
        to_host();
        is_on_device_ = false;
        return host_.get();
    }
    const T* data() const {
        to_host();
        return host_.get();
    }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::int64_t i) { return data()[i]; }
    // The first few elements come one by one: perhaps nobody wants the others.
    decltype(auto) operator[](std::int64_t i) const {
        if constexpr (moves_to_device) {
            if (is_on_host_ || peeks_ == 16) return T(data()[i]);
            ++peeks_;
            alignas(T) unsigned char element[sizeof(T)];
            if (is_on_device_) cuda_check(cudaMemcpy(element, device_.data() + i, sizeof(T), cudaMemcpyDeviceToHost));
            return T(*reinterpret_cast<const T*>(element));
        } else {
            return static_cast<const T&>(data()[i]);
        }
    }
    operator std::span<const T>() const { return {data(), size()}; }
    // Memory for so many elements.
    void reserve(std::int64_t capacity) {
        to_host();
        if (capacity <= capacity_) return;
        std::unique_ptr<T[]> larger = new_elements(capacity);
        std::move(host_.get(), host_.get() + size_, larger.get());
        host_ = std::move(larger);
        capacity_ = capacity;
    }
    void push_back(T value) {
        if (size_ == capacity_) reserve(2 * capacity_ + 8);
        data()[size_++] = std::move(value);
    }
    // These elements behind its own.
    void append(std::span<const T> more) {
        const std::int64_t n = std::ssize(more);
        reserve(size_ + n > capacity_ ? std::max(size_ + n, 2 * capacity_) : 0);
        std::copy(more.begin(), more.end(), data() + size_);
        size_ += n;
    }
    void append(array&& other) {
        if (size_ == 0) return swap(other);
        reserve(size_ + other.size_ > capacity_ ? std::max(size_ + other.size_, 2 * capacity_) : 0);
        std::move(other.begin(), other.end(), data() + size_);
        size_ += other.size_;
    }

    // -- on the device: to be read; to be filled in; to be changed
    std::span<const T> device() const {
        to_device();
        return {device_.data(), size()};
    }
    std::span<T> device_to_fill() {
        if (!is_on_device_) device_ = device_memory<T>(size_);
        is_on_device_ = true;
        is_on_host_ = false;
        return {device_.data(), size()};
    }
    std::span<T> device_to_change() {
        to_device();
        return device_to_fill();
    }
    // Only the first n elements.
    void shrink(std::int64_t n) { size_ = n; }

  private:
    static constexpr bool moves_to_device = std::is_trivially_destructible_v<T>;

    static std::unique_ptr<T[]> new_elements(std::int64_t n) {
        return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n));
    }
    void copy(T* to, const T* from, cudaMemcpyKind kind) const {
        if (size_ > 0) cuda_check(cudaMemcpy(to, from, sizeof(T) * size(), kind));
    }
    void to_host() const {
        if (is_on_host_) return;
        if (size_ > capacity_ || !host_) host_ = new_elements(size_), capacity_ = size_;
        if constexpr (moves_to_device)
            if (is_on_device_) copy(host_.get(), device_.data(), cudaMemcpyDeviceToHost);
        is_on_host_ = true;
    }
    void to_device() const {
        if (is_on_device_) return;
        device_ = device_memory<T>(size_);
        if (is_on_host_) copy(device_.data(), host_.get(), cudaMemcpyHostToDevice);
        is_on_device_ = true;
    }
    void swap(array& other) noexcept {
        std::swap(host_, other.host_);
        std::swap(device_, other.device_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        std::swap(is_on_host_, other.is_on_host_);
        std::swap(is_on_device_, other.is_on_device_);
    }

    mutable std::unique_ptr<T[]> host_;
    mutable device_memory<T> device_;
    std::int64_t size_ = 0;
    mutable std::int64_t capacity_ = 0; // of the host's memory
    mutable bool is_on_host_ = false, is_on_device_ = false;
    mutable int peeks_ = 0;
};
)"},
    {"array_of_rows", R"(// Several dimensions, row by row.
template <class T, std::size_t Rank> class array {
  public:
    array() = default;
    template <class... Extent>
    explicit array(Extent... extents) requires(sizeof...(Extent) == Rank)
        : extents_{static_cast<std::int64_t>(extents)...}, values_(extents_[0] * width()) {}
    explicit array(view<const T, Rank> other) : values_(std::span<const T>()) {
        for (std::size_t k = 0; k < Rank; ++k) extents_[k] = other.extent(k);
        values_ = array<T>(std::span<const T>(other.data(), static_cast<std::size_t>(extents_[0] * width())));
    }
    // `n` rows like this one.
    template <class Row> static array like(std::int64_t n, const Row& row) {
        array result;
        result.extents_[0] = n;
        if constexpr (Rank == 2) result.extents_[1] = std::ssize(row);
        else for (std::size_t k = 1; k < Rank; ++k) result.extents_[k] = row.extent(k - 1);
        result.values_ = array<T>(n * result.width());
        return result;
    }

    // `n` times this one.
    template <class Row> static array repeat(std::int64_t n, const Row& row) {
        array result = like(n, row);
        for (std::int64_t i = 0; i < n; ++i) result.set_row(i, row);
        return result;
    }

    std::size_t size() const { return static_cast<std::size_t>(extents_[0]); }
    std::int64_t extent(std::size_t k) const { return extents_[k]; }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }
    T* begin() { return data(); }
    T* end() { return data() + extents_[0] * width(); }
    const T* begin() const { return data(); }
    const T* end() const { return data() + extents_[0] * width(); }
    operator view<const T, Rank>() const { return {data(), extents_}; }
    auto operator[](std::int64_t i) const { return view<const T, Rank>(*this)[i]; }
    // Memory of one row, to be filled in.
    auto row(std::int64_t i) { return view<T, Rank>(data(), extents_).row(i); }

    // Elements of one row.
    std::int64_t width() const {
        std::int64_t elements = 1;
        for (std::size_t k = 1; k < Rank; ++k) elements *= extents_[k];
        return elements;
    }
    template <class Row> void set_row(std::int64_t i, const Row& row) { std::copy_n(row.data(), width(), data() + i * width()); }
    template <class Row> void push_back(const Row& row) {
        for (std::int64_t i = 0; i < width(); ++i) values_.push_back(row.data()[i]);
        ++extents_[0];
    }
    void append(array&& other) {
        values_.append(std::move(other.values_));
        extents_[0] += other.extents_[0];
    }

    view<const T, Rank> device() const { return {values_.device().data(), extents_}; }
    view<T, Rank> device_to_fill() { return {values_.device_to_fill().data(), extents_}; }
    view<T, Rank> device_to_change() { return {values_.device_to_change().data(), extents_}; }

  private:
    std::array<std::int64_t, Rank> extents_{};
    array<T> values_;
};
)"},
    {"extent_of",
     R"(// The length found by descending so many arrays, or another one where the outer ones are empty.
template <std::size_t Depth, class Array> std::int64_t extent_of(const Array& x, std::int64_t otherwise = 0) {
    if constexpr (Depth == 0) return std::ssize(x);
    else if constexpr (requires { x.extent(Depth); }) return std::ssize(x) == 0 ? otherwise : x.extent(Depth);
    else return std::ssize(x) == 0 ? otherwise : extent_of<Depth - 1>(x[0], otherwise);
}
)"},
    {"check_extent",
     R"(template <std::size_t Depth, class Array> void check_extent(const Array& x, std::int64_t n, int line) {
    if constexpr (Depth == 0) same_length(n, std::ssize(x), line);
    else if constexpr (requires { x.extent(Depth); }) same_length(n, std::ssize(x) == 0 ? n : x.extent(Depth), line);
    else for (std::int64_t i = 0; i < std::ssize(x); ++i) check_extent<Depth - 1>(x[i], n, line);
}
)"},
};

} // namespace irrewrite::printers::detail
