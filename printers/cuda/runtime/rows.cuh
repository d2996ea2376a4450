// Helpers of emitted CUDA: arrays that live on the host, on the device, or on both.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= array_row
// A row of an array, or rows of it in turn, wherever the array is, which stays there longer.
template <class T, std::size_t Rank> class array_row {
  public:
    array_row(const array<T>& whole, std::int64_t first, const std::array<std::int64_t, Rank>& extents)
        : whole_(&whole), first_(first), extents_(extents) {}

    static constexpr std::size_t rank = Rank;
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
//= rows_on_device
// Rows that are copied to the device when it first asks for them.
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
