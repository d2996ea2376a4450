#include "grammar/rules/normalize_declaration.hpp"

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

void read_normalize(Loading& loading, const RuleFile& file, SyntaxId id) {
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

} // namespace irrewrite::grammar
