#include "printers/plan/array_types.hpp"

#include "engine/ir/type_parts.hpp"

#include <algorithm>
#include <unordered_set>

namespace irrewrite::printers {

std::size_t ArrayTypes::rank(TypeId array) const {
    std::size_t dimensions = 1;
    for (TypeId row = types_.element(array);
         is_array(row) && types_.dim(row).kind != DimKind::Unknown && types_.dim(row).kind != DimKind::Each;
         row = types_.element(row))
        ++dimensions;
    return dimensions;
}

TypeId ArrayTypes::element(TypeId array, std::size_t depth) const {
    for (; depth > 0; --depth) array = types_.element(array);
    return array;
}

bool ArrayTypes::holds_array(TypeId type) const {
    return any_type_within(types_, type, [&](TypeId part) { return types_.kind(part) == TypeKind::Array; });
}

bool ArrayTypes::is_rows(TypeId type) const {
    return is_array(type) && rank(type) == 1 && is_array(types_.element(type)) && !is_array(element(type, 2));
}

bool ArrayTypes::is_same(TypeId a, TypeId b) const {
    if (a == b) return true;
    if (types_.kind(a) != types_.kind(b)) return false;
    switch (types_.kind(a)) {
    case TypeKind::Tuple: {
        const auto left = types_.elements(a), right = types_.elements(b);
        return std::ranges::equal(left, right, [&](TypeId one, TypeId other) { return is_same(one, other); });
    }
    case TypeKind::Ref:
    case TypeKind::Mut: return is_same(types_.element(a), types_.element(b));
    case TypeKind::Array: return rank(a) == rank(b) && is_same(element(a, rank(a)), element(b, rank(b)));
    default: return false;
    }
}

std::vector<Extent> new_extents(const Types& types, TypeId known, TypeId promised) {
    std::vector<Extent> list;
    for (std::size_t depth = 0; types.kind(promised) == TypeKind::Array; ++depth) {
        const Dim dim = types.dim(promised);
        const bool says = dim.kind == DimKind::Named || dim.kind == DimKind::Constant;
        if (says && types.dim(known) != dim) list.push_back({depth, promised});
        known = types.element(known), promised = types.element(promised);
    }
    return list;
}

std::vector<ParameterExtent> extents_to_check(const ArrayTypes& arrays, const Types& types, const Function& function) {
    std::vector<ParameterExtent> list;
    std::unordered_set<SymbolId> seen;
    for (std::size_t p = 0; p < function.params.size(); ++p) {
        TypeId type = function.params[p].type;
        const std::size_t rank = arrays.is_array(type) ? arrays.rank(type) : 0;
        for (std::size_t depth = 0; arrays.is_array(type); ++depth, type = types.element(type)) {
            const Dim dim = types.dim(type);
            if (dim.kind != DimKind::Named && dim.kind != DimKind::Constant) continue;
            const bool first =
                dim.kind == DimKind::Named && seen.insert(SymbolId{static_cast<std::uint32_t>(dim.value)}).second;
            if (!first || depth >= rank) list.push_back({p, depth, dim});
        }
    }
    return list;
}

} // namespace irrewrite::printers
