// The proof of one rule, for engine/prove/prove.cpp.
#pragma once

#include "engine/prove/prove.hpp"

namespace irrewrite {

struct RuleProof {
    enum class Kind : std::uint8_t { Proven, Refuted, NotProven, Outside } kind = Kind::Outside;
    std::string text; // a line: where, the rule, the types, values that refute it
};

// At every type of integers and booleans that it admits.
RuleProof prove_rule(RuleWorld& world, RuleId rule, unsigned seconds);

} // namespace irrewrite
