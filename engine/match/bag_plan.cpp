#include "engine/match/bag_plan.hpp"

#include "engine/match/operand_order.hpp"
#include "engine/match/rule_index.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

bool names(const Rule& rule, TermId id, VariableId variable);
bool names(const Rule& rule, const std::vector<TermId>& terms, VariableId variable) {
    return std::ranges::any_of(terms, [&](TermId term) { return names(rule, term, variable); });
}
bool names(const Rule& rule, TermId id, VariableId variable) {
    const Term& term = rule[id];
    const auto in_block = [&](const BlockTerm& block) {
        return names(rule, block.results, variable) || names(rule, block.lines, variable);
    };
    return term.variable == variable || names(rule, term.operands, variable) ||
           std::ranges::any_of(term.blocks, in_block);
}
bool names(const Rule& rule, const Condition& condition, VariableId variable) {
    return (condition.a && names(rule, condition.a, variable)) || (condition.b && names(rule, condition.b, variable)) ||
           names(rule, condition.terms, variable) || condition.variable == variable ||
           std::ranges::any_of(condition.parts, [&](const Condition& part) { return names(rule, part, variable); });
}

class Planning {
  public:
    Planning(const Context& context, const Rule& rule, OpId op) : context_(context), rule_(rule), op_(op) {}

    BagPlan operator()(RuleId id) {
        BagPlan plan{id};
        if (!splits_operands()) return plan;
        choose_made(plan);
        const auto may_be_none = [&](TermId made) { return rule_[made].sequence; };
        plan.depends_on_all = plan.kind == BagPlan::Kind::Whole ||
                              (std::ranges::all_of(plan.made, may_be_none) && !context_.operations.accepts(op_, 0));
        if (plan.kind == BagPlan::Kind::Other) return plan;
        plan.parts = in_order({});
        for (BagPlan::Part& part : plan.parts)
            for (const BagPlan::Part& other : plan.parts)
                if (part.known && rule_[other.term].kind != TermKind::Variable)
                    part.depth = std::max(part.depth, depth(other.term, rule_[part.term].variable));
        for (std::size_t i = 0; i < plan.parts.size(); ++i) plan.parts[i].number = i;
        for (const BagPlan::Part& part : plan.parts) {
            BagPlan::Parts parts = in_order(part.term);
            for (BagPlan::Part& other : parts)
                other.number = std::ranges::find(plan.parts, other.term, &BagPlan::Part::term)->number;
            plan.first.push_back(std::move(parts));
        }
        return plan;
    }

  private:
    // One sequence stands beside single parts and says nothing of what it takes; nothing else asks for it.
    bool splits_operands() {
        const Term& root = rule_[rule_.left[0]];
        if (root.kind != TermKind::Node || root.ops.size() != 1 || root.ops[0] != op_ || !root.attrs.empty())
            return false;
        std::vector<TermId> sequences;
        for (TermId id : root.operands) (rule_[id].sequence ? sequences : singles_).push_back(id);
        if (sequences.size() != 1 || singles_.empty()) return false;
        const Term& rest = rule_[sequences[0]];
        if (rest.kind != TermKind::Variable || rest.annotation || rest.annotation_class != TypeClass::Any ||
            rule_[rest.variable].kind != VariableKind::Node)
            return false;
        rest_ = rest.variable;
        const auto asks = [&](const Condition& condition) { return names(rule_, condition, rest_); };
        return !names(rule_, singles_, rest_) && std::ranges::none_of(rule_.conditions, asks) &&
               std::ranges::none_of(singles_, [&](TermId single) { return may_be_nested(rule_[single]); });
    }

    bool may_be_nested(const Term& term) const {
        return term.kind == TermKind::Node && std::ranges::find(term.ops, op_) != term.ops.end();
    }

    void choose_made(BagPlan& plan) const {
        const Term& right = rule_[rule_.right[0]];
        if (right.sequence) return;
        if (!names(rule_, rule_.right, rest_)) {
            plan.kind = BagPlan::Kind::Whole;
            return;
        }
        if (right.kind != TermKind::Node || right.ops.size() != 1 || right.ops[0] != op_ || right.line) return;
        unsigned times = 0;
        for (TermId operand : right.operands) {
            const Term& term = rule_[operand];
            const bool is_rest = term.kind == TermKind::Variable && term.sequence && term.variable == rest_;
            times += is_rest;
            if (!is_rest) plan.made.push_back(operand);
        }
        if (times == 1 && !names(rule_, plan.made, rest_)) plan.kind = BagPlan::Kind::Others;
    }

    bool is_known(const Term& term) const {
        return term.kind == TermKind::Variable && !rule_[term.variable].sequence && bound_[term.variable.index];
    }

    BagPlan::Parts in_order(TermId first) {
        BagPlan::Parts parts;
        std::vector<TermId> left = singles_;
        bound_.assign(rule_.variables.size(), false);
        const auto is_bound = [&](const Term& term) { return is_known(term); };
        while (!left.empty()) {
            const auto next =
                first && parts.empty()
                    ? std::ranges::find(left, first)
                    : std::ranges::min_element(left, {}, [&](TermId id) { return freedom(rule_, id, is_bound); });
            parts.push_back(part(*next, left));
            bind(*next);
            left.erase(next);
        }
        return parts;
    }

    BagPlan::Part part(TermId id, const std::vector<TermId>& left) const {
        const Term& term = rule_[id];
        BagPlan::Part part{.term = id, .operations = operations(id)};
        part.known = is_known(term), part.ground = is_ground(id);
        if (term.kind == TermKind::Variable && !part.known)
            part.equal = static_cast<std::uint32_t>(std::ranges::count_if(left, [&](TermId other) {
                return rule_[other].kind == TermKind::Variable && rule_[other].variable == term.variable;
            }));
        return part;
    }

    // 0: the variable does not stand in it.
    unsigned depth(TermId id, VariableId variable) const {
        unsigned deepest = 0;
        for (TermId operand : rule_[id].operands) {
            const unsigned below = depth(operand, variable);
            if (below || rule_[operand].variable == variable) deepest = std::max(deepest, below + 1);
        }
        return deepest || rule_[id].blocks.empty() ? deepest : 2;
    }

    std::vector<OpId> operations(TermId id) const {
        const Term& term = rule_[id];
        if (term.kind == TermKind::Named) return operations(term.operands[0]);
        const bool is_literal = term.kind == TermKind::Number ||
                                (term.kind == TermKind::Variable &&
                                 rule_[term.variable].kind == VariableKind::Literal && !rule_[term.variable].compound);
        return is_literal ? std::vector{Operations::core(Core::Literal)}
               : term.kind == TermKind::Node || term.kind == TermKind::Struct || term.kind == TermKind::Call
                   ? root_operations(rule_, id)
                   : std::vector<OpId>{};
    }

    // An operation of one type, on operands in their order, all of them known.
    bool is_ground(TermId id) const {
        const Term& term = rule_[id];
        if (term.kind == TermKind::Variable)
            return is_known(term) && !term.annotation && term.annotation_class == TypeClass::Any;
        if (term.kind != TermKind::Node || term.ops.size() != 1 || !term.attrs.empty() || !term.blocks.empty() ||
            term.sequence)
            return false;
        const Operation& operation = context_.operations[term.ops[0]];
        return !operation.commutative() && operation.core == Core::None && operation.attributes.empty() &&
               !operation.takes_token() && operation.signature.blocks.empty() &&
               term.operands.size() <= BagPlan::most_ground && operation.signature.results.size() == 1 &&
               operation.signature.results[0].kind == TypeTerm::Kind::Known &&
               std::ranges::all_of(term.operands, [&](TermId operand) { return is_ground(operand); });
    }

    void bind(TermId id) {
        const Term& term = rule_[id];
        if (term.variable) bound_[term.variable.index] = true;
        for (TermId operand : term.operands) bind(operand);
        for (const AttrTerm& attr : term.attrs)
            if (attr.variable) bound_[attr.variable.index] = true;
        for (const BlockTerm& block : term.blocks)
            for (TermId result : block.results) bind(result);
    }

    const Context& context_;
    const Rule& rule_;
    OpId op_;
    std::vector<TermId> singles_;
    VariableId rest_;
    std::vector<bool> bound_;
};

} // namespace

bool BagPlan::may_take(OpId op) const {
    return std::ranges::any_of(parts, [&](const Part& part) {
        return part.operations.empty() || std::ranges::find(part.operations, op) != part.operations.end();
    });
}

const std::vector<BagPlan>& BagPlans::of(OpId op) {
    const auto [at, is_new] = plans_.try_emplace(op);
    for (std::size_t i = 0; is_new && i < rules_.size(); ++i) {
        const Rule& rule = base_[rules_[i]];
        if (rule.left.size() != 1 || rule.parameters) continue;
        const std::vector<OpId> roots = root_operations(rule, rule.left[0]);
        if (std::ranges::find(roots, op) != roots.end())
            at->second.push_back(plan_for_bag(context_, base_, rules_[i], op));
    }
    return at->second;
}

BagPlan plan_for_bag(const Context& context, const RuleBase& base, RuleId id, OpId op) {
    const Rule& rule = base[id];
    const bool is_plain = rule.left.size() == 1 && rule.right.size() == 1 && !rule.parameters && !rule.at &&
                          rule.lines.empty() && !asks_around(context, rule) && rule.places.empty();
    return is_plain ? Planning(context, rule, op)(id) : BagPlan{id};
}

} // namespace irrewrite
