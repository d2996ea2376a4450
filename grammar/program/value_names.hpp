// The names of values in one text: the symbol of a name, and the node that it names in the function being read.
//
// Names of at most eight bytes are keyed by these. If they end in a number, `%v1`, `%v2`, …, the nodes are in an array
// for each stem: one memory access, next to that of the name before.
#pragma once

#include "engine/support/hash.hpp"
#include "engine/support/huge_pages.hpp"
#include "engine/support/symbols.hpp"
#include "grammar/syntax/characters.hpp"

#include <array>
#include <bit>
#include <cstring>

namespace irrewrite::grammar {

class ValueNames {
  public:
    struct Name {
        const char* begin = nullptr;
        std::uint32_t size = 0;
        std::uint32_t number = 0; // at its end
        std::uint64_t bytes = 0;  // all of it; 0: there are more than eight
        std::uint64_t stem =
            0; // `v` in `v12`: its bytes and one more; 0: it has no number, or is long, or begins it with a zero
        bool numeral = false; // it is a number
        std::string_view text() const { return {begin, size}; }
    };

    // Names are read in this text.
    ValueNames(Symbols& symbols, std::string_view text)
        : symbols_(symbols), begin_(text.data()), end_(text.data() + text.size()),
          short_(std::size_t{1} << short_bits) {}

    // The name from here on, perhaps none. A zero must stand somewhere behind it.
    Name read(const char* from) const;

    SymbolId symbol(const Name& name);
    // The node of the name, or none.
    NodeId find(const Name& name);
    // Defines the name; false if it is defined already.
    bool define(const Name& name, SymbolId symbol, NodeId node);
    bool define(SymbolId name, NodeId node);
    // Forgets what the names stand for. The function has so many nodes.
    void leave(std::size_t nodes);

  private:
    static constexpr unsigned short_bits = 13; // of the number of symbols that are remembered
    static constexpr unsigned stem_bits = 3;   // of the number of stems
    static constexpr std::uint32_t dense = 4;  // bytes of text for each slot
    static constexpr std::uint32_t step = 64;  // slots at once

    // A node's number in the functions of the text, from 1; what is at most `before_` was in functions read before.
    using Definition = std::uint32_t;
    struct Short {
        std::uint64_t bytes = 0;
        SymbolId symbol; // none: the slot is empty
    };
    struct Stem {
        std::uint64_t key = 0;        // 0: the slot is empty
        HugeVector<Definition> nodes; // by number
        Symbols::SeriesId series = Symbols::no_series;
    };
    std::uint64_t word(const char* text, std::size_t count) const;
    // The first bytes of a word, less than eight.
    static std::uint64_t first(std::uint64_t word, unsigned count) {
        if (std::endian::native == std::endian::big) return word & ~(UINT64_MAX >> 8 * count);
        return word & ((std::uint64_t{1} << 8 * count) - 1);
    }
    Name read_long(const char* from) const;
    bool define_new(const Name& name, SymbolId symbol, NodeId node);
    bool define_at(Definition& place, NodeId node) {
        if (is_defined(place)) return false;
        place = before_ + node.index + 1;
        return true;
    }
    Definition& place(SymbolId symbol);
    bool is_defined(Definition definition) const { return definition > before_; }
    NodeId find_by_symbol(const Name& name);

    Symbols& symbols_;
    bool all_ = true;          // numbered names stand in the arrays; else some stand by their symbols
    const char *begin_, *end_; // of the text
    std::vector<Short> short_; // direct-mapped, so that most names cost one access
    std::array<Stem, std::size_t{1} << stem_bits> stems_;
    HugeVector<Definition> definitions_; // of all others, by symbol
    Definition before_ = 0;
};

// One to eight bytes as a word.
inline std::uint64_t ValueNames::word(const char* text, std::size_t count) const {
    std::uint64_t word = 0;
    if (std::endian::native == std::endian::big || end_ - text < static_cast<std::ptrdiff_t>(sizeof word)) {
        std::memcpy(&word, text, count);
        return word;
    }
    std::memcpy(&word, text, sizeof word); // at once, without what stands behind them
    return word & UINT64_MAX >> 8 * (sizeof word - count);
}

[[gnu::always_inline]] inline ValueNames::Name ValueNames::read(const char* from) const {
    const char* at = from;
    while (is(at, First)) ++at;
    const char* digits = at;
    std::uint32_t number = 0;
    for (unsigned digit; (digit = static_cast<unsigned char>(*at) - unsigned{'0'}) < 10; ++at)
        number = number * 10 + digit;
    if (is(at, First)) return read_long(from);
    Name name{
        .begin = from, .size = static_cast<std::uint32_t>(at - from), .number = number, .numeral = digits == from};
    if (name.size - 1u >= sizeof name.bytes) return name;
    name.bytes = word(from, name.size);
    const auto stem = static_cast<unsigned>(digits - from);
    if (at != digits && (*digits != '0' || at == digits + 1)) name.stem = first(name.bytes, stem) + 1;
    return name;
}

inline SymbolId ValueNames::symbol(const Name& name) {
    Stem& stem = stems_[name.stem * golden >> (64 - stem_bits)];
    const bool numbered = name.stem && stem.key == name.stem;
    if (numbered && stem.series != Symbols::no_series) return symbols_.add(name.text(), name.number, stem.series);
    const auto add = [&] {
        return numbered ? symbols_.add(name.text(), name.number, stem.series) : symbols_.add(name.text());
    };
    if (!name.bytes) return add();
    Short& known = short_[name.bytes * golden >> (64 - short_bits)];
    if (known.bytes != name.bytes || !known.symbol) known = {name.bytes, add()};
    return known.symbol;
}

inline NodeId ValueNames::find(const Name& name) {
    const Stem& known = stems_[name.stem * golden >> (64 - stem_bits)];
    if (known.key == name.stem && name.number < known.nodes.size())
        if (const Definition found = known.nodes[name.number]; is_defined(found)) return {found - before_ - 1};
    return find_by_symbol(name);
}

inline bool ValueNames::define(const Name& name, SymbolId symbol, NodeId node) {
    Stem& known = stems_[name.stem * golden >> (64 - stem_bits)];
    if (known.key != name.stem || !all_ || name.number >= known.nodes.size()) return define_new(name, symbol, node);
    return define_at(known.nodes[name.number], node);
}

} // namespace irrewrite::grammar
