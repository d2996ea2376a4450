#include "engine/passes/expand_operations.hpp"

#include "engine/match/conditions.hpp"
#include "engine/match/instantiate.hpp"
#include "engine/passes/link_functions.hpp"

namespace irrewrite {

std::string cannot_expand(const Context& context, const Operation& operation) {
    return "the expansion of '" + std::string(context.symbols[operation.name]) + "' cannot be used here";
}

namespace {

// Limit of nested expansions: an expansion that exceeds it is taken not to terminate.
constexpr std::size_t most_expansions = 100'000;

class Expansion {
  public:
    Expansion(const RuleBase& base, Function& function, NodeId node)
        : graph_(function.graph), context_(graph_.context()), rule_(base[base.expansions.at(graph_.op(node))]),
          node_(node) {
        around_.dimension = [&function](Dim dim) {
            for (const Dimension& d : function.dims)
                if (dim == Dim::named(d.name)) return d.node;
            return NodeId{};
        };
    }

    std::optional<Replacement> run(std::string& why) {
        const Origin saved = std::exchange(graph_.current_origin, graph_.origin(node_));
        std::optional<Replacement> out;
        Matcher matcher(graph_, rule_);
        Builder literals(graph_);
        Conditions computed(literals, rule_, matcher, around_); // attributes
        auto build = [&] { return (out = this->build(matcher.bindings)).has_value(); };
        auto compute = [&] { return computed.hold(0, build); };
        matcher.root(0, node_, compute);
        graph_.current_origin = saved;
        if (!out) why = cannot_expand(context_, graph_.operation(node_)) + (why_.empty() ? "" : ": " + why_);
        return out;
    }

  private:
    // The effects of an expansion take the place of an operation with effects. Those of others are on memory that nobody
    // else sees: they have an order of their own, inside a `region`.
    std::optional<Replacement> build(const Bindings& bindings) {
        Builder builder(graph_);
        builder.set_token(graph_.token(node_));
        if (!graph_.has(node_, Advances) && !rule_.lines.empty()) {
            const Builder::Open inside = builder.open({});
            auto results = lines(builder, bindings);
            if (!results) return std::nullopt;
            if (builder.token() != inside.entry) return replacement(builder, builder.close_region(inside, *results));
            builder.abandon(inside);
        }
        auto results = lines(builder, bindings);
        if (!results) return std::nullopt;
        return replacement(builder, std::move(*results));
    }

    std::optional<std::vector<NodeId>> lines(Builder& builder, const Bindings& bindings) {
        Instantiation terms(builder, rule_, bindings, around_);
        auto results = terms.lines(rule_.lines) ? terms.build(rule_.right, due_types()) : std::nullopt;
        why_ = terms.error();
        if (results) unpack(*results);
        return results;
    }

    std::optional<Replacement> replacement(Builder& builder, std::vector<NodeId> results) {
        const std::vector<TypeId> due = due_types();
        if (results.size() != due.size() && !(graph_.kind(node_) == TypeKind::Unit && results.empty()))
            return why_ = "it has " + std::to_string(results.size()) + " results", std::nullopt;
        for (std::size_t i = 0; i < results.size(); ++i)
            if (!promise(builder, results[i], due[i])) return std::nullopt;
        NodeId made = results.size() == 1 ? results[0] : pack(results);
        if (SymbolId name = graph_.name(node_);
            name && !graph_.is_literal(made) && !graph_.is_param(made) && !graph_.name(made))
            graph_.set_name(made, name);
        return Replacement{made, builder.token()};
    }

    std::vector<TypeId> due_types() const {
        TypeId type = graph_.type(node_);
        if (graph_.kind(node_) != TypeKind::Results) return {type};
        auto elements = context_.types.elements(type);
        return {elements.begin(), elements.end()};
    }

    // A node with several results stands for all of them.
    void unpack(std::vector<NodeId>& results) const {
        if (results.size() != 1 || graph_.kind(results[0]) != TypeKind::Results) return;
        const NodeId whole = results[0];
        results.clear();
        for (std::size_t k = 0; k < context_.types.elements(graph_.type(whole)).size(); ++k)
            results.push_back(graph_.result(whole, k));
    }

    // A length that the declaration promises and the expansion does not show is checked when the program runs.
    bool promise(Builder& builder, NodeId& value, TypeId due) {
        TypeId given = graph_.type(value);
        if (!context_.types.agree(given, due)) {
            why_ = "it is " + context_.types.text(given, context_.symbols) + ", but " +
                   context_.types.text(due, context_.symbols) + " is expected";
            return false;
        }
        if (context_.types.knows(given, due)) return true;
        auto ensure = context_.operations.find(context_.symbols.add("ensure"), 1, {});
        if (!ensure) return true;
        AttrValue type{.kind = AttrValue::Kind::Type, .type = due};
        value = builder.apply(*ensure, context_.attributes.add({&type, 1}), {&value, 1}, {}, due).value_or(value);
        return true;
    }

    NodeId pack(std::span<const NodeId> nodes) {
        std::vector<TypeId> types;
        for (NodeId node : nodes) types.push_back(graph_.type(node));
        return graph_.make(
            {.op = Operations::core(Core::Pack), .operands = nodes, .type = context_.types.results(types)});
    }

    Graph& graph_;
    Context& context_;
    const Rule& rule_;
    NodeId node_;
    Surroundings around_;
    std::string why_;
};

Span place_of(const Function& function, NodeId node) {
    return function.graph.context().sources.at(function.graph.origin(node).place);
}

ExpansionFault endless(const Function& function, NodeId node) {
    const Graph& graph = function.graph;
    return {"the expansion of '" + std::string(graph.context().symbols[graph.operation(node).name]) + "' does not end",
            place_of(function, node)};
}

std::optional<ExpansionFault> expand(const RuleBase& base, Function& function,
                                     const std::function<bool(const Operation&)>& plain) {
    Graph& graph = function.graph;
    std::optional<ExpansionFault> fault;
    std::size_t count = 0, most = most_expansions + graph.size();
    Substitution pass(graph);
    pass.rewrite = [&](NodeId node) -> std::optional<Replacement> {
        if (fault || !base.expansions.contains(graph.op(node)) || plain(graph.operation(node))) return std::nullopt;
        if (++count > most) return fault = endless(function, node), std::nullopt;
        std::string why;
        auto meaning = expanded(base, function, node, why);
        if (!meaning) fault = {why, place_of(function, node)};
        return meaning;
    };
    std::vector<NodeId> results;
    for (NodeId result : function.results) results.push_back(pass(result));
    NodeId exit = function.exit ? pass.token(function.exit) : NodeId{};
    if (!pass.cycles.empty() && !fault) fault = endless(function, pass.cycles[0]);
    function.results = results, function.exit = exit;
    return fault;
}

} // namespace

std::optional<Replacement> expanded(const RuleBase& base, Function& function, NodeId node, std::string& why) {
    return Expansion(base, function, node).run(why);
}

std::optional<ExpansionFault> expand_generic(const RuleBase& base, Module& module, const Module& library,
                                             const std::function<bool(const Operation&)>& plain) {
    join_expansions(module, library);
    if (base.expansions.empty()) return std::nullopt;
    std::size_t done = 0;
    do {
        for (; done < module.functions.size(); ++done)
            if (auto fault = expand(base, module.functions[done], plain)) return fault;
    } while (join_expansions(module, library));
    return std::nullopt;
}

} // namespace irrewrite
