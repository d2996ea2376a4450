#include "printers/ir/ir_names.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace irrewrite::printers {

namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }

constexpr std::array<bool, 256> name_characters = [] {
    std::array<bool, 256> table{};
    for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = true;
    for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = true;
    for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
    table['_'] = true;
    return table;
}();

void append_number(std::string& out, std::uint32_t number) {
    char digits[16];
    out.append(digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits));
}

// The stem that numbers are appended to. A generated name (`x1_2`) has the stem of the name that it was generated from,
// so that printing and reading again yields the same names.
std::string stem_of(std::string_view name) {
    std::string_view before = name;
    while (!before.empty() && is_digit(before.back())) before.remove_suffix(1);
    if (before.size() == name.size()) return std::string(name);
    const bool made = before.size() > 1 && before.back() == '_' && is_digit(before[before.size() - 2]);
    return made ? std::string(before) : std::string(name) + '_';
}

} // namespace

// Names of nodes are never numbers (Graph::set_name); those of parameters may be.
IrNames::IrNames(const Context& context, const Function& function) : context_(context), function_(function) {
    const Graph& graph = function.graph;
    auto look = [&](SymbolId name) {
        numerals_ = numerals_ || (is_usable(name) && std::ranges::all_of(context.symbols[name], is_digit));
    };
    for (const Parameter& parameter : function.params) look(parameter.name);
    for (const Dimension& dimension : function.dims) look(dimension.name);
    for (std::uint32_t i = 0; i < graph.size() && !numerals_; ++i)
        for (BlockId block : graph.blocks({i}))
            for (SymbolId name : graph.param_names(block)) look(name);
}

void IrNames::know_all() {
    all_known_ = true;
    const Graph& graph = function_.graph;
    auto know = [&](SymbolId name) {
        if (is_usable(name)) known_.insert(name.index);
    };
    for (const Parameter& parameter : function_.params) know(parameter.name);
    for (const Dimension& dimension : function_.dims) know(dimension.name);
    const std::vector<bool> reached = GraphView(graph).reached(function_);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (!reached[i]) continue;
        know(graph.name({i}));
        for (BlockId block : graph.blocks({i}))
            for (SymbolId name : graph.param_names(block)) know(name);
    }
}

bool IrNames::is_known(std::string_view text) {
    const auto symbol = context_.symbols.find(text);
    return symbol && is_known(*symbol);
}

bool IrNames::is_known(SymbolId name) {
    if (!all_known_) know_all();
    return known_.contains(name.index);
}

bool IrNames::is_usable(SymbolId name) const {
    if (!name) return false;
    const std::string_view text = context_.symbols[name];
    return !text.empty() &&
           std::ranges::all_of(text, [](char c) { return name_characters[static_cast<unsigned char>(c)]; });
}

IrName IrNames::take(SymbolId wanted) {
    if (!is_usable(wanted)) return numbered();
    if (taken_.insert(wanted.index)) return name(Symbol, wanted.index);
    return numbered(wanted);
}

IrName IrNames::take_again(IrName before, SymbolId wanted) {
    if (before && kind(before) == Number) return before;
    if (before && kind(before) == Made && !made_[index(before)].taken) {
        made_[index(before)].taken = true;
        return before;
    }
    const bool taken = before && is_usable(wanted) && taken_.contains(wanted.index);
    return taken ? numbered(wanted, true) : take(wanted);
}

IrName IrNames::numbered() {
    std::string text;
    auto is_taken = [&](std::uint32_t number) {
        text.clear();
        append_number(text, number);
        return is_known(text);
    };
    while (numerals_ && is_taken(next_number_)) ++next_number_;
    return name(Number, next_number_++);
}

// `unused`: what has had the name so far will be read as its own. Then one that stands in the function further on is as
// good as one that is made up: it was, when the function was printed before.
IrName IrNames::numbered(SymbolId base, bool unused) {
    std::string stem = stem_of(context_.symbols[base]);
    auto is_taken = [&](const std::string& text) {
        const auto made = made_index_.find(text);
        return made != made_index_.end() && (unused || made_[made->second].taken);
    };
    const auto [first, fresh_base] = next_.try_emplace(base.index, 1);
    std::uint32_t number = first->second;
    std::string text = stem + std::to_string(number);
    for (;; text = stem + std::to_string(++number)) {
        if (is_taken(text)) continue;
        const auto symbol = context_.symbols.find(text);
        if (!symbol || !is_known(*symbol)) break;
        if (!unused || taken_.has_contained(symbol->index)) continue;
        taken_.insert(symbol->index);
        return name(Symbol, symbol->index);
    }
    if (!unused) first.value() = number + 1;
    const auto [entry, fresh] = made_index_.emplace(text, static_cast<std::uint32_t>(made_.size()));
    if (fresh) made_.emplace_back();
    made_[entry->second] = {std::move(text), base, number, true};
    return name(Made, entry->second);
}

void IrNames::release(IrName released) {
    if (kind(released) == Symbol) taken_.erase(index(released));
    if (kind(released) != Made) return;
    MadeName& made = made_[index(released)];
    made.taken = false;
    std::uint32_t& next = next_[made.base.index]; // there is one
    next = std::min(next, made.number);
}

void IrNames::append(std::string& out, IrName name) const {
    switch (kind(name)) {
    case Symbol: out += context_.symbols[{index(name)}]; break;
    case Number: append_number(out, index(name)); break;
    case Made: out += made_[index(name)].text; break;
    default: break;
    }
}

} // namespace irrewrite::printers
