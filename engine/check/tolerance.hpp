// What rules that change rounding promise: they are laws of real numbers.
//
// Where the original meets a NaN, an infinity, or numbers whose products and quotients an f32 might not hold, anything
// may stand in its place; else floats are equal but for an error that is small beside the greatest number on the way.
#pragma once

#include "engine/interpret/evaluate.hpp"

namespace irrewrite {

// Whether the promise holds for a run that met these numbers.
bool is_moderate(const FloatRange& met);
bool is_close(const Types& types, TypeId type, const Value& a, const Value& b, const FloatRange& met);

} // namespace irrewrite
