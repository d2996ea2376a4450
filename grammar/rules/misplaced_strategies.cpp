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
        bool kept = true;        // what is delayed here is not taken back
        bool is_all = true;      // of what a phase does, or of what one of several that it chooses from does
        bool is_limited = false; // by a limit that counts what is rewritten at nodes

        Here with(const StrategyArguments& given) const { return {given, at, recursions, kept, is_all, is_limited}; }
        Here within(const Recursions& inner) const { return {arguments, at, &inner, kept, false, is_limited}; }
        Here to(At there) const { return {arguments, there, recursions, kept, is_all, is_limited}; }
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
        for (const auto& [where, found] : found_) {
            const StrategyNode& s = base_[StrategyId{where}];
            if (found.useless && !found.useful) say(s, found);
            if (found.is_limited)
                loading_.diagnostics.warning(
                    s.where, "'limit' does not count rules of several roots of " + name(s) + " here",
                    "they run after the others, over the whole function: a limit that is all of a phase, 'phase p = "
                    "limit(n, s)', counts them");
        }
    }

  private:
    struct Found {
        bool useful = false;
        bool useless = false;
        bool taken_back = false;
        bool allows_none = false; // a limit of no rewrites
        bool is_limited = false;  // rules of several roots, which that limit does not count
        At at = At::Function;
    };
    static constexpr unsigned deepest = 200;
    static constexpr std::size_t most_steps = 100'000; // definitions may call themselves

    void look(const Condition& condition) {
        if (condition.kind == Condition::Kind::Strategy) look(condition.strategy, {none_, At::Node, nullptr});
        for (const Condition& part : condition.parts) look(part);
    }

    // Those of several roots run in passes of their own, wherever their set stands.
    bool has_several_roots(RuleId id) const { return base_[id].left.size() != 1; }
    bool has_several_roots(const StrategyNode& s) const {
        return std::ranges::any_of(s.rules, [&](RuleId rule) { return has_several_roots(rule); });
    }
    bool matches_functions(RuleId id) const {
        const Rule& rule = base_[id];
        if (rule.is_of_functions()) return true;
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
        case Kind::Limit:
        case Kind::Saturate: return s.number == 0;
        case Kind::Rules:
            return !std::ranges::all_of(s.rules, [&](RuleId rule) { return has_several_roots(rule); }) &&
                   std::ranges::none_of(s.rules, [&](RuleId rule) {
                       if (has_several_roots(rule)) return false;
                       return function ? matches_functions(rule) : matches_nodes(rule);
                   });
        default: return false;
        }
    }

    template <class Then> void within(const StrategyNode& s, const Here& here, Then&& then) const {
        switch (s.kind) {
        case Kind::Call: {
            const StrategyArguments given{&s, &here.arguments};
            return then(base_.definitions[s.definition].body, here.with(given));
        }
        case Kind::Argument:
            return here.arguments.resolve(
                s, [&](StrategyId given, const StrategyArguments& outer) { then(given, here.with(outer)); });
        case Kind::Recursion: {
            const Recursions inner{&s, &here.arguments, here.at, here.recursions};
            return then(s.first, here.within(inner));
        }
        case Kind::RecursionCall:
            for (const Recursions* r = here.recursions; r; r = r->outer) {
                if (r->recursion->number != s.number) continue;
                if (r->at == here.at || r->at == At::Node) return; // it is looked at already
                const Recursions inner{r->recursion, r->arguments, here.at, r};
                return then(r->recursion->first, here.with(*r->arguments).within(inner));
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
        const auto part = [&](StrategyId of, At at) { return failing(of, here.to(at), depth + 1); };
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
            Here there = here.to(at);
            there.kept &= kept;
            const bool passes = s.kind == Kind::Limit || s.kind == Kind::Choose || s.kind == Kind::Speculate;
            there.is_limited |= s.kind == Kind::Limit && !here.is_all;
            there.is_all &= passes && at == here.at;
            look(of, there, depth + 1);
        };
        switch (s.kind) {
        case Kind::Rules:
            if (here.is_limited && has_several_roots(s)) found_[id.index].is_limited = true;
            found_[id.index].useful = true;
            return;
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
        Here there = here;
        there.kept = true, there.is_all = false;
        look(base_[id].first, there, depth + 1);
    }

    void note_useless(StrategyId leaf, const Here& here) {
        Found& found = found_[leaf.index];
        const StrategyNode& s = base_[leaf];
        if (!found.useless) found.at = at_of(s, here.at);
        found.allows_none = s.kind == Kind::Limit || s.kind == Kind::Saturate;
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
        const bool some = s.kind == Kind::Rules && has_several_roots(s); // they fire
        const std::string nothing = some ? "of " + name(s) + " only rules of several roots can fire here: "
                                         : name(s) + " can do nothing here: ";
        const auto warn = [&](const std::string& what, std::string help) {
            loading_.diagnostics.warning(s.where, nothing + what, std::move(help));
        };
        if (found.taken_back)
            return warn("what it registers under 'not' or 'test' is taken back",
                        "'where' keeps it; or write it behind the test, 'test(s) ; delay(p, t)'");
        if (found.allows_none)
            return warn(s.kind == Kind::Limit ? "it allows no rewrite" : "it builds no term",
                        "write the number that there may be; the strategy 'id' changes nothing, and says so");
        if (found.at == At::Node)
            return warn(some ? "the others work on whole functions, and are applied at one node"
                             : "it works on a whole function, and is applied at one node",
                        "apply it to the function: it is the strategy of a phase, or a step of one, 's ; t'");
        const std::string here = s.kind == Kind::Congruence                         ? "it is a node of that operation"
                                 : s.kind == Kind::Inline || s.kind == Kind::Unroll ? "it works at a call"
                                 : some                                             ? "the others work at one node"
                                                                                    : "it works at one node";
        warn(here + (some ? ", and are applied" : ", and is applied") + " to a whole function",
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
