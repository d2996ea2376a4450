#include "engine/symbols.hpp"

#include "engine/hash.hpp"

#include <algorithm>
#include <new>

namespace irrewrite {

namespace {
constexpr std::size_t long_text = 255; // lengths from here on take four more bytes
}

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

std::size_t Symbols::slot_of(std::string_view text, std::uint32_t hash) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    while (table_[slot].id != UINT32_MAX &&
           (table_[slot].hash != hash || (*this)[SymbolId{table_[slot].id}] != text))
        slot = (slot + 1) & mask;
    return slot;
}

std::optional<SymbolId> Symbols::find(std::string_view text) const {
    if (table_.empty()) return std::nullopt;
    const Slot& slot = table_[slot_of(text, static_cast<std::uint32_t>(hash_text(text)))];
    if (slot.id == UINT32_MAX) return std::nullopt;
    return SymbolId{slot.id};
}

SymbolId Symbols::add(std::string_view text) {
    if (4 * (places_.size() + 1) > 3 * table_.size()) grow();
    const auto hash = static_cast<std::uint32_t>(hash_text(text));
    Slot& slot = table_[slot_of(text, hash)];
    if (slot.id == UINT32_MAX) {
        const std::uint32_t place = store(text); // may throw: the table is unchanged then
        slot = {hash, static_cast<std::uint32_t>(places_.size())};
        places_.push_back(place);
    }
    return {slot.id};
}

void Symbols::grow() {
    HugeVector<Slot> old(std::max<std::size_t>(256, table_.size() * 2));
    table_.swap(old);
    const std::size_t mask = table_.size() - 1;
    for (const Slot& moved : old) {
        if (moved.id == UINT32_MAX) continue;
        std::size_t slot = moved.hash & mask;
        while (table_[slot].id != UINT32_MAX) slot = (slot + 1) & mask;
        table_[slot] = moved;
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
