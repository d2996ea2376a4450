// The command's `operator new` for small objects: free lists by size, of each thread.
//
// Rewriting makes and drops millions of small vectors. An object comes from a span of 64 KiB that holds objects of one
// size; spans lie in one range of addresses, so that an address says where it came from, and objects have no headers.
// A dropped object is used again for one of its size, and its memory goes back to the system with the process. Larger objects, and
// all where the range cannot be had, come from malloc. (Bonwick, "The Slab Allocator"; Leijen, Zorn and de Moura,
// "Mimalloc: Free List Sharding in Action".) Only the command is linked with this file, not the library.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IRREWRITE_MALLOC_ALONE
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define IRREWRITE_MALLOC_ALONE
#endif

#ifndef IRREWRITE_MALLOC_ALONE

namespace irrewrite::small_objects {
namespace {

constexpr std::size_t unit = 16, most = 512; // bytes: sizes are multiples of the one, up to the other
constexpr std::size_t sizes = most / unit + 1;
constexpr std::size_t span_bits = 16, span_size = std::size_t{1} << span_bits;
constexpr std::size_t range = std::size_t{1} << 34,
                      step = std::size_t{1} << 20; // addresses; what is made usable at once

std::atomic<std::uintptr_t> begin_of_range; // 0: there is none (yet)
std::uint8_t units_of_span[range >> span_bits];

struct Free {
    Free* next;
};
struct Lists {
    Free* free[sizes];
    char* fresh[sizes]; // of the present span of each size: what was not used yet
    char* end[sizes];
};
thread_local constinit Lists lists{};

class Range {
  public:
    // Null: there is none left.
    char* take_span(std::size_t units) {
        const std::lock_guard lock(mutex_);
        if (!tried_) reserve();
        if (used_ + span_size > usable_ && !extend()) return nullptr;
        char* const span = base_ + used_;
        units_of_span[used_ >> span_bits] = static_cast<std::uint8_t>(units);
        used_ += span_size;
        return span;
    }

  private:
    void reserve() {
        tried_ = true;
        void* const got = mmap(nullptr, range, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) return;
        base_ = static_cast<char*>(got);
        begin_of_range.store(reinterpret_cast<std::uintptr_t>(got), std::memory_order_release);
    }
    bool extend() {
        if (!base_ || usable_ + step > range) return false;
        if (mprotect(base_ + usable_, step, PROT_READ | PROT_WRITE) != 0) return false;
        usable_ += step;
        return true;
    }

    std::mutex mutex_;
    char* base_ = nullptr;
    std::size_t used_ = 0, usable_ = 0;
    bool tried_ = false;
};
constinit Range spans;

void* from_malloc(std::size_t size) {
    for (;;) {
        if (void* const made = std::malloc(size ? size : 1)) return made;
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}

[[gnu::noinline]] void* from_span(std::size_t units) {
    const std::size_t size = units * unit;
    if (lists.fresh[units] == lists.end[units]) {
        char* const span = spans.take_span(units);
        if (!span) return from_malloc(size);
        lists.fresh[units] = span;
        lists.end[units] = span + span_size / size * size;
    }
    char* const made = lists.fresh[units];
    lists.fresh[units] += size;
    return made;
}

inline void* allocate(std::size_t size) {
    if (size > most) return from_malloc(size);
    const std::size_t units = size ? (size + unit - 1) / unit : 1;
    Free* const free = lists.free[units];
    if (!free) return from_span(units);
    lists.free[units] = free->next;
    return free;
}

inline void release(void* object) noexcept {
    const std::uintptr_t begin = begin_of_range.load(std::memory_order_relaxed);
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(object) - begin;
    if (!begin || at >= range) return std::free(object); // also null
    Free* const free = static_cast<Free*>(object);
    Free*& list = lists.free[units_of_span[at >> span_bits]];
    free->next = list;
    list = free;
}

} // namespace
} // namespace irrewrite::small_objects

void* operator new(std::size_t size) { return irrewrite::small_objects::allocate(size); }
void* operator new[](std::size_t size) { return irrewrite::small_objects::allocate(size); }
void operator delete(void* object) noexcept { irrewrite::small_objects::release(object); }
void operator delete[](void* object) noexcept { irrewrite::small_objects::release(object); }
void operator delete(void* object, std::size_t) noexcept { irrewrite::small_objects::release(object); }
void operator delete[](void* object, std::size_t) noexcept { irrewrite::small_objects::release(object); }

#endif
