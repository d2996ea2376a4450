#include "engine/ir/attributes.hpp"

#include "engine/support/hash.hpp"

#include <algorithm>

namespace irrewrite {

AttrId Attributes::add(std::span<const AttrValue> values) {
    if (table_.size() < 2 * (ranges_.size() + 1)) grow();
    std::size_t whole = values.size();
    for (const AttrValue& value : values) {
        mix_in(whole, static_cast<std::size_t>(value.kind) << 32 | value.type.index);
        mix_in(whole, value.bits);
    }
    const auto hash = static_cast<std::uint32_t>(whole);
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    for (; table_[slot]; slot = (slot + 1) & mask) {
        const AttrId id{table_[slot] - 1};
        if (ranges_[id.index].hash == hash && std::ranges::equal((*this)[id], values)) return id;
    }
    const auto first = static_cast<std::uint32_t>(pool_.size());
    const std::vector<AttrValue> copy(values.begin(), values.end()); // may point into the pool
    pool_.insert(pool_.end(), copy.begin(), copy.end());
    ranges_.push_back({first, static_cast<std::uint32_t>(values.size()), hash});
    table_[slot] = static_cast<std::uint32_t>(ranges_.size());
    return {static_cast<std::uint32_t>(ranges_.size() - 1)};
}

void Attributes::grow() {
    table_.assign(std::max<std::size_t>(64, table_.size() * 2), 0);
    const std::size_t mask = table_.size() - 1;
    for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
        std::size_t slot = ranges_[i].hash & mask;
        while (table_[slot]) slot = (slot + 1) & mask;
        table_[slot] = i + 1;
    }
}

} // namespace irrewrite
