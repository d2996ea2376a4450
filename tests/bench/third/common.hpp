// What the programs of the third set share: their data, results without a zero fill, and the parts of threads.
#pragma once
#include "harness.hpp"

#include <bit>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <sys/mman.h>
#include <unordered_map>
#include <utility>

namespace hand {

inline std::uint64_t hash(std::uint64_t x) { // counter based: value i is a function of i alone
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}
inline double unit(std::uint64_t i) { return double(hash(i) >> 11) * 0x1p-53; }

// An input: a scalar, an array, a matrix in rows, an array of records (whose fields `tie` lists in order).
template <class T> struct Scalar { T value; };
template <class T> struct Array {
    std::vector<T> data;
    explicit Array(std::int64_t n = 0) : data(std::size_t(n)) {}
    std::int64_t size() const { return std::int64_t(data.size()); }
    const T& operator[](std::int64_t i) const { return data[std::size_t(i)]; }
    template <class F> void fill(F f) {
        const std::int64_t n = size();
#pragma omp parallel for schedule(static)
        for (std::int64_t i = 0; i < n; i++) data[std::size_t(i)] = f(std::uint64_t(i));
    }
};
template <class T> struct Matrix : Array<T> {
    std::int64_t rows, columns;
    Matrix(std::int64_t n, std::int64_t m) : Array<T>(n * m), rows(n), columns(m) {}
    // As the emitted programs take it: each has a `view` of its own.
    template <template <class, std::size_t> class View> operator View<const T, 2>() const {
        return View<const T, 2>(this->data.data(), rows, columns);
    }
};
template <class R> struct Records : Array<R> { using Array<R>::Array; };

// A result: memory as it comes, huge pages when it is large. Freed by its owner, outside what is timed.
template <class T> class Fresh {
  public:
    explicit Fresh(std::int64_t n) : data_(static_cast<T*>(get(std::size_t(n) * sizeof(T)))), size_(n) {}
    Fresh(Fresh&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(o.size_) {}
    Fresh& operator=(Fresh&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    ~Fresh() { std::free(data_); }
    T* data() { return data_; }
    const T* data() const { return data_; }
    std::int64_t size() const { return size_; }
    void shrink(std::int64_t n) { size_ = n; } // pages never touched cost nothing
    T& operator[](std::int64_t i) { return data_[i]; }
    const T& operator[](std::int64_t i) const { return data_[i]; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }

  private:
    static void* get(std::size_t bytes) {
        const std::size_t huge = std::size_t(2) << 20;
        void* p = nullptr;
        if (bytes < 2 * huge) {
            p = std::malloc(bytes + 64);
        } else {
            bytes = (bytes + huge - 1) / huge * huge;
            p = std::aligned_alloc(huge, bytes);
            if (p) madvise(p, bytes, MADV_HUGEPAGE);
        }
        if (!p) throw std::bad_alloc();
        return p;
    }
    T* data_;
    std::int64_t size_;
};

// IEEE 754-2019 minimum and maximum order -0.0 before 0.0 and keep a NaN. On these integers plain < does the
// first; a NaN is looked for beside it, or mapped to the top by `key_or_top`.
inline std::int64_t key(double x) {
    const auto b = std::bit_cast<std::int64_t>(x);
    return b ^ std::int64_t(std::uint64_t(b >> 63) >> 1);
}
inline double unkey(std::int64_t k) { return std::bit_cast<double>(k ^ std::int64_t(std::uint64_t(k >> 63) >> 1)); }
inline std::int64_t key_or_top(double x) { return x != x ? std::numeric_limits<std::int64_t>::max() : key(x); }

inline const double infinity = std::numeric_limits<double>::infinity();

// Thread t of T takes [n t / T, n (t + 1) / T); few elements stay on one thread.
inline int threads_for(std::int64_t n) { return n < 20000 ? 1 : omp_get_max_threads(); }
inline std::int64_t part(std::int64_t n, int t, int threads) { return n * t / threads; }

[[noreturn]] inline void fault(const char* what) { throw std::runtime_error(what); }

using i8 = std::int8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
template <class T> using Vec = std::vector<T>;
// f(thread, begin, end) on each thread's part of [0, n).
template <class F> void parts(i64 n, F f) {
    const int threads = threads_for(n);
    if (threads == 1) return f(0, i64(0), n);
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        f(t, part(n, t, threads), part(n, t + 1, threads));
    }
}
// Open addressing, keys i64 >= 0, to numbers in the order of first appearance.
struct KeyIndex {
    Vec<i64> slot_key = Vec<i64>(1024, -1);
    Vec<i32> slot = Vec<i32>(1024);
    Vec<i64> keys;
    u64 mask = 1023;
    static u64 mix(i64 k) {
        u64 x = u64(k) * 0x9e3779b97f4a7c15ull;
        return x ^ (x >> 32);
    }
    i64 operator()(i64 k) {
        u64 h = mix(k) & mask;
        while (slot_key[h] != k) {
            if (slot_key[h] < 0) {
                slot_key[h] = k;
                slot[h] = i32(keys.size());
                keys.push_back(k);
                const i64 r = i64(keys.size()) - 1;
                if (keys.size() * 2 > slot.size()) grow();
                return r;
            }
            h = (h + 1) & mask;
        }
        return slot[h];
    }
    void grow() {
        mask = mask * 2 + 1;
        slot_key.assign(mask + 1, -1);
        slot.assign(mask + 1, 0);
        for (size_t i = 0; i < keys.size(); i++) {
            u64 h = mix(keys[i]) & mask;
            while (slot_key[h] >= 0) h = (h + 1) & mask;
            slot_key[h] = keys[i];
            slot[h] = i32(i);
        }
    }
};
// Stable compaction: those of [0, n) that keep(i), written by put(place, i); size(total) makes room.
template <class K, class S, class P> i64 compact(i64 n, K keep, S size, P put) {
    const int threads = threads_for(n);
    Vec<i64> counts(size_t(threads) + 1, 0);
    i64 total = 0;
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        const i64 lo = part(n, t, threads), hi = part(n, t + 1, threads);
        i64 c = 0;
        for (i64 i = lo; i < hi; i++) c += keep(i) ? 1 : 0;
        counts[size_t(t) + 1] = c;
#pragma omp barrier
#pragma omp single
        {
            for (int k = 0; k < threads; k++) counts[size_t(k) + 1] += counts[size_t(k)];
            total = counts[size_t(threads)];
            size(total);
        }
        i64 p = counts[size_t(t)];
        for (i64 i = lo; i < hi; i++)
            if (keep(i)) put(p++, i);
    }
    return total;
}

// A text of n bytes: words, a few of which stand for most of it, with blanks, ends of lines and commas between them.
inline Array<u8> words(i64 n) {
    Array<u8> text(n);
    i64 i = 0;
    for (u64 k = 0; i < n; k++) {
        const u64 v = hash(k) % 100 < 70 ? hash(k + 1) % 50 : hash(k + 2) % 20000;
        u64 r = hash(v + 999);
        const i64 length = 2 + i64(r % 8);
        for (i64 j = 0; j < length && i < n; j++, r /= 26)
            text.data[size_t(i++)] = u8((j == 0 && hash(k) % 10 == 0 ? 65 : 97) + r % 26);
        if (i < n) text.data[size_t(i++)] = hash(k + 4) % 10 ? 32 : 10;
        if (i < n && hash(k + 5) % 12 == 0) text.data[size_t(i++)] = 44;
    }
    return text;
}

// A program's `run(work)` beside what was emitted for it; the data of one size are made once, and not copied.
template <class Work, class Fused, class Unfused> int bench(int argc, char** argv, Fused fused, Unfused unfused) {
    const auto with_data = [](auto f) { return [f](const std::unique_ptr<Work>& work) { return f(*work); }; };
    return harness::bench(
        argc, argv, [](i64 n) { return std::make_unique<Work>(n); },
        with_data([](const Work& work) { return run(work); }), with_data(fused), with_data(unfused));
}

// The records of a program, as the struct of the same fields that was emitted for it.
template <class E, class R> std::span<const E> records(const Records<R>& in) {
    static_assert(sizeof(E) == sizeof(R) && alignof(E) == alignof(R));
    return {reinterpret_cast<const E*>(in.data.data()), in.data.size()};
}
} // namespace hand
