// A program in which a fact is taught and then used: its place, what the fact rewrites, and effects on the same memory
// and other memory before, between and behind them; in line, in branches, in loops, or in functions that are called.
//
// Memory is what allocating operations make, and its contents what reading and writing ones see and change: all of
// them are found by their traits.
#pragma once

#include "engine/generate/instance.hpp"

namespace irrewrite {

class FactProgram : private Instance {
  public:
    // `base`: operations that have a meaning through their expansion as well. Functions that are called join `called`.
    FactProgram(Context& context, const Module& library, const RuleBase& base, const Fact& fact,
                const Vocabulary& vocabulary, Choices& choices, const TermStyle& style, Function& function,
                Module& called);

    // False: this combination of choices makes none.
    bool build();

  private:
    using Part = FunctionRef<bool()>;
    struct Source { // what a metavariable of the place is read from, again at each time
        NodeId cell;
        // In loops that the place makes: what it is the time after, if not at once what it is in the end.
        std::optional<NodeId> next{}, last{};
    };

    // -- check_scene.cpp: the program
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
    bool branch(Part first, Part second);
    bool loop(Part body);
    std::optional<BlockId> block(std::span<const TypeId> params, Part part, const Nodes& results);

    // -- check_scene_effects.cpp: what stands in it
    bool is_memory(TypeId type) const;
    std::optional<NodeId> allocate(TypeId type);
    std::optional<NodeId> memory(TypeId type);
    void hold(NodeId cell);
    std::optional<NodeId> value(TypeId type);
    std::optional<NodeId> read(NodeId cell);
    bool write(NodeId cell, NodeId value);
    std::optional<Source> source(TypeId type);
    bool disturb();
    bool nested();
    bool effect();
    bool show(NodeId node);
    bool print(NodeId value);

    // -- check_scene_calls.cpp: functions that change what they are given
    bool call();
    const Function* callee(std::span<const TypeId> types);
    bool build_callee(std::span<const TypeId> types);
    SymbolId fresh_name() const;

    const Module& library_;
    const RuleBase& base_;
    Module& called_;
    const Fact& fact_;
    std::vector<OpId> allocating_, reading_, writing_; // in whole, one operand; any
    OpId branch_, loop_, print_;
    PieceId place_, key_;
    bool named_ = false;       // what the fact rewrites mentions the place itself
    std::set<PieceId> tested_; // by loops that the place makes
    std::vector<PieceId> of_place_;
    std::map<PieceId, Source> sources_;
    Nodes cells_, values_;   // that can be seen from here
    bool in_callee_ = false; // what is computed is printed
    unsigned depth_ = 0;     // of blocks
    unsigned nested_ = 0;    // of types of memory
};

} // namespace irrewrite
