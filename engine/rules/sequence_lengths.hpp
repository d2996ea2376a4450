// Sequences (`...`) in a node's pattern that are equally long because of the operation's signature.
//
// If a signature names one sequence several times, `for(i64, ?A...) {i64, ?A... -> ?A...} -> ?A...`, and a pattern
// spells it several times with `...` at the same positions, `?a..., ?z, ?b...` and `%p..., %q, %s...`, the k-th `...`
// has the same length in each: `%p...` are the parameters that carry `?a...`.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

// Of a node's pattern as `operation` (one of its `ops`) is declared.
Correspondence correspondence(const Rule& rule, const Term& node, const Operation& operation);

// Those lengths for one list of a node, as far as they are known.
struct CommonLengths {
    static constexpr std::size_t unknown = SIZE_MAX;
    std::span<const std::uint32_t> numbers; // by term of the list; empty: nothing corresponds
    std::span<std::size_t> lengths;         // by number
    std::size_t* at(std::size_t term) const {
        return numbers.empty() || numbers[term] == Correspondence::none ? nullptr : &lengths[numbers[term]];
    }
};

// The lengths of a node whose operand terms stand for `made` operands each; `corresponding` may be null.
std::vector<std::size_t> common_lengths(const Correspondence* corresponding, std::span<const std::size_t> made);

// The number of parameters that each term of a pattern's parameters stands for, out of `count`: known lengths first,
// the other sequences share the rest equally. None if the pattern does not fit that number.
std::optional<std::vector<std::size_t>> share_params(const Rule& rule, const BlockTerm& block, std::size_t count,
                                                     const CommonLengths& common);

// Fills in Term::correspondences and Rule::lengths: the last step of loading a rule.
void find_lengths(const Context& context, Rule& rule);

} // namespace irrewrite
