#include "engine/passes/kept_lengths.hpp"

#include <algorithm>

namespace irrewrite {

KeptLengths::KeptLengths(Types& types, std::span<const TypeId> params) : types_(&types) {
    for (std::uint32_t param = 0; param < params.size(); ++param)
        for (std::uint32_t depth = 0; const auto dim = dimension_at(types, params[param], depth); ++depth) {
            if (dim->kind != DimKind::Named) continue;
            const SymbolId name{static_cast<std::uint32_t>(dim->value)};
            const auto known = std::ranges::find(all, name, &Length::name);
            if (known == all.end())
                all.push_back({name, param, depth, depth == 0, name});
            else
                known->whole |= depth == 0;
        }
}

const KeptLengths::Length* KeptLengths::find(SymbolId name) const {
    const auto found = std::ranges::find(all, name, &Length::name);
    return found == all.end() ? nullptr : &*found;
}

Dim KeptLengths::kept(Dim dim, bool of_param) const {
    if (dim.kind != DimKind::Named) return dim;
    const Length* length = find(SymbolId{static_cast<std::uint32_t>(dim.value)});
    return length && (length->whole || of_param) ? Dim::named(length->own) : Dim{};
}

TypeId KeptLengths::of_value(TypeId type) const {
    return types_->map_dims(type, [this](Dim dim) { return kept(dim, false); });
}

// Those that `dimension_at` finds.
TypeId KeptLengths::of_param(TypeId type) const {
    const TypeKind kind = types_->kind(type);
    if (kind == TypeKind::Array) return types_->array(kept(types_->dim(type), true), of_param(types_->element(type)));
    if (kind == TypeKind::Mut) return types_->mut(kept(types_->dim(type), true), of_param(types_->element(type)));
    return types_->map_dims(type, [&](Dim dim) { return kept(dim, types_->has_dims(type)); });
}

} // namespace irrewrite
