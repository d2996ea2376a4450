#include "engine/jit/bytecode_function.hpp"

#include "engine/jit/bytecode_right_side.hpp"

#include <algorithm>

namespace irrewrite::term {

bool BytecodeFunction::generate() {
    code_.bind(functions_[definition_]);
    if (!tree_.build()) return false;
    Loaded loaded;
    for (; loaded.next < program_.arity(definition().symbol); ++loaded.next)
        loaded.at[static_cast<int>(loaded.next)] = loaded.next;
    select(tree_.root(), loaded);
    stuck();
    return !failed_;
}

// No rule applies: the operation stays, as a cell.
void BytecodeFunction::stuck() {
    code_.bind(stuck_);
    std::vector<unsigned> operands(program_.arity(definition().symbol));
    for (unsigned i = 0; i < operands.size(); ++i) operands[i] = i;
    if (operands.empty()) {
        code_.emit(Opcode::ReturnConstant);
        code_.word(heap_.constant(definition().symbol));
    } else {
        emit_cell(code_, Opcode::ReturnMade, 0, definition().symbol, operands);
    }
}

// -- selection --------------------------------------------------------------------------------------

unsigned BytecodeFunction::next_register(Loaded& loaded) {
    if (loaded.next < Bytecode::max_registers) return loaded.next++;
    failed_ = true;
    return 0;
}

unsigned BytecodeFunction::load(int place, Loaded& loaded) {
    if (auto it = loaded.at.find(place); it != loaded.at.end()) return it->second;
    const Place p = tree_.place(place);
    unsigned parent = load(p.parent, loaded), to = next_register(loaded);
    code_.emit(Opcode::Load, to, parent, p.index);
    return loaded.at[place] = to;
}

// IsSymbol or IsEither on a place, which is loaded with it if need be.
void BytecodeFunction::open(Opcode loaded_already, Opcode part, int place, Loaded& loaded) {
    if (auto it = loaded.at.find(place); it != loaded.at.end()) {
        const unsigned at = it->second;
        const bool own = loaded_already == Opcode::IsSymbol && at < 4;
        return code_.emit(own ? static_cast<Opcode>(static_cast<unsigned>(Opcode::IsSymbol0) + at) : loaded_already,
                          at);
    }
    const Place p = tree_.place(place);
    unsigned parent = load(p.parent, loaded), to = next_register(loaded);
    code_.emit(part, to, parent, p.index);
    loaded.at[place] = to;
}

void BytecodeFunction::select(DecisionTree::NodeId id, Loaded loaded) {
    failed_ = failed_ || code_.words.size() > Bytecode::max_words;
    if (failed_) return;
    if (id == DecisionTree::stuck) {
        code_.emit(Opcode::Jump);
        return code_.target(stuck_);
    }
    const DecisionTree::Node& node = tree_[id];
    if (node.rule) return leaf(node, loaded);
    alternatives(node, loaded);
}

namespace {
constexpr std::size_t few = 4; // cases to be compared one by one

bool is_cell(const DecisionTree::Case& c) { return c.key->kind == Shape::Kind::Cell; }
Symbol symbol(const DecisionTree::Case& c) { return c.key->symbol; }
std::size_t size(const DecisionTree::Case& c) { return c.key->parts.size(); }
} // namespace

// Cells with parts come first, where recursion goes on: their code follows the comparison.
void BytecodeFunction::alternatives(const DecisionTree::Node& node, Loaded& loaded) {
    std::vector<DecisionTree::Case> cases = node.cases;
    const bool cells = std::ranges::all_of(cases, is_cell);
    if (cells) std::ranges::stable_sort(cases, std::greater(), size);
    Label other;
    Label& otherwise = node.otherwise == DecisionTree::stuck ? stuck_ : other;
    for (std::size_t i = 0; i < cases.size() && !failed_; ++i) {
        if (i > 0 && cells && cases.size() - i > few) {
            by_table(node.place, std::span(cases).subspan(i), otherwise, loaded);
            break;
        }
        Label next;
        const bool two = cells && i + 1 < cases.size();
        Label& differs = i + 1 + two == cases.size() ? otherwise : next;
        if (two) {
            either(node.place, std::span(cases).subspan(i++, 2), differs, loaded);
            if (&differs == &next) code_.bind(next);
            continue;
        }
        compare(node.place, *cases[i].key, loaded, differs);
        select(cases[i].node, loaded);
        if (&differs == &next) code_.bind(next);
    }
    if (node.otherwise == DecisionTree::stuck) return;
    code_.bind(other);
    select(node.otherwise, loaded);
}

void BytecodeFunction::by_table(int place, std::span<const DecisionTree::Case> cases, Label& otherwise,
                                Loaded& loaded) {
    const auto [least, most] = std::ranges::minmax(cases, {}, symbol);
    const std::uint32_t range = symbol(most) - symbol(least) + 1;
    std::deque<Label> labels(cases.size());
    code_.emit(Opcode::Switch, load(place, loaded));
    code_.word(symbol(least)), code_.word(range), code_.target(otherwise);
    for (Symbol at = symbol(least); at <= symbol(most); ++at) {
        auto it = std::ranges::find(cases, at, symbol);
        code_.target(it == cases.end() ? otherwise : labels[static_cast<std::size_t>(it - cases.begin())]);
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        code_.bind(labels[i]);
        select(cases[i].node, loaded);
    }
}

void BytecodeFunction::either(int place, std::span<const DecisionTree::Case> two, Label& otherwise, Loaded& loaded) {
    Label second;
    open(Opcode::IsEither, Opcode::PartIsEither, place, loaded);
    code_.word(symbol(two[0])), code_.word(symbol(two[1])), code_.target(second), code_.target(otherwise);
    select(two[0].node, loaded);
    code_.bind(second);
    select(two[1].node, loaded);
}

void BytecodeFunction::compare(int place, const Shape& key, Loaded& loaded, Label& otherwise) {
    open(Opcode::IsSymbol, Opcode::PartIsSymbol, place, loaded);
    code_.word(key.symbol), code_.target(otherwise);
    if (key.kind != Shape::Kind::Literal) return;
    code_.emit(Opcode::IsBits, loaded.at.at(place));
    code_.word(static_cast<std::uint32_t>(key.value.bits));
    code_.word(static_cast<std::uint32_t>(key.value.bits >> 32));
    code_.target(otherwise);
}

// -- a rule that matches ----------------------------------------------------------------------------

void BytecodeFunction::leaf(const DecisionTree::Node& node, Loaded loaded) {
    const Rule& rule = *node.rule;
    const Loaded before = loaded;
    std::vector<unsigned> computed;
    std::deque<Label> failed; // after so many computed literals
    conditions(rule, loaded, computed, failed);
    const std::uint32_t number = rules_ + static_cast<std::uint32_t>(&rule - definition().rules.data());
    BytecodeRightSide right(code_, program_, heap_, functions_, rule, computed);
    failed_ = failed_ || !right.generate(number);
    if (!may_fail(rule)) return;
    for (std::size_t i = failed.size(); i-- > 0;) { // literals that were computed in vain
        code_.bind(failed[i]);
        if (i > 0) code_.emit(Opcode::Release, computed[i - 1]);
    }
    select(node.otherwise, before);
}

// Tests first, then the literals that the right side is built with: each may be impossible.
void BytecodeFunction::conditions(const Rule& rule, Loaded& loaded, std::vector<unsigned>& computed,
                                  std::deque<Label>& failed) {
    failed.resize(rule.built + 1);
    const std::uint32_t first = computations_ + computations_before(definition(), rule);
    for (const Test& test : rule.tests) {
        if (test.kind == Test::Kind::Equal) {
            equal(test.negated ? Opcode::Differ : Opcode::Equal, tree_.variable(rule, test.a),
                  tree_.variable(rule, test.b), loaded, failed[0]);
            continue;
        }
        give_variables(rule, rule.computations[test.a], loaded);
        code_.emit(Opcode::Test, test.negated);
        code_.word(first + test.a);
        code_.target(failed[0]);
    }
    if (rule.may_stand_still) {
        Label differs;
        Loaded meanwhile = loaded; // what the test loads is not there for all who come from it
        for (std::uint32_t i = 0; i < rule.operands.size(); ++i)
            stands_still(rule, rule.right.parts[i], static_cast<int>(i), meanwhile, differs);
        code_.emit(Opcode::Jump);
        code_.target(failed[0]);
        code_.bind(differs);
    }
    for (std::uint32_t i = 0; i < rule.built; ++i) {
        give_variables(rule, rule.computations[i], loaded);
        computed.push_back(next_register(loaded));
        code_.emit(Opcode::Compute, computed.back());
        code_.word(first + i);
        code_.target(failed[i]);
    }
}

void BytecodeFunction::equal(Opcode opcode, int a, int b, Loaded& loaded, Label& otherwise) {
    unsigned x = load(a, loaded), y = load(b, loaded);
    code_.emit(opcode, x, y);
    code_.target(otherwise);
}

// Jumps to `differs` unless the term that would be built is the one at that place.
void BytecodeFunction::stands_still(const Rule& rule, const Shape& made, int place, Loaded& loaded, Label& differs) {
    if (made.kind == Shape::Kind::Variable) {
        int from = tree_.variable(rule, made.variable);
        if (from != place) equal(Opcode::Equal, from, place, loaded, differs);
        return;
    }
    compare(place, made, loaded, differs);
    for (std::uint32_t i = 0; i < made.parts.size(); ++i)
        stands_still(rule, made.parts[i], tree_.child(place, i), loaded, differs);
}

void BytecodeFunction::give_variables(const Rule& rule, const Computation& computation, Loaded& loaded) {
    for (const Step& step : computation.steps) {
        if (step.kind != Step::Kind::Variable) continue;
        unsigned at = load(tree_.variable(rule, step.variable), loaded);
        code_.emit(Opcode::Give, at);
        code_.word(step.variable);
    }
}

} // namespace irrewrite::term
