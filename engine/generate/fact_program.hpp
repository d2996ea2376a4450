// A program that establishes a fact and then uses it: the node that establishes it, the term that the fact rewrites,
// and effects on the same and on other memory before, between and after them; in straight lines, in branches, in loops,
// or in functions that are called.
//
// Memory is allocated by allocating operations, and read and changed by reading and writing ones: all of them are found
// by their traits.
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
    struct Source { // the cell that a metavariable of the fact's node is read from, each time anew
        NodeId cell;
        // In loops that the node makes: the value in the next iteration, if not at once the last one.
        std::optional<NodeId> next{}, last{};
    };

    // -- fact_program.cpp: the program
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

    // -- fact_program_effects.cpp: its memory and effects
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

    // -- fact_program_calls.cpp: functions that change memory that they are given
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
    bool named_ = false;       // the term that the fact rewrites mentions the fact's node itself
    std::set<PieceId> tested_; // by loops that the fact's node makes
    std::vector<PieceId> of_place_;
    std::map<PieceId, Source> sources_;
    Nodes cells_, values_;   // that can be seen from here
    bool in_callee_ = false; // what is computed is printed
    unsigned depth_ = 0;     // of blocks
    unsigned nested_ = 0;    // of types of memory
};

} // namespace irrewrite
