// The traits of an operation with effects, or of one that takes memory, as laws about what memory holds before and behind it.
#pragma once

#include "engine/check/trait_laws.hpp"

namespace irrewrite {

// It has effects, or takes memory.
bool concerns_memory(const Operation& operation);
std::vector<TraitLaw> laws_of_memory(const Operation& operation);

// As add_law. Both sides make the same memory; what they yield is what the operation gives and what the memory holds then.
bool add_effect_law(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                    const TermStyle& style, Module& module);

} // namespace irrewrite
