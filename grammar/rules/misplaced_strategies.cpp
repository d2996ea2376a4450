#include "grammar/rules/failing_roots.hpp"

#include "engine/rules/strategy_primitives.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace irrewrite::grammar {

namespace {

enum class At : std::uint8_t { Function, Node };

// The bodies of the recursions around, and what they were begun at.
struct Recursions {
    const StrategyNode* recursion = nullptr;
    const StrategyArguments* arguments = nullptr;
    At at = At::Function;
    const Recursions* outer = nullptr;
};

// Follows each strategy from the function, or from the node of a rule, to what it applies. What is found useless wherever
// it is reached is reported. An operation stands below a function, a call too; a whole function is `pack` of its results.
class Misplaced {
    using Kind = StrategyNode::Kind;
    struct Here {
        const StrategyArguments& arguments;
        At at;
        const Recursions* recursions;
        bool kept = true; // what is delayed here is not taken back
    };

  public:
    explicit Misplaced(Loading& loading) : loading_(loading), base_(loading.base) {
        for (const StrategyNode& s : base_.strategies)
            if (s.kind == Kind::Delay) delays_.insert(s.text);
        for (const Rule& rule : base_.rules)
            if (rule.at && rule.is_of_functions()) delays_.insert(base_.phases[rule.at.index].name);
    }

    void report() {
        for (const Phase& phase : base_.phases) {
            phase_ = phase.name;
            look(phase.strategy, {none_, At::Function, nullptr});
        }
        phase_ = {};
        for (const Rule& rule : base_.rules) {
            for (const Term& term : rule.terms)
                if (term.kind == TermKind::Strategy) look(term.strategy, {none_, At::Node, nullptr});
            for (const Condition& condition : rule.conditions) look(condition);
        }
        if (steps_ == most_steps) return;
        for (const auto& [where, found] : found_)
            if (found.useless && !found.useful) say(base_[StrategyId{where}], found);
    }

  private:
    struct Found {
        bool useful = false;
        bool useless = false;
        bool taken_back = false;
        At at = At::Function;
    };
    static constexpr unsigned deepest = 200;
    static constexpr std::size_t most_steps = 100'000; // definitions may call themselves

    void look(const Condition& condition) {
        if (condition.kind == Condition::Kind::Strategy) look(condition.strategy, {none_, At::Node, nullptr});
        for (const Condition& part : condition.parts) look(part);
    }

    bool matches_functions(RuleId id) const {
        const Rule& rule = base_[id];
        if (rule.is_of_functions() || rule.left.size() != 1) return true; // those of several roots run in passes
        const Term& root = rule.terms[rule.left[0].index];
        const auto packs = [](OpId op) { return op == Operations::core(Core::Pack); };
        return root.kind != TermKind::Node || std::ranges::any_of(root.ops, packs);
    }
    bool matches_nodes(RuleId id) const { return !base_[id].is_of_functions(); }

    // It fails at each such place; a leaf: what it applies.
    bool is_useless(const StrategyNode& s, At at) const {
        const bool function = at == At::Function;
        switch (s.kind) {
        case Kind::Promote:
        case Kind::Flow: return !function;
        case Kind::Inline:
        case Kind::Unroll:
        case Kind::Outline: return function;
        case Kind::Delayed: return function && !delays_.contains(phase_);
        case Kind::Congruence: return function && s.op != Operations::core(Core::Pack);
        case Kind::Rules:
            return !s.rules.empty() && std::ranges::none_of(s.rules, [&](RuleId rule) {
                return function ? matches_functions(rule) : matches_nodes(rule);
            });
        default: return false;
        }
    }

    template <class Then> void within(const StrategyNode& s, const Here& here, Then&& then) const {
        switch (s.kind) {
        case Kind::Call: {
            const StrategyArguments given{&s, &here.arguments};
            return then(base_.definitions[s.definition].body, Here{given, here.at, here.recursions, here.kept});
        }
        case Kind::Argument:
            return here.arguments.resolve(s, [&](StrategyId given, const StrategyArguments& outer) {
                then(given, Here{outer, here.at, here.recursions, here.kept});
            });
        case Kind::Recursion: {
            const Recursions inner{&s, &here.arguments, here.at, here.recursions};
            return then(s.first, Here{here.arguments, here.at, &inner, here.kept});
        }
        case Kind::RecursionCall:
            for (const Recursions* r = here.recursions; r; r = r->outer) {
                if (r->recursion->number != s.number) continue;
                if (r->at == here.at || r->at == At::Node) return; // it is looked at already
                const Recursions inner{r->recursion, r->arguments, here.at, r};
                return then(r->recursion->first, Here{*r->arguments, here.at, &inner, here.kept});
            }
            return;
        default: return;
        }
    }

    // The strategy for which it fails at each such place: `parts` in the order in which they fail.
    StrategyId failing(StrategyId id, const Here& here, unsigned depth = 0) const {
        if (!id || depth == deepest || ++steps_ >= most_steps) return {};
        const StrategyNode& s = base_[id];
        if (is_useless(s, here.at)) return id;
        const auto part = [&](StrategyId of, At at) {
            return failing(of, Here{here.arguments, at, here.recursions, here.kept}, depth + 1);
        };
        const auto both = [&](StrategyId first, StrategyId second) { return first && second ? first : StrategyId{}; };
        const auto either = [&](StrategyId first, StrategyId second) { return first ? first : second; };
        switch (s.kind) {
        case Kind::Sequence: return either(part(s.first, here.at), part(s.second, here.at));
        case Kind::Choice:
        case Kind::Choose: return both(part(s.first, here.at), part(s.second, here.at));
        case Kind::If: return both(either(part(s.first, here.at), part(s.second, here.at)), part(s.third, here.at));
        case Kind::Test:
        case Kind::Where:
        case Kind::Limit:
        case Kind::Memo:
        case Kind::Speculate:
        case Kind::TopDown:
        case Kind::BottomUp: return part(s.first, here.at);
        case Kind::All: return here.at == At::Function ? part(s.first, At::Node) : StrategyId{};
        case Kind::One:
        case Kind::Some:
        case Kind::Child: return part(s.first, At::Node);
        case Kind::Call:
        case Kind::Argument:
        case Kind::Recursion: {
            StrategyId found{};
            within(s, here, [&](StrategyId next, const Here& there) { found = failing(next, there, depth + 1); });
            return found;
        }
        default: return {};
        }
    }

    void look(StrategyId id, const Here& here, unsigned depth = 0) {
        if (!id || depth == deepest || ++steps_ >= most_steps) return;
        if (const StrategyId leaf = failing(id, here)) return note_useless(leaf, here);
        const StrategyNode& s = base_[id];
        const auto part = [&](StrategyId of, At at, bool kept = true) {
            look(of, Here{here.arguments, at, here.recursions, here.kept && kept}, depth + 1);
        };
        switch (s.kind) {
        case Kind::Rules:
        case Kind::Promote:
        case Kind::Inline:
        case Kind::Unroll:
        case Kind::Outline:
        case Kind::Delayed: found_[id.index].useful = true; return;
        case Kind::Delay: return look_at_delay(id, here, depth);
        case Kind::Flow: found_[id.index].useful = true; return part(s.first, At::Node);
        case Kind::All:
        case Kind::One:
        case Kind::Some:
        case Kind::Child: return part(s.first, At::Node);
        case Kind::Congruence:
            found_[id.index].useful = true;
            for (StrategyId argument : s.args) part(argument, At::Node);
            return;
        case Kind::Innermost:
        case Kind::Outermost:
        case Kind::TopDown:
        case Kind::BottomUp:
        case Kind::AllTopDown:
            if (here.at == At::Function) part(s.first, At::Function);
            return part(s.first, At::Node);
        case Kind::Saturate: return part(s.first, At::Node);
        case Kind::Not:
        case Kind::Test: return part(s.first, here.at, false);
        case Kind::Call:
        case Kind::Argument:
        case Kind::Recursion:
        case Kind::RecursionCall:
            return within(s, here, [&](StrategyId next, const Here& there) { look(next, there, depth + 1); });
        default:
            for (StrategyId next : {s.first, s.second, s.third}) part(next, here.at);
        }
    }

    // It fires at the same node, and then keeps what it delays.
    void look_at_delay(StrategyId id, const Here& here, unsigned depth) {
        Found& found = found_[id.index];
        (here.kept ? found.useful : found.useless) = true;
        found.taken_back |= !here.kept;
        look(base_[id].first, Here{here.arguments, here.at, here.recursions, true}, depth + 1);
    }

    void note_useless(StrategyId leaf, const Here& here) {
        Found& found = found_[leaf.index];
        if (!found.useless) found.at = at_of(base_[leaf], here.at);
        found.useless = true;
    }
    // The place at which a leaf fails: what contains it may fail at another one.
    At at_of(const StrategyNode& leaf, At at) const {
        return is_useless(leaf, At::Function) == is_useless(leaf, At::Node) ? at
               : is_useless(leaf, At::Function)                             ? At::Function
                                                                            : At::Node;
    }

    std::string name(const StrategyNode& s) const {
        if (const PrimitiveStrategy* primitive = find_primitive_strategy(s.kind)) {
            return quoted(s.kind == Kind::Flow && s.number ? "cautious-flow" : primitive->name);
        }
        if (s.kind == Kind::Congruence) return quoted(loading_.context.symbols[loading_.context.operations[s.op].name]);
        const Source& source = loading_.context.sources[s.where.source];
        return quoted(std::string_view(source.text).substr(s.where.begin, s.where.end - s.where.begin));
    }

    void say(const StrategyNode& s, const Found& found) {
        const std::string nothing = name(s) + " can do nothing here: ";
        const auto warn = [&](const std::string& what, std::string help) {
            loading_.diagnostics.warning(s.where, nothing + what, std::move(help));
        };
        if (found.taken_back)
            return warn("what it registers under 'not' or 'test' is taken back",
                        "'where' keeps it; or write it behind the test, 'test(s) ; delay(p, t)'");
        if (found.at == At::Node)
            return warn("it works on a whole function, and is applied at one node",
                        "apply it to the function: it is the strategy of a phase, or a step of one, 's ; t'");
        const std::string here = s.kind == Kind::Congruence                         ? "it is a node of that operation"
                                 : s.kind == Kind::Inline || s.kind == Kind::Unroll ? "it works at a call"
                                                                                    : "it works at one node";
        warn(here + ", and is applied to a whole function",
             "apply it at the nodes below: 'innermost(s)', 'topdown(try(s))', or 'all(s)' at the results");
    }

    Loading& loading_;
    const RuleBase& base_;
    const StrategyArguments none_{};
    SymbolId phase_{};
    std::set<SymbolId> delays_;            // phases to which strategies or rules on whole functions are delayed
    std::map<std::uint32_t, Found> found_; // by strategy
    mutable std::size_t steps_ = 0;
};

} // namespace

void report_misplaced_strategies(Loading& loading) { Misplaced(loading).report(); }

} // namespace irrewrite::grammar
