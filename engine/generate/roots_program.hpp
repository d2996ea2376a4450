// A program to which a rule over effects applies: its roots in program order, in line, once or twice, in a branch or in a
// loop; other effects before, between, inside of and behind them, on the same memory, on other memory, and on what may be
// either; and at the end what all memory holds.
#pragma once

#include "engine/generate/effect_program.hpp"

namespace irrewrite {

class RootsProgram : private EffectProgram {
  public:
    using EffectProgram::EffectProgram;

    // True if an instance of the rule has to be such a program: it uses memory, or one of several roots prints. A rule of
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
    bool show_parts();
    bool twice();
    void changes(std::span<const NodeId> holes);
    void remember(NodeId node);
};

} // namespace irrewrite
