// The faults of productions that can be seen without a text: left recursion that is not supported, repetition of what may be
// empty, alternatives that nothing reaches, productions that nothing uses.
#pragma once

#include "grammar/surface/language.hpp"

namespace irrewrite::grammar {

void check_language(Language& language, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
