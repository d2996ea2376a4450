// Helpers of emitted CUDA: arrays that live on the host, on the device, or on both.
#include "printers/cpp/runtime/runtime.hpp"

namespace irrewrite::printers::detail {

constexpr RuntimeHelper cuda_array_helpers_table[] = {
    {"array", R"(// An array that owns its elements, in memory of the host, of the device, or of both: each side gets
// them when it asks. `array<double>(n)` does not fill them in. What holds memory of its own stays on the host.
template <class T, std::size_t Rank = 1> class array;
template <class T, std::size_t Rank> class array_row;

template <class T> class array<T, 1> {
  public:
    array() = default;
    explicit array(std::int64_t n) : size_(n) {}
    array(std::int64_t n, const T& value) : array(n) { std::fill_n(data(), n, value); }
    array(std::initializer_list<T> values) : array(std::span<const T>(values.begin(), values.size())) {}
    explicit array(std::span<const T> values) : array(std::ssize(values)) {
        std::copy(values.begin(), values.end(), data());
    }
    explicit array(const array_row<T, 1>& row) : array(std::ssize(row)) {
        if (row.is_on_device()) device_to_fill();
        set_part(0, size_, row);
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
            if (is_on_host_ || touches_ == most_touches) return T(data()[i]);
            ++touches_;
            alignas(T) unsigned char element[sizeof(T)];
            if (is_on_device_) cuda_check(cudaMemcpy(element, device_.data() + i, sizeof(T), cudaMemcpyDeviceToHost));
            return T(*reinterpret_cast<const T*>(element));
        } else {
            return static_cast<const T&>(data()[i]);
        }
    }
    // The first few elements go one by one to where the others are: perhaps a kernel is next.
    void set(std::int64_t i, const T& value) {
        if (!is_on_device_ || touches_ == most_touches) {
            data()[i] = value;
            return;
        }
        ++touches_;
        cuda_check(cudaMemcpy(device_.data() + i, &value, sizeof(T), cudaMemcpyHostToDevice));
        if (is_on_host_) host_[static_cast<std::size_t>(i)] = value;
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
        if (is_on_device_) touches_ = 0; // counted are those between two kernels
        to_device();
        return {device_.data(), size()};
    }
    std::span<T> device_to_fill() {
        if (!is_on_device_) device_ = device_memory<T>(size_);
        is_on_device_ = true;
        is_on_host_ = false;
        touches_ = 0;
        return {device_.data(), size()};
    }
    std::span<T> device_to_change() {
        to_device();
        return device_to_fill();
    }
    bool is_on_device() const { return moves_to_device && is_on_device_; }
    // Neighbours, to be read. The first few parts of what the device does not have go `alone`: perhaps nobody wants the rest.
    const T* device_part(std::int64_t first, std::int64_t n, device_memory<T>& alone) const {
        if (alone.data() == nullptr) {
            if (is_on_device_ || touches_ == most_touches) return device().data() + first;
            ++touches_;
            alone = device_memory<T>(n);
            if (n > 0) cuda_check(cudaMemcpy(alone.data(), data() + first, sizeof(T) * static_cast<std::size_t>(n), cudaMemcpyHostToDevice));
        }
        return alone.data();
    }
    // The same elements as the part's, on the device if the array is there.
    template <class Part> void set_part(std::int64_t first, std::int64_t n, const Part& part) {
        if constexpr (moves_to_device && requires { part.device(); })
            if (is_on_device_ && touches_ < most_touches) {
                const T* const from = part.device().data();
                T* const to = device_.data() + first;
                is_on_host_ = false;
                if (n > 0 && from != to) cuda_check(cudaMemcpy(to, from, sizeof(T) * static_cast<std::size_t>(n), cudaMemcpyDeviceToDevice));
                return;
            }
        std::copy_n(part.data(), n, data() + first);
    }
    // Only the first n elements.
    void shrink(std::int64_t n) { size_ = n; }

  private:
    static constexpr bool moves_to_device = std::is_trivially_destructible_v<T>;
    static constexpr int most_touches = 16;

    static std::unique_ptr<T[]> new_elements(std::int64_t n) {
        return std::make_unique_for_overwrite<T[]>(static_cast<std::size_t>(n));
    }
    void copy(T* to, const T* from, cudaMemcpyKind kind) const {
        if (size_ > 0) cuda_check(cudaMemcpy(to, from, sizeof(T) * size(), kind));
    }
    void to_host() const {
        if (is_on_host_) return;
        if (size_ > capacity_ || !host_) host_ = new_elements(size_), capacity_ = size_;
        if constexpr (moves_to_device) {
            if (is_on_device_) copy(host_.get(), device_.data(), cudaMemcpyDeviceToHost);
        }
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
        std::swap(touches_, other.touches_);
    }

    mutable std::unique_ptr<T[]> host_;
    mutable device_memory<T> device_;
    std::int64_t size_ = 0;
    mutable std::int64_t capacity_ = 0; // of the host's memory
    mutable bool is_on_host_ = false, is_on_device_ = false;
    mutable int touches_ = 0; // elements that came or went alone, rows that went
};
)"},
};
constinit const RuntimeHelpers cuda_array_helpers = cuda_array_helpers_table;

constexpr RuntimeHelper cuda_row_helpers_table[] = {
    {"array_row", R"(// A row of an array, or rows of it in turn, wherever the array is, which stays there longer.
template <class T, std::size_t Rank> class array_row {
  public:
    array_row(const array<T>& whole, std::int64_t first, const std::array<std::int64_t, Rank>& extents)
        : whole_(&whole), first_(first), extents_(extents) {}

    std::size_t size() const { return static_cast<std::size_t>(extents_[0]); }
    std::int64_t extent(std::size_t k) const { return extents_[k]; }
    const std::array<std::int64_t, Rank>& extents() const { return extents_; }
    std::int64_t width() const { // elements of one of its rows
        std::int64_t elements = 1;
        for (std::size_t k = 1; k < Rank; ++k) elements *= extents_[k];
        return elements;
    }
    const T* data() const { return whole_->data() + first_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + extents_[0] * width(); }
    decltype(auto) operator[](std::int64_t i) const {
        if constexpr (Rank == 1) {
            return (*whole_)[first_ + i];
        } else {
            std::array<std::int64_t, Rank - 1> inner{};
            std::copy(extents_.begin() + 1, extents_.end(), inner.begin());
            return array_row<T, Rank - 1>(*whole_, first_ + i * width(), inner);
        }
    }
    operator std::span<const T>() const requires(Rank == 1) { return {data(), size()}; }
    array_row<T, 1> elements() const { return {*whole_, first_, {extents_[0] * width()}}; }

    bool is_on_device() const { return whole_->is_on_device(); }
    auto device() const {
        const T* const data = whole_->device_part(first_, extents_[0] * width(), alone_);
        if constexpr (Rank == 1) return std::span<const T>(data, size());
        else return view<const T, Rank>(data, extents_);
    }

  private:
    const array<T>* whole_;
    std::int64_t first_;
    std::array<std::int64_t, Rank> extents_;
    mutable device_memory<T> alone_;
};
)"},
    {"rows_on_device", R"(// Rows that are copied to the device when it first asks for them.
template <class T> class rows_on_device {
  public:
    explicit rows_on_device(const rows<const T>& source) : source_(source) {}
    rows<const T> device() const {
        if (offsets_.data() == nullptr) {
            copy(source_.values(), values_);
            copy(source_.offsets(), offsets_);
        }
        return {{values_.data(), source_.values().size()}, {offsets_.data(), source_.offsets().size()}};
    }
    // One of them: the first few go `alone`, perhaps nobody wants the others.
    std::span<const T> device(std::span<const T> row, device_memory<T>& alone) const {
        if (offsets_.data() != nullptr || touches_ == most_touches)
            return device().values().subspan(static_cast<std::size_t>(row.data() - source_.values().data()), row.size());
        ++touches_;
        copy(row, alone);
        return {alone.data(), row.size()};
    }

  private:
    template <class E> static void copy(std::span<const E> from, device_memory<E>& to) {
        to = device_memory<E>(std::ssize(from));
        if (!from.empty()) cuda_check(cudaMemcpy(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice));
    }

    static constexpr int most_touches = 16;

    rows<const T> source_;
    mutable int touches_ = 0; // rows that went alone
    mutable device_memory<T> values_;
    mutable device_memory<std::int64_t> offsets_;
};
)"},
};
constinit const RuntimeHelpers cuda_row_helpers = cuda_row_helpers_table;

const std::string_view cuda_ragged_members = R"(
    constexpr std::span<T> values() const { return values_; }
    constexpr std::span<const std::int64_t> offsets() const { return offsets_; }
)";
const std::string_view cuda_row_members = R"(
    explicit array(const array_row<T, Rank>& rows) : extents_(rows.extents()), values_(rows.elements()) {}
    auto operator[](std::int64_t i) const { return array_row<T, Rank>(values_, 0, extents_)[i]; }
    template <class Row> void set_row(std::int64_t i, const Row& row) { values_.set_part(i * width(), width(), row); }
    view<const T, Rank> device() const { return {values_.device().data(), extents_}; }
    view<T, Rank> device_to_fill() { return {values_.device_to_fill().data(), extents_}; }
    view<T, Rank> device_to_change() { return {values_.device_to_change().data(), extents_}; }
)";

} // namespace irrewrite::printers::detail
