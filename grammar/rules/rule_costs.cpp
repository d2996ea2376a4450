#include "grammar/rules/rule_costs.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

namespace irrewrite::grammar {

namespace {

std::uint64_t number_of(Loading& loading, const SyntaxTree& tree, SyntaxId id) {
    if (const auto value = parse_scalar(TypeKind::U32, tree.name(id))) return *value;
    loading.diagnostics.error(tree.span(id), "a cost is a whole number from 0 to 4294967295");
    return 0;
}

// All operations of each name.
std::vector<OpId> named(Loading& loading, const SyntaxTree& tree, std::span<const SyntaxId> names) {
    const Operations& operations = loading.context.operations;
    std::vector<OpId> ops;
    for (SyntaxId id : names) {
        const auto symbol = loading.context.symbols.find(tree.name(id));
        const auto found = symbol ? operations.find(*symbol) : std::span<const OpId>();
        ops.insert(ops.end(), found.begin(), found.end());
        if (!found.empty()) continue;
        std::vector<std::string_view> known;
        for (std::uint32_t i = 0; i < operations.size(); ++i)
            known.push_back(loading.context.symbols[operations[OpId{i}].name]);
        loading.diagnostics.unknown(tree.span(id), "operation", tree.name(id), suggestion(tree.name(id), known));
    }
    return ops;
}

void once(Loading& loading, const SyntaxTree& tree, SyntaxId id) {
    for (const CostDeclaration& other : loading.base.costs)
        if (other.ops.empty() && !other.rule && other.where.source == tree.span(id).source)
            loading.diagnostics.error(tree.span(id), "a second 'cost per iteration' in this file")
                .notes.push_back({other.where, "the first is here"});
}

} // namespace

void read_cost(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner) {
    const SyntaxTree& tree = file.tree;
    CostDeclaration cost{.ops = {}, .value = 0, .rule = {}, .where = tree.span(id)};
    const auto children = tree.children_of(id);
    if (tree[id].kind == Kind::Cost) {
        cost.rule = owner();
        RuleReader(loading, file, loading.base.rules[cost.rule.index]).read_cost(id);
    } else {
        cost.value = number_of(loading, tree, children.back());
        cost.ops = named(loading, tree, children.first(children.size() - 1));
        if (tree[id].kind == Kind::CostIterations) once(loading, tree, id);
        if (tree[id].kind == Kind::CostOps && cost.ops.empty()) return;
    }
    loading.base.costs.push_back(std::move(cost));
}

// The left side is an application, the right side a number; what the two are as values is not compared.
void RuleReader::read_cost(SyntaxId id) {
    if (is_broken(id)) return;
    prepare(id);
    const auto children = tree_.children_of(id);
    rule_.left.push_back(term(children[0]));
    check_root(children[0], rule_.left[0]);
    finish_patterns();
    conditions(children.subspan(2));
    results(children.subspan(1, 1));
    const Term& cost = rule_[rule_.right[0]];
    const bool is_literal = cost.kind == TermKind::Variable && rule_[cost.variable].kind == VariableKind::Literal;
    const bool is_number =
        cost.kind == TermKind::Number || cost.kind == TermKind::Compute || cost.kind == TermKind::Count || is_literal;
    if (!is_number && loading_.diagnostics.errors() == errors_before_)
        error(tree_.span(children[1]), "a cost is a number that is known when a term is rewritten",
              "write a numeral, '#k', 'count(?xs)' or a computation, '#(#n * #m)'");
}

} // namespace irrewrite::grammar
