// The machine code of one operation with rules: its decision tree, with comparisons that fall through rather than tables.
#pragma once

#include "engine/jit/decision_tree.hpp"
#include "engine/jit/machine_code.hpp"

namespace irrewrite::term {

// The contents of the registers: Places, or -1.
struct Registers {
    std::array<int, 16> holds;
    std::uint32_t written = 0; // those that code since has put something into, one bit each
    Registers() { holds.fill(-1); }
    void put(int to, int place) {
        holds[static_cast<std::size_t>(to)] = place;
        written |= 1U << to;
    }
    // For a label that is jumped to from several places in between: registers that were written there hold one thing or another.
    void forget(std::uint32_t registers) {
        for (std::size_t i = 0; i < holds.size(); ++i)
            if (registers >> i & 1U) holds[i] = -1;
        written |= registers;
    }
    int find(int place) const;
    int free() const; // a register of the pool, or -1
};

class FunctionGenerator {
  public:
    // `rules`, `computations`: the number of those of earlier functions.
    FunctionGenerator(Emitter& emitter, const Program& program, std::vector<x86::Label>& functions,
                      std::size_t definition, std::uint32_t rules, std::uint32_t computations);

    bool generate(); // false: it takes more registers or code than there may be

  private:
    friend class RightSide;
    static constexpr std::size_t max_code = 16 << 20; // of one set

    int child(int parent, std::uint32_t index) { return tree_.child(parent, index); }
    // Loads into a register; `keep` stays in its own. If no register is free, evicts one that can be loaded again.
    bool load(int place, Registers& registers, int keep = -1);
    int make_room(int place, Registers& registers, int keep) const;
    bool stands_still(const Rule& rule, const Shape& made, int place, Registers& registers, x86::Label& differs);
    void select(DecisionTree::NodeId node, Registers registers);
    void alternatives(const DecisionTree::Node& node, Registers& registers);
    void compare(int place, const Shape& key, const Registers& registers, bool in_rax, x86::Label& otherwise);
    void leaf(const DecisionTree::Node& node, Registers registers);
    bool conditions(const Rule& rule, Registers& registers, std::vector<int>& computed, std::deque<x86::Label>& failed);
    bool equal(int a, int b, bool negated, Registers& registers, x86::Label& failed);
    bool give_variables(const Rule& rule, const Computation& computation, Registers& registers);
    void stuck();

    std::uint32_t rule_number(const Rule& rule) const;
    const Definition& definition() const { return program_.definitions[definition_]; }

    Emitter& emit_;
    x86::Assembler& code_;
    const Program& program_;
    std::vector<x86::Label>& functions_;
    std::size_t definition_;
    std::uint32_t rules_, computations_;
    DecisionTree tree_;
    x86::Label stuck_;
    bool failed_ = false;
};

} // namespace irrewrite::term
