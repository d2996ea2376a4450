#include "engine/ir/module.hpp"

namespace irrewrite {

std::vector<std::pair<std::uint32_t, std::uint32_t>> dimension_places(const Function& function, SymbolId name) {
    const Types& types = function.graph.context().types;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    for (std::uint32_t param = 0; param < function.params.size(); ++param) {
        TypeId type = function.params[param].type;
        for (std::uint32_t depth = 0; types.kind(type) == TypeKind::Array || types.kind(type) == TypeKind::Mut;
             ++depth, type = types.element(type))
            if (types.dim(type) == Dim::named(name)) places.emplace_back(param, depth);
    }
    return places;
}

} // namespace irrewrite
