#include "grammar/value_names.hpp"

namespace irrewrite::grammar {

ValueNames::Definition& ValueNames::place(SymbolId symbol) {
    if (symbol.index >= definitions_.size()) definitions_.resize(symbols_.size());
    return definitions_[symbol.index];
}

NodeId ValueNames::find_by_symbol(const Name& name) {
    const SymbolId symbol = this->symbol(name);
    if (symbol.index >= definitions_.size()) return {};
    const Definition found = definitions_[symbol.index];
    return is_defined(found) ? NodeId{found - before_ - 1} : NodeId{};
}

// A number beyond those there were, or a name that stands by its symbol.
bool ValueNames::define_new(const Name& name, std::uint64_t key, SymbolId symbol, NodeId node) {
    Stem& known = stems_[key * golden >> (64 - stem_bits)];
    if (!known.key) known.key = key;
    if (!key || known.key != key) return define_at(place(symbol), node);
    const bool fits = name.number < known.nodes.size() || name.number < static_cast<std::size_t>(end_ - begin_) / dense;
    all_ = all_ && fits;
    if (!fits || (!all_ && is_defined(place(symbol)))) return define_at(place(symbol), node);
    if (name.number >= known.nodes.size()) known.nodes.resize(name.number + step);
    return define_at(known.nodes[name.number], node);
}

bool ValueNames::define(SymbolId name, NodeId node) {
    const std::string_view text = symbols_[name];
    all_ = all_ && (text.empty() || text.back() < '0' || '9' < text.back());
    return define_at(place(name), node);
}

void ValueNames::leave(std::size_t nodes) {
    before_ += static_cast<Definition>(nodes);
    if (before_ <= UINT32_MAX / 2) return; // one function has fewer nodes than are left
    definitions_.clear();
    for (Stem& stem : stems_) stem.nodes.clear();
    before_ = 0;
}

} // namespace irrewrite::grammar
