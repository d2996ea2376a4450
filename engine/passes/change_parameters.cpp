#include "engine/passes/change_parameters.hpp"

#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using Changes = std::map<SymbolId, ChangedParameters>;

SymbolId name_of_called(const Graph& graph, NodeId call) { return graph.attrs(call)[0].text(); }

NodeId call_of(Graph& graph, NodeId call, SymbolId name, std::span<const NodeId> operands) {
    const AttrValue text{.kind = AttrValue::Kind::Text, .type = {}, .bits = name.index};
    const NodeId made = graph.intern({.op = graph.op(call),
                                      .attrs = graph.context().attributes.add({&text, 1}),
                                      .operands = operands,
                                      .token = graph.token(call),
                                      .type = graph.type(call)});
    if (const SymbolId own = graph.name(call)) graph.set_name(made, own);
    return made;
}

// Calls with the new operands go by a name that no function has, until there are no others.
class Calls {
  public:
    Calls(Context& context, const Module& module, const Changes& changes) : module_(module), changes_(changes) {
        for (const auto& [name, change] : changes)
            own_[context.symbols.add("% " + std::string(context.symbols[name]))] = name;
        for (const auto& [between, name] : own_) {
            between_[name] = between;
            for (auto* functions : {&context.impure_functions, &context.endless_functions})
                if (const auto known = functions->find(name); known != functions->end())
                    functions->insert_or_assign(between, bool(known->second));
        }
    }

    void change_in(Function& function) {
        Graph& graph = function.graph;
        const bool calls = std::ranges::any_of(reachable(graph, roots(function)), [&](NodeId node) {
            return graph.core(node) == Core::Call && changes_.contains(name_of_called(graph, node));
        });
        if (!calls) return;
        rewrite(function, [&](NodeId call) -> NodeId {
            const auto found = changes_.find(name_of_called(graph, call));
            if (found == changes_.end()) return {};
            const std::vector<NodeId> given(graph.operands(call).begin(), graph.operands(call).end());
            const std::vector<NodeId> due = operands(graph, *module_.find(found->first), found->second, given);
            return call_of(graph, call, between_.at(found->first), due);
        });
        rewrite(function, [&](NodeId call) -> NodeId {
            const auto found = own_.find(name_of_called(graph, call));
            const std::vector<NodeId> given(graph.operands(call).begin(), graph.operands(call).end());
            return found == own_.end() ? NodeId{} : call_of(graph, call, found->second, given);
        });
    }

  private:
    void rewrite(Function& function, const std::function<NodeId(NodeId)>& change) {
        Graph& graph = function.graph;
        Substitution pass(graph);
        pass.rewrite = [&](NodeId node) -> std::optional<Replacement> {
            const NodeId made = graph.core(node) == Core::Call ? change(node) : NodeId{};
            if (!made) return std::nullopt;
            return Replacement{made, graph.has(made, Advances) ? made : NodeId{}};
        };
        for (NodeId& result : function.results) result = pass(result);
        if (function.exit) function.exit = pass.token(function.exit);
    }

    static std::vector<NodeId> operands(Graph& graph, const Function& callee, const ChangedParameters& change,
                                        std::span<const NodeId> given) {
        Clone clone(callee.graph, graph, [](TypeId type) { return type; });
        for (std::size_t i = 0; i < callee.params.size(); ++i) clone.put(callee.params[i].node, given[i]);
        clone.run(change.operands);
        std::vector<NodeId> due;
        for (const NodeId operand : change.operands) due.push_back(clone(operand));
        return due;
    }

    const Module& module_;
    const Changes& changes_;
    std::map<SymbolId, SymbolId> own_, between_;
};

void declare(Function& function, const ChangedParameters& change) {
    Graph& graph = function.graph;
    Clone moved(graph, graph, [](TypeId type) { return type; });
    std::vector<Parameter> params = change.params;
    for (std::size_t i = 0; i < params.size(); ++i) {
        Parameter& param = params[i];
        const NodeId node = graph.param(number::function, static_cast<std::uint32_t>(i), param.type);
        moved.put(std::exchange(param.node, node), node);
    }
    for (const Dimension& dimension : function.dims) moved.put(dimension.node, dimension.node);
    moved.run(roots(function));
    for (NodeId& result : function.results) result = moved(result);
    function.exit = moved(function.exit);
    function.params = std::move(params);
    for (const Parameter& param : function.params) graph.set_name(param.node, param.name);
    for (Dimension& dimension : function.dims) {
        const auto places = dimension_places(function, dimension.name);
        dimension.param = places[0].first, dimension.depth = places[0].second;
    }
}

} // namespace

void change_parameters(Context& context, Module& module, const Changes& changes) {
    Calls calls(context, module, changes);
    for (Function& function : module.functions) calls.change_in(function);
    for (const auto& [name, change] : changes)
        if (Function* function = module.find(name)) declare(*function, change);
}

} // namespace irrewrite
