#include "grammar/rules/rewriting_declarations.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

void normalize(Loading& loading, const RuleFile& file, SyntaxId id, RuleSetId set) {
    RuleBase& base = loading.base;
    if (base[set].parameters)
        loading.diagnostics.error(
            file.tree.name_span(id),
            quoted(file.tree.name(id)) +
                " has parameters, so 'normalize' cannot apply it: nodes that are built give no arguments");
    else if (std::ranges::find(base.normalize, set) == base.normalize.end())
        base.normalize.push_back(set);
    std::vector<RuleId>& rules = loading.normalize_uses.back().rules;
    rules.insert(rules.end(), base[set].rules.begin(), base[set].rules.end());
}

void report_ambiguous(Loading& loading, const RuleFile& file, SyntaxId id, const std::vector<NamedItem>& sets) {
    const auto name = [&](std::size_t i) {
        return quoted(loading.context.symbols[loading.base.sets[sets[i].index].full_name]);
    };
    auto& diagnostic = loading.diagnostics.error(file.tree.name_span(id), quoted(file.tree.name(id)) + " may mean " +
                                                                              name(0) + " or " + name(1));
    for (const NamedItem& set : sets) diagnostic.notes.push_back({loading.base.sets[set.index].where, "one is here"});
}

} // namespace

static void read_normalize(Loading& loading, const RuleFile& file, SyntaxId id) {
    for (SyntaxId child : file.tree.children_of(id)) {
        const SymbolId name = loading.context.symbols.add(file.tree.name(child));
        const auto sets = loading.names.find(name, NameKind::Set, file.number);
        const auto files = loading.names.find(name, NameKind::File, file.number);
        loading.normalize_uses.push_back({{}, file.tree.name_span(child)});
        if (sets.size() == 1) {
            normalize(loading, file, child, RuleSetId{sets[0].index});
        } else if (sets.size() > 1) {
            report_ambiguous(loading, file, child, sets);
        } else if (files.size() == 1) {
            for (RuleSetId set : loading.names.sets_of(files[0].index))
                if (!loading.base[set].parameters) normalize(loading, file, child, set);
        } else {
            loading.diagnostics.unknown(
                file.tree.name_span(child), "set of rules", file.tree.name(child),
                suggestion(file.tree.name(child), loading.names.all({NameKind::Set, NameKind::File})));
        }
    }
}

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

static void read_cost(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner) {
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

void read_rewriting(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner) {
    switch (file.tree[id].kind) {
    case Kind::Normalize: return read_normalize(loading, file, id);
    case Kind::CostOps:
    case Kind::CostIterations:
    case Kind::Cost: return read_cost(loading, file, id, owner);
    default: return;
    }
}

} // namespace irrewrite::grammar
