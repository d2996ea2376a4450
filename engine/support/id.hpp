// Typed 32-bit indices. An Id names an entry of one table and cannot be passed where another kind of Id is expected;
// the default value names nothing.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace irrewrite {

template <class Tag> struct Id {
    std::uint32_t index = UINT32_MAX;

    explicit operator bool() const { return index != UINT32_MAX; }
    auto operator<=>(const Id&) const = default;
};

using SourceId = Id<struct SourceTag>;
using SymbolId = Id<struct SymbolTag>;
using TypeId = Id<struct TypeTag>;
using OpId = Id<struct OpTag>;
using AttrId = Id<struct AttrTag>;
using NodeId = Id<struct NodeTag>;
using BlockId = Id<struct BlockTag>;
using FunctionId = Id<struct FunctionTag>;
using RuleId = Id<struct RuleTag>;

template <class... Case> struct overloaded : Case... { using Case::operator()...; };
template <class... Case> overloaded(Case...) -> overloaded<Case...>;

} // namespace irrewrite

template <class Tag> struct std::hash<irrewrite::Id<Tag>> {
    std::size_t operator()(irrewrite::Id<Tag> id) const {
        return static_cast<std::size_t>(id.index) * 0x9E3779B97F4A7C15ull;
    }
};
