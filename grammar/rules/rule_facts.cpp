// Reads facts: the pattern that establishes a fact, the term that the fact rewrites, and its replacement.
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

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

} // namespace irrewrite::grammar
