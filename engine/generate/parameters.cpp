#include "engine/generate/parameters.hpp"

#include "engine/ir/type_parts.hpp"

#include <algorithm>

namespace irrewrite {

bool can_be_param(const Types& types, TypeId type) {
    return !any_type_within(types, type, [&](TypeId part) {
        const TypeKind kind = types.kind(part);
        return !types.is_scalar(part) && kind != TypeKind::Opaque && kind != TypeKind::Struct &&
               kind != TypeKind::Array && kind != TypeKind::Tuple;
    });
}

SymbolId Parameters::unique(SymbolId hint) {
    static constexpr std::string_view letters[] = {"x", "y", "z", "u", "v", "w", "p", "q", "r", "s"};
    std::string base(hint ? context_.symbols[hint] : letters[function_.params.size() % std::size(letters)]);
    auto taken = [&](std::string_view name) {
        auto same = [&](const auto& thing) { return context_.symbols[thing.name] == name; };
        return std::ranges::any_of(function_.params, same) || std::ranges::any_of(function_.dims, same) ||
               name == "n" || name == "m" || name == "k";
    };
    std::string name = base;
    for (unsigned i = 1; taken(name); ++i) name = base + std::to_string(i);
    return context_.symbols.add(name);
}

// Most arrays are equally long, so that most terms over several of them have values.
TypeId Parameters::with_lengths(TypeId type, unsigned depth) {
    Types& types = context_.types;
    TypeKind kind = types.kind(type);
    if (kind == TypeKind::Tuple) {
        std::vector<TypeId> parts(types.elements(type).begin(), types.elements(type).end());
        for (TypeId& part : parts) part = with_lengths(part, depth + 1);
        return types.tuple(parts);
    }
    static constexpr std::string_view names[] = {"n", "m", "k"};
    const auto named = [&](unsigned at) { return Dim::named(context_.symbols.add(names[std::min(at, 2u)])); };
    if (types.has_dims(type)) {
        std::vector<Dim> dims;
        for (std::size_t i = 0; i < types.dim_count(type); ++i)
            dims.push_back(named(depth + static_cast<unsigned>(i) + choices_.rarely(20)));
        return types.opaque(types.name(type), dims, types.opaque_element(type));
    }
    if (kind != TypeKind::Array) return type;
    TypeId element = with_lengths(types.element(type), depth + 1);
    Dim dim = types.dim(type);
    if (dim.kind != DimKind::Unknown) return types.array(dim, element);
    switch (choices_.weighted({12, 2, 3, 1})) {
    case 0: dim = named(depth); break;
    case 1: dim = named((depth + 1) % 3); break;
    case 2:
        if (depth > 0 && rectangular()) dim = named(depth);
        break;
    default: dim = Dim::constant(choices_.below(4)); break;
    }
    return types.array(dim, element);
}

// Rows stand for opaque types with dimensions: all are equally long.
bool Parameters::rectangular() const {
    const Types& types = context_.types;
    return std::ranges::any_of(types.lowering(), [&](const auto& entry) {
        return types.has_dims(entry.first) || types.any_rank(types.name(entry.first));
    });
}

NodeId Parameters::dimension(SymbolId name, std::uint32_t param, std::uint32_t depth) {
    for (const Dimension& known : function_.dims)
        if (known.name == name) return known.node;
    auto index = static_cast<std::uint32_t>(function_.dims.size());
    NodeId node = graph_.param(number::dims, index, context_.types.i64());
    graph_.set_name(node, name);
    function_.dims.push_back({name, node, param, depth});
    return node;
}

NodeId Parameters::add(TypeId type, SymbolId name) {
    type = with_lengths(type, 0);
    auto index = static_cast<std::uint32_t>(function_.params.size());
    NodeId node = graph_.param(number::function, index, type);
    name = unique(name);
    graph_.set_name(node, name);
    function_.params.push_back({name, type, node});
    // A dimension is found by descending arrays: those inside tuples keep what another parameter names.
    for (std::uint32_t depth = 0; const auto dim = dimension_at(context_.types, type, depth); ++depth)
        if (dim->kind == DimKind::Named) dimension(SymbolId{static_cast<std::uint32_t>(dim->value)}, index, depth);
    return node;
}

} // namespace irrewrite
