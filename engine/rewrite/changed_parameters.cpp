// Rules that change what a function takes: `func @#f(?a..., ?x) {?body} => func @#f(?a...) { |%a...| … }`.
//
// The operands that the right side gives its body are what calls give from then on, as terms over what they gave. The function
// keeps its parameters until the phase ends, and calls of it their operands; its body already reads the new ones.
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/passes/kept_lengths.hpp"
#include "engine/rewrite/rewriter.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

// Through the parameters that it has in this phase.
NodeId Rewriter::in_terms_of_own(NodeId operand) {
    const ChangedParameters* const before = changed_parameters();
    if (!before) return operand;
    Substitution own(graph_);
    for (std::size_t i = 0; i < before->params.size(); ++i)
        if (before->params[i].node != before->operands[i]) own.put(before->params[i].node, before->operands[i]);
    return own(operand);
}

// None: it has the parameters that it had. In checks, where nothing calls it, the terms stand for the parameters.
std::optional<ChangedParameters> Rewriter::change_between(NodeId whole, NodeId made) {
    const std::vector<NodeId> given(graph_.operands(made).begin(), graph_.operands(made).end());
    if (std::ranges::equal(given, graph_.operands(whole))) return std::nullopt;
    const std::vector<Parameter>& had = parameters();
    const auto names = graph_.param_names(graph_.blocks(made)[0]);
    ChangedParameters change;
    std::set<SymbolId> taken;
    for (const Dimension& dimension : function_.dims) taken.insert(dimension.name);
    for (std::size_t i = 0; i < given.size(); ++i) {
        const auto same = [&](const Parameter& param) { return param.node == given[i]; };
        const auto kept = std::ranges::find_if(had, same);
        Parameter param{i < names.size() ? names[i] : SymbolId{}, graph_.type(given[i]), given[i]};
        if (kept != had.end() && std::ranges::none_of(change.params, same))
            param = *kept;
        else if (functions_)
            param.node = graph_.param(number::function, number_of_next_param_++, param.type);
        for (unsigned n = static_cast<unsigned>(i); !param.name || !taken.insert(param.name).second; ++n)
            param.name = context_.symbols.add("p" + std::to_string(n));
        change.params.push_back(param);
        change.operands.push_back(in_terms_of_own(given[i]));
    }
    return change;
}

namespace {
// Each call can compute it, of its operands alone.
bool is_for_calls(const Graph& graph, const Function& function, NodeId operand) {
    const TypeKind kind = graph.kind(operand);
    if (kind == TypeKind::Results || kind == TypeKind::Unit || kind == TypeKind::Token || kind == TypeKind::Generator ||
        kind == TypeKind::Emission)
        return false;
    return std::ranges::none_of(reachable(graph, {&operand, 1}), [&](NodeId node) {
        const bool is_own = std::ranges::find(function.params, node, &Parameter::node) != function.params.end();
        return graph.token(node) || (graph.is_param(node) && !is_own && graph.free(node) == 0);
    });
}
} // namespace

// Its types name all lengths that the function has, and no others. Where there are no rows, a length of rows is that of another
// parameter (dimension_places): none of those may go.
bool Rewriter::keeps_lengths(const ChangedParameters& change) const {
    const auto types_of = [](const std::vector<Parameter>& params) {
        std::vector<TypeId> types;
        for (const Parameter& param : params) types.push_back(param.type);
        return types;
    };
    const auto places = [&](SymbolId name, std::span<const TypeId> types) {
        std::size_t count = 0;
        for (const TypeId type : types)
            for (std::uint32_t depth = 0; const auto dim = dimension_at(context_.types, type, depth); ++depth)
                count += *dim == Dim::named(name);
        return count;
    };
    const std::vector<TypeId> before = types_of(function_.params), after = types_of(change.params);
    const KeptLengths lengths(context_.types, after);
    const auto is_own = [&](const KeptLengths::Length& length) {
        return std::ranges::find(function_.dims, length.name, &Dimension::name) != function_.dims.end();
    };
    const auto is_kept = [&](const Dimension& own) {
        const KeptLengths::Length* const length = lengths.find(own.name);
        return length && (length->whole || places(own.name, after) >= places(own.name, before));
    };
    return std::ranges::all_of(lengths.all, is_own) && std::ranges::all_of(function_.dims, is_kept);
}

// The body needs a parameter that goes, and not only to give it to itself.
bool Rewriter::needs_others(const ChangedParameters& change, NodeId root) {
    std::set<NodeId> asked;
    for (const NodeId node : reachable(graph_, change.operands)) asked.insert(node);
    std::vector<NodeId> stack{root};
    std::set<NodeId> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!node || !seen.insert(node).second) continue;
        const bool is_param = std::ranges::find(parameters(), node, &Parameter::node) != parameters().end() ||
                              std::ranges::find(function_.params, node, &Parameter::node) != function_.params.end();
        if (is_param && std::ranges::find(change.params, node, &Parameter::node) == change.params.end()) return true;
        const bool calls_itself = graph_.core(node) == Core::Call && graph_.attrs(node)[0].text() == function_.name;
        if (!calls_itself || graph_.operands(node).size() != function_.params.size()) {
            for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
            continue;
        }
        stack.push_back(graph_.token(node));
        for (std::size_t i = 0; i < function_.params.size(); ++i)
            if (asked.contains(function_.params[i].node)) stack.push_back(graph_.operand(node, i));
    }
    return false;
}

bool Rewriter::may_be(NodeId whole, NodeId made) {
    if (graph_.op(made) != graph_.op(whole)) return false;
    const std::uint32_t next = number_of_next_param_;
    const auto change = change_between(whole, made);
    if (!change) return true;
    const bool is_called_elsewhere = functions_ && (!function_.local || functions_->is_of_rules(function_.name));
    const auto is_fit = [&](NodeId operand) { return is_for_calls(graph_, function_, operand); };
    if (is_called_elsewhere || !std::ranges::all_of(change->operands, is_fit) || !keeps_lengths(*change)) return false;
    const BlockId block = graph_.blocks(made)[0];
    Substitution body(graph_);
    for (std::size_t i = 0; i < change->params.size(); ++i) body.put(graph_.params(block)[i], change->params[i].node);
    bool needs = false;
    for (const NodeId result : graph_.results(block)) needs = needs || needs_others(*change, body(result));
    if (graph_[block].exit) needs = needs || needs_others(*change, body.token(graph_[block].exit));
    number_of_next_param_ = next;
    return !needs;
}

} // namespace irrewrite
