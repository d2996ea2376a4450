// Interned strings: names of values, functions, operations, rules; texts of literals.
//
// Texts lie one after the other in chunks of memory that never move, so a view of one stays valid; the index is an
// open-addressing table. A name of eight characters costs 35 to 55 bytes. Numbered names (`%v1`, `%v2`, …) of one stem
// are an array instead: 8 bytes each, and 9 more once somebody asks for the text, which is made then. A const lookup
// may therefore write here: not thread-safe.
#pragma once

#include "engine/support/hash.hpp"
#include "engine/support/huge_pages.hpp"
#include "engine/support/id.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <tsl/robin_map.h>
#include <vector>

namespace irrewrite {

class Symbols {
  public:
    SymbolId add(std::string_view text);
    // The same of names of one stem, with these numbers at their ends (no zeros before them): `series` is for that stem
    // alone, and finds the next one at once.
    using SeriesId = std::uint32_t;
    static constexpr SeriesId no_series = UINT32_MAX;
    SymbolId add(std::string_view text, std::uint32_t number, SeriesId& series) {
        if (series < series_.size()) {
            auto& known = series_[series].symbols;
            if (number < known.size() && known[number]) return known[number];
            if (number == known.size() && number > most_in_table_ && series < most_series && number < most_unmade) {
                known.push_back(append(series, number));
                return known.back();
            }
        }
        return add_numbered(text, series);
    }
    std::optional<SymbolId> find(std::string_view text) const;
    std::string_view operator[](SymbolId id) const;
    std::size_t size() const { return places_.size(); }

  private:
    struct Slot {
        std::uint64_t word = 0; // a short text itself; 0: it is to be looked up
        std::uint32_t hash = 0;
        std::uint32_t id = UINT32_MAX; // none: the slot is empty
    };
    struct Series { // of names with one stem
        std::string stem;
        HugeVector<SymbolId> symbols; // by number; none: it has no name, or one that stands in the table
    };
    struct Numbered {     // a text with a number at its end
        std::size_t stem; // its length
        std::uint32_t stem_hash;
        std::uint32_t number;
        bool plain; // no zeros before it, no more digits than fit
        std::uint32_t hash() const { return stem_hash + number; }
    };
    static constexpr std::uint32_t long_run = 16; // of names that follow each other: their stem gets a series
    static constexpr std::uint32_t sparse = 16;   // a series is too sparse with so many slots for a name

    static Numbered numbered(std::string_view text);
    const Series* series_of(std::string_view text, const Numbered& name) const;
    std::optional<SymbolId> in_table(std::string_view text, const Numbered& name) const;
    SymbolId add_to_table(std::string_view text, const Numbered& name);
    SymbolId add_to_series(Series& series, std::string_view text, const Numbered& name);
    SymbolId add_numbered(std::string_view text, SeriesId& series);
    void watch(std::string_view text, const Numbered& name);
    SymbolId append(std::string_view text);
    SymbolId append(SeriesId series, std::uint32_t number) {
        places_.push_back(unmade | series << number_bits | number);
        return {static_cast<std::uint32_t>(places_.size() - 1)};
    }
    std::string_view at_place(std::uint32_t place) const;
    std::string_view make_text(std::uint32_t& place) const;

    // The slot of the text, or the empty one where it belongs. Requires a table.
    std::size_t slot_of(std::string_view text, std::uint64_t word, std::uint32_t hash) const;
    void grow();
    std::uint32_t store(std::string_view text) const;

    // A location of a text: chunk number and offset; or, until the text is asked for, series and number.
    static constexpr unsigned chunk_bits = 16, number_bits = 28;
    static constexpr std::uint32_t unmade = std::uint32_t{1} << 31;
    static constexpr std::uint32_t most_series = (unmade >> number_bits), most_chunks = unmade >> chunk_bits;
    static constexpr std::uint32_t most_unmade = std::uint32_t{1} << number_bits;

    HugeVector<Slot> table_; // a power of two, at most three quarters full
    std::size_t in_table_ = 0;
    std::uint32_t most_in_table_ = 0; // of the numbers that plain names there end in
    std::vector<Series> series_;
    tsl::robin_map<std::uint32_t, std::uint32_t, PairHash> series_index_; // by hash of the stem
    Numbered last_{};                                                     // of the names in the table
    std::uint32_t run_ = 0;                                               // that follow each other up to the last one
    mutable HugeVector<std::uint32_t> places_;                            // by symbol
    mutable std::vector<std::vector<char>> chunks_;                       // lengths, each followed by its text
    mutable std::size_t used_ = std::size_t{1} << chunk_bits;             // of the chunk being filled
    mutable std::size_t filling_ = 0;
};

} // namespace irrewrite
