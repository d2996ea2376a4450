// Interned strings: names of values, functions, operations, rules; texts of literals.
//
// Texts lie one after the other in chunks of memory that never move, so that a view of one stays
// valid; the index is an open-addressing table. From 35 to 55 bytes for a name of eight characters.
#pragma once

#include "engine/huge_pages.hpp"
#include "engine/id.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace irrewrite {

class Symbols {
  public:
    SymbolId add(std::string_view text);
    std::optional<SymbolId> find(std::string_view text) const;
    std::string_view operator[](SymbolId id) const;
    std::size_t size() const { return places_.size(); }

  private:
    struct Slot {
        std::uint64_t word = 0; // a short text itself; 0: it is to be looked up
        std::uint32_t hash = 0;
        std::uint32_t id = UINT32_MAX; // none: the slot is empty
    };
    static constexpr unsigned chunk_bits = 16;

    // The slot of the text, or the empty one where it belongs. Requires a table.
    std::size_t slot_of(std::string_view text, std::uint64_t word, std::uint32_t hash) const;
    void grow();
    std::uint32_t store(std::string_view text);

    HugeVector<Slot> table_;            // a power of two, at most three quarters full
    std::vector<std::uint32_t> places_;  // by symbol: number of the chunk, offset there
    std::vector<std::vector<char>> chunks_; // lengths, each followed by its text
    std::size_t used_ = std::size_t{1} << chunk_bits; // of the chunk being filled
    std::size_t filling_ = 0;
};

} // namespace irrewrite
