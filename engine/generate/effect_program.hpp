// A program with effects, of which an instance of a rule is part: memory, effects that change it, branches, loops and calls
// around them.
//
// Memory is what allocating operations make, and its contents what reading and writing ones see and change: all of
// them are found by their traits.
#pragma once

#include "engine/generate/instance.hpp"

namespace irrewrite {

class EffectProgram : protected Instance {
  public:
    // `base`: operations that have a meaning through their expansion as well. Functions that are called join `called`.
    EffectProgram(Context& context, const Module& library, const RuleBase& base, RuleId rule,
                  const Vocabulary& vocabulary, Choices& choices, const TermStyle& style, Function& function,
                  Module& called);

  protected:
    using Part = FunctionRef<bool()>;
    struct Source { // what a value is read from, again at each time
        NodeId cell;
        // In loops that the place of a fact makes: what it is the time after, if not at once what it is in the end.
        std::optional<NodeId> next{}, last{};
    };

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
    bool branch(Part first, Part second);
    bool loop(Part body);
    std::optional<BlockId> block(std::span<const TypeId> params, Part part, const Nodes& results);

    // -- effect_program_calls.cpp: functions that change what they are given
    bool call();
    const Function* callee(std::span<const TypeId> types);
    bool build_callee(std::span<const TypeId> types);
    SymbolId fresh_name() const;

    const Module& library_;
    const RuleBase& base_;
    Module& called_;
    RuleId rule_id_;
    std::vector<OpId> allocating_, reading_, writing_; // in whole, one operand; any
    OpId branch_, loop_, print_;
    Nodes cells_, values_;   // that can be seen from here
    bool in_callee_ = false; // what is computed is printed
    unsigned depth_ = 0;     // of blocks
    unsigned nested_ = 0;    // of types of memory
};

} // namespace irrewrite
