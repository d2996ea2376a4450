// Functions whose calls may not end. Before bodies are built, every function in which a loop with a condition occurs
// counts as one (Context::endless_functions); when they are built, this finds those that surely end.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

// For programs that are no text (JSON): functions that wait for something, or have a loop with a condition, count as ones.
void note_endless(Context& context, const Module& module);

// Nobody waits any more for calls of functions that surely end.
void settle_endings(Context& context, Module& module);

} // namespace irrewrite
