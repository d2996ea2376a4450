#include "engine/support/symbols.hpp"

#include "engine/support/hash.hpp"

#include <algorithm>
#include <new>

namespace irrewrite {

namespace {
constexpr std::size_t long_text = 255; // lengths from here on take four more bytes

// Probe sequence of a text: the slot of its hash, then steps of a length of its own (double hashing; linear probing
// would run through the contiguous slots of numbered names). Donald E. Knuth, "The Art of Computer Programming",
// section 6.4, algorithm D.
class Probe {
  public:
    Probe(std::uint32_t hash, std::size_t table)
        : mask_(table - 1), slot_(hash & mask_), step_(hash * golden >> 32 | 1) {}
    std::size_t operator*() const { return slot_; }
    void operator++() { slot_ = (slot_ + step_) & mask_; }

  private:
    std::size_t mask_, slot_, step_;
};

// A text of up to eight bytes as one word; 0: it is longer, or ends in a byte that is zero and would be taken for a
// shorter one.
std::uint64_t word_of(std::string_view text) {
    std::uint64_t word = 0;
    if (text.size() <= sizeof word && !text.empty() && text.back()) std::memcpy(&word, text.data(), text.size());
    return word;
}
} // namespace

// Texts that differ in a number at their end alone get hashes that follow each other, so that `%v1`, `%v2`, … lie side
// by side in the table.
inline Symbols::Numbered Symbols::numbered(std::string_view text) {
    std::uint32_t number = 0, unit = 1;
    std::size_t stem = text.size();
    for (; stem && '0' <= text[stem - 1] && text[stem - 1] <= '9' && unit < 1'000'000'000; unit *= 10)
        number += unit * static_cast<std::uint32_t>(text[--stem] - '0');
    const bool plain = stem < text.size() && unit < 1'000'000'000 && (text[stem] != '0' || stem + 1 == text.size());
    return {stem, static_cast<std::uint32_t>(hash_text(text.substr(0, stem))), number, plain};
}

std::string_view Symbols::operator[](SymbolId id) const {
    std::uint32_t& place = places_[id.index];
    return place & unmade ? make_text(place) : at_place(place);
}

std::string_view Symbols::make_text(std::uint32_t& place) const {
    const std::string& stem = series_[(place & ~unmade) >> number_bits].stem;
    return at_place(place = store(stem + std::to_string(place & (most_unmade - 1))));
}

std::string_view Symbols::at_place(std::uint32_t place) const {
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

// None, or one that may hold the text.
inline const Symbols::Series* Symbols::series_of(std::string_view text, const Numbered& name) const {
    if (!name.plain || series_.empty()) return nullptr;
    const auto found = series_index_.find(name.stem_hash);
    if (found == series_index_.end()) return nullptr;
    const Series& series = series_[found->second];
    return series.stem == text.substr(0, name.stem) ? &series : nullptr;
}

std::optional<SymbolId> Symbols::in_table(std::string_view text, const Numbered& name) const {
    if (table_.empty()) return std::nullopt;
    const Slot& slot = table_[slot_of(text, word_of(text), name.hash())];
    if (slot.id == UINT32_MAX) return std::nullopt;
    return SymbolId{slot.id};
}

std::optional<SymbolId> Symbols::find(std::string_view text) const {
    const Numbered name = numbered(text);
    if (const Series* series = series_of(text, name); series && name.number < series->symbols.size())
        if (const SymbolId symbol = series->symbols[name.number]) return symbol;
    return in_table(text, name);
}

SymbolId Symbols::add(std::string_view text) {
    const Numbered name = numbered(text);
    const Series* series = series_of(text, name);
    return series ? add_to_series(series_[static_cast<std::size_t>(series - series_.data())], text, name)
                  : add_to_table(text, name);
}

SymbolId Symbols::add_numbered(std::string_view text, SeriesId& series) {
    if (const Series* known = series_of(text, numbered(text))) series = static_cast<SeriesId>(known - series_.data());
    return add(text);
}

// An array as long as the numbers lie dense; the others, and those that were there before it, stand in the table.
SymbolId Symbols::add_to_series(Series& series, std::string_view text, const Numbered& name) {
    const std::size_t size = series.symbols.size();
    if (name.number < size && series.symbols[name.number]) return series.symbols[name.number];
    if (name.number <= most_in_table_)
        if (const auto known = in_table(text, name)) return *known;
    if (name.number >= size + long_run) return add_to_table(text, name);
    if (name.number >= size) series.symbols.resize(name.number + 1);
    const auto index = static_cast<SeriesId>(&series - series_.data());
    const bool late = index < most_series && name.number < most_unmade;
    return series.symbols[name.number] = late ? append(index, name.number) : append(text);
}

SymbolId Symbols::add_to_table(std::string_view text, const Numbered& name) {
    if (4 * (in_table_ + 1) > 3 * table_.size()) grow();
    const std::uint64_t word = word_of(text);
    Slot& slot = table_[slot_of(text, word, name.hash())];
    if (slot.id == UINT32_MAX) {
        const SymbolId made = append(text); // may throw: the table is unchanged then
        slot = {word, name.hash(), made.index};
        ++in_table_;
        if (name.plain) most_in_table_ = std::max(most_in_table_, name.number);
        watch(text, name);
    }
    return {slot.id};
}

// Starts a series for a stem once enough consecutive numbers of it have been added; later names of the stem go into its
// array.
void Symbols::watch(std::string_view text, const Numbered& name) {
    const bool follows = name.plain && name.stem_hash == last_.stem_hash && name.number == last_.number + 1;
    run_ = follows ? run_ + 1 : 0;
    last_ = name;
    if (run_ < long_run || name.number > sparse * run_ || series_index_.contains(name.stem_hash)) return;
    series_.push_back({std::string(text.substr(0, name.stem)), {}});
    series_.back().symbols.resize(name.number + 1);
    series_index_.emplace(name.stem_hash, static_cast<std::uint32_t>(series_.size() - 1));
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

SymbolId Symbols::append(std::string_view text) {
    places_.push_back(store(text));
    return {static_cast<std::uint32_t>(places_.size() - 1)};
}

std::uint32_t Symbols::store(std::string_view text) const {
    const bool is_long = text.size() >= long_text;
    const std::size_t size = 1 + (is_long ? 4 : 0) + text.size(), whole = std::size_t{1} << chunk_bits;
    const bool own_chunk = size > whole / 4; // what others filled stays open for more
    if (own_chunk || size > whole - used_) {
        if (chunks_.size() == most_chunks) throw std::bad_alloc();
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
