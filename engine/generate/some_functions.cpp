#include "engine/generate/some_functions.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// `a op b op …`, of numbers of one type.
void add(Context& context, Module& module, std::string_view name, TypeId type, std::size_t params,
         std::initializer_list<std::string_view> operations) {
    const SymbolId symbol = context.symbols.add(name);
    if (module.find(symbol)) return;
    Function& function = module.add(context, symbol);
    function.local = true;
    function.result_types = {type};
    for (std::size_t i = 0; i < params; ++i) {
        const NodeId node = function.graph.param(number::function, static_cast<std::uint32_t>(i), type);
        function.params.push_back({context.symbols.add(std::string_view("abc").substr(i, 1)), type, node});
    }
    Builder builder(function.graph);
    NodeId value = function.params[0].node;
    std::size_t next = 0;
    for (const std::string_view operation : operations) {
        const NodeId operands[] = {value, function.params[++next % params].node};
        const OpId op = *context.operations.find(context.symbols.add(operation), 2, {});
        value = *builder.apply(op, Attributes::none(), operands, {}, type);
    }
    function.results = {value};
}

} // namespace

void add_some_functions(Context& context, const RuleBase& base, Module& module) {
    const auto is_of_any = [](const Term& term) { return term.kind == TermKind::Call && !term.attrs.empty(); };
    const auto calls_any = [&](const Rule& rule) { return std::ranges::any_of(rule.terms, is_of_any); };
    if (std::ranges::none_of(base.rules, calls_any)) return;
    const TypeId i64 = context.types.i64(), f64 = context.types.f64();
    add(context, module, "check.twice", i64, 1, {"add"});
    add(context, module, "check.square", i64, 1, {"mul", "add"});
    add(context, module, "check.mixed", i64, 2, {"mul", "sub"});
    add(context, module, "check.quotient", i64, 2, {"div"});
    add(context, module, "check.line", f64, 3, {"mul", "add"});
    add(context, module, "check.scale", f64, 2, {"mul"});
    add(context, module, "check.curve", f64, 1, {"mul", "add"});
    add(context, module, "check.between", i64, 3, {"max", "min"});
}

bool become_function(Function& instance) {
    const Graph& graph = instance.graph;
    const NodeId first = instance.results.empty() ? instance.exit : instance.results[0];
    if (!first || graph.is_param(first)) return false;
    const NodeId call = graph.is_project(first) ? graph.operand(first, 0) : first;
    if (graph.is_param(call) || graph.blocks(call).size() != 1) return false;
    const BlockId block = graph.blocks(call)[0];
    std::vector<NodeId> roots(graph.results(block).begin(), graph.results(block).end());
    if (graph[block].exit) roots.push_back(graph[block].exit);
    Context& context = graph.context();
    Function made(context);
    made.name = instance.name, made.where = instance.where, made.dims = instance.dims;
    Clone clone(graph, made.graph, [](TypeId type) { return type; });
    const auto add_param = [&](NodeId old, SymbolId name) {
        const auto index = static_cast<std::uint32_t>(made.params.size());
        const NodeId param = made.graph.param(number::function, index, graph.type(old));
        clone.put(old, param);
        made.params.push_back({name, graph.type(old), param});
    };
    for (const NodeId param : graph.params(block))
        add_param(param, context.symbols.add("p" + std::to_string(made.params.size())));
    for (const Parameter& param : instance.params)
        if (reaches(graph, roots, param.node)) add_param(param.node, param.name);
    if (!made.dims.empty()) return false; // lengths of other parameters
    made.entry = made.graph.param(number::function, number::entry_index, context.types.token());
    if (instance.entry && reaches(graph, roots, instance.entry)) return false; // an effect around it
    if (graph[block].entry) clone.put(graph[block].entry, made.entry);
    clone.run(roots);
    for (const NodeId result : graph.results(block)) made.results.push_back(clone(result));
    made.exit = graph[block].exit ? clone(graph[block].exit) : made.entry; // a rule may give it effects
    for (const NodeId result : made.results) made.result_types.push_back(made.graph.type(result));
    instance = std::move(made);
    return true;
}

} // namespace irrewrite
