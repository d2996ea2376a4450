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

} // namespace irrewrite::grammar
