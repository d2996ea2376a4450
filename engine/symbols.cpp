#include "engine/symbols.hpp"

#include "engine/hash.hpp"

#include <algorithm>
#include <new>

namespace irrewrite {

namespace {
constexpr std::size_t long_text = 255; // lengths from here on take four more bytes

// Texts that differ in a number at their end alone get hashes that follow each other, so that `%v1`, `%v2`, … lie side by
// side in the table.
std::uint32_t numbered_hash(std::string_view text) {
    std::uint32_t number = 0, unit = 1;
    std::size_t stem = text.size();
    for (; stem && '0' <= text[stem - 1] && text[stem - 1] <= '9' && unit < 1'000'000'000; unit *= 10)
        number += unit * static_cast<std::uint32_t>(text[--stem] - '0');
    return static_cast<std::uint32_t>(hash_text(text.substr(0, stem))) + number;
}

// Where a text may be: in the slot of its hash, and from there on in steps of its own. (One after the other would lead
// through all that is numbered. Donald E. Knuth, "The Art of Computer Programming", section 6.4, algorithm D.)
class Probe {
  public:
    Probe(std::uint32_t hash, std::size_t table)
        : mask_(table - 1), slot_(hash & mask_), step_(hash * golden >> 32 | 1) {}
    std::size_t operator*() const { return slot_; }
    void operator++() { slot_ = (slot_ + step_) & mask_; }

  private:
    std::size_t mask_, slot_, step_;
};

// A text of up to eight bytes as one word; 0: it is longer, or ends in a byte that is zero and would be taken for a shorter one.
std::uint64_t word_of(std::string_view text) {
    std::uint64_t word = 0;
    if (text.size() <= sizeof word && !text.empty() && text.back()) std::memcpy(&word, text.data(), text.size());
    return word;
}
} // namespace

std::string_view Symbols::operator[](SymbolId id) const {
    const std::uint32_t place = places_[id.index];
    const char* at = chunks_[place >> chunk_bits].data() + (place & ((1u << chunk_bits) - 1));
    std::uint32_t length = static_cast<unsigned char>(*at++);
    if (length == long_text) {
        std::memcpy(&length, at, sizeof length);
        at += sizeof length;
    }
    return {at, length};
}

std::size_t Symbols::slot_of(std::string_view text, std::uint64_t word, std::uint32_t hash) const {
    const auto other = [&](const Slot& slot) {
        return slot.hash != hash || slot.word != word || (!word && (*this)[SymbolId{slot.id}] != text);
    };
    Probe slot(hash, table_.size());
    while (table_[*slot].id != UINT32_MAX && other(table_[*slot])) ++slot;
    return *slot;
}

std::optional<SymbolId> Symbols::find(std::string_view text) const {
    if (table_.empty()) return std::nullopt;
    const Slot& slot = table_[slot_of(text, word_of(text), numbered_hash(text))];
    if (slot.id == UINT32_MAX) return std::nullopt;
    return SymbolId{slot.id};
}

SymbolId Symbols::add(std::string_view text) {
    if (4 * (places_.size() + 1) > 3 * table_.size()) grow();
    const std::uint32_t hash = numbered_hash(text);
    const std::uint64_t word = word_of(text);
    Slot& slot = table_[slot_of(text, word, hash)];
    if (slot.id == UINT32_MAX) {
        const std::uint32_t place = store(text); // may throw: the table is unchanged then
        slot = {word, hash, static_cast<std::uint32_t>(places_.size())};
        places_.push_back(place);
    }
    return {slot.id};
}

void Symbols::grow() {
    HugeVector<Slot> old(std::max<std::size_t>(256, table_.size() * 2));
    table_.swap(old);
    for (const Slot& moved : old) {
        if (moved.id == UINT32_MAX) continue;
        Probe slot(moved.hash, table_.size());
        while (table_[*slot].id != UINT32_MAX) ++slot;
        table_[*slot] = moved;
    }
}

std::uint32_t Symbols::store(std::string_view text) {
    const bool is_long = text.size() >= long_text;
    const std::size_t size = 1 + (is_long ? 4 : 0) + text.size(), whole = std::size_t{1} << chunk_bits;
    const bool own_chunk = size > whole / 4; // what others filled stays open for more
    if (own_chunk || size > whole - used_) {
        if (chunks_.size() == whole) throw std::bad_alloc();
        chunks_.emplace_back(own_chunk ? size : whole);
        if (!own_chunk) used_ = 0, filling_ = chunks_.size() - 1;
    }
    const std::size_t chunk = own_chunk ? chunks_.size() - 1 : filling_, offset = own_chunk ? 0 : used_;
    char* at = chunks_[chunk].data() + offset;
    const auto length = static_cast<std::uint32_t>(text.size());
    *at++ = static_cast<char>(is_long ? long_text : length);
    if (is_long) std::memcpy(at, &length, sizeof length), at += sizeof length;
    std::copy(text.begin(), text.end(), at);
    if (!own_chunk) used_ += size;
    return static_cast<std::uint32_t>(chunk << chunk_bits | offset);
}

} // namespace irrewrite
