// Helpers of emitted C++: values as literals of the IR, in both directions.
//
// A line `//= NAME` begins a helper: emitted files contain those that they use.
#pragma once
//= write
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
//= written_text
// A value as it is printed; bytes are kept as they are.
template <class T> array<std::uint8_t> written_text(const T& x) {
    if constexpr (requires { std::span<const std::uint8_t>(x); }) {
        return array<std::uint8_t>(std::span<const std::uint8_t>(x));
    } else {
        std::string text;
        write(text, x);
        array<std::uint8_t> bytes(std::ssize(text));
        std::copy(text.begin(), text.end(), bytes.data());
        return bytes;
    }
}
//= parsed_number
// Decimal, and all of the text; of floats also inf, -inf and nan. Not a number that the type does not have.
template <class T> bool parsed_number(std::span<const std::uint8_t> bytes, T& value) {
    const std::string text(bytes.begin(), bytes.end());
    if constexpr (std::is_floating_point_v<T>) {
        const bool word = text == "inf" || text == "-inf" || text == "nan";
        if (!word && text.find_first_not_of("0123456789.eE+-") != std::string::npos) return false;
    }
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    return result.ec == std::errc() && result.ptr == end;
}
//= read_number_or
template <class T> T read_number_or(std::span<const std::uint8_t> text, T otherwise) {
    T value{};
    return parsed_number(text, value) ? value : otherwise;
}
//= read_number
template <class T> T read_number(std::span<const std::uint8_t> text, int line) {
    T value{};
    if (!parsed_number(text, value)) throw fault(line, "not a number");
    return value;
}
//= print_line
// A value on a line of its own; bytes as the text that they are.
template <class T> void print_line(const T& x) {
    std::string line;
    if constexpr (requires { std::span<const std::uint8_t>(x); })
        for (const std::uint8_t byte : x) line += static_cast<char>(byte);
    else
        write(line, x);
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
}
//= counted_work
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
//= reader
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
            if (*at_ != '\\') text += *at_;
            else if (++at_ == end_) break;
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
// Read as rows, which must be equally long.
template <class T, std::size_t Rank> struct rows_read {
    using type = array<typename rows_read<T, Rank - 1>::type>;
};
template <class T> struct rows_read<T, 1> {
    using type = array<T>;
};
template <class T, std::size_t Rank> requires(Rank > 1) void read(reader& in, array<T, Rank>& x) {
    typename rows_read<T, Rank>::type rows;
    read(in, rows);
    x = converted<array<T, Rank>>(rows, 0);
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
//= read_input
inline std::string read_input() {
    std::string text;
    char piece[1 << 16];
    while (const std::size_t count = std::fread(piece, 1, sizeof piece, stdin)) text.append(piece, count);
    return text;
}
//= watch_stack
// Recursion deeper than the stack ends the program with a message; any other bad access is one.
inline void watch_stack() {
#ifdef RLIMIT_STACK
    static thread_local char other[1 << 14];
    static thread_local std::uintptr_t top;
    static std::uintptr_t size;
    rlimit most{};
    size = getrlimit(RLIMIT_STACK, &most) == 0 && most.rlim_cur != RLIM_INFINITY ? most.rlim_cur : UINTPTR_MAX / 2;
    size = std::max<std::uintptr_t>(size, 64 << 20); // of threads
#pragma omp parallel
    {
        char here = 0;
        top = reinterpret_cast<std::uintptr_t>(&here);
        stack_t stack{};
        stack.ss_sp = other, stack.ss_size = sizeof other;
        sigaltstack(&stack, nullptr);
    }
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK; // several threads may come to their ends at once
    action.sa_sigaction = [](int signal, siginfo_t* info, void*) {
        constexpr std::string_view text = "error: out of stack\n";
        const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
        if (at < top && top - at <= size + (1 << 20) && ::write(2, text.data(), text.size()) > 0) ::_exit(4);
        struct sigaction none{}; // the access is tried again when this returns
        none.sa_handler = SIG_DFL;
        sigaction(signal, &none, nullptr);
    };
    sigaction(SIGSEGV, &action, nullptr);
#endif
}
