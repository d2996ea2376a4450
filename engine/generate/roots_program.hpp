// A program to which a rule of several roots over effects applies: the roots in program order, in line, in a branch or in a
// loop; other effects before, between and behind them, on the same memory, on other memory, and on what may be either; and at
// the end what all memory holds.
#pragma once

#include "engine/generate/effect_program.hpp"

namespace irrewrite {

class RootsProgram : private EffectProgram {
  public:
    using EffectProgram::EffectProgram;

    // True if an instance of the rule has to be such a program: several roots, one of which has effects of its own. A rule of
    // several roots whose blocks alone may have effects can be both.
    static bool due(const Context& context, const Rule& rule);
    static bool possible(const Context& context, const Rule& rule);

    // False: this combination of choices makes none.
    bool build();

  private:
    bool leaves();
    bool in_order();
    bool between();
    bool contents();
};

} // namespace irrewrite
