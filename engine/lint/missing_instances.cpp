#include "engine/lint/missing_instances.hpp"

#include "engine/check/check_rule.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/lint/rule_activity.hpp"
#include "engine/match/conditions.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr std::uint64_t tries = 400; // instances of a rule, or of a subterm of it

// Calls f for all subterms of a term, in patterns and blocks, too.
template <class F> void for_each_term(const Rule& rule, TermId id, F&& f) {
    if (!id) return;
    const Term& term = rule[id];
    f(id, term);
    for (TermId operand : term.operands) for_each_term(rule, operand, f);
    for (const BlockTerm& block : term.blocks)
        for (TermId result : block.results) for_each_term(rule, result, f);
}

template <class F> void for_each_term(const Rule& rule, const Condition& condition, F&& f) {
    for_each_term(rule, condition.a, f), for_each_term(rule, condition.b, f);
    for (TermId term : condition.terms) for_each_term(rule, term, f);
    for (const Condition& part : condition.parts) for_each_term(rule, part, f);
}

std::set<VariableId> variables_of(const Rule& rule, const Condition& condition) {
    std::set<VariableId> out;
    if (condition.variable) out.insert(condition.variable);
    for_each_term(rule, condition, [&](TermId, const Term& term) {
        if (term.variable) out.insert(term.variable);
        for (const AttrTerm& attribute : term.attrs)
            if (attribute.variable) out.insert(attribute.variable);
    });
    return out;
}

// A rule with less of what it says, and instances of that.
class Weaker {
  public:
    Weaker(Lint& lint, RuleBase& alone, Rule rule)
        : lint_(lint), context_(lint.world->context), alone_(alone), rule_(std::move(rule)) {}

    // Calls f with an instance and a matcher for each node at which the left side matches and the conditions hold,
    // until f says that it has seen enough. False: it never did.
    template <class F> bool any(F&& f) {
        alone_.rules.push_back(rule_);
        Subject subject = subject_of(context_, alone_, RuleId{static_cast<std::uint32_t>(alone_.rules.size() - 1)});
        for (std::uint64_t k = 0; k < tries; ++k) {
            auto made = instance_of(lint_, rule_, *subject.search, k);
            if (!made) continue;
            if (!sample_) sample_ = *made;
            if (matches(*made, f)) return true;
        }
        return false;
    }
    bool any() {
        return any([](Rewriter&, Matcher&, Builder&, NodeId) { return true; });
    }

    // The first instance that was made, whatever became of it.
    const std::optional<Function>& sample() const { return sample_; }

  private:
    template <class F> bool matches(Function& function, F&& f) {
        RewriteLog log;
        Rewriter rewriter(context_, alone_, function, {}, log);
        const Lint::Functions functions(lint_, rewriter);
        Builder builder(function.graph);
        for (NodeId node : reachable(function.graph, roots(function))) {
            Matcher matcher(function.graph, rule_);
            Conditions conditions(builder, rule_, matcher, rewriter.surroundings());
            const auto seen = [&] { return f(rewriter, matcher, builder, node); };
            const auto hold = [&] { return conditions.hold(0, seen); };
            if (matcher.root(0, node, hold)) return true;
        }
        return false;
    }

    Lint& lint_;
    Context& context_;
    RuleBase& alone_;
    Rule rule_;
    std::optional<Function> sample_;
};

class Search {
  public:
    Search(Lint& lint, RuleBase& alone, RuleId rule)
        : lint_(lint), context_(lint.world->context), alone_(alone), rule_(lint[rule]) {}

    MissingInstance run() {
        if (!holds(0)) return left_side();
        for (std::size_t count = 1; count <= rule_.conditions.size(); ++count)
            if (!holds(count)) return conditions(count);
        return right_side();
    }

  private:
    std::string text(Span where) const { return "'" + std::string(context_.sources.text(where)) + "'"; }

    // With the first conditions alone.
    bool holds(std::size_t count) {
        Rule rule = rule_;
        rule.conditions.resize(count);
        return Weaker(lint_, alone_, std::move(rule)).any();
    }

    // -- conditions: as few as can be of which no instance is found

    MissingInstance conditions(std::size_t count) {
        std::vector<Condition> left(rule_.conditions.begin(),
                                    rule_.conditions.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::size_t i = left.size() - 1; i-- > 0;) {
            if (is_needed(left, i)) continue;
            Rule rule = rule_;
            rule.conditions = left;
            rule.conditions.erase(rule.conditions.begin() + static_cast<std::ptrdiff_t>(i));
            if (!Weaker(lint_, alone_, rule).any()) left = rule.conditions;
        }
        std::vector<std::string> texts;
        for (const Condition& condition : left)
            if (std::string said = text(condition.where); std::ranges::find(texts, said) == texts.end())
                texts.push_back(std::move(said));
        if (texts.size() == 1) return {"no instance was found for which its condition " + texts[0] + " holds"};
        std::string all = texts[0];
        for (std::size_t i = 1; i < texts.size(); ++i) all += (i + 1 < texts.size() ? ", " : " and ") + texts[i];
        return {"no instance was found for which its conditions " + all + " hold"};
    }

    // True if it binds a variable that later conditions ask about.
    bool is_needed(const std::vector<Condition>& all, std::size_t i) const {
        using K = Condition::Kind;
        if (all[i].kind != K::Build && all[i].kind != K::Match && all[i].kind != K::Strategy && all[i].kind != K::Ask)
            return false;
        const std::set<VariableId> bound = variables_of(rule_, all[i]);
        for (std::size_t k = i + 1; k < all.size(); ++k)
            for (VariableId v : variables_of(rule_, all[k]))
                if (bound.contains(v)) return true;
        return false;
    }

    // -- the left side: its smallest subterm for which no term is found

    MissingInstance left_side() {
        std::vector<TermId> parts;
        for_each_term(rule_, rule_.left[0], [&](TermId id, const Term&) { parts.push_back(id); });
        std::reverse(parts.begin(), parts.end());
        for (TermId part : parts) {
            if (!stands_alone(part)) continue;
            Rule rule = rule_;
            rule.left = {part}, rule.conditions.clear();
            Weaker weaker(lint_, alone_, rule);
            if (!weaker.any()) return no_term(part, weaker.sample());
        }
        return no_term(rule_.left[0], {});
    }

    // A node without parameters of blocks around it.
    bool stands_alone(TermId id) const {
        if (rule_[id].kind != TermKind::Node && rule_[id].kind != TermKind::Project) return false;
        std::set<VariableId> params;
        bool closed = true;
        for_each_term(rule_, id, [&](TermId, const Term& term) {
            for (const BlockTerm& block : term.blocks) params.insert(block.params.begin(), block.params.end());
        });
        for_each_term(rule_, id, [&](TermId, const Term& term) {
            if (term.variable && rule_[term.variable].kind == VariableKind::Param)
                closed = closed && params.contains(term.variable);
        });
        return closed;
    }

    MissingInstance no_term(TermId id, const std::optional<Function>& sample) const {
        MissingInstance out{"no program was found with " + text(rule_[id].where), {}};
        if (const OpId op = effect_inside(id)) {
            out.lines.push_back("note: '" + name(op) + "' has effects, but blocks of '" + name(rule_[id].ops[0]) +
                                "' must not have effects that are visible outside");
        } else if (sample && !sample->results.empty()) {
            out.lines.push_back("note: such a term is " + term(*sample) + " as soon as it is built");
        } else {
            out.lines.push_back("note: the types of its parts never fit together");
        }
        return out;
    }

    std::string term(const Function& function) const {
        const NodeId result = function.results[0];
        return (function.graph.is_literal(result) ? "the literal '" : "'") + term_text(function.graph, result) + "'";
    }
    std::string name(OpId op) const { return std::string(context_.symbols[context_.operations[op].name]); }

    // An operation with an effect that is seen outside, in a block of one that is pure.
    OpId effect_inside(TermId id) const {
        OpId found;
        if (rule_[id].ops.empty() || !context_.operations[rule_[id].ops[0]].has(Trait::Pure)) return found;
        for (const BlockTerm& block : rule_[id].blocks)
            for (TermId result : block.results)
                for_each_term(rule_, result, [&](TermId, const Term& term) {
                    for (OpId op : term.ops)
                        if (context_.operations[op].has(Trait::Io)) found = op;
                });
        return found;
    }

    // -- the right side: the conditions hold

    MissingInstance right_side() {
        bool same = true, fails = true;
        Weaker(lint_, alone_, rule_).any([&](Rewriter& rewriter, Matcher& matcher, Builder& builder, NodeId node) {
            Instantiation terms(builder, rule_, matcher.bindings, rewriter.surroundings());
            const auto made = terms.build(rule_.right);
            fails = fails && !made;
            same = same && made && made->size() == 1 && made->front() == node;
            return !same && !fails;
        });
        if (same) return {"its right side is always the same node as its left side"};
        if (!fails) return {"no instance was found whose right side has the type of the left side"};
        for (const TermId root : rule_.right) {
            std::optional<Span> where;
            for_each_term(rule_, root, [&](TermId, const Term& term) {
                if (term.kind == TermKind::Compute || term.kind == TermKind::Strategy) where = term.where;
            });
            if (where) return {"no instance was found at which " + text(*where) + " of its right side can be computed"};
        }
        return {"no instance was found at which its right side can be built"};
    }

    Lint& lint_;
    Context& context_;
    RuleBase& alone_;
    const Rule rule_;
};

} // namespace

MissingInstance why_no_instance(Lint& lint, RuleBase& alone, RuleId rule) { return Search(lint, alone, rule).run(); }

} // namespace irrewrite
