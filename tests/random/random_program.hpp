// Random well-typed programs over the core operations, as text, and arguments for them.
//
// A program is a function of a list of choices: where the list ends, the simplest choice is taken,
// so a shorter list or smaller numbers give a smaller program, and rapidcheck shrinks programs by
// shrinking lists. Faults are possible and rare; operators of `reduce` and its like are exactly
// associative, floats included.
#pragma once

#include "engine/interpret/evaluate.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace irrewrite {

using Decisions = std::vector<std::uint8_t>;

struct Shape {
    unsigned statements = 9; // of the function's body, at most
    unsigned depth = 3;      // of nested blocks, at most
    bool effects = false;    // cells, `for` and `print` as well
};

// A function `@f`.
std::string random_program(const Decisions& choices, const Shape& shape = {});
// The same function with its body written twice, under different names of values and of block
// parameters: result i and result i + k of the 2k results are one node when the body is pure.
std::string random_twins(const Decisions& choices, const Shape& shape = {});
// Arguments that fit the parameters of `function`: lengths from 0 to 4, mostly small numbers.
std::vector<Value> random_arguments(const Context& context, const Function& function, std::uint64_t seed);

} // namespace irrewrite
