// A program in which a fact is taught and then used: its place, what the fact rewrites, and effects on the same memory
// and other memory before, between and behind them; in line, in branches, in loops, or in functions that are called.
#pragma once

#include "engine/generate/effect_program.hpp"

namespace irrewrite {

class FactProgram : private EffectProgram {
  public:
    FactProgram(Context& context, const Module& library, const RuleBase& base, const Fact& fact,
                const Vocabulary& vocabulary, Choices& choices, const TermStyle& style, Function& function,
                Module& called)
        : EffectProgram(context, library, base, fact.rule, vocabulary, choices, style, function, called), fact_(fact) {}

    // False: this combination of choices makes none.
    bool build();

  private:
    bool leaves();
    void find_pieces(PieceId id, bool tested);
    bool mentions(PieceId whole, PieceId part) const;
    bool plan();
    bool place();
    std::optional<BlockId> block_of_place(std::size_t number);
    bool key();
    bool key_if_known() { return named_ || key(); }
    bool contents();
    void read_again(PieceId id);

    const Fact& fact_;
    PieceId place_, key_;
    bool named_ = false;       // what the fact rewrites mentions the place itself
    std::set<PieceId> tested_; // by loops that the place makes
    std::vector<PieceId> of_place_;
    std::map<PieceId, Source> sources_;
};

} // namespace irrewrite
