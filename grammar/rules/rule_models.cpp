#include "grammar/rules/rule_models.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/rules/declare.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

SymbolId phase_of_models(Loading& loading, const RuleFile& file, Span where) {
    const SymbolId name = loading.context.symbols.add(models_phase);
    return loading.use_phase({Loading::PhaseUse::What::Name, name, where, {}, {}}, file.number);
}

// Rules `at` a phase give a meaning to the operations at their roots.
bool is_lowered(const Loading& loading, OpId op) {
    for (std::size_t i = 0; i < loading.delayed.size(); ++i) {
        const Rule& rule = loading.base.rules[i];
        if (!loading.delayed[i] || rule.left.size() != 1) continue;
        const std::vector<OpId>& ops = rule[rule.left[0]].ops;
        if (std::ranges::find(ops, op) != ops.end()) return true;
    }
    return false;
}

// The operation of that name with as many operands and blocks as the model has parameters.
std::optional<OpId> modelled(Loading& loading, const SyntaxTree& tree, SyntaxId id, SyntaxId block) {
    const Operations& operations = loading.context.operations;
    const auto symbol = loading.context.symbols.find(tree.name(id));
    const auto named = symbol ? operations.find(*symbol) : std::span<const OpId>();
    if (named.empty()) {
        loading.diagnostics.error(tree.name_span(id), "unknown operation " + quoted(tree.name(id)),
                                  "the file that declares it is imported, or stands before on the command line");
        return std::nullopt;
    }
    std::size_t values = 0, blocks = 0;
    for (SyntaxId child : tree.children_of(block)) {
        values += tree[child].kind == Kind::Param;
        blocks += tree[child].kind == Kind::Meta;
    }
    std::vector<OpId> fit;
    for (OpId op : named) {
        const Signature& signature = operations[op].signature;
        if (signature.operands.size() == values && signature.blocks.size() == blocks) fit.push_back(op);
    }
    if (fit.size() == 1) return fit[0];
    if (named.size() == 1) return named[0]; // reading its parameters says what is wrong
    loading.diagnostics.error(tree.name_span(id), std::to_string(fit.size()) + " operations " + quoted(tree.name(id)) +
                                                      " have the operands and blocks of this model");
    return std::nullopt;
}

} // namespace

void declare_models(Loading& loading, const RuleFile& file) {
    for (SyntaxId id : file.tree.children_of(file.tree.root)) {
        if (file.tree[id].kind != Kind::Model && file.tree[id].kind != Kind::ModelType) continue;
        if (!loading.models)
            loading.diagnostics.error(file.tree.name_span(id), "a model counts only where rules are checked",
                                      "name this file with '-models'");
        const SymbolId name = loading.context.symbols.add(models_phase);
        loading.phases.declare(name, file.number, loading.names.file_name(file.number), file.tree.name_span(id));
        return;
    }
}

void read_model_type(Loading& loading, const RuleFile& file, SyntaxId id) {
    const SyntaxTree& tree = file.tree;
    const std::vector<SymbolId> dims = declared_dimensions(loading.context, tree, id);
    const auto element = declared_element(tree, id);
    const auto symbol = loading.context.symbols.find(tree.name(id));
    const std::string name(tree.name(id));
    if (symbol && loading.context.opaque_types.contains(*symbol) &&
        element.has_value() != loading.context.types.has_element(*symbol)) {
        loading.diagnostics.error(
            tree.name_span(id),
            "'" + name + (element ? "' has no element type" : "' has an element type, which this does not name"),
            element ? "" : "write 'model type " + name + " of ?T as …'");
        return;
    }
    const SymbolId sequence = declared_sequence(loading.context, tree, id);
    if (symbol && loading.context.opaque_types.contains(*symbol) &&
        bool(sequence) != loading.context.types.any_rank(*symbol)) {
        loading.diagnostics.error(tree.name_span(id), sequence ? "'" + name + "' has a fixed number of dimensions"
                                                               : "'" + name + "' is of any rank, and this is not");
        return;
    }
    const auto as = represented_type(loading.context, tree, id, tree.children_of(id).back(), loading.diagnostics);
    if (!as || !loading.models) return;
    auto& opaque = loading.base.opaque;
    const auto found =
        std::ranges::find_if(opaque, [&](const OpaqueType& type) { return symbol && type.name == *symbol; });
    if (found == opaque.end()) {
        loading.diagnostics.error(tree.name_span(id), "there is no opaque type " + quoted(tree.name(id)));
        return;
    }
    if (found->as) {
        loading.diagnostics.error(tree.name_span(id), quoted(tree.name(id)) + " is another type from the phase " +
                                                          quoted(loading.context.symbols[found->phase]) +
                                                          " on already");
        return;
    }
    const auto declared = loading.context.types.opaque_dims(found->name);
    if (!sequence && declared.size() != dims.size()) {
        loading.diagnostics.error(tree.name_span(id), quoted(tree.name(id)) + " has " +
                                                          std::to_string(declared.size()) +
                                                          " dimensions, and this names " + std::to_string(dims.size()));
        return;
    }
    // The names of the model's dimensions are those of the declaration from here on.
    found->as = loading.context.types.map_dims(*as, [&](Dim dim) {
        if (sequence && dim == Dim::sequence(sequence)) return Dim::sequence(declared[0]);
        for (std::size_t i = 0; i < dims.size(); ++i)
            if (dim == Dim::named(dims[i])) return Dim::named(declared[i]);
        return dim;
    });
    note_nesting(loading.context.types, *found);
    found->phase = phase_of_models(loading, file, tree.name_span(id));
    loading.context.opaque_types[found->name] = false;
}

void read_model(Loading& loading, const RuleFile& file, SyntaxId id, const std::function<RuleId()>& owner) {
    const SyntaxTree& tree = file.tree;
    if (tree[id].count == 0 || !loading.models) return;
    const SyntaxId block = tree.children_of(id)[0];
    const auto op = modelled(loading, tree, id, block);
    if (!op) return;
    Operation& operation = loading.context.operations.edit(*op);
    if (operation.primitive >= 0 || operation.expansion || loading.base.expansions.contains(*op) ||
        is_lowered(loading, *op)) {
        loading.diagnostics.error(tree.name_span(id), quoted(tree.name(id)) + " has a meaning already",
                                  "a model is for an operation without one");
        return;
    }
    operation.expansion_phase = phase_of_models(loading, file, tree.name_span(id));
    const RuleId rule = owner();
    loading.base.expansions[*op] = rule;
    RuleReader(loading, file, loading.base.rules[rule.index]).read_expansion(block, *op);
}

} // namespace irrewrite::grammar
