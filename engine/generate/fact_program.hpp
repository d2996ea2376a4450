// A program that establishes a fact and then uses it: the node that establishes it, the term that the fact rewrites,
// and effects on the same and on other memory before, between and after them; in straight lines, in branches, in loops,
// or in functions that are called.
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
    bool named_ = false;       // the term that the fact rewrites mentions the fact's node itself
    std::set<PieceId> tested_; // by loops that the fact's node makes
    std::vector<PieceId> of_place_;
    std::map<PieceId, Source> sources_;
};

} // namespace irrewrite
