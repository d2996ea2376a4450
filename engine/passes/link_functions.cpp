#include "engine/passes/link_functions.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/passes/expand_operations.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace irrewrite {

namespace {

SymbolId callee(const Graph& graph, NodeId call) { return graph.attrs(call)[0].text(); }

bool is_call(const Graph& graph, NodeId node) { return graph.op(node) == Operations::core(Core::Call); }

std::vector<NodeId> calls_of(const Function& function) {
    const Graph& graph = function.graph;
    bool any = false; // quick to tell
    for (std::uint32_t i = 0; i < graph.size() && !any; ++i) any = is_call(graph, {i});
    std::vector<NodeId> out;
    if (!any) return out;
    for (NodeId node : reachable(graph, roots(function)))
        if (is_call(graph, node)) out.push_back(node);
    return out;
}

} // namespace

std::size_t join_called(Module& module, const Module& library) {
    std::size_t joined = 0;
    for (std::size_t i = 0; i < module.functions.size(); ++i) // grows
        for (NodeId call : calls_of(module.functions[i])) {
            SymbolId name = callee(module.functions[i].graph, call);
            const Function* found = module.find(name) ? nullptr : library.find(name);
            if (!found) continue;
            module.index.emplace(name, module.functions.size());
            module.functions.push_back(*found);
            ++joined;
        }
    return joined;
}

Replacement call_expansion(Graph& graph, NodeId node) {
    AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = graph.operation(node).expansion.index};
    const std::vector<NodeId> operands(graph.operands(node).begin(), graph.operands(node).end());
    Builder builder(graph);
    builder.set_token(graph.token(node));
    const AttrId callee = graph.context().attributes.add({&name, 1});
    const Origin saved = std::exchange(graph.current_origin, graph.origin(node));
    const NodeId call = *builder.apply(Operations::core(Core::Call), callee, operands, {}, graph.type(node));
    graph.current_origin = saved;
    return {call, builder.token()};
}

std::optional<ExpansionFault> expand_operations(const RuleBase& base, Module& module, const Module& library,
                                                const std::function<bool(const Operation&)>& plain) {
    if (auto fault = expand_generic(base, module, library, plain)) return fault;
    for (Function& function : module.functions) {
        Graph& graph = function.graph;
        Substitution pass(graph);
        pass.rewrite = [&](NodeId node) -> std::optional<Replacement> {
            const Operation& operation = graph.operation(node);
            if (!operation.expansion || plain(operation)) return std::nullopt;
            return call_expansion(graph, node);
        };
        for (NodeId& result : function.results) result = pass(result);
        if (function.exit) function.exit = pass.token(function.exit);
    }
    while (inline_calls(module)) {
    }
    drop_uncalled(module);
    return std::nullopt;
}

std::size_t join_expansions(Module& module, const Module& library) {
    std::size_t joined = 0;
    for (std::size_t i = 0; i < module.functions.size(); ++i) { // grows
        const Graph& graph = module.functions[i].graph;
        for (NodeId node : reachable(graph, roots(module.functions[i]))) {
            SymbolId name = module.functions[i].graph.operation(node).expansion;
            const Function* found = name && !module.find(name) ? library.find(name) : nullptr;
            if (!found) continue;
            module.index.emplace(name, module.functions.size());
            module.functions.push_back(*found);
            module.functions.back().local = true;
            ++joined;
        }
    }
    return joined + join_called(module, library);
}

namespace {

// A dimension of the callee: what is known of it, and the arguments that have it as their length.
struct BoundDimension {
    Dim dim;
    std::vector<std::pair<NodeId, Dim>> lengths; // an argument, and what its type says
};
using BoundDimensions = std::unordered_map<SymbolId, BoundDimension>;

// The callee's dimensions; none if a length in the type of an argument cannot be that of the parameter, or has to be
// checked for every row of it.
std::optional<BoundDimensions> dimensions(const Function& caller, NodeId call, const Function& callee) {
    const Types& types = caller.graph.context().types;
    BoundDimensions dims;
    for (std::size_t i = 0; i < callee.params.size(); ++i) {
        const NodeId argument = caller.graph.operand(call, i);
        // `fixed`: a length that nothing in the caller can compute or check, of a row or an opaque type.
        const auto bind = [&](Dim want, Dim have, bool fixed, bool is_mut) {
            if (want.kind == DimKind::Constant) return have == want;
            if (want.kind != DimKind::Named) return true;
            auto [it, fresh] = dims.emplace(SymbolId{static_cast<std::uint32_t>(want.value)}, BoundDimension{have, {}});
            BoundDimension& bound = it->second;
            const bool known = bound.dim == have && have.kind != DimKind::Unknown;
            if (!fresh && !known && (fixed || is_mut)) return false;
            if (fixed && have.kind == DimKind::Unknown) return false;
            if (!fresh && bound.dim.kind == DimKind::Constant && have.kind == DimKind::Constant && !known)
                return false;                                            // a fault
            if (!fresh && !known && bound.lengths.empty()) return false; // of rows that are known
            if (!fresh && !known) bound.dim = {};
            if (!fixed) bound.lengths.emplace_back(argument, have);
            return true;
        };
        TypeId declared = callee.params[i].type, given = caller.graph.type(argument);
        for (;;) {
            TypeKind kind = types.kind(declared);
            if (kind != types.kind(given)) return std::nullopt;
            if (kind != TypeKind::Array && kind != TypeKind::Mut) break;
            const bool inner = declared != callee.params[i].type;
            if (!bind(types.dim(declared), types.dim(given), inner, kind == TypeKind::Mut)) return std::nullopt;
            declared = types.element(declared), given = types.element(given);
        }
        for (std::size_t d = 0; types.has_dims(declared) && d < types.dim_count(declared); ++d)
            if (!bind(types.opaque_dim(declared, d), types.opaque_dim(given, d), true, false)) return std::nullopt;
        if (types.kind(declared) == TypeKind::Tuple || types.kind(declared) == TypeKind::Struct) {
            if (!types.knows(given, declared)) return std::nullopt;
        }
    }
    return dims;
}

NodeId length_of(Builder& builder, const Function& caller, NodeId argument, Dim dim) {
    if (dim.kind == DimKind::Constant) return builder.i64(dim.value);
    for (const Dimension& d : caller.dims)
        if (dim == Dim::named(d.name)) return d.node;
    Context& context = caller.graph.context();
    auto len = context.operations.find(context.symbols.add("len"), 1, {});
    return builder.apply(*len, Attributes::none(), {&argument, 1}).value_or(NodeId{});
}

// The length that all arguments have; where the types do not say that it is one, this is checked.
NodeId dimension_value(Builder& builder, const Function& caller, NodeId argument, const BoundDimension& bound) {
    if (bound.dim.kind != DimKind::Unknown || bound.lengths.size() < 2)
        return length_of(builder, caller, argument, bound.dim);
    std::vector<NodeId> lengths;
    for (const auto& [given, dim] : bound.lengths) lengths.push_back(length_of(builder, caller, given, dim));
    Context& context = caller.graph.context();
    auto same = context.operations.find(context.symbols.add("same"), lengths.size(), {});
    return same ? builder.apply(*same, Attributes::none(), lengths).value_or(NodeId{}) : NodeId{};
}

} // namespace

namespace {

// All its effects wait for loops that its results need: whoever waits for a call waits for these.
bool waits_for_results(const Function& callee) {
    const Graph& graph = callee.graph;
    for (NodeId effect = callee.exit; effect && !graph.is_param(effect); effect = graph.token(effect))
        if (graph.core(effect) != Core::Await || !reaches(graph, callee.results, graph.operand(effect, 0)) ||
            reaches(graph, callee.results, effect))
            return false;
    return !reaches(graph, callee.results, callee.entry);
}

} // namespace

std::optional<Inlined> inlined(Function& caller, NodeId call, const Function& callee, OwnMemory memory) {
    auto dims = dimensions(caller, call, callee);
    if (!dims || callee.external) return std::nullopt;
    Builder builder(caller.graph);
    auto type = [&](TypeId type) {
        return caller.graph.context().types.map_dims(type, [&](Dim dim) {
            if (dim.kind != DimKind::Named) return dim;
            auto it = dims->find(SymbolId{static_cast<std::uint32_t>(dim.value)});
            return it == dims->end() ? Dim{} : it->second.dim;
        });
    };
    Clone transplant(callee.graph, caller.graph, type);
    const bool same_file = callee.where.source == caller.where.source;
    if (!same_file) transplant.comes_from(caller.graph.origin(call)); // a rule file's, in the program
    for (std::size_t i = 0; i < callee.params.size(); ++i)
        transplant.put(callee.params[i].node, caller.graph.operand(call, i));
    for (const Dimension& d : callee.dims) {
        NodeId value = dimension_value(builder, caller, caller.graph.operand(call, d.param), (*dims)[d.name]);
        if (!value) return std::nullopt;
        transplant.put(d.node, value);
    }
    const bool ordered = bool(caller.graph.token(call));
    const bool has_own = callee.entry && !ordered && !waits_for_results(callee);
    if (has_own && memory == OwnMemory::InCalls) return std::nullopt;
    const std::optional<Builder::Open> inside = has_own ? std::optional(builder.open({})) : std::nullopt;
    if (callee.entry && ordered) transplant.put(callee.entry, caller.graph.token(call));
    if (inside) transplant.put(callee.entry, inside->entry);
    transplant.run(ordered || inside ? roots(callee) : callee.results);
    Inlined out{{}, ordered && callee.exit ? transplant(callee.exit) : NodeId{}};
    for (NodeId result : callee.results) out.results.push_back(transplant(result));
    if (inside) {
        builder.advance(transplant(callee.exit));
        out.results = builder.close_region(*inside, out.results);
    }
    return out;
}

TypeId results_of(Types& types, const Function& function, std::span<const TypeId> operands) {
    const auto takes = [&](TypeId given, const Parameter& param) { return types.agree(given, param.type); };
    if (!std::ranges::equal(operands, function.params, takes)) return {};
    return types.map_dims(types.results(function.result_types),
                          [](Dim dim) { return dim.kind == DimKind::Named ? Dim{} : dim; });
}

bool calls_itself(const Module& module, const Function& function) {
    std::set<SymbolId> seen;
    std::vector<const Function*> stack{&function};
    while (!stack.empty()) {
        const Function* next = stack.back();
        stack.pop_back();
        for (NodeId call : calls_of(*next)) {
            const Function* target = module.find(callee(next->graph, call));
            if (target == &function) return true;
            if (target && seen.insert(target->name).second) stack.push_back(target);
        }
    }
    return false;
}

FunctionSize size_with_callees(const Module& module, const Function& function, std::size_t most) {
    FunctionSize size;
    std::vector<const Function*> stack{&function};
    while (!stack.empty() && size.nodes <= most) {
        const Function& next = *stack.back();
        const Graph& graph = next.graph;
        stack.pop_back();
        for (NodeId node : reachable(graph, roots(next))) {
            if (graph.is_literal(node) || graph.is_param(node)) continue;
            ++size.nodes;
            for (const BlockSignature& block : graph.operation(node).signature.blocks)
                size.traverses |= block.frequency == Frequency::Hot;
            if (graph.core(node) != Core::Call) continue;
            if (const Function* target = module.find(callee(graph, node))) stack.push_back(target);
        }
    }
    return size;
}

bool drop_uncalled(Module& module) {
    std::set<SymbolId> called;
    std::vector<SymbolId> stack;
    for (const Function& function : module.functions)
        if (!function.local) stack.push_back(function.name);
    while (!stack.empty()) {
        SymbolId name = stack.back();
        stack.pop_back();
        if (!called.insert(name).second) continue;
        if (const Function* function = module.find(name))
            for (NodeId call : calls_of(*function)) stack.push_back(callee(function->graph, call));
        if (const Function* function = module.find(name))
            stack.insert(stack.end(), function->inlined.begin(), function->inlined.end());
    }
    std::size_t before = module.functions.size();
    std::deque<Function> kept;
    for (Function& function : module.functions)
        if (!function.local || called.contains(function.name)) kept.push_back(std::move(function));
    if (kept.size() == before) {
        module.functions = std::move(kept);
        return false;
    }
    module.functions = std::move(kept);
    module.index.clear();
    for (std::size_t i = 0; i < module.functions.size(); ++i) module.index.emplace(module.functions[i].name, i);
    return true;
}

} // namespace irrewrite
