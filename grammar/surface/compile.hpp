// Productions to instructions of a parsing machine (Medeiros, Ierusalimschy, A Parsing Machine for PEGs). A production that
// begins with itself is compiled once for each precedence that is asked of it: its other alternatives, and behind these
// a loop over the alternatives that continue what was read (Medeiros, Mascarenhas, Ierusalimschy, Left Recursion in PEGs).
#pragma once

#include "grammar/surface/language.hpp"

namespace irrewrite::grammar {

struct Instruction {
    enum class Code : std::uint8_t {
        Literal, // a: literal
        Set,     // a: set
        Any,
        Skip,    // layout
        Call,    // a: variant, b: slot
        Keyword, // any keyword
        Return,
        Choice,        // a: where to go on after a failure
        Predicate,     // the same, of `&` and `!`
        Commit,        // a: where to go on
        PartialCommit, // a: where the loop goes on
        BackCommit,    // a: where `&` goes on
        FailTwice,
        Fail,
        SpanBegin,
        SpanEnd,   // a: slot
        Make,      // a: alternative; b: its precedence
        MakeTail,  // the same, with what was read before
        NeedLevel, // a: the least precedence of what was read before
    };
    Code code;
    std::uint32_t a = 0, b = 0;
};

struct ParsingProgram {
    struct Variant {
        std::uint32_t production = 0, entry = 0;
        int level = 0;
    };
    std::vector<Instruction> code;
    std::vector<Variant> variants; // 0: the whole text
    std::vector<const Peg*> literals;
    std::uint32_t layout = Language::none; // a variant
};

constexpr std::uint32_t no_slot = UINT32_MAX;

ParsingProgram compile(const Language& language, std::uint32_t start);

} // namespace irrewrite::grammar
