// Helpers of emitted CUDA: arrays that live on the host, on the device, or on both.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= array
// An array that owns its elements, in memory of the host, of the device, or of both: each side gets
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
