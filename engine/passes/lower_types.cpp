// `type Vec as []f64 at lowering`: from that phase on every Vec is a []f64.
#include "engine/passes/lower_types.hpp"

#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

void raise_types(Context& context, const RuleBase& base) {
    Types::Lowering lowering = context.types.lowering();
    for (const OpaqueType& type : base.opaque) lowering.erase(context.types.opaque(type.name));
    context.types.set_lowering(std::move(lowering));
}

namespace {

// The dimensions stand where the types of the parameters have them now; one that they have no more is gone. Its name, if
// the function needs its value.
std::optional<SymbolId> place_dimensions(Function& function, Clone& retyped) {
    std::vector<Dimension> kept;
    for (Dimension dimension : function.dims) {
        const auto places = dimension_places(function, dimension.name);
        if (places.empty()) {
            if (reaches(function.graph, roots(function), dimension.node)) return dimension.name;
            continue;
        }
        const NodeId node = function.graph.param(number::dims, static_cast<std::uint32_t>(kept.size()),
                                                 function.graph.context().types.i64());
        if (node != dimension.node) function.graph.set_name(node, dimension.name);
        retyped.put(dimension.node, node);
        kept.push_back({dimension.name, node, places[0].first, places[0].second});
    }
    function.dims = std::move(kept);
    return std::nullopt;
}

// `type` without the names of dimensions that the function has no more.
TypeId without_lost(Types& types, const Function& function, TypeId type) {
    return types.map_dims(type, [&](Dim dim) {
        const auto same = [&](const Dimension& d) { return dim == Dim::named(d.name); };
        return dim.kind == DimKind::Named && std::ranges::none_of(function.dims, same) ? Dim{} : dim;
    });
}

} // namespace

LoweredTypes lower_types(Context& context, const RuleBase& base, SymbolId phase, Module& module) {
    bool any = false;
    for (const OpaqueType& type : base.opaque)
        if (type.as && type.phase == phase) context.types.lower(context.types.opaque(type.name), type.as), any = true;
    LoweredTypes done{any, {}};
    if (!any) return done;
    context.types.take_mixed();
    for (Function& function : module.functions) {
        const std::size_t before = function.dims.size();
        const auto lowered = [&](TypeId type) {
            const TypeId made = context.types.lowered(type);
            return function.dims.size() == before ? made : without_lost(context.types, function, made);
        };
        Clone retyped(function.graph, function.graph, lowered);
        for (Parameter& param : function.params) {
            param.type = lowered(param.type);
            NodeId node = function.graph.param(number::function, function.graph.param_index(param.node), param.type);
            retyped.put(param.node, node);
            param.node = node;
        }
        if (const auto lost = place_dimensions(function, retyped)) {
            done.lost = "'@" + std::string(context.symbols[function.name]) + "' needs the value of its dimension '" +
                        std::string(context.symbols[*lost]) + "', and the types that its parameters become in phase '" +
                        std::string(context.symbols[phase]) + "' do not have it";
            return done;
        }
        for (TypeId& type : function.result_types) type = lowered(type);
        retyped.run(roots(function));
        for (NodeId& result : function.results) result = retyped(result);
        function.exit = retyped(function.exit);
        if (const TypeId mixed = context.types.take_mixed()) {
            done.lost = "'@" + std::string(context.symbols[function.name]) +
                        "' has arrays of any rank whose elements, " + context.types.text(mixed, context.symbols) +
                        " from phase '" + std::string(context.symbols[phase]) +
                        "' on, are arrays: which are its dimensions cannot be told";
            return done;
        }
    }
    return done;
}

} // namespace irrewrite
