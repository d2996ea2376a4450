#include "engine/dataflow/fact_rules.hpp"

#include "engine/match/rule_index.hpp"

#include <algorithm>

namespace irrewrite {

FactRules::FactRules(Graph& graph, const RuleBase& base, const Surroundings& around)
    : graph_(graph), base_(base), around_(around) {
    const std::size_t operations = graph.context().operations.size();
    after_.resize(operations), inside_.resize(operations);
    for (const Fact& fact : base.facts) {
        places_.push_back(prepare(fact));
        const Rule& rule = places_.back().rule;
        for (OpId op : root_operations(rule, rule.left[0]))
            (fact.after ? after_ : inside_)[op.index].push_back(static_cast<std::uint32_t>(places_.size() - 1));
    }
}

FactRules::Place FactRules::prepare(const Fact& fact) const {
    Place place{fact, base_[fact.rule], {}, {}, {}, true};
    TermId root = place.rule.left[0];
    while (place.rule[root].kind == TermKind::Named) root = place.rule[root].operands[0];
    Term& term = place.rule.terms[root.index];
    for (BlockTerm& block : term.blocks) {
        place.names_results = place.names_results || !block.results.empty();
        place.results.push_back(std::move(block.results));
    }
    term.blocks.clear();
    bool right = true;
    collect(place.rule, place.rule.left[1], place.left, place.plain);
    for (TermId id : place.rule.right) collect(place.rule, id, place.right, right);
    return place;
}

void FactRules::collect(const Rule& rule, TermId id, std::vector<VariableId>& out, bool& plain) const {
    const Term& term = rule[id];
    if (term.kind == TermKind::Wildcard || term.kind == TermKind::Apply || term.kind == TermKind::Named) plain = false;
    if (term.variable) out.push_back(term.variable);
    for (TermId operand : term.operands) collect(rule, operand, out, plain);
    if (!term.blocks.empty()) plain = false;
    for (const AttrTerm& attr : term.attrs)
        if (attr.variable) out.push_back(attr.variable);
}

std::vector<TaughtFact> FactRules::after(DataflowFacts& facts, NodeId node,
                                         std::span<const std::vector<NodeId>> results) const {
    std::vector<TaughtFact> out;
    for (std::uint32_t i : after_[graph_.op(node).index])
        if (places_[i].names_results != results.empty())
            if (auto lesson = learn(places_[i], facts, node, results)) out.push_back(*lesson);
    return out;
}

std::vector<TaughtFact> FactRules::inside(DataflowFacts& facts, NodeId node, std::uint32_t block,
                                          std::span<const std::vector<NodeId>> results) const {
    std::vector<TaughtFact> out;
    for (std::uint32_t i : inside_[graph_.op(node).index])
        if (places_[i].fact.block == block)
            if (auto lesson = learn(places_[i], facts, node, results)) out.push_back(*lesson);
    return out;
}

std::optional<TaughtFact> FactRules::learn(const Place& place, DataflowFacts& facts, NodeId node,
                                           std::span<const std::vector<NodeId>> results) const {
    Matcher matcher(graph_, place.rule);
    std::optional<TaughtFact> lesson;
    auto done = [&] {
        lesson = make(place, facts, matcher);
        return lesson.has_value();
    };
    auto then_blocks = [&] { return match_results(place, matcher, results, 0, 0, done); };
    matcher.root(0, node, then_blocks);
    return lesson;
}

bool FactRules::match_results(const Place& place, Matcher& matcher, std::span<const std::vector<NodeId>> results,
                              std::size_t block, std::size_t result, Matcher::Rest rest) const {
    if (block == place.results.size()) return rest();
    const std::vector<TermId>& terms = place.results[block];
    if (result == terms.size()) return match_results(place, matcher, results, block + 1, 0, rest);
    if (block >= results.size() || results[block].size() != terms.size()) return false;
    auto others = [&] { return match_results(place, matcher, results, block, result + 1, rest); };
    return matcher.match(terms[result], results[block][result], others);
}

std::optional<TaughtFact> FactRules::make(const Place& place, DataflowFacts& facts, Matcher& matcher) const {
    auto bound = [&](VariableId v) { return matcher.bindings[v.index].bound; };
    const bool closed = place.plain && std::ranges::all_of(place.left, bound);
    if (!closed) return open(place, facts, matcher);
    std::optional<TaughtFact> lesson;
    Builder builder(graph_); // without a token: the left side is kept without one
    auto finish = [&] {
        lesson = close(place, facts, matcher);
        return lesson.has_value();
    };
    Conditions(builder, place.rule, matcher, around_).hold(0, finish);
    return lesson;
}

std::optional<TaughtFact> FactRules::close(const Place& place, DataflowFacts& facts, Matcher& matcher) const {
    Builder builder(graph_);
    Instantiation terms(builder, place.rule, matcher.bindings, around_);
    auto left = terms.build(place.rule.left[1]);
    if (!left || left->size() != 1) return std::nullopt;
    NodeId key = (*left)[0];
    auto right = terms.build(place.rule.right[0], graph_.type(key));
    if (!right || right->size() != 1) return std::nullopt;
    NodeId value = (*right)[0];
    if (value == key) return std::nullopt;
    const bool nothing = graph_.kind(key) == TypeKind::Unit;
    if (!nothing && !graph_.context().types.agree(graph_.type(key), graph_.type(value))) return std::nullopt;
    if (graph_.is_literal(key)) return TaughtFact{std::nullopt, graph_.is_literal(value)};
    std::vector<NodeId> memory;
    const Operation& operation = graph_.operation(key);
    if (!graph_.token(key) && !graph_.is_param(key))
        for (std::size_t i = 0; i < graph_.operands(key).size() && i < 64; ++i)
            if ((operation.reads | operation.writes) >> i & 1) memory.push_back(graph_.operand(key, i));
    const bool asks = base_.analysis_of(graph_.op(key)).has_value();
    if (asks && !graph_.is_constant(value)) return std::nullopt;
    return TaughtFact{facts.closed(place.fact.rule, key, value, std::move(memory), asks), false};
}

std::optional<TaughtFact> FactRules::open(const Place& place, DataflowFacts& facts, Matcher& matcher) const {
    const Term& term = place.rule[place.rule.left[1]];
    if (term.kind != TermKind::Node) return std::nullopt;
    std::vector<NodeId> memory;
    bool anywhere = false;
    const Operation& operation = graph_.context().operations[term.ops[0]];
    for (std::size_t i = 0; i < term.operands.size() && i < 64; ++i) {
        if (!((operation.reads | operation.writes) >> i & 1)) continue;
        const Term& operand = place.rule[term.operands[i]];
        const Binding* binding =
            operand.kind == TermKind::Variable ? &matcher.bindings[operand.variable.index] : nullptr;
        if (binding && binding->bound && binding->items.size() == 1)
            memory.push_back(binding->items[0]);
        else
            anywhere = true;
    }
    return TaughtFact{facts.open(place.fact.rule, matcher.bindings, std::move(memory), anywhere), false};
}

} // namespace irrewrite
