// Reads facts: the pattern that establishes a fact, the term that the fact rewrites, and its replacement. And what rules ask of
// analyses.
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace irrewrite::grammar {

std::string RuleReader::name_of_fact(const SyntaxTree& tree, SyntaxId id) {
    const auto children = tree.children_of(id);
    SyntaxId place = children.empty() ? id : children[0];
    while (tree[place].kind == Kind::Named && tree[place].count) place = tree.children_of(place).back();
    const std::string where(tree.name(place));
    if (tree[id].kind == Kind::FactAfter) return "after " + where;
    return "in " + std::string(tree.name(id)) + " of " + where;
}

std::optional<RuleReader::FactPlace> RuleReader::read_fact(SyntaxId id) {
    if (is_broken(id)) return std::nullopt;
    prepare(id);
    const auto children = tree_.children_of(id);
    place_ = true;
    rule_.left.push_back(term(children[0]));
    place_ = blocks_of_place_ = false;
    FactPlace place{tree_[id].kind == Kind::FactAfter, 0};
    if (!place.after) place.block = block_of_fact(id).value_or(0);
    may_ask_ = true;
    rule_.left.push_back(term(children[1]));
    may_ask_ = false;
    finish_patterns();
    std::vector<SyntaxId> conditions_of;
    for (SyntaxId child : children.subspan(3))
        if (tree_[child].kind != Kind::AtPhase) conditions_of.push_back(child);
    conditions(conditions_of);
    results(children.subspan(2, 1));
    check_fact(id);
    if (loading_.diagnostics.errors() != errors_before_) return std::nullopt;
    return place;
}

// `{ ?c }` in the pattern of a fact: the result of the block.
BlockTerm RuleReader::result_of_place(SyntaxId id) {
    BlockTerm block;
    const SymbolId name = symbol(tree_.name(id).substr(1));
    const auto found = find(name, Sort::Meta);
    const VariableId variable = found ? *found : declare(name, Sort::Meta, VariableKind::Node);
    known_[variable.index].bound = true;
    block.results.push_back(add({.kind = TermKind::Variable, .variable = variable}, id));
    return block;
}

// The first block has no label; it is `then` or `body` here.
std::optional<std::uint32_t> RuleReader::block_of_fact(SyntaxId id) {
    const Term* place = &rule_[rule_.left[0]];
    while (place->kind == TermKind::Named) place = &rule_[place->operands[0]];
    if (place->kind != TermKind::Node) return std::nullopt; // reported with the operation
    const auto& blocks = loading_.context.operations[place->ops[0]].signature.blocks;
    const std::string_view label = tree_.name(id);
    std::vector<std::string_view> known;
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        if (!blocks[i].label) {
            if (label == "then" || label == "body") return i;
            known.insert(known.end(), {"then", "body"});
            continue;
        }
        if (loading_.context.symbols[blocks[i].label] == label) return i;
        known.push_back(loading_.context.symbols[blocks[i].label]);
    }
    error(tree_.name_span(id), "the operation has no block " + quoted(label), suggestion(label, known));
    return std::nullopt;
}

void RuleReader::check_fact(SyntaxId id) {
    if (loading_.diagnostics.errors() != errors_before_) return;
    for (const BlockTerm& block : rule_[rule_.left[0]].blocks)
        if (block.whole || !block.params.empty())
            error(tree_.span(tree_.children_of(id)[0]),
                  "the pattern of a fact can name the results of a block, but not its parameters or the whole block");
    check_effects_of_fact(rule_.left[1], true, true);
    for (TermId term : rule_.right) check_effects_of_fact(term, true, false);
}

// A read below the root happened earlier, so other writes would have to end the fact.
void RuleReader::check_effects_of_fact(TermId id, bool root, bool left) {
    const Term& term = rule_[id];
    for (OpId op : term.ops) {
        const Operation& operation = loading_.context.operations[op];
        if (left ? operation.takes_token() && !root : operation.takes_token()) {
            error(term.where,
                  left ? "the left side of a fact has an effect below its root"
                       : "the right side of a fact has an effect",
                  left ? "bind the value to a metavariable instead"
                       : "the right side must be a value that is known where the fact holds");
            return;
        }
    }
    for (TermId operand : term.operands) check_effects_of_fact(operand, false, left);
}

// -- analyses -----------------------------------------------------------------------------------

// A condition of its own finds out what an analysis says of a node: a literal.
TermId RuleReader::ask(TermId node, std::uint32_t analysis, SyntaxId id) {
    const bool is_known = std::exchange(may_ask_, false);
    if (mode_ == Mode::Pattern) {
        if (!is_known)
            error(tree_.span(id), quoted(tree_.name(id)) + " is an analysis: no node of a program matches it",
                  "ask in a condition, 'where " + std::string(tree_.name(id)) + "(?x) == …'");
        return node;
    }
    if (is_in_block(rule_[node].operands[0]))
        error(tree_.span(id),
              "an analysis is asked before the right side is built: nothing is known of this parameter");
    Condition asked{.kind = Condition::Kind::Ask};
    asked.a = rule_[node].operands[0];
    asked.analysis = analysis;
    asked.where = tree_.span(id);
    asked.variable = VariableId{static_cast<std::uint32_t>(rule_.variables.size())};
    rule_.variables.push_back({symbol(tree_.name(id)), VariableKind::Literal, false, true}); // has no name in the text
    known_.emplace_back().bound = true;
    asks_.push_back(asked);
    return add({.kind = TermKind::Variable, .variable = asked.variable}, id);
}

bool RuleReader::is_analysis(SyntaxId id) const {
    const auto name = loading_.context.symbols.find(tree_.name(id));
    const auto named = name ? loading_.context.operations.find(*name) : std::span<const OpId>();
    return !named.empty() && loading_.base.analysis_of(named[0]);
}

// A truth that an analysis knows, as a condition by itself: `odd(?x)`, `sign(?x).neg`.
Condition RuleReader::truth(SyntaxId id) {
    Condition result{.kind = Condition::Kind::Compare};
    const std::size_t asked = asks_.size();
    result.text = symbol("==");
    result.a = term(id);
    result.b = add(
        {.kind = TermKind::Constant, .constant = {AttrValue::Kind::Number, loading_.context.types.boolean(), 1}}, id);
    if (asks_.size() == asked && tree_[id].kind != Kind::Compute && loading_.diagnostics.errors() == errors_before_)
        error(tree_.span(id), "expected a condition here");
    return result;
}

// It contains a parameter of a block that is built.
bool RuleReader::is_in_block(TermId id) const {
    const Term& term = rule_[id];
    if (term.kind == TermKind::Variable) return rule_[term.variable].kind == VariableKind::Param;
    return std::ranges::any_of(term.operands, [&](TermId operand) { return is_in_block(operand); });
}

// Neither a condition nor its negation holds if nothing is known.
void RuleReader::take_asks_out(Condition& condition, std::vector<Condition>& asks) {
    while (condition.kind == Condition::Kind::Ask && !condition.parts.empty()) {
        Condition rest = std::move(condition.parts[0]);
        condition.parts.clear();
        asks.push_back(std::exchange(condition, std::move(rest)));
    }
    for (Condition& part : condition.parts) take_asks_out(part, asks);
}

Condition RuleReader::asked_before(std::vector<Condition> asks, Condition condition) {
    for (; !asks.empty(); asks.pop_back()) {
        asks.back().parts.push_back(std::move(condition));
        condition = std::move(asks.back());
    }
    return condition;
}

std::vector<Condition> RuleReader::take_asks() { return std::exchange(asks_, {}); }

// As one condition. What is asked stands before the conditions that use it.
Condition RuleReader::all_of(std::vector<Condition> parts, SyntaxId id) const {
    const auto is_bare = [](const Condition& part) { return part.kind == Condition::Kind::Ask && part.parts.empty(); };
    if (parts.empty()) return {};
    const auto last = std::find_if(parts.rbegin(), parts.rend(), is_bare).base();
    std::vector<Condition> rest(std::make_move_iterator(last), std::make_move_iterator(parts.end()));
    parts.erase(last, parts.end());
    Condition result = rest.size() == 1 ? std::move(rest[0]) : joined(std::move(rest), id);
    if (parts.empty()) return result;
    std::vector<Condition> asked{std::move(parts.back())};
    parts.back() = asked_before(std::move(asked), std::move(result));
    return all_of(std::move(parts), id);
}

Condition RuleReader::joined(std::vector<Condition> parts, SyntaxId id) const {
    Condition result{.kind = Condition::Kind::All};
    std::vector<Condition> asks;
    for (Condition& part : parts) take_asks_out(part, asks);
    result.parts = std::move(parts);
    result.where = tree_.span(id);
    return asked_before(std::move(asks), std::move(result));
}

} // namespace irrewrite::grammar
