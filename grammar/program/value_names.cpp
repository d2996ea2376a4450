#include "grammar/program/value_names.hpp"

#include <algorithm>

namespace irrewrite::grammar {

// A character at a time.
ValueNames::Name ValueNames::read_long(const char* from) const {
    const char *at = from, *digits = from;
    while (is(at, Other)) digits = is(at++, Digit) ? digits : at;
    Name name{.begin = from, .size = static_cast<std::uint32_t>(at - from), .numeral = digits == from};
    for (const char* digit = digits; digit != at; ++digit)
        name.number = name.number * 10 + static_cast<std::uint32_t>(*digit - '0');
    if (name.size > sizeof name.bytes) return name;
    std::memcpy(&name.bytes, from, name.size);
    if (digits == at || (*digits == '0' && digits + 1 != at)) return name;
    std::memcpy(&name.stem, from, static_cast<std::size_t>(digits - from));
    ++name.stem;
    return name;
}

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
bool ValueNames::define_new(const Name& name, SymbolId symbol, NodeId node) {
    Stem& known = stems_[name.stem * golden >> (64 - stem_bits)];
    if (!known.key) known.key = name.stem;
    if (!name.stem || known.key != name.stem) return define_at(place(symbol), node);
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
