#include "engine/match/rule_index.hpp"

#include "engine/rules/strategy_uses.hpp"

#include <algorithm>

namespace irrewrite {

std::vector<OpId> root_operations(const Rule& rule, TermId root) {
    const Term& term = rule[root];
    switch (term.kind) {
    case TermKind::Node:
        if (term.function) return {Operations::core(Core::Pack)}; // a whole function
        return term.ops;
    case TermKind::Struct: return {Operations::core(Core::Struct)};
    case TermKind::Call: return {Operations::core(Core::Call)};
    case TermKind::Field: return {Operations::core(Core::Field)};
    case TermKind::Project:
        return {Operations::core(Core::Project), Operations::core(Core::Element), Operations::core(Core::Field)};
    case TermKind::Named: return root_operations(rule, term.operands[0]);
    default: return {};
    }
}

bool can_be_root(const Rule& rule, std::size_t root, const Graph& graph, NodeId node) {
    if (graph.is_param(node) || graph.is_literal(node)) return false;
    const std::vector<OpId> operations = root_operations(rule, rule.left[root]);
    return operations.empty() || std::ranges::find(operations, graph.op(node)) != operations.end();
}

// -- building ---------------------------------------------------------------------------------------

RuleIndex::RuleIndex(Context& context, const RuleBase& base, std::span<const RuleId> rules) {
    by_op_.assign(context.operations.size(), none);
    last_ = by_op_;
    for (RuleId id : rules) {
        const Rule& rule = base[id];
        if (rule.left.size() != 1 || rule.parameters) continue;
        for (OpId op : root_operations(rule, rule.left[0])) {
            Group& group = group_for(op);
            for (Row& row : rows(context, base, id, op, group.places)) group.rows.push_back(std::move(row));
        }
    }
    for (Group& group : groups_) compile(group);
}

// The last group of the operation, where a rule's rows fit into it.
RuleIndex::Group& RuleIndex::group_for(OpId op) {
    std::uint32_t& last = last_[op.index];
    if (last != none && groups_[last].rows.size() + max_rows <= most_words * 64) return groups_[last];
    auto fresh = static_cast<std::uint32_t>(groups_.size());
    (last == none ? by_op_[op.index] : groups_[last].next) = fresh;
    last = fresh;
    return groups_.emplace_back();
}

namespace {
const Guard* guard(const Row& row, Register reg, bool literal) {
    auto it = std::ranges::find_if(row.guards, [&](const Guard& g) { return g.reg == reg && g.literal == literal; });
    return it == row.guards.end() ? nullptr : &*it;
}
} // namespace

void RuleIndex::compile(Group& group) {
    group.words = (group.rows.size() + 63) / 64;
    for (Register reg = 1; reg < group.places.size(); ++reg)
        for (bool literal : {false, true}) {
            auto [parent, operand] = group.places[reg];
            Column column{reg, parent, operand, literal, {}, {}, {}};
            for (const Row& row : group.rows)
                if (const Guard* g = guard(row, reg, literal))
                    column.keys.insert(column.keys.end(), g->allowed.begin(), g->allowed.end());
            if (column.keys.empty()) continue;
            std::ranges::sort(column.keys);
            column.keys.erase(std::unique(column.keys.begin(), column.keys.end()), column.keys.end());
            fill(column, group);
            group.columns.push_back(std::move(column));
        }
}

std::size_t RuleIndex::Column::find(std::uint32_t value) const {
    if (!dense.empty()) return value - keys[0] < dense.size() ? dense[value - keys[0]] : keys.size();
    auto it = std::ranges::lower_bound(keys, value);
    return it != keys.end() && *it == value ? static_cast<std::size_t>(it - keys.begin()) : keys.size();
}

void RuleIndex::fill(Column& column, const Group& group) {
    const std::vector<std::uint32_t>& keys = column.keys;
    if (const std::size_t span = keys.back() - keys[0] + 1; span <= 64 + 4 * keys.size() && keys.size() < UINT16_MAX) {
        column.dense.assign(span, static_cast<std::uint16_t>(keys.size()));
        for (std::size_t i = 0; i < keys.size(); ++i) column.dense[keys[i] - keys[0]] = static_cast<std::uint16_t>(i);
    }
    column.sets.assign((column.keys.size() + 1) * group.words, 0);
    auto put = [&](std::size_t key, std::size_t row) { column.sets[key * group.words + row / 64] |= 1ull << row % 64; };
    for (std::size_t r = 0; r < group.rows.size(); ++r) {
        const Guard* g = guard(group.rows[r], column.reg, column.literal);
        for (std::size_t key = 0; !g && key <= column.keys.size(); ++key) put(key, r);
        for (std::size_t i = 0; g && i < g->allowed.size(); ++i)
            put(static_cast<std::size_t>(std::ranges::lower_bound(column.keys, g->allowed[i]) - column.keys.begin()),
                r);
    }
}

// -- at a node --------------------------------------------------------------------------------------

bool RuleIndex::select(const Group& group, const Graph& graph, std::span<NodeId> registers, Words& rows) {
    std::fill_n(rows.begin(), group.words, ~0ull);
    if (group.rows.size() % 64) rows[group.words - 1] = (1ull << group.rows.size() % 64) - 1;
    for (const Column& column : group.columns) {
        std::size_t key = column.keys.size();
        NodeId& node = registers[column.reg];
        node = NodeId{};
        if (NodeId parent = registers[column.parent]) {
            auto operands = graph.operands(parent);
            if (column.operand < operands.size()) node = operands[column.operand];
        }
        if (node) {
            key = column.find(column.literal ? graph[node].attrs.index : graph.op(node).index);
        }
        std::uint64_t any = 0;
        for (std::size_t w = 0; w < group.words; ++w) any |= rows[w] &= column.sets[key * group.words + w];
        if (!any) return false;
    }
    return true;
}

namespace {
bool asks_around(const Context& context, const Condition& condition) {
    const bool asks = condition.kind == Condition::Kind::Predicate &&
                      (context.symbols[condition.text] == "once" || context.symbols[condition.text] == "varies" ||
                       context.symbols[condition.text] == "shared");
    return asks || condition.kind == Condition::Kind::Ask ||
           std::ranges::any_of(condition.parts, [&](const Condition& part) { return asks_around(context, part); });
}
} // namespace

bool asks_around(const Context& context, const Rule& rule) {
    if (rule.applies_strategies) return true;
    auto counts = [&](const Term& term) {
        return term.kind == TermKind::Query && context.symbols[term.text] == "uses";
    };
    return std::ranges::any_of(rule.terms, counts) ||
           std::ranges::any_of(rule.conditions, [&](const Condition& c) { return asks_around(context, c); });
}

// -- the indices of a rule base ---------------------------------------------------------------------

std::vector<RuleId> delayed_rules(const RuleBase& base, SymbolId phase) {
    std::vector<RuleId> out;
    for (std::uint32_t i = 0; i < base.rules.size(); ++i)
        if (base.rules[i].at && base.phases[base.rules[i].at.index].name == phase) out.push_back(RuleId{i});
    return out;
}

const RuleIndex& RuleIndices::normalizing() {
    if (normalizing_) return *normalizing_;
    std::vector<RuleId> rules;
    for (RuleSetId set : base_.normalize) rules.insert(rules.end(), base_[set].rules.begin(), base_[set].rules.end());
    return normalizing_.emplace(context_, base_, rules);
}

bool RuleIndices::collect(StrategyId strategy, unsigned depth, std::vector<RuleId>& rules) const {
    constexpr unsigned deepest = 100; // definitions may name themselves
    if (depth > deepest) return false;
    const StrategyNode& s = base_[strategy];
    switch (s.kind) {
    case StrategyNode::Kind::Rules: rules.insert(rules.end(), s.rules.begin(), s.rules.end()); return s.terms.empty();
    case StrategyNode::Kind::Choice: return collect(s.first, depth + 1, rules) && collect(s.second, depth + 1, rules);
    case StrategyNode::Kind::Call: {
        const StrategyDefinition& definition = base_.definitions[s.definition];
        return definition.is_term.empty() && collect(definition.body, depth + 1, rules);
    }
    default: return false;
    }
}

const std::vector<RuleId>* RuleIndices::choice(StrategyId strategy) {
    auto [it, fresh] = choices_.try_emplace(strategy);
    std::vector<RuleId> rules;
    if (fresh && collect(strategy, 0, rules)) it->second = std::move(rules);
    return it->second ? &*it->second : nullptr;
}

const RuleIndex& RuleIndices::of(StrategyId choice) {
    auto [it, fresh] = strategies_.try_emplace(choice);
    if (fresh) it->second = RuleIndex(context_, base_, *this->choice(choice));
    return it->second;
}

const RuleIndex& RuleIndices::asking(StrategyId choice) {
    auto [it, fresh] = asking_.try_emplace(choice);
    std::vector<RuleId> rules;
    if (fresh)
        for (RuleId rule : *this->choice(choice))
            if (asks_around(context_, base_[rule])) rules.push_back(rule);
    if (!rules.empty()) it->second = RuleIndex(context_, base_, rules);
    return it->second;
}

BagPlans& RuleIndices::bags(StrategyId choice) {
    return bags_.try_emplace(choice, context_, base_, *this->choice(choice)).first->second;
}

std::vector<UsedStrategy> RuleIndices::uses(StrategyId strategy) {
    if (!uses_) uses_.emplace(base_);
    return uses_->of(strategy);
}

std::vector<std::uint32_t> RuleIndices::arguments(StrategyId strategy) {
    if (!uses_) uses_.emplace(base_);
    std::vector<std::uint32_t> found;
    for (const UsedStrategy& used : uses_->in(strategy))
        if (base_[used.strategy].kind == StrategyNode::Kind::Argument) found.push_back(base_[used.strategy].number);
    return found;
}

const std::vector<RuleId>& RuleIndices::applied(const Phase& phase) {
    auto [it, fresh] = applied_.try_emplace(phase.strategy);
    if (!fresh) return it->second;
    std::vector<RuleId>& out = it->second;
    const auto add = [&](std::span<const RuleId> rules) {
        for (RuleId rule : rules)
            if (std::ranges::find(out, rule) == out.end()) out.push_back(rule);
    };
    if (!uses_) uses_.emplace(base_);
    for (const UsedStrategy& used : uses_->of(phase.strategy)) {
        if (used.use != StrategyUse::Applies) continue;
        const StrategyNode& s = base_[used.strategy];
        add(s.rules);
        if (s.kind == StrategyNode::Kind::Delayed) add(delayed_rules(base_, phase.name));
    }
    return out;
}

const Triggers& RuleIndices::triggers(const Phase& phase) {
    auto [it, fresh] = triggers_.try_emplace(phase.name);
    if (!fresh) return it->second;
    std::vector<RuleId> rules = applied(phase);
    for (const UsedStrategy& used : uses(phase.strategy))
        if (used.use == StrategyUse::Tries)
            rules.insert(rules.end(), base_[used.strategy].rules.begin(), base_[used.strategy].rules.end());
    it->second = Triggers(base_, phase.strategy, rules);
    return it->second;
}

const RuleIndex& RuleIndices::at(SymbolId phase) {
    auto [it, fresh] = phases_.try_emplace(phase);
    if (fresh) it->second = RuleIndex(context_, base_, delayed_rules(base_, phase));
    return it->second;
}

} // namespace irrewrite
