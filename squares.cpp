// Compile with: g++ -std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno
// Made from -.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace ir {

inline const std::string source_name = "-";

// Where the program has no meaning: the line of the IR (0: it is not known), and why.
struct fault : std::runtime_error {
    fault(int line, const std::string& what)
        : std::runtime_error(source_name + (line ? std::string(":").append(std::to_string(line)) : std::string()) + ": " + what) {}
};

// Integers wrap: the arithmetic is done on unsigned numbers that no promotion makes signed.
template <class T> using wide_unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <class T> constexpr T wrap_add(T a, std::type_identity_t<T> b) {
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) + static_cast<wide_unsigned<T>>(b));
}

template <class T> constexpr T wrap_mul(T a, std::type_identity_t<T> b) {
    return static_cast<T>(static_cast<wide_unsigned<T>>(a) * static_cast<wide_unsigned<T>>(b));
}

// Asks for large pages where there is much memory: fewer of them need to be made when it is first written.
inline void on_huge_pages(void* memory, std::size_t bytes) {
#ifdef MADV_HUGEPAGE
    constexpr std::size_t small = 4096, large = 2 << 20;
    const std::size_t before = (small - reinterpret_cast<std::uintptr_t>(memory) % small) % small;
    if (bytes >= 2 * large) madvise(static_cast<char*>(memory) + before, (bytes - before) / small * small, MADV_HUGEPAGE);
#else
    (void)memory, (void)bytes;
#endif
}

// An array that owns its elements. `array<double>(n)` does not fill them in.
template <class T, std::size_t Rank = 1> class array;

template <class T> class array<T, 1> {
  public:
    array() = default;
    explicit array(std::int64_t n) : data_(new_elements(n)), size_(n), capacity_(n) {}
    array(std::int64_t n, const T& value) : array(n) { std::fill_n(data(), n, value); }
    array(std::initializer_list<T> values) : array(std::span<const T>(values.begin(), values.size())) {}
    explicit array(std::span<const T> values) : array(std::ssize(values)) {
        std::copy(values.begin(), values.end(), data());
    }
    array(const array& other) : array(std::span<const T>(other)) {}
    array(array&& other) noexcept { swap(other); }
    array& operator=(array other) noexcept {
        swap(other);
        return *this;
    }

    std::size_t size() const { return static_cast<std::size_t>(size_); }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    const T* begin() const { return data(); }
    const T* end() const { return data() + size_; }
    T& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }
    const T& operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }
    operator std::span<const T>() const { return {data(), size()}; }

    // Memory for so many elements. Plain ones are left to the system, which can move whole pages.
    void reserve(std::int64_t capacity) {
        if (capacity <= capacity_) return;
        if constexpr (is_plain) {
            data_.reset(resized(data_.release(), capacity));
        } else {
            memory larger = new_elements(capacity);
            std::move(begin(), end(), larger.get());
            data_ = std::move(larger);
        }
        capacity_ = capacity;
    }
    void push_back(T value) {
        if (size_ == capacity_) reserve(2 * capacity_ + 8);
        data_[size()] = std::move(value);
        ++size_;
    }
    void truncate(std::int64_t n) { size_ = n; } // no more than there are
    // These elements behind its own.
    template <std::size_t N> void append(std::span<const T, N> more) {
        const std::int64_t n = std::ssize(more);
        if (size_ + n > capacity_) reserve(std::max(size_ + n, 2 * capacity_));
        std::copy_n(more.data(), n, end());
        size_ += n;
    }
    void append(const array& more) { append(std::span<const T>(more)); }
    void append(array&& other) {
        if (size_ == 0) return swap(other);
        if (size_ + other.size_ > capacity_) reserve(std::max(size_ + other.size_, 2 * capacity_));
        std::move(other.begin(), other.end(), end());
        size_ += other.size_;
    }

  private:
    static constexpr bool is_plain = std::is_trivially_copyable_v<T>;
    struct release {
        void operator()(T* elements) const {
            if constexpr (is_plain) std::free(elements);
            else delete[] elements;
        }
    };
    using memory = std::unique_ptr<T[], release>;

    static T* resized(T* elements, std::int64_t n) {
        constexpr std::int64_t most = INT64_MAX / static_cast<std::int64_t>(sizeof(T));
        if (n > most) std::free(elements), throw std::bad_alloc();
        void* const bytes = std::realloc(static_cast<void*>(elements), static_cast<std::size_t>(n) * sizeof(T));
        if (bytes == nullptr && n > 0) std::free(elements), throw std::bad_alloc();
        on_huge_pages(bytes, static_cast<std::size_t>(n) * sizeof(T));
        return static_cast<T*>(bytes);
    }
    static memory new_elements(std::int64_t n) {
        if constexpr (is_plain) return memory(resized(nullptr, n));
        else return memory(new T[static_cast<std::size_t>(n)]);
    }
    void swap(array& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    memory data_;
    std::int64_t size_ = 0, capacity_ = 0;
};

template <std::size_t N> std::span<const std::uint8_t, N - 1> bytes(const char (&text)[N]) {
    return std::span<const std::uint8_t, N - 1>(reinterpret_cast<const std::uint8_t*>(text), N - 1);
}

// Values as literals of the IR.
template <class T> void write(std::string& out, T x) requires std::is_arithmetic_v<T> {
    char text[64];
    if constexpr (std::is_same_v<T, bool>) {
        out += x ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
        out.append(text, std::to_chars(text, text + sizeof text, x).ptr);
    } else if (x != x) {
        out += "nan";
    } else {
        const std::string_view digits(text, static_cast<std::size_t>(std::to_chars(text, text + sizeof text, x).ptr - text));
        out += digits;
        if (digits.find_first_of(".ein") == std::string_view::npos) out += ".0";
    }
}
inline void write_bytes(std::string& out, std::span<const std::uint8_t> x) {
    const char* const digits = "0123456789abcdef";
    out += '"';
    for (const std::uint8_t byte : x) {
        if (byte == '\n') out += "\\n";
        else if (byte == '\t') out += "\\t";
        else if (byte == '"' || byte == '\\') (out += '\\') += static_cast<char>(byte);
        else if (byte >= 0x20 && byte < 0x7f) out += static_cast<char>(byte);
        else ((out += "\\x") += digits[byte / 16]) += digits[byte % 16];
    }
    out += '"';
}
template <class... T> void write(std::string& out, const std::tuple<T...>& x);
template <class T> void write(std::string& out, const T& x) requires requires { std::ssize(x); } {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(x[0])>, std::uint8_t>) {
        write_bytes(out, x);
    } else {
        out += '[';
        for (std::int64_t i = 0; i < std::ssize(x); ++i) {
            if (i > 0) out += ", ";
            write(out, x[i]);
        }
        out += ']';
    }
}
template <class... T> void write(std::string& out, const std::tuple<T...>& x) {
    out += '(';
    bool first = true;
    std::apply([&](const auto&... part) { ((first ? void() : void(out += ", "), first = false, write(out, part)), ...); }, x);
    out += ')';
}

// Counts the work of a call when compiled with -DCOUNT_WORK -fsanitize-coverage=trace-pc, and prints it on standard error:
// one for each basic block that is executed, and for each 8 bytes that are copied or filled. Does nothing otherwise.
#ifdef COUNT_WORK
#ifdef __clang__
#define UNCOUNTED __attribute__((no_sanitize("coverage")))
#else
#define UNCOUNTED __attribute__((no_sanitize_coverage))
#endif
inline std::uint64_t work_done = 0;
UNCOUNTED inline void add_work(std::uint64_t work) { __atomic_fetch_add(&work_done, work, __ATOMIC_RELAXED); }
struct counted_work {
    std::uint64_t before = work_done;
    UNCOUNTED ~counted_work() { std::fprintf(stderr, "work: %llu\n", static_cast<unsigned long long>(work_done - before)); }
};
extern "C" UNCOUNTED void __sanitizer_cov_trace_pc() { add_work(1); }
extern "C" UNCOUNTED void* memmove(void* to, const void* from, std::size_t bytes) noexcept {
    add_work(bytes / 8);
    volatile char* const out = static_cast<char*>(to);
    const char* const in = static_cast<const char*>(from);
    const bool forward = to < from;
    for (std::size_t i = 0; i < bytes; ++i) out[forward ? i : bytes - 1 - i] = in[forward ? i : bytes - 1 - i];
    return to;
}
extern "C" UNCOUNTED void* memcpy(void* to, const void* from, std::size_t bytes) noexcept { return memmove(to, from, bytes); }
extern "C" UNCOUNTED void* memset(void* to, int value, std::size_t bytes) noexcept {
    add_work(bytes / 8);
    volatile char* const out = static_cast<char*>(to);
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<char>(value);
    return to;
}
#else
struct counted_work {};
#endif

// Literals of the IR, read one after the other.
class reader {
  public:
    explicit reader(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

    [[noreturn]] void fail(const char* what) const { throw std::invalid_argument(what); }
    void skip() {
        while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    }
    bool take(char c) {
        skip();
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        return true;
    }
    void expect(char c) {
        if (take(c)) return;
        const char what[] = {'e', 'x', 'p', 'e', 'c', 't', 'e', 'd', ' ', '\'', c, '\'', 0};
        fail(what);
    }
    bool at_end() {
        skip();
        return at_ == end_;
    }
    std::string_view word() {
        skip();
        const char* const begin = at_;
        while (at_ != end_ && (std::isalnum(static_cast<unsigned char>(*at_)) || *at_ == '_' || *at_ == '.' ||
                               ((*at_ == '-' || *at_ == '+') && (at_ == begin || at_[-1] == 'e' || at_[-1] == 'E'))))
            ++at_;
        return {begin, static_cast<std::size_t>(at_ - begin)};
    }
    // The bytes of a literal behind its opening quote.
    std::string bytes(char quote) {
        std::string text;
        for (; at_ != end_ && *at_ != quote; ++at_) {
            if (*at_ != '\\' || ++at_ == end_) text += *at_;
            else if (*at_ == 'n') text += '\n';
            else if (*at_ == 't') text += '\t';
            else if (*at_ == 'x' && end_ - at_ > 2) {
                unsigned byte = 0;
                std::from_chars(at_ + 1, at_ + 3, byte, 16);
                text += static_cast<char>(byte);
                at_ += 2;
            } else text += *at_;
        }
        expect(quote);
        return text;
    }

  private:
    const char *at_, *end_;
};

inline void read(reader& in, bool& x) {
    const std::string_view word = in.word();
    if (word != "true" && word != "false") in.fail("expected true or false");
    x = word == "true";
}
// Numbers may have a suffix that is their type, and underscores between digits.
template <class T> constexpr std::string_view suffix_of() {
    constexpr std::string_view integers[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
    if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "f32" : "f64";
    std::size_t k = std::is_signed_v<T> ? 0 : 4;
    for (std::size_t size = 1; size < sizeof(T); size *= 2) ++k;
    return integers[k];
}
template <class T> void read(reader& in, T& x) requires std::is_arithmetic_v<T> {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (in.take('\'')) {
            const std::string byte = in.bytes('\'');
            if (byte.size() != 1) in.fail("expected one byte between the quotes");
            x = static_cast<std::uint8_t>(byte[0]);
            return;
        }
    std::string_view word = in.word();
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("-0x");
    if (word.ends_with(suffix_of<T>()) && (!hexadecimal || !std::is_floating_point_v<T>))
        word.remove_suffix(suffix_of<T>().size());
    std::string plain;
    if (word.find('_') != std::string_view::npos) {
        for (const char c : word)
            if (c != '_') plain += c;
        word = plain;
    }
    const char* const end = word.data() + word.size();
    std::from_chars_result result{word.data(), std::errc()};
    if (hexadecimal) {
        std::uint64_t magnitude = 0;
        const bool negative = word.starts_with('-');
        result = std::from_chars(word.data() + (negative ? 3 : 2), end, magnitude, 16);
        x = static_cast<T>(magnitude);
        const bool fits = std::is_floating_point_v<T> || (static_cast<std::uint64_t>(x) == magnitude && static_cast<double>(x) >= 0);
        if (!fits) in.fail("a number that does not fit");
        if (negative) x = static_cast<T>(T{0} - x);
    } else {
        result = std::from_chars(word.data(), end, x);
        if constexpr (std::is_floating_point_v<T>)
            if (result.ec == std::errc::result_out_of_range) {
                x = static_cast<T>(std::strtold(std::string(word).c_str(), nullptr));
                if (x - x == 0) result.ec = std::errc();
            }
    }
    if (result.ec == std::errc::result_out_of_range) in.fail("a number that does not fit");
    if (result.ec != std::errc() || result.ptr != end) in.fail("expected a number");
}
template <class... T> void read(reader& in, std::tuple<T...>& x);
template <class T> void read(reader& in, array<T>& x) {
    if constexpr (std::is_same_v<T, std::uint8_t>)
        if (in.take('"')) {
            for (const char c : in.bytes('"')) x.push_back(static_cast<std::uint8_t>(c));
            return;
        }
    in.expect('[');
    if (in.take(']')) return;
    do {
        T element{};
        read(in, element);
        x.push_back(std::move(element));
    } while (in.take(','));
    in.expect(']');
}
template <class... T> void read(reader& in, std::tuple<T...>& x) {
    in.expect('(');
    bool first = true;
    std::apply([&](auto&... part) { ((first ? void() : in.expect(','), first = false, read(in, part)), ...); }, x);
    in.expect(')');
}
// `re = `, the name of a field.
inline void read_name(reader& in, std::string_view name) {
    if (in.word() != name) in.fail("expected the name of a struct or field");
}
template <class T> T read_one(reader& in, bool first) {
    if (!first) in.expect(',');
    T x{};
    read(in, x);
    return x;
}

inline std::string read_input() {
    std::string text;
    char piece[1 << 16];
    while (const std::size_t count = std::fread(piece, 1, sizeof piece, stdin)) text.append(piece, count);
    return text;
}

std::int64_t f(std::int64_t n) {
    std::int64_t a = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        a = wrap_add(a, wrap_mul(i, i));
    }
    return a;
}
// Reads one call and makes it; each result on a line.
std::string run(const std::string& input) {
    reader in(input);
    in.expect('@');
    const std::string_view name = in.word();
    in.expect('(');
    std::string out;
    if (name == "f") {
        const auto argument_0 = read_one<std::int64_t>(in, true);
        in.expect(')');
        if (!in.at_end()) in.fail("text behind the call");
        const auto result = [&] {
            [[maybe_unused]] const counted_work work;
            return f(argument_0);
        }();
        write(out, result);
        out += '\n';
        return out;
    }
    in.fail("no such function");
}

} // namespace ir

int main() {
    try {
        const std::string out = ir::run(ir::read_input());
        std::fwrite(out.data(), 1, out.size(), stdout);
        return 0;
    } catch (const ir::fault& fault) {
        std::fflush(stdout);
        std::fputs((std::string(fault.what()) + "\n").c_str(), stderr);
        return 5;
    } catch (const std::bad_alloc&) {
        std::fputs("error: out of memory\n", stderr);
        return 4;
    } catch (const std::exception& error) {
        std::fputs((std::string("error: ") + error.what() + "\n").c_str(), stderr);
        return 2;
    }
}
