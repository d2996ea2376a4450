#include "engine/jit/decision_tree.hpp"

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
      rules_(rules), computations_(computations) {}

std::uint32_t FunctionGenerator::rule_number(const Rule& rule) const {
    return rules_ + static_cast<std::uint32_t>(&rule - definition().rules.data());
}

int FunctionGenerator::child(int parent, std::uint32_t index) {
    auto [it, fresh] = children_.try_emplace({parent, index}, static_cast<int>(places_.size()));
    if (fresh) places_.push_back({parent, index});
    return it->second;
}

void FunctionGenerator::add_test(Row& row, int place, const Shape& shape) {
    bool tested = shape.kind == Shape::Kind::Cell || shape.kind == Shape::Kind::Literal ||
                  (shape.kind == Shape::Kind::Variable && shape.symbol);
    if (tested) row.tests.push_back({place, &shape});
}

FunctionGenerator::Row FunctionGenerator::row(const Rule& rule) {
    Row row{&rule, {}};
    auto note = [&](auto& self, const Shape& shape, int place) -> void {
        if (shape.kind == Shape::Kind::Variable) variables_[{&rule, shape.variable}] = place;
        for (std::uint32_t i = 0; i < shape.parts.size(); ++i) self(self, shape.parts[i], child(place, i));
    };
    for (std::uint32_t i = 0; i < rule.operands.size(); ++i) {
        note(note, rule.operands[i], static_cast<int>(i));
        add_test(row, static_cast<int>(i), rule.operands[i]);
    }
    return row;
}

bool FunctionGenerator::generate() {
    code_.bind(functions_[definition_]);
    std::uint32_t arity = program_.arity(definition().symbol);
    Registers registers;
    for (std::uint32_t i = 0; i < arity; ++i) {
        places_.push_back({-1, i});
        registers.holds[pool[i]] = static_cast<int>(i);
    }
    Rows rows;
    for (const Rule& rule : definition().rules) {
        if (rule.variables > max_variables) return false;
        rows.push_back(row(rule));
    }
    match(std::move(rows), registers);
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

// -- the decision tree ------------------------------------------------------------------------------

int FunctionGenerator::make_room(int place, Registers& registers, int keep) const {
    for (std::size_t i = pool.size(); i-- > 0;) {
        int held = registers.holds[pool[i]];
        bool needed = held == keep || places_[static_cast<std::size_t>(held)].parent < 0;
        for (int up = place; up >= 0; up = places_[static_cast<std::size_t>(up)].parent) needed = needed || up == held;
        if (needed) continue;
        registers.holds[pool[i]] = -1;
        return pool[i];
    }
    return -1;
}

bool FunctionGenerator::load(int place, Registers& registers, int keep) {
    if (registers.find(place) >= 0) return true;
    const Place p = places_[static_cast<std::size_t>(place)];
    if (p.parent < 0 || !load(p.parent, registers, keep)) return false;
    int to = registers.free();
    if (to < 0) to = make_room(p.parent, registers, keep);
    if (to < 0) return false;
    code_.load(static_cast<Register>(to), part(static_cast<Register>(registers.find(p.parent)), p.index));
    registers.holds[static_cast<std::size_t>(to)] = place;
    return true;
}

void FunctionGenerator::match(Rows rows, Registers registers) {
    if (failed_ || ++nodes_ > max_nodes || code_.size() > max_code) {
        failed_ = true;
        return;
    }
    if (rows.empty()) return code_.jump(stuck_);
    if (rows[0].tests.empty()) {
        Rows others(rows.begin() + 1, rows.end());
        return leaf(rows[0], others, registers);
    }
    int place = rows[0].tests[0].place;
    if (!load(place, registers)) {
        failed_ = true;
        return;
    }
    alternatives(rows, place, registers);
}

namespace {
// True if two tests compare with the same value.
bool same_key(const Shape& a, const Shape& b) {
    return a.kind == b.kind && a.symbol == b.symbol && (a.kind != Shape::Kind::Literal || a.value == b.value);
}
} // namespace

// Tests a position for the alternatives of the rows, in their order; then the rows that do not test it.
void FunctionGenerator::alternatives(const Rows& rows, int place, Registers& registers) {
    std::vector<const Shape*> keys;
    Rows rest;
    for (const Row& row : rows) {
        auto test = std::ranges::find(row.tests, place, &Requirement::place);
        if (test == row.tests.end())
            rest.push_back(row);
        else if (std::ranges::none_of(keys, [&](const Shape* key) { return same_key(*key, *test->shape); }))
            keys.push_back(test->shape);
    }
    bool several = keys.size() > 1;
    Register at = static_cast<Register>(registers.find(place));
    if (several) code_.load(rax, in_cell(at, 0));
    for (std::size_t i = 0; i < keys.size() && !failed_; ++i) {
        Label next;
        Label& otherwise = i + 1 == keys.size() && rest.empty() ? stuck_ : next;
        compare(place, *keys[i], registers, several, otherwise);
        match(specialize(rows, place, *keys[i]), registers);
        if (&otherwise == &next) code_.bind(next);
    }
    if (!rest.empty()) match(std::move(rest), registers);
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

FunctionGenerator::Rows FunctionGenerator::specialize(const Rows& rows, int place, const Shape& key) {
    Rows out;
    for (const Row& row : rows) {
        auto test = std::ranges::find(row.tests, place, &Requirement::place);
        if (test == row.tests.end()) {
            out.push_back(row);
            continue;
        }
        // A row may test for any literal where another tests for one of them; such a test stays for later.
        bool same = same_key(*test->shape, key);
        bool open = test->shape->symbol == key.symbol && !same && key.kind != Shape::Kind::Cell;
        if (!same && !open) continue;
        if (open && key.kind == Shape::Kind::Literal && test->shape->kind == Shape::Kind::Literal) continue;
        Row made{row.rule, {}};
        for (const Requirement& t : row.tests) {
            if (&t != &*test)
                made.tests.push_back(t);
            else if (open && test->shape->kind == Shape::Kind::Literal)
                made.tests.push_back(t);
            else
                for (std::uint32_t i = 0; i < t.shape->parts.size(); ++i)
                    add_test(made, child(place, i), t.shape->parts[i]);
        }
        out.push_back(std::move(made));
    }
    return out;
}

// -- a rule that matches ----------------------------------------------------------------------------

void FunctionGenerator::leaf(const Row& row, const Rows& others, Registers registers) {
    const Rule& rule = *row.rule;
    Registers before = registers;
    std::vector<int> computed;
    std::deque<Label> failed; // after so many computed literals
    if (!conditions(rule, registers, computed, failed)) {
        failed_ = true;
        return;
    }
    RightSide right(*this, rule, registers, computed);
    if (!right.generate()) {
        failed_ = true;
        return;
    }
    if (rule.tests.empty() && rule.computations.empty() && !rule.may_stand_still) return;
    for (std::size_t i = failed.size(); i-- > 0;) { // literals that were computed in vain
        code_.bind(failed[i]);
        if (i > 0) emit_.release(static_cast<Register>(registers.find(computed[i - 1])));
    }
    match(others, before);
}

// Tests first, then the literals that the right side is built with: each may be impossible.
bool FunctionGenerator::conditions(const Rule& rule, Registers& registers, std::vector<int>& computed,
                                   std::deque<Label>& failed) {
    failed.resize(rule.built + 1);
    std::uint32_t first = computations_;
    for (const Rule* r = definition().rules.data(); r != &rule; ++r)
        first += static_cast<std::uint32_t>(r->computations.size());
    for (const Test& test : rule.tests) {
        if (test.kind == Test::Kind::Equal) {
            int a = variables_.at({&rule, test.a}), b = variables_.at({&rule, test.b});
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
        for (std::uint32_t i = 0; i < rule.operands.size(); ++i)
            if (!stands_still(rule, rule.right.parts[i], static_cast<int>(i), registers, differs)) return false;
        code_.jump(failed[0]);
        code_.bind(differs);
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
        computed.push_back(static_cast<int>(places_.size()));
        places_.push_back({-1, 0});
        registers.holds[static_cast<std::size_t>(to)] = computed.back();
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
        int from = variables_.at({&rule, made.variable});
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
        int place = variables_.at({&rule, step.variable});
        if (!load(place, registers)) return false;
        code_.store(field(offsetof(Fields, variables) + 4 * step.variable),
                    static_cast<Register>(registers.find(place)));
    }
    return true;
}

} // namespace irrewrite::term
