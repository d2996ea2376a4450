#include "engine/match/analyses.hpp"

#include "engine/match/conditions.hpp"
#include "engine/match/rule_index.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite {

static std::uint64_t key_of(std::uint32_t analysis, NodeId node) { return std::uint64_t{analysis} << 32 | node.index; }

Analyses::Analyses(Graph& graph, const RuleBase& base, const Surroundings& around)
    : graph_(graph), base_(base), around_(around) {}

void Analyses::forget() {
    values_.clear();
    here_.clear();
}

TypeId Analyses::type_of_values(std::uint32_t analysis, TypeId type) {
    const auto [found, is_new] = types_.insert({std::uint64_t{analysis} << 32 | type.index, TypeId{}});
    if (!is_new) return found->second;
    const OperandInfo info{type, {}};
    Inference inference(graph_.context(), base_.analyses[analysis].op);
    const TypeId values = inference.operands({&info, 1}, {}) ? inference.result().value_or(TypeId{}) : TypeId{};
    return types_[std::uint64_t{analysis} << 32 | type.index] = values;
}

static bool is_of_any(const Rule& rule) {
    const Term& left = rule[rule.left[0]];
    return left.kind == TermKind::Wildcard ||
           (left.kind == TermKind::Variable && rule[left.variable].kind != VariableKind::Literal);
}

// Those whose left side may be such a node, in the order written.
const std::vector<RuleId>& Analyses::rules_of(std::uint32_t analysis, OpId op) {
    const auto [found, is_new] = rules_.try_emplace(std::uint64_t{analysis} << 32 | op.index);
    if (!is_new) return found->second;
    for (const RuleId id : base_.analyses[analysis].rules) {
        const Rule& rule = base_[id];
        const std::vector<OpId> roots = root_operations(rule, rule.left[0]);
        const bool is_literal = rule[rule.left[0]].kind == TermKind::Variable &&
                                rule[rule[rule.left[0]].variable].kind == VariableKind::Literal;
        const bool fits = roots.empty() ? !is_literal || op == Operations::core(Core::Literal)
                                        : std::ranges::find(roots, op) != roots.end();
        if (fits) found->second.push_back(id);
    }
    return found->second;
}

NodeId Analyses::join(std::uint32_t analysis, NodeId a, NodeId b) {
    if (a == b) return a;
    const std::array operands{a, b};
    const NodeId node =
        graph_.make({.op = base_.analyses[analysis].join, .operands = operands, .type = graph_.type(a)});
    const auto& evaluate = graph_.context().evaluate;
    return graph_.is_constant(node) ? node : evaluate ? evaluate(graph_, node).value_or(NodeId{}) : NodeId{};
}

NodeId Analyses::apply(std::uint32_t analysis, RuleId id, NodeId node) {
    const TypeId due = type_of_values(analysis, graph_.type(node));
    if (!due) return {};
    const Rule& rule = base_[id];
    Matcher matcher(graph_, rule);
    Builder builder(graph_);
    Conditions conditions(builder, rule, matcher, around_);
    NodeId value;
    const auto build = [&] {
        Instantiation terms(builder, rule, matcher.bindings, around_);
        const auto made = terms.build(rule.right[0], due);
        if (!made || made->size() != 1) return false;
        value = (*made)[0];
        const auto& evaluate = graph_.context().evaluate;
        if (!graph_.is_constant(value)) value = evaluate ? evaluate(graph_, value).value_or(NodeId{}) : NodeId{};
        if (value && !graph_.context().types.agree(graph_.type(value), due)) value = {};
        return static_cast<bool>(value);
    };
    const auto conditions_hold = [&] { return conditions.hold(0, build); };
    return matcher.root(0, node, conditions_hold) ? value : NodeId{};
}

// -- which nodes, in which order ----------------------------------------------------------------------

// The value at a node that depends on a block's parameters holds as long as they stand for the same.
Analyses::Memory& Analyses::memory_of(NodeId node) {
    for (std::size_t i = scopes_.size(); i-- > 0;)
        if (graph_.free(node) & Graph::free_bit(scopes_[i].number)) return scopes_[i].values;
    return values_;
}

NodeId Analyses::value(std::uint32_t analysis, NodeId node) {
    if (depth_ == 0) built_ = 0, found_.clear();
    if (depth_ == deepest || ++built_ > most_built) return {};
    ++depth_;
    const NodeId found =
        known && scopes_.empty() && known->version() ? here(analysis, node) : everywhere(analysis, node);
    --depth_;
    return found;
}

NodeId Analyses::everywhere(std::uint32_t analysis, NodeId node) {
    const auto find = [&](NodeId at) -> const NodeId* {
        const Memory& memory = memory_of(at);
        const auto found = memory.find(key_of(analysis, at));
        return found == memory.end() ? nullptr : &found->second;
    };
    if (const NodeId* value = find(node)) return *value;
    KnownHere* const facts = std::exchange(known, nullptr); // what is remembered holds without them
    Nodes stack{node};
    while (!stack.empty()) {
        const NodeId top = stack.back();
        const std::size_t size = stack.size();
        if (find(top)) {
            stack.pop_back();
            continue;
        }
        if (!graph_.is_param(top))
            for (const NodeId operand : graph_.operands(top))
                if (operand < top && !find(operand)) stack.push_back(operand);
        if (stack.size() > size) continue;
        stack.pop_back();
        memory_of(top)[key_of(analysis, top)] = {}; // whatever asks for it meanwhile
        const NodeId value = compute(analysis, top);
        memory_of(top)[key_of(analysis, top)] = value;
    }
    known = facts;
    return *find(node);
}

// Under facts: the nodes near by from which the node is computed are looked at again, if something is known of one.
NodeId Analyses::here(std::uint32_t analysis, NodeId node) {
    if (known->version() != here_version_) here_.clear();
    here_version_ = known->version();
    const auto find = [&](NodeId at) { return here_.find(key_of(analysis, at)); };
    if (const auto found = find(node); found != here_.end()) return found->second;
    Nodes near{node};
    bool is_more_known = false;
    for (std::size_t i = 0; i < near.size(); ++i) {
        const NodeId at = near[i];
        if (find(at) != here_.end()) {
            is_more_known = true;
        } else if (const auto value = known->find(analysis, at)) {
            here_[key_of(analysis, at)] = *value;
            is_more_known = true;
        } else if (!graph_.is_param(at)) {
            for (const NodeId operand : graph_.operands(at))
                if (near.size() < most_here && std::ranges::find(near, operand) == near.end()) near.push_back(operand);
        }
    }
    if (!is_more_known) return everywhere(analysis, node);
    std::ranges::sort(near); // operands are older
    for (const NodeId at : near) {
        if (find(at) != here_.end()) continue;
        NodeId value = everywhere(analysis, at);
        here_[key_of(analysis, at)] = value;
        if (graph_.is_literal(at) || graph_.is_param(at)) continue;
        if (const NodeId more = compute(analysis, at)) here_[key_of(analysis, at)] = more;
    }
    return find(node)->second;
}

NodeId Analyses::compute(std::uint32_t analysis, NodeId node) {
    if (!type_of_values(analysis, graph_.type(node))) return {};
    if (graph_.is_param(node))
        if (const NodeId value = of_parameter(node)) return value;
    // A rule for whatever stands there says what is known where nothing else is.
    const std::vector<RuleId>& rules = rules_of(analysis, graph_.op(node));
    const auto says = [&](bool of_any) {
        for (const RuleId rule : rules)
            if (is_of_any(base_[rule]) == of_any)
                if (const NodeId value = apply(analysis, rule, node)) return value;
        return NodeId{};
    };
    if (const NodeId value = says(false)) return value;
    std::optional<NodeId> value;
    if (graph_.is_project(node))
        value = of_types(analysis, graph_.operand(node, 0), graph_.position(node));
    else if (graph_.core(node) == Core::None)
        value = of_types(analysis, node, 0);
    return value && *value ? *value : says(true);
}

NodeId Analyses::of_parameter(NodeId param) const {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
        if (scopes_[i].number != graph_.param_number(param)) continue;
        for (const auto& [node, value] : scopes_[i].params)
            if (node == param) return value;
        return {};
    }
    return {};
}

} // namespace irrewrite
