// Allocator for tables that grow with the program. From a few megabytes on it asks for huge pages, where the system has
// them, so that a random access to a table costs one cache miss and no TLB miss.
#pragma once

#include <algorithm>
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
        return static_cast<T*>(map(whole(bytes)));
    }
    void deallocate(T* memory, std::size_t count) {
        if (const std::size_t bytes = count * sizeof(T); bytes < least)
            ::operator delete(memory);
        else
            unmap(memory, whole(bytes));
    }
    // Returns the whole huge pages of [from, to) to the system; the caller no longer needs their contents. The
    // addresses stay valid and read as zeros. `memory` is the allocation of `count` elements, which ends with a page.
    void forget(T* from, T* to, T* memory, std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < least) return;
        char* const end = reinterpret_cast<char*>(memory) + whole(bytes);
        give_back(reinterpret_cast<char*>(from), to == memory + count ? end : reinterpret_cast<char*>(to));
    }
    bool operator==(const HugePages&) const = default;

  private:
    static constexpr std::size_t page = std::size_t{2} << 20, least = 2 * page;
    static std::size_t whole(std::size_t bytes) { return (bytes + page - 1) / page * page; }

#ifdef __linux__ // mapped, not allocated, so that what is no longer needed goes back to the system at once
    static void* map(std::size_t bytes) {
        void* memory = ::mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        char* const from = static_cast<char*>(memory);
        char* const begin = from + (page - reinterpret_cast<std::uintptr_t>(from) % page) % page;
        if (begin != from) ::munmap(from, static_cast<std::size_t>(begin - from));
        if (begin != from + page) ::munmap(begin + bytes, static_cast<std::size_t>(from + page - begin));
        ::madvise(begin, bytes, MADV_HUGEPAGE); // where it fails there are small pages
        return begin;
    }
    static void unmap(void* memory, std::size_t bytes) { ::munmap(memory, bytes); }
    static void give_back(char* from, char* end) {
        from += (page - reinterpret_cast<std::uintptr_t>(from) % page) % page;
        end -= reinterpret_cast<std::uintptr_t>(end) % page;
        if (from < end) ::madvise(from, static_cast<std::size_t>(end - from), MADV_DONTNEED);
    }
#else
    static void* map(std::size_t bytes) {
        void* memory = std::aligned_alloc(page, bytes);
        if (!memory) throw std::bad_alloc();
        return memory;
    }
    static void unmap(void* memory, std::size_t) { std::free(memory); }
    static void give_back(char*, char*) {}
#endif
};

template <class T> using HugeVector = std::vector<T, HugePages<T>>;

// Makes the vector so long at least, as often as it gets an element more: twice as long while it is short; then by
// little, with room for more behind it, which costs nothing before it is used.
template <class T> void lengthen(HugeVector<T>& vector, std::size_t size) {
    constexpr std::size_t many = std::size_t{1} << 19;
    size = std::max(size, vector.size() + vector.size() / (vector.size() < many ? 1 : 8));
    if (size >= many && size > vector.capacity()) vector.reserve(8 * size);
    vector.resize(size);
}

// Shrinks the vector and returns the memory behind its new end to the system.
template <class T> void shorten(HugeVector<T>& vector, std::size_t size) {
    vector.resize(size);
    vector.get_allocator().forget(vector.data() + size, vector.data() + vector.capacity(), vector.data(),
                                  vector.capacity());
}

} // namespace irrewrite
