// With -DCUDA_APART: the host cannot touch what is meant to be memory of the device, nor kernels arrays of the host. Either
// ends the program there, as it would on a device, which the one memory of the CPU would not show.
//
// Both kinds lie in places of their own, whose pages are closed to the other side; no address is used twice, so that what
// was given back and is read nevertheless is rubbish. An array of the host is what `new T[n]` makes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#ifdef CUDA_APART
#include <mutex>
#include <new>
#include <sys/mman.h>
#endif

namespace cuda_on_cpu {

#ifdef CUDA_APART

class place {
  public:
    // Behind a block that says how much it is; none where that is too much.
    char* take(std::size_t bytes) {
        if (bytes > size / 2) return nullptr;
        const std::lock_guard<std::mutex> held(lock_);
        if (base_ == nullptr) base_ = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        char* const block = base_ + used_;
        used_ += whole(bytes, alignment) + alignment;
        if (base_ == MAP_FAILED || used_ > size) std::abort();
        std::memcpy(block, &bytes, sizeof bytes);
        return block + alignment;
    }
    static void spoil(char* memory) {
        std::size_t bytes = 0;
        std::memcpy(&bytes, memory - alignment, sizeof bytes);
        std::memset(memory, 0x5A, bytes);
    }
    bool has(const void* memory) const { return base_ != nullptr && memory >= base_ && memory < base_ + size; }
    // What is taken later begins with a page of its own.
    void close() { protect(PROT_NONE); }
    void open() { protect(PROT_READ | PROT_WRITE); }

  private:
    static constexpr std::size_t size = std::size_t{64} << 30, alignment = 256, page = 4096;
    static std::size_t whole(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }
    void protect(int access) {
        const std::lock_guard<std::mutex> held(lock_);
        if (base_ == nullptr) return;
        used_ = whole(used_, page);
        if (used_ > 0 && mprotect(base_, used_, access) != 0) std::abort();
    }

    std::mutex lock_;
    char* base_ = nullptr;
    std::size_t used_ = 0;
};
inline place of_device, of_host;
inline thread_local bool is_own = false; // what is allocated is this header's business

inline void* device_allocate(std::size_t bytes) { return of_device.take(bytes); }
inline void device_free(void* memory) {
    if (memory == nullptr) return;
    of_device.open();
    place::spoil(static_cast<char*>(memory));
    of_device.close();
}
struct copying {
    copying() { of_device.open(); }
    ~copying() { of_device.close(); }
};
struct launching {
    launching() { of_device.open(), of_host.close(); }
    ~launching() { of_device.close(), of_host.open(); }
};
struct own_work {
    own_work() { is_own = true; }
    ~own_work() { is_own = false; }
};

#else

inline void* device_allocate(std::size_t bytes) { return std::malloc(bytes); }
inline void device_free(void* memory) { std::free(memory); }
struct copying {
    ~copying() {}
};
struct launching {
    ~launching() {}
};
struct own_work {
    ~own_work() {}
};

#endif

} // namespace cuda_on_cpu

#ifdef CUDA_APART
__attribute__((noinline)) void* operator new[](std::size_t bytes) {
    void* const memory = cuda_on_cpu::is_own ? std::malloc(bytes == 0 ? 1 : bytes) : cuda_on_cpu::of_host.take(bytes);
    return memory != nullptr ? memory : throw std::bad_alloc();
}
__attribute__((noinline)) void operator delete[](void* memory) noexcept {
    if (memory == nullptr) return;
    if (cuda_on_cpu::of_host.has(memory)) cuda_on_cpu::place::spoil(static_cast<char*>(memory));
    else std::free(memory);
}
__attribute__((noinline)) void operator delete[](void* memory, std::size_t) noexcept { operator delete[](memory); }
#endif
