// The choices that an instance is made of: a tape of small numbers, drawn from a generator or replayed.
//
// Everything generated is a function of its tape, 0 is the simplest choice, and a tape that has ended yields 0s: a
// shorter tape, or one with smaller numbers, makes a simpler instance. Shrinking needs to know nothing else. (MacIver
// and Donaldson, "Test-Case Reduction via Test-Case Generation", ECOOP 2020.)
#pragma once

#include "engine/support/function_ref.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace irrewrite {

using Tape = std::vector<std::uint32_t>;

class Choices {
  public:
    explicit Choices(std::uint64_t seed) : state_(seed), random_(true) {}
    explicit Choices(Tape tape) : tape_(std::move(tape)) {}

    std::uint32_t below(std::uint32_t n);                                      // [0, n); n > 0
    bool likely(std::uint32_t percent) { return below(100) < percent; }        // the simplest choice is true
    bool rarely(std::uint32_t percent) { return below(100) >= 100 - percent; } // … is false
    // 0, 1, … with these weights, in this order.
    std::uint32_t weighted(std::initializer_list<std::uint32_t> weights);
    std::uint64_t bits(); // 64 of them
    const Tape& taken() const { return random_ ? tape_ : taken_; }

  private:
    std::uint64_t next();

    std::uint64_t state_ = 0;
    bool random_ = false;
    Tape tape_, taken_;
    std::size_t position_ = 0;
};

// A seed for one task of a run, independent of all other tasks.
std::uint64_t mix(std::uint64_t seed, std::uint64_t part);
std::uint64_t mix(std::uint64_t seed, std::string_view part);

// The simplest tape found for which `fails` holds, by removing runs of choices and by making single ones
// smaller, with at most `attempts` trials. Requires fails(tape). Trials may replace the tape by an equivalent
// shorter one (what was really taken).
Tape shrink(Tape tape, FunctionRef<bool(Tape&)> fails, std::size_t attempts);

} // namespace irrewrite
