// The bytecode of one operation with rules: its decision tree, and its rules' conditions.
#pragma once

#include "engine/jit/bytecode.hpp"
#include "engine/jit/decision_tree.hpp"

namespace irrewrite::term {

class BytecodeFunction {
  public:
    // `rules`, `computations`: the number of those of earlier functions.
    BytecodeFunction(Bytecode& code, const Program& program, Heap& heap, std::vector<Bytecode::Label>& functions,
                     std::size_t definition, std::uint32_t rules, std::uint32_t computations)
        : code_(code), program_(program), heap_(heap), functions_(functions), definition_(definition), rules_(rules),
          computations_(computations), tree_(program, program.definitions[definition]) {}

    bool generate(); // false: it takes more registers or code than there may be

  private:
    using Label = Bytecode::Label;
    struct Loaded { // where references are; those of operands are in the first registers
        std::map<int, unsigned> at;
        unsigned next = 0;
    };

    void select(DecisionTree::NodeId id, Loaded loaded);
    void alternatives(const DecisionTree::Node& node, Loaded& loaded);
    void by_table(int place, std::span<const DecisionTree::Case> cases, Label& otherwise, Loaded& loaded);
    void leaf(const DecisionTree::Node& node, Loaded loaded);
    void conditions(const Rule& rule, Loaded& loaded, std::vector<unsigned>& computed, std::deque<Label>& failed);
    void stands_still(const Rule& rule, const Shape& made, int place, Loaded& loaded, Label& differs);
    void give_variables(const Rule& rule, const Computation& computation, Loaded& loaded);
    void either(int place, std::span<const DecisionTree::Case> two, Label& otherwise, Loaded& loaded);
    void compare(int place, const Shape& key, Loaded& loaded, Label& otherwise);
    void equal(Opcode opcode, int a, int b, Loaded& loaded, Label& otherwise);
    void stuck();
    unsigned load(int place, Loaded& loaded);
    unsigned next_register(Loaded& loaded);
    void open(Opcode loaded_already, Opcode part, int place, Loaded& loaded);

    const Definition& definition() const { return program_.definitions[definition_]; }

    Bytecode& code_;
    const Program& program_;
    Heap& heap_;
    std::vector<Label>& functions_;
    std::size_t definition_;
    std::uint32_t rules_, computations_;
    DecisionTree tree_;
    Label stuck_;
    bool failed_ = false;
};

} // namespace irrewrite::term
