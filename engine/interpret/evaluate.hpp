// The reference evaluator: the meaning of programs, straight from section 1 of the language's definition, without
// regard to speed. `-run`, the tests of laws and the checks of rules rely on it.
//
// It runs the schedule of each function, so a chain of a million nodes needs no stack; nesting of blocks and calls
// does, up to `Limits::depth`.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/value.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace irrewrite {

bool equal(const Types& types, TypeId type, const Value& a, const Value& b);     // NaN equals NaN, 0.0 is not -0.0
std::string value_text(const Context& context, TypeId type, const Value& value); // as a literal

struct Limits {
    std::uint64_t fuel = 1'000'000'000; // nodes computed, and copies of values, sixteen for one
    std::uint32_t depth = 2'000;        // nested blocks and calls
    std::uint64_t memory = 4ull << 30;  // bytes of values alive, roughly
};

inline constexpr std::string_view invariant_broken = "' does not hold"; // how the fault of `invariant` ends
struct Fault {
    std::string what;                 // "division by zero"
    std::uint32_t place = UINT32_MAX; // byte offset in the function's source
    SymbolId function;
};

// The work of a run: engine/driver/README.md defines the counters.
struct WorkCounts {
    std::uint64_t operations = 0; // nodes computed
    std::uint64_t elements = 0;   // values put into arrays, tuples, structs and cells, or looked through one by one
    std::uint64_t iterations = 0; // runs of blocks
    std::uint64_t calls = 0;      // of functions, that of the run itself among them
    std::uint64_t all() const { return operations + elements + iterations + calls; }
};

struct Outcome {
    enum class Kind { Done, Faulted, OutOfFuel, OutOfDepth, OutOfMemory, NoMeaning } kind = Kind::Done;
    std::vector<Value> results;
    Fault fault; // Faulted; NoMeaning: an operation without a meaning (its name in `what`); else the function that ran
    std::string output; // what `print` wrote, up to the fault if there was one
    WorkCounts work{};  // up to where it stopped
};

Outcome evaluate(const Context& context, const Module& module, const Function& function, std::vector<Value> arguments,
                 const Limits& limits = {});

// Between which sizes the floats lie that scalar operations met and gave. 0 has none; a NaN is as an infinity.
struct FloatRange {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    void add(double value) {
        double size = std::isnan(value) ? std::numeric_limits<double>::infinity() : std::fabs(value);
        if (size > 0) least = std::min(least, size);
        most = std::max(most, size);
    }
    bool within(double low, double high) const { return least >= low && most <= high; }
};

// Grouping of the operands of a reduction; their order is the same.
enum class Grouping : std::uint8_t { FromTheLeft = 0, InParts = 0x12 };
// Parts of so many operands, the first of `first`; each is less than 16. InParts: one, then two by two.
constexpr Grouping in_parts(unsigned first, unsigned size) { return static_cast<Grouping>(first << 4 | size); }

// Code motion out of blocks that may run many times or never: where it is safe and saves time, or none, which is the
// reference.
enum class Motion : std::uint8_t { ByNeed, None };

class Interpreter;

// The same for many calls: each function is prepared once, and must not change meanwhile.
class Evaluator {
  public:
    Evaluator(const Context& context, const Module& module, Motion motion = Motion::ByNeed);
    ~Evaluator();
    // `floats`: where to add those of this run.
    Outcome run(const Function& function, std::vector<Value> arguments, const Limits& limits = {},
                FloatRange* floats = nullptr, Grouping grouping = Grouping::FromTheLeft);

  private:
    std::unique_ptr<Interpreter> interpreter_;
};

// True if the evaluator knows the operation itself, apart from its expansion.
bool has_meaning(const Context& context, const Operation& operation);

} // namespace irrewrite
