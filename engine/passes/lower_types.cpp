// `type Vec as []f64 at lowering`: from that phase on every Vec is a []f64.
#include "engine/passes/lower_types.hpp"

#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"

namespace irrewrite {

void raise_types(Context& context, const RuleBase& base) {
    Types::Lowering lowering = context.types.lowering();
    for (const OpaqueType& type : base.opaque) lowering.erase(context.types.opaque(type.name));
    context.types.set_lowering(std::move(lowering));
}

bool lower_types(Context& context, const RuleBase& base, SymbolId phase, Module& module) {
    bool any = false;
    for (const OpaqueType& type : base.opaque)
        if (type.as && type.phase == phase) context.types.lower(context.types.opaque(type.name), type.as), any = true;
    if (!any) return false;
    auto lowered = [&](TypeId type) { return context.types.lowered(type); };
    for (Function& function : module.functions) {
        Clone retyped(function.graph, function.graph, lowered);
        for (Parameter& param : function.params) {
            param.type = lowered(param.type);
            NodeId node = function.graph.param(number::function, function.graph.param_index(param.node), param.type);
            retyped.put(param.node, node);
            param.node = node;
        }
        for (TypeId& type : function.result_types) type = lowered(type);
        retyped.run(roots(function));
        for (NodeId& result : function.results) result = retyped(result);
        function.exit = retyped(function.exit);
    }
    return true;
}

} // namespace irrewrite
