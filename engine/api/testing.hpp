// Rules and programs under test, for projects that test their own rule files from C++.
//
// `make install` puts this header at include/irrewrite/testing.hpp, beside testing_rapidcheck.hpp (generators and
// properties for rapidcheck) and lib/libirrewrite.a; link with -lirrewrite -lfmt -pthread, or irrewrite::irrewrite of
// its CMake package. It needs the standard library alone: programs, calls and values are text of the IR, as in files
// and in `-run`, and the contents of handles may change from version to version.
//
// A text that is wrong is an Error. Handles are cheap to copy; those that come from one Rules belong to one thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace irrewrite::testing {

// The error of a rule file, a program or a call: the tool's messages, with their locations.
struct Error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The source of randomness: a seed, or choices that were taken before. Everything drawn is a function of its choices.
// Drawing from a seed stores the choices in `taken`; fewer or smaller ones draw something simpler.
struct Choices {
    std::uint64_t seed = 0;
    std::optional<std::vector<std::uint32_t>> taken{};
};

// The result for a rule, or for a `test` line of a rule file.
struct Verdict {
    enum class Kind : std::uint8_t {
        Passed,
        Wrong,        // `text` is the counterexample
        Slower,       // its work grows faster on the right: `text` shows how
        Unchecked,    // it could not be evaluated: `text` says why
        HardlyMet,    // hardly an instance that the rule applied to
        MostlyFaults, // hardly an instance that had values
    };
    Kind kind = Kind::Passed;
    std::string name{}; // FILE.SET.RULE
    std::string text{};
    std::string file{};
    std::size_t line = 0, column = 0;
    std::uint64_t programs = 0;  // that the rule applied to
    std::uint64_t instances = 0; // of programs and arguments, evaluated
    std::uint64_t faults = 0;    // of them, where the left side faulted
    explicit operator bool() const { return kind == Kind::Passed; }
};

// As `irrewrite -check` writes it. True: every rule and every test passed.
struct Report {
    std::vector<Verdict> rules, facts, tests;
    std::string text;
    explicit operator bool() const;
};

struct CheckOptions {
    std::uint64_t instances = 1000; // of each rule
    std::uint64_t seed = 0;
    unsigned jobs = 1;
};

// The result of a call.
struct Outcome {
    enum class Kind : std::uint8_t { Values, Fault, Exhausted }; // Exhausted: out of fuel, depth or memory
    Kind kind = Kind::Values;
    std::vector<std::string> results{}; // literals
    std::string printed{};              // by `print`
    std::string fault{};                // what it was
    explicit operator bool() const { return kind == Kind::Values; }
};

// Two programs on the same arguments. It holds if the first faults, or both yield the same: the same bits, or, if rules
// that change rounding were applied, floats within their tolerance.
struct Comparison {
    bool holds = true;
    std::string call{}, before{}, after{};
    std::string since{}; // where it is known, the rewrite since when they differ
    explicit operator bool() const { return holds; }
};

class Program {
  public:
    std::string text() const;                   // as the tool prints it
    std::vector<std::string> functions() const; // those that can be called with literals
    Program rewritten() const;                  // by its rules, phase after phase
    Outcome run(std::string_view call) const;   // "@f([1.0, 2.0], 3)"
    // A call with random arguments, edges above all: lengths agree, indices are mostly in range.
    std::string call(std::string_view function, Choices& choices) const;

    struct Inside;
    explicit Program(std::shared_ptr<Inside> inside) : inside_(std::move(inside)) {}
    Inside& inside() const { return *inside_; }

  private:
    std::shared_ptr<Inside> inside_;
};

// A program @f that a rule applies to, and what the engine made of it with that one rule.
struct Instance {
    Program before, after;
};

// True if `after` may replace `before`, on the arguments of that call.
Comparison refines(const Program& before, const Program& after, std::string_view call);

// Rule files, loaded as the tool loads them, with the shipped rules where `make install` put them beside this header
// (or where $IRREWRITE_RULES says).
class Rules {
  public:
    explicit Rules(const std::vector<std::string>& files, const std::vector<std::string>& include_folders = {})
        : Rules(files, include_folders, {}, __FILE__) {}
    // The text of a rule file. Its rules are NAME.SET.RULE, without the ending of the name.
    static Rules from_text(std::string text, std::string name = "text.rules",
                           const std::vector<std::string>& include_folders = {}) {
        return Rules({}, include_folders, {{std::move(name), std::move(text)}}, __FILE__);
    }

    // The rules of the files named, not of their imports. Elsewhere the last components of a name are enough.
    std::vector<std::string> names() const;
    Report check(const CheckOptions& options = {}) const;                         // `irrewrite -check`
    Verdict check(std::string_view rule, const CheckOptions& options = {}) const; // one of them

    Program read(std::string_view text, std::string_view name = "program.ir") const;
    Program read_file(const std::string& path) const;

    // A random program @f, every second time one that one of the rules applies to.
    Program program(Choices& choices) const;
    // Nothing: these choices make none.
    std::optional<Instance> instance(std::string_view rule, Choices& choices) const;
    // A random value of that type, "[]f64", as a literal.
    std::string literal(std::string_view type, Choices& choices) const;

    struct Inside;

  private:
    struct Text {
        std::string name, text;
    };
    Rules(const std::vector<std::string>& files, const std::vector<std::string>& include_folders,
          std::vector<Text> texts, const char* header);
    std::shared_ptr<Inside> inside_;
};

// Every function of the program before and after its rules, on random inputs: the smallest on which they differ.
Comparison preserves_meaning(const Program& program, std::uint64_t inputs = 200, std::uint64_t seed = 0);

std::ostream& operator<<(std::ostream& out, const Verdict& verdict);
std::ostream& operator<<(std::ostream& out, const Report& report);
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);
std::ostream& operator<<(std::ostream& out, const Comparison& comparison);
std::ostream& operator<<(std::ostream& out, const Program& program);
std::ostream& operator<<(std::ostream& out, const Instance& instance);

// -- values of C++ as literals, and back ------------------------------------------------------------

std::string literal(bool value);
std::string literal(std::int64_t value);
std::string literal(std::uint64_t value);
std::string literal(float value);
std::string literal(double value);
std::string literal(std::string_view bytes); // a []u8
inline std::string literal(const char* bytes) { return literal(std::string_view(bytes)); }
template <std::signed_integral T> std::string literal(T value) { return literal(static_cast<std::int64_t>(value)); }
template <std::unsigned_integral T> std::string literal(T value) { return literal(static_cast<std::uint64_t>(value)); }
template <class T> std::string literal(const std::vector<T>& values) {
    std::string text = "[";
    for (const T& value : values) text += (text.size() > 1 ? ", " : "") + literal(value);
    return text + "]";
}

// call("f", std::vector{1.0, 2.0}, 3): "@f([1.0, 2.0], 3)".
template <class... T> std::string call(std::string_view function, const T&... arguments) {
    std::string text = "@" + std::string(function) + "(", comma;
    ((text += comma + literal(arguments), comma = ", "), ...);
    return text + ")";
}

bool to_bool(std::string_view literal);
std::int64_t to_signed(std::string_view literal);
std::uint64_t to_unsigned(std::string_view literal);
float to_float(std::string_view literal);
double to_double(std::string_view literal);
std::vector<std::string> parts(std::string_view literal); // of an array, a string, a tuple or a struct

template <class T> struct Typed; // a C++ type and the IR's: name(), read(literal)
template <std::integral T> struct Typed<T> {
    static std::string name() {
        return std::is_same_v<T, bool> ? "bool" : (std::signed_integral<T> ? "i" : "u") + std::to_string(8 * sizeof(T));
    }
    static T read(std::string_view text) {
        if constexpr (std::is_same_v<T, bool>)
            return to_bool(text);
        else if constexpr (std::signed_integral<T>)
            return static_cast<T>(to_signed(text));
        else
            return static_cast<T>(to_unsigned(text));
    }
};
template <std::floating_point T> struct Typed<T> {
    static_assert(sizeof(T) <= 8, "the IR has f32 and f64");
    static std::string name() { return sizeof(T) == 4 ? "f32" : "f64"; }
    static T read(std::string_view text) {
        if constexpr (sizeof(T) == 4)
            return to_float(text);
        else
            return to_double(text);
    }
};
template <class T> struct Typed<std::vector<T>> {
    static std::string name() { return "[]" + Typed<T>::name(); }
    static std::vector<T> read(std::string_view text) {
        std::vector<T> values;
        for (const std::string& part : parts(text)) values.push_back(Typed<T>::read(part));
        return values;
    }
};
// value<std::vector<double>>("[1.0, 2.0]"); an Error where the literal is of another type.
template <class T> T value(std::string_view literal) { return Typed<T>::read(literal); }

} // namespace irrewrite::testing
