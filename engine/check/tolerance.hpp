// The contract of rules that change rounding: they are laws of real numbers.
//
// If the original meets a NaN, an infinity, or numbers whose products and quotients an f32 might not hold, any result
// is accepted; else floats may differ by an error that is small beside the greatest number met.
#pragma once

#include "engine/interpret/evaluate.hpp"

namespace irrewrite {

// True if the contract holds for a run that met these numbers.
bool is_moderate(const FloatRange& met);
bool is_close(const Types& types, TypeId type, const Value& a, const Value& b, const FloatRange& met);

// All of the lines of `less` are printed, in their order, among others.
bool prints_more(std::string_view less, std::string_view more);

} // namespace irrewrite
