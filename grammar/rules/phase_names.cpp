#include "grammar/rules/phase_names.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace irrewrite::grammar {

const Phase* PhaseNames::own(SymbolId name, std::uint32_t file) const {
    for (std::size_t i = 0; i < files_.size(); ++i)
        if (files_[i] == file && base_.phases[i].own_name == name) return &base_.phases[i];
    return nullptr;
}
Phase* PhaseNames::own(SymbolId name, std::uint32_t file) {
    return const_cast<Phase*>(std::as_const(*this).own(name, file));
}

void PhaseNames::declare(SymbolId name, std::uint32_t file, SymbolId file_name, Span where) {
    const auto is_taken = [&](SymbolId shown) {
        return std::ranges::find(base_.phases, shown, &Phase::name) != base_.phases.end();
    };
    const std::string full = std::string(symbols_[file_name]) + "." + std::string(symbols_[name]);
    SymbolId shown = name;
    for (int i = 1; is_taken(shown); ++i) shown = symbols_.add(i == 1 ? full : full + "." + std::to_string(i));
    base_.phases.push_back(
        {.name = shown, .strategy = {}, .where = where, .own_name = name, .full_name = symbols_.add(full)});
    files_.push_back(file);
}

SymbolId PhaseNames::resolve(SymbolId text, std::uint32_t file, Span where) {
    if (const Phase* phase = own(text, file)) return phase->name;
    const auto found = phases_named(base_, text);
    if (found.size() > 1) {
        std::string names;
        for (const Phase* phase : found)
            names += (names.empty() ? "'" : " or '") + std::string(symbols_[phase->full_name]) + "'";
        auto& diagnostic =
            diagnostics_.error(where, "'" + std::string(symbols_[text]) + "' may mean the phase " + names);
        for (const Phase* phase : found) diagnostic.notes.push_back({phase->where, "one is here"});
    }
    return found.empty() ? text : found[0]->name;
}

} // namespace irrewrite::grammar
