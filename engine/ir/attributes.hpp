// Interned lists of attributes, the constant data of a node. The value of a literal is one. Equal lists have one
// AttrId.
#pragma once

#include "engine/support/id.hpp"

#include <span>
#include <vector>

namespace irrewrite {

struct AttrValue {
    enum class Kind : std::uint8_t { Number, Text, Type } kind = Kind::Number;
    TypeId type;            // Number: the scalar type; Type: the type itself
    std::uint64_t bits = 0; // Number: canonical bits; Text: index of a SymbolId
    bool operator==(const AttrValue&) const = default;
    SymbolId text() const { return {static_cast<std::uint32_t>(bits)}; }
};

class Attributes {
  public:
    Attributes() { add({}); }
    AttrId add(std::span<const AttrValue> values);
    static AttrId none() { return {0}; }
    std::span<const AttrValue> operator[](AttrId id) const {
        return {pool_.data() + ranges_[id.index].first, ranges_[id.index].count};
    }

  private:
    struct Range {
        std::uint32_t first, count, hash;
    };
    void grow();

    std::vector<AttrValue> pool_;
    std::vector<Range> ranges_;
    std::vector<std::uint32_t> table_; // open addressing: id + 1
};

} // namespace irrewrite
