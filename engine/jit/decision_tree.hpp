// The machine code of one operation with rules: a decision tree over its operands.
#pragma once

#include "engine/jit/code.hpp"

#include <map>

namespace irrewrite::term {

// The source of a reference: an operand of the function, child `index` of the cell at `parent`, or a literal that was
// computed.
struct Place {
    int parent = -1;
    std::uint32_t index = 0;
};

// The contents of the registers: Places, or -1.
struct Registers {
    std::array<int, 16> holds;
    Registers() { holds.fill(-1); }
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
    struct Requirement {
        int place;
        const Shape* shape;
    };
    struct Row { // a rule, and what it still asks of the operands
        const Rule* rule;
        std::vector<Requirement> tests;
    };
    using Rows = std::vector<Row>;
    static constexpr std::size_t max_code = 16 << 20, max_nodes = 20000; // of one set, of one function

    Row row(const Rule& rule);
    static void add_test(Row& row, int place, const Shape& shape);
    int child(int parent, std::uint32_t index);
    // Loads into a register; `keep` stays in its own. If no register is free, evicts one that can be loaded again.
    bool load(int place, Registers& registers, int keep = -1);
    int make_room(int place, Registers& registers, int keep) const;
    bool stands_still(const Rule& rule, const Shape& made, int place, Registers& registers, x86::Label& differs);
    void match(Rows rows, Registers registers);
    void alternatives(const Rows& rows, int place, Registers& registers);
    void compare(int place, const Shape& key, const Registers& registers, bool in_rax, x86::Label& otherwise);
    Rows specialize(const Rows& rows, int place, const Shape& key);
    void leaf(const Row& row, const Rows& others, Registers registers);
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
    std::vector<Place> places_;
    std::map<std::pair<int, std::uint32_t>, int> children_;
    std::map<std::pair<const Rule*, std::uint32_t>, int> variables_; // where a rule's variable stands
    x86::Label stuck_;
    std::size_t nodes_ = 0;
    bool failed_ = false;
};

} // namespace irrewrite::term
