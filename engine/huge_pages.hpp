// Memory for tables that grow with the program: from a few megabytes on in huge pages where the system has them, so that
// looking something up anywhere in a table costs one miss of the cache and none of the page tables.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace irrewrite {

template <class T> struct HugePages {
    using value_type = T;
    HugePages() = default;
    template <class U> HugePages(const HugePages<U>&) {}

    T* allocate(std::size_t count) {
        if (count > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = count * sizeof(T);
        if (bytes < least) return static_cast<T*>(::operator new(bytes));
        const std::size_t whole = (bytes + page - 1) / page * page;
        void* memory = std::aligned_alloc(page, whole);
        if (!memory) throw std::bad_alloc();
#ifdef __linux__
        ::madvise(memory, whole, MADV_HUGEPAGE); // where it fails there are small pages
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        if (count * sizeof(T) < least) ::operator delete(memory);
        else std::free(memory);
    }
    bool operator==(const HugePages&) const = default;

  private:
    static constexpr std::size_t page = std::size_t{2} << 20, least = 2 * page;
};

template <class T> using HugeVector = std::vector<T, HugePages<T>>;

} // namespace irrewrite
