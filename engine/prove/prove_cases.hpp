// A question that no solver answers in time, asked value by value: products with a power of two and shifts by a number are
// easy, and hard as long as neither is known.
#pragma once

#include "engine/ir/types.hpp"

namespace irrewrite {

// A question to a solver: what holds, and that both sides differ.
struct Script {
    std::string given, asked;
    std::vector<std::pair<std::string, TypeKind>> integers; // among the parameters
};

// The answer, `sat` with values or `unsat`; none: no parameter can have few values alone, or one of these has no answer.
std::optional<std::string> by_cases(const Types& types, const Script& script, unsigned seconds);

} // namespace irrewrite
