#include "grammar/rules/rule_names.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include <set>

namespace irrewrite::grammar {

void RuleNames::add(std::string_view name, NamedItem item) {
    const SymbolId symbol = symbols_.add(name);
    auto& items = items_[symbol];
    if (items.empty()) order_.push_back(symbol);
    items.push_back(item);
}

std::uint32_t RuleNames::add_file(SymbolId name, std::span<const std::uint32_t> imports) {
    const auto file = static_cast<std::uint32_t>(files_.size());
    std::vector<bool> seen(file);
    for (const std::uint32_t import : imports) {
        seen[import] = true;
        for (std::uint32_t further = 0; further < import; ++further)
            if (files_[import].sees(further)) seen[further] = true;
    }
    files_.push_back({name, {}, std::move(seen)});
    add(symbols_[name], {NameKind::File, file, file, 0});
    return file;
}

void RuleNames::add_set(const RuleBase& base, RuleSetId id, std::uint32_t file) {
    const RuleSet& set = base[id];
    files_[file].sets.push_back(id);
    const NamedItem item{NameKind::Set, id.index, file, set.parameters};
    add(symbols_[set.name], item);
    add(symbols_[set.full_name], item);
}

void RuleNames::add_rule(const RuleBase& base, RuleId id, std::uint32_t file) {
    const Rule& rule = base[id];
    const NamedItem item{NameKind::Rule, id.index, file, rule.parameters};
    add(symbols_[rule.name], item);
    add(std::string(symbols_[base[rule.set].name]) + "." + std::string(symbols_[rule.name]), item);
    add(symbols_[rule.full_name], item);
}

void RuleNames::add_definition(SymbolId name, std::uint32_t definition, std::uint32_t parameters, std::uint32_t file) {
    add(symbols_[name], {NameKind::Definition, definition, file, parameters});
}

std::vector<NamedItem> RuleNames::find(SymbolId name, NameKind kind, std::uint32_t file) const {
    std::vector<NamedItem> found, here;
    const auto it = items_.find(name);
    if (it == items_.end()) return found;
    for (const NamedItem& item : it->second) {
        if (item.kind != kind) continue;
        found.push_back(item);
        if (item.file == file) here.push_back(item);
    }
    if (!here.empty()) return here;
    const auto is_hidden = [&](const NamedItem& item) {
        return !files_[file].sees(item.file) && std::ranges::any_of(found, [&](const NamedItem& other) {
            return files_[file].sees(other.file) && other.parameters == item.parameters;
        });
    };
    std::ranges::copy_if(found, std::back_inserter(here), std::not_fn(is_hidden));
    return here;
}

std::vector<NamedItem> RuleNames::find_imported(SymbolId name, NameKind kind, std::uint32_t file) const {
    std::vector<NamedItem> found = find(name, kind, file);
    std::erase_if(found, [&](const NamedItem& item) { return item.file != file && !files_[file].sees(item.file); });
    return found;
}

std::vector<std::string_view> RuleNames::all(std::initializer_list<NameKind> kinds) const {
    std::vector<std::string_view> names;
    for (SymbolId symbol : order_) {
        const auto& items = items_.at(symbol);
        if (std::ranges::any_of(
                items, [&](const NamedItem& item) { return std::ranges::find(kinds, item.kind) != kinds.end(); }))
            names.push_back(symbols_[symbol]);
    }
    return names;
}

void refuse_twins(const SyntaxTree& tree, SyntaxId declaration, std::string_view what, Diagnostics& diagnostics) {
    std::set<std::string_view> names;
    for (SyntaxId child : tree.children_of(declaration)) {
        const Kind kind = tree[child].kind;
        const bool is_parameter = kind == Kind::Ident || kind == Kind::Meta || kind == Kind::MetaLiteral;
        if (is_parameter && !names.insert(tree.name(child)).second)
            diagnostics.error(tree.span(child), "this " + std::string(what) + " has two parameters '" +
                                                    std::string(tree.name(child)) + "'");
    }
}

} // namespace irrewrite::grammar
