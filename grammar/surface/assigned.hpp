// Which names the blocks of each operation assign that are not their own.
#pragma once

#include "grammar/surface/terms.hpp"

#include <unordered_map>

namespace irrewrite::grammar {

// A name of the text and one of a template are never the same.
struct NameKey {
    SymbolId name;
    bool user = false;

    std::uint64_t bits() const { return std::uint64_t{name.index} << 1 | user; }
    bool operator==(const NameKey& other) const { return bits() == other.bits(); }
};

// The lengths that the types of a function name.
std::vector<SymbolId> dimension_names(const Terms& terms, TermId function);

// By operation with blocks, in the order of the first assignments.
std::unordered_map<TermId, std::vector<NameKey>> find_assigned(const Terms& terms);

} // namespace irrewrite::grammar
