#include "engine/lint/overlaps.hpp"

#include "engine/check/check_rule.hpp"
#include "engine/lint/critical_pair.hpp"
#include "engine/lint/rule_activity.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

constexpr std::uint32_t most_orders = 3; // commutative operations whose operands are taken crosswise
constexpr std::uint64_t most_shapes = 40, enough_shapes = 3; // lengths of sequences; where they meet
constexpr std::size_t tuples = 8;                            // of literals, where conditions ask for some

// Collects the positions of a left side at which a rule may apply.
void places(const UnrolledPattern& pattern, PieceId id, std::vector<PieceId>& out) {
    using K = PatternNode::Kind;
    id = pattern.find(id);
    const PatternNode& piece = pattern[id];
    if (std::ranges::find(out, id) != out.end()) return;
    if (piece.kind == K::Node || piece.kind == K::Project || piece.kind == K::Call) out.push_back(id);
    for (PieceId operand : piece.operands) places(pattern, operand, out);
    for (const PatternNode::Block& block : piece.blocks)
        for (PieceId result : block.results) places(pattern, result, out);
}

// The operations that the root of a left side may be, to see quickly what cannot be unified.
std::set<OpId> operations_of(const Rule& rule, TermId id) {
    const Term& term = rule[id];
    if (term.kind == TermKind::Named || term.kind == TermKind::Project) return operations_of(rule, term.operands[0]);
    return {term.ops.begin(), term.ops.end()};
}
void operations_in(const Rule& rule, TermId id, std::set<OpId>& out) {
    const Term& term = rule[id];
    out.insert(term.ops.begin(), term.ops.end());
    for (TermId operand : term.operands) operations_in(rule, operand, out);
    for (const BlockTerm& block : term.blocks)
        for (TermId result : block.results) operations_in(rule, result, out);
}

class Pairs {
  public:
    Pairs(Lint& lint, Overlaps& overlaps)
        : lint_(lint), context_(lint.world->context), overlaps_(overlaps), alone_(lint.alone) {
        roots_.resize(alone_.rules.size()), inside_.resize(alone_.rules.size());
        literals_.resize(alone_.rules.size());
    }

    void run() {
        for (std::size_t g = 0; g < lint_.groups.size(); ++g) {
            const Group& group = lint_.groups[g];
            const std::vector<RuleId>& rules = group.alone ? group.rules : group.again;
            for (RuleId rule : rules) prepare(rule);
            for (RuleId rule : group.rules) leave_out(rule);
            for (RuleId outer : rules)
                for (RuleId inner : rules)
                    if (belongs(g, outer, inner)) pair(group, outer, inner);
            for (RuleId a : rules) active_[a].push_back(g);
        }
    }

  private:
    void prepare(RuleId rule) {
        const Rule& r = lint_[rule];
        if (!roots_[rule.index].empty() || r.left.size() != 1 || r.parameters) return;
        roots_[rule.index] = operations_of(r, r.left[0]);
        operations_in(r, r.left[0], inside_[rule.index]);
        for (const Condition& c : r.conditions)
            if (c.kind == Condition::Kind::Match) operations_in(r, c.b, inside_[rule.index]);
        literals_[rule.index] = subject_of(context_, alone_, rule).literals;
    }

    // A rule with several roots has no smallest overlap: one root may overlap while the other is anywhere.
    void leave_out(RuleId rule) {
        auto& several = overlaps_.several;
        if (lint_[rule].left.size() == 1 || !lint_.is_named(lint_[rule].where)) return;
        if (std::ranges::find(several, rule) == several.end()) several.push_back(rule);
    }

    // True if the pair is of the files asked about, and was not treated in another group.
    bool belongs(std::size_t g, RuleId a, RuleId b) {
        const Group& group = lint_.groups[g];
        if (!group.named || lint_.dead.contains(a) || lint_.dead.contains(b) || roots_[a.index].empty() ||
            roots_[b.index].empty())
            return false;
        bool file = lint_.is_named(lint_[a].where) || lint_.is_named(lint_[b].where);
        if (!file && lint_[a].set == lint_[b].set) return false;
        auto &ga = active_[a], &gb = active_[b];
        return std::ranges::none_of(ga, [&](std::size_t i) { return std::ranges::find(gb, i) != gb.end(); });
    }

    void pair(const Group& group, RuleId outer, RuleId inner) {
        auto shared = [&](OpId op) { return inside_[outer.index].contains(op); };
        if (std::ranges::none_of(roots_[inner.index], shared)) return;
        Rule both = combined(lint_[outer], lint_[inner]);
        std::map<std::pair<std::size_t, std::uint32_t>, Kind> seen; // by position and orders, with any lengths
        Kind most = Kind::Nothing;
        for (std::uint64_t shape = 0; shape < shapes(both) && most < Kind::Ordered; ++shape) {
            std::size_t count = count_places(both, shape);
            for (std::size_t place = inner < outer; place < count && most < Kind::Ordered;
                 ++place) { // at the root once for a pair
                std::uint32_t met = 0;
                for (std::uint32_t orders = 0; orders < 1u << std::min(met, most_orders) && most < Kind::Ordered;
                     ++orders) {
                    Kind& known = seen[{place, orders}];
                    if (known == Kind::Met && shape >= enough_shapes) break;
                    Kind kind = one(group, outer, inner, both, {shape, place, orders}, met);
                    known = std::max(known, kind), most = std::max(most, kind);
                }
            }
        }
        for (const auto& [where, kind] : seen) count(kind);
    }

    // The outcome for a pair, in ascending order of information.
    enum class Kind : std::uint8_t { Nothing, Never, Undecided, Met, Ordered, Apart };
    void count(Kind kind) {
        overlaps_.never += kind == Kind::Never;
        overlaps_.undecided += kind == Kind::Undecided;
        overlaps_.met += kind == Kind::Met;
        overlaps_.ordered += kind == Kind::Ordered;
        overlaps_.apart += kind == Kind::Apart;
    }

    // Sequences of other lengths, where there are any.
    static std::uint64_t shapes(const Rule& both) {
        return std::ranges::any_of(both.variables, [](const Variable& v) { return v.sequence; }) ? most_shapes : 1;
    }

    struct Where {
        std::uint64_t shape;
        std::size_t place;
        std::uint32_t orders;
    };

    Choices choices(std::uint64_t shape) const { return shape == 0 ? Choices(Tape{}) : Choices(mix(shape, "overlap")); }

    std::size_t count_places(const Rule& both, std::uint64_t shape) {
        Choices choices = this->choices(shape);
        OpenTypes types(context_.types, choices, palette_);
        UnrolledPattern pattern(context_, lint_.world->functions, both, types);
        if (!pattern.unroll()) return 0;
        std::vector<PieceId> found;
        places(pattern, pattern.roots[0], found);
        return found.size();
    }

    static bool unify(UnrolledPattern& pattern, const Where& where, UnrolledPattern::Unifier& unifier) {
        std::vector<PieceId> found;
        places(pattern, pattern.roots[0], found);
        unifier.orders = where.orders;
        if (where.place >= found.size() || !pattern.unify(found[where.place], pattern.roots[1], unifier)) return false;
        pattern.roots.resize(1);
        return true;
    }

    // `met`: the number of commutative operations.
    Kind one(const Group& group, RuleId outer, RuleId inner, const Rule& both, const Where& where, std::uint32_t& met) {
        UnrolledPattern::Unifier unifier;
        Rule rule = both;
        {
            Choices choices = this->choices(where.shape);
            OpenTypes types(context_.types, choices, palette_);
            UnrolledPattern pattern(context_, lint_.world->functions, both, types);
            if (!pattern.unroll() || !unify(pattern, where, unifier)) {
                met = unifier.met;
                return unifier.undecided ? Kind::Undecided : Kind::Nothing;
            }
            met = unifier.met;
            for (const auto& [variable, piece] : unifier.literals) equate(rule, variable, pattern[piece]);
        }
        std::vector<AttrValue> literals = literals_[outer.index];
        literals.insert(literals.end(), literals_[inner.index].begin(), literals_[inner.index].end());
        // A rule meets itself at its root only with operands taken crosswise.
        if (outer == inner && where.place == 0 && where.orders == 0) return Kind::Nothing;
        LiteralSearch search(context_, rule, literals);
        return look(group, outer, inner, rule, where, search);
    }

    // Adds the condition that two unified pieces are equal.
    void equate(Rule& rule, VariableId variable, const PatternNode& piece) {
        auto sequence = [&](VariableId v) { return v && rule[v].sequence; };
        if (sequence(variable) || sequence(piece.variable) || !piece.term) return;
        Term term;
        term.kind = TermKind::Variable, term.variable = variable;
        Condition condition;
        condition.kind = Condition::Kind::Compare;
        condition.text = context_.symbols.add("==");
        condition.a = TermId{static_cast<std::uint32_t>(rule.terms.size())}, condition.b = piece.term;
        rule.terms.push_back(std::move(term));
        rule.conditions.push_back(std::move(condition));
    }

    Kind look(const Group& group, RuleId outer, RuleId inner, const Rule& rule, const Where& where,
              LiteralSearch& search) {
        using K = TypeKind;
        static const std::vector<K> palettes[] = {{K::I64}, {K::F64}, {K::Bool, K::I64}, {K::U8}, {K::I8}};
        bool conditional = !lint_[outer].conditions.empty() || !lint_[inner].conditions.empty();
        Kind known = Kind::Never;
        for (const std::vector<K>& palette : palettes)
            for (std::size_t k = 0; k < (search.variables().empty() ? 1 : tuples) && (known == Kind::Never || k > 0);
                 ++k) {
                Choices choices = this->choices(where.shape);
                TermStyle style;
                style.palette = {palette, false};
                style.plain = style.symbolic = true;
                style.depth = 1;
                style.search = &search;
                if (!search.variables().empty()) style.pick = LiteralPick{5 * k + 1, 40};
                Function term(context_);
                term.name = context_.symbols.add("term");
                Instance instance(context_, lint_.world->functions, rule, lint_.vocabulary, choices, style, term);
                instance.prepare = [&](UnrolledPattern& pattern) {
                    UnrolledPattern::Unifier unifier;
                    return unify(pattern, where, unifier);
                };
                if (!instance.build(Setting::Alone)) continue;
                switch (CriticalPair(lint_, group, outer, inner).look(std::move(term))) {
                case CriticalPair::Result::None: continue;
                case CriticalPair::Result::Meets: known = std::max(known, Kind::Met); break;
                case CriticalPair::Result::Apart: return Kind::Apart;
                case CriticalPair::Result::Ordered: return Kind::Ordered;
                case CriticalPair::Result::Undecided: known = std::max(known, Kind::Undecided); break;
                }
                if (!conditional) return known;
            }
        return known;
    }

    Lint& lint_;
    Context& context_;
    Overlaps& overlaps_;
    RuleBase alone_;
    Palette palette_;
    std::vector<std::set<OpId>> roots_, inside_;
    std::vector<std::vector<AttrValue>> literals_;
    std::map<RuleId, std::vector<std::size_t>> active_; // in which groups looked at before
};

} // namespace

Overlaps look_at_overlaps(Lint& lint) {
    Overlaps overlaps;
    Pairs(lint, overlaps).run();
    return overlaps;
}

} // namespace irrewrite
