#include "engine/ir/module.hpp"

namespace irrewrite {

std::optional<Dim> dimension_at(const Types& types, TypeId type, std::uint32_t depth) {
    for (; types.kind(type) == TypeKind::Array || types.kind(type) == TypeKind::Mut; type = types.element(type))
        if (depth-- == 0) return types.dim(type);
    if (types.has_dims(type) && depth < types.dim_count(type)) return types.opaque_dim(type, depth);
    return std::nullopt;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> dimension_places(const Function& function, SymbolId name) {
    const Types& types = function.graph.context().types;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint32_t param = 0; param < function.params.size(); ++param)
        for (std::uint32_t depth = 0; const auto dim = dimension_at(types, function.params[param].type, depth); ++depth)
            if (*dim == Dim::named(name)) places.emplace_back(param, depth);
    return places;
}

} // namespace irrewrite
