// Helpers of emitted C++: memory of arrays.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
//= on_huge_pages
// Asks for large pages where there is much memory: fewer of them need to be made when it is first written. The first page is among
// them: the system moves memory that grows only if all of it was asked for alike, and copies it otherwise.
inline void on_huge_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t small = 4096, large = 2 << 20;
    const std::size_t before = reinterpret_cast<std::uintptr_t>(memory) % small;
    if (bytes >= 2 * large) madvise(static_cast<char*>(memory) - before, before + bytes, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}
//= plain_memory
// Memory of elements that may be copied as bytes. Much memory begins at a line of its page that differs from that of what was made before:
// arrays that are walked side by side would take each other's places in the first cache. The eight bytes before it say how far it is
// from what the system gave.
struct plain_memory {
    static constexpr std::size_t much = 1 << 17, line = 64, lines = 64, room = line * (lines + 1);

    [[gnu::noinline]] static void* resized(void* old, std::size_t before, std::size_t bytes) {
        if (before >= much) return placed(std::realloc(first(old), bytes + room), bytes, shift(old));
        if (bytes >= much) {
            void* const memory = placed(std::malloc(bytes + room), bytes, 0);
            if (memory != nullptr && before > 0) std::memcpy(memory, old, before);
            if (memory != nullptr) std::free(old);
            return memory;
        }
        return std::realloc(old, bytes);
    }
    // Much that is zero is not written: it comes from the system when it is first read.
    static void* zeros(std::size_t bytes) {
        if (bytes < much) return std::calloc(bytes, 1);
        return placed(std::calloc(bytes + room, 1), bytes, 0);
    }
    static void release(void* memory, std::size_t bytes) { std::free(bytes >= much ? first(memory) : memory); }

  private:
    static std::size_t shift(void* memory) {
        std::size_t shift = 0;
        std::memcpy(&shift, static_cast<char*>(memory) - sizeof shift, sizeof shift);
        return shift;
    }
    static void* first(void* memory) { return static_cast<char*>(memory) - shift(memory); }
    // `shift`: where it is already; 0: anew.
    static void* placed(void* given, std::size_t bytes, std::size_t shift) {
        static std::atomic<std::size_t> made = 0;
        if (given == nullptr) return nullptr;
        on_huge_pages(given, bytes + room);
        if (shift == 0) {
            const std::size_t rest = line - reinterpret_cast<std::uintptr_t>(given) % line;
            shift = rest + line * (7 * made++ % lines);
            if (rest < sizeof shift) shift += line;
        }
        char* const memory = static_cast<char*>(given) + shift;
        std::memcpy(memory - sizeof shift, &shift, sizeof shift);
        return memory;
    }
};
//= bins_within_memory
// The number of bins. Each thread has its own, and one more: of more than fit into any memory, no multiple is computed.
inline std::int64_t bins_within_memory(std::int64_t n) {
    if (n > INT64_MAX / 8) throw std::bad_alloc();
    return n;
}
//= rank_of
template <class Array> constexpr std::size_t dimensions() {
    if constexpr (requires { Array::rank; }) return Array::rank;
    else return 1;
}
// The dimensions that one piece of memory has.
template <class Array> constexpr std::size_t rank_of = dimensions<Array>();
//= elements_within
// The number of elements of all its dimensions.
template <class Array> constexpr std::int64_t elements_within(const Array& x) {
    if constexpr (rank_of<Array> > 1) return x.extent(0) * x.width();
    else return std::ssize(x);
}
template <class Array> constexpr decltype(auto) element_within(const Array& x, std::int64_t i) {
    if constexpr (rank_of<Array> > 1) return (x.data()[i]);
    else return x[i];
}
