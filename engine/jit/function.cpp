#include "engine/jit/function.hpp"

#include "engine/jit/right_side.hpp"

#include <algorithm>

namespace irrewrite::term {

using namespace x86;
using Fields = Heap::Fields;

int Registers::find(int place) const {
    for (Register r : pool)
        if (holds[r] == place) return r;
    return -1;
}

int Registers::free() const {
    for (std::size_t i = pool.size(); i-- > 0;)
        if (holds[pool[i]] < 0) return pool[i];
    return -1;
}

FunctionGenerator::FunctionGenerator(Emitter& emitter, const Program& program, std::vector<Label>& functions,
                                     std::size_t definition, std::uint32_t rules, std::uint32_t computations)
    : emit_(emitter), code_(emitter.code), program_(program), functions_(functions), definition_(definition),
      rules_(rules), computations_(computations), tree_(program, program.definitions[definition]) {}

std::uint32_t FunctionGenerator::rule_number(const Rule& rule) const {
    return rules_ + static_cast<std::uint32_t>(&rule - definition().rules.data());
}

bool FunctionGenerator::generate() {
    code_.bind(functions_[definition_]);
    std::uint32_t arity = program_.arity(definition().symbol);
    Registers registers;
    for (std::uint32_t i = 0; i < arity; ++i) registers.holds[pool[i]] = static_cast<int>(i);
    if (!tree_.build()) return false;
    select(tree_.root(), registers);
    stuck();
    return !failed_;
}

// No rule applies: the operation stays, as a cell.
void FunctionGenerator::stuck() {
    code_.bind(stuck_);
    std::uint32_t arity = program_.arity(definition().symbol);
    if (arity == 0) {
        code_.move(rax, emit_.heap.constant(definition().symbol));
    } else {
        Register cell = pool.back();
        emit_.allocate(cell, units(arity));
        emit_.header(cell, definition().symbol);
        for (std::uint32_t i = 0; i < arity; ++i) code_.store(part(cell, i), pool[i]);
        code_.move(rax, cell);
    }
    code_.ret();
}

// -- selection ----------------------------------------------------------------------------------------

int FunctionGenerator::make_room(int place, Registers& registers, int keep) const {
    for (std::size_t i = pool.size(); i-- > 0;) {
        int held = registers.holds[pool[i]];
        bool needed = held == keep || tree_.place(held).parent < 0;
        for (int up = place; up >= 0; up = tree_.place(up).parent) needed = needed || up == held;
        if (needed) continue;
        registers.holds[pool[i]] = -1;
        return pool[i];
    }
    return -1;
}

bool FunctionGenerator::load(int place, Registers& registers, int keep) {
    if (registers.find(place) >= 0) return true;
    const Place p = tree_.place(place);
    if (p.parent < 0 || !load(p.parent, registers, keep)) return false;
    int to = registers.free();
    if (to < 0) to = make_room(p.parent, registers, keep);
    if (to < 0) return false;
    code_.load(static_cast<Register>(to), part(static_cast<Register>(registers.find(p.parent)), p.index));
    registers.put(to, place);
    return true;
}

void FunctionGenerator::select(DecisionTree::NodeId id, Registers registers) {
    failed_ = failed_ || code_.size() > max_code;
    if (failed_) return;
    if (id == DecisionTree::stuck) return code_.jump(stuck_);
    const DecisionTree::Node& node = tree_[id];
    if (node.rule) return leaf(node, registers);
    if (!load(node.place, registers)) {
        failed_ = true;
        return;
    }
    alternatives(node, registers);
}

void FunctionGenerator::alternatives(const DecisionTree::Node& node, Registers& registers) {
    bool several = node.cases.size() > 1;
    Register at = static_cast<Register>(registers.find(node.place));
    if (several) code_.load(rax, in_cell(at, 0));
    for (std::size_t i = 0; i < node.cases.size() && !failed_; ++i) {
        Label next;
        Label& otherwise = i + 1 == node.cases.size() && node.otherwise == DecisionTree::stuck ? stuck_ : next;
        compare(node.place, *node.cases[i].key, registers, several, otherwise);
        select(node.cases[i].node, registers);
        if (&otherwise == &next) code_.bind(next);
    }
    if (node.otherwise != DecisionTree::stuck) select(node.otherwise, registers);
}

// The symbol is in rax where several are compared.
void FunctionGenerator::compare(int place, const Shape& key, const Registers& registers, bool in_rax,
                                Label& otherwise) {
    Register at = static_cast<Register>(registers.find(place));
    if (in_rax)
        code_.compare(rax, key.symbol);
    else
        code_.compare(in_cell(at, 0), key.symbol);
    code_.jump(NotEqual, otherwise);
    if (key.kind != Shape::Kind::Literal) return;
    std::uint32_t low = static_cast<std::uint32_t>(key.value.bits),
                  high = static_cast<std::uint32_t>(key.value.bits >> 32);
    code_.compare(in_cell(at, 8), low);
    code_.jump(NotEqual, otherwise);
    code_.compare(in_cell(at, 12), high);
    code_.jump(NotEqual, otherwise);
}

// -- a rule that matches ----------------------------------------------------------------------------

void FunctionGenerator::leaf(const DecisionTree::Node& node, Registers registers) {
    const Rule& rule = *node.rule;
    Registers before = registers;
    registers.written = 0;
    std::vector<int> computed;
    std::deque<Label> failed; // after so many computed literals
    if (!conditions(rule, registers, computed, failed)) {
        failed_ = true;
        return;
    }
    before.forget(registers.written);
    RightSide right(*this, rule, registers, computed);
    if (!right.generate()) {
        failed_ = true;
        return;
    }
    if (!may_fail(rule)) return;
    for (std::size_t i = failed.size(); i-- > 0;) { // literals that were computed in vain
        code_.bind(failed[i]);
        if (i > 0) emit_.release(static_cast<Register>(registers.find(computed[i - 1])));
    }
    select(node.otherwise, before);
}

// Tests first, then the literals that the right side is built with: each may be impossible.
bool FunctionGenerator::conditions(const Rule& rule, Registers& registers, std::vector<int>& computed,
                                   std::deque<Label>& failed) {
    failed.resize(rule.built + 1);
    const std::uint32_t first = computations_ + computations_before(definition(), rule);
    for (const Test& test : rule.tests) {
        if (test.kind == Test::Kind::Equal) {
            int a = tree_.variable(rule, test.a), b = tree_.variable(rule, test.b);
            if (!equal(a, b, test.negated, registers, failed[0])) return false;
            continue;
        }
        if (!give_variables(rule, rule.computations[test.a], registers)) return false;
        code_.move(rax, first + test.a);
        code_.call(emit_.test_stub);
        code_.compare(rax, 1);
        code_.jump(test.negated ? Equal : NotEqual, failed[0]);
    }
    if (rule.may_stand_still) {
        Label differs;
        Registers meanwhile = registers;
        meanwhile.written = 0;
        for (std::uint32_t i = 0; i < rule.operands.size(); ++i)
            if (!stands_still(rule, rule.right.parts[i], static_cast<int>(i), meanwhile, differs)) return false;
        code_.jump(failed[0]);
        code_.bind(differs);
        registers.forget(meanwhile.written);
    }
    for (std::uint32_t i = 0; i < rule.built; ++i) {
        if (!give_variables(rule, rule.computations[i], registers)) return false;
        code_.move(rax, first + i);
        code_.call(emit_.compute_stub);
        code_.test(rax);
        code_.jump(Equal, failed[i]);
        int to = registers.free();
        if (to < 0) to = make_room(-1, registers, -1);
        if (to < 0) return false;
        code_.move(static_cast<Register>(to), rax);
        computed.push_back(tree_.computed());
        registers.put(to, computed.back());
    }
    return true;
}

bool FunctionGenerator::equal(int a, int b, bool negated, Registers& registers, Label& failed) {
    if (!load(a, registers) || !load(b, registers, a) || registers.find(a) < 0) return false;
    Register x = static_cast<Register>(registers.find(a)), y = static_cast<Register>(registers.find(b));
    Label same;
    code_.compare(x, y);
    code_.jump(Equal, negated ? failed : same);
    Label& differ = negated ? same : failed;
    code_.load(rax, in_cell(x, 0));
    code_.compare(rax, in_cell(y, 0));
    code_.jump(NotEqual, differ);
    code_.store(field(offsetof(Fields, argument)), y);
    code_.move(rax, x);
    code_.call(emit_.equal_stub);
    code_.test(rax);
    code_.jump(negated ? NotEqual : Equal, failed);
    code_.bind(same);
    return true;
}

// Jumps to `differs` unless the term that would be built is the one at that position.
bool FunctionGenerator::stands_still(const Rule& rule, const Shape& made, int place, Registers& registers,
                                     Label& differs) {
    if (made.kind == Shape::Kind::Variable) {
        int from = tree_.variable(rule, made.variable);
        return from == place || equal(from, place, false, registers, differs);
    }
    if (!load(place, registers)) return false;
    compare(place, made, registers, false, differs);
    for (std::uint32_t i = 0; i < made.parts.size(); ++i)
        if (!stands_still(rule, made.parts[i], child(place, i), registers, differs)) return false;
    return true;
}

bool FunctionGenerator::give_variables(const Rule& rule, const Computation& computation, Registers& registers) {
    for (const Step& step : computation.steps) {
        if (step.kind != Step::Kind::Variable) continue;
        int place = tree_.variable(rule, step.variable);
        if (!load(place, registers)) return false;
        code_.store(field(offsetof(Fields, variables) + 4 * step.variable),
                    static_cast<Register>(registers.find(place)));
    }
    return true;
}

} // namespace irrewrite::term
