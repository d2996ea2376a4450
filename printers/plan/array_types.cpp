#include "printers/plan/array_types.hpp"

#include "engine/ir/type_parts.hpp"

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

} // namespace irrewrite::printers
