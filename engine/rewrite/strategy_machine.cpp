#include "engine/rewrite/strategy_machine.hpp"

#include "engine/dataflow/dataflow.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/rules/strategy_primitives.hpp"

#include <algorithm>
#include <array>

namespace irrewrite {

using Kind = StrategyNode::Kind;

namespace {

constexpr unsigned max_nesting = 250; // of machines and of `innermost` inside each other, on the C++ stack

constexpr auto remembered = [] { // by kind
    std::array<bool, 256> kinds{};
    for (const PrimitiveStrategy& primitive : primitive_strategies)
        kinds[static_cast<std::uint8_t>(primitive.kind)] = primitive.remembered;
    kinds[static_cast<std::uint8_t>(Kind::Call)] = kinds[static_cast<std::uint8_t>(Kind::RecursionCall)] = true;
    return kinds;
}();

bool is_remembered(Kind kind) { return remembered[static_cast<std::uint8_t>(kind)]; }

} // namespace

// Nothing can fail outside a normal form, so nothing has to be noted there.
StrategyMachine::Result StrategyMachine::run(Closure closure, NodeId node) {
    const StrategyNode& s = state_.base[closure.strategy];
    if (s.kind != Kind::Innermost) return execute(closure, node);
    const StrategyPaths::Path outer = std::exchange(state_.at_work, state_.within(state_.at_work, closure.strategy));
    const Result result = innermost({s.first, closure.environment, false}, node);
    state_.at_work = outer;
    return result;
}

// True if the result is known from an earlier visit, or will never be.
bool StrategyMachine::recall(Frame& frame, Result& returned) {
    if (!frame.closure.once && !is_remembered(state_.base[frame.closure.strategy].kind)) return false;
    Key key{frame.closure, frame.node};
    if (auto it = memory_.find(key); it != memory_.end()) {
        const bool again =
            it->second.bundle && it->second.era != era_; // a rule may bring its own left side back, for ever
        if (again && !state_.spend_again()) {
            returned = std::nullopt;
            return true;
        }
        it.value().era = era_;
        returned = it->second.result;
        journal_.repeat(it->second.bundle);
        return true;
    }
    if (!running_.insert(key).second && state_.log.error.empty()) {
        const std::string rules = state_.busiest();
        state_.log.error = "a strategy calls itself at the same term, and would not end: '" +
                           term_text(graph_, frame.node) + "'" +
                           (rules.empty() ? "" : "; the rules that fired most: " + rules);
    }
    frame.remembered = true;
    frame.asked = frame.node;
    return false;
}

void StrategyMachine::finish(const Frame& frame, const Result& result) {
    if (!result) journal_.roll_back(frame.mark);
    if (result && graph_.has(frame.node, Advances)) rewriter_.lineage().became(frame.node, *result);
    if (!frame.remembered) return;
    Key key{frame.closure, frame.asked};
    running_.erase(key);
    memory_[key] = {result, result ? journal_.bundle(frame.mark) : 0, era_};
}

StrategyMachine::Result StrategyMachine::execute(Closure closure, NodeId node) {
    if (rewriter_.nesting >= max_nesting) {
        state_.log.error = "strategies are nested too deeply in each other";
        return std::nullopt;
    }
    ++rewriter_.nesting;
    Journal::Scope scope(journal_);
    std::vector<Frame> stack;
    Result returned;
    const StrategyPaths::Path outer = state_.at_work;
    auto push = [&](Closure c, NodeId n) {
        const StrategyPaths::Path path = state_.within(stack.empty() ? outer : stack.back().path, c.strategy);
        stack.emplace_back();
        stack.back().closure = c, stack.back().node = n, stack.back().mark = journal_.mark(), stack.back().path = path;
    };
    push(closure, node);
    while (!stack.empty() && state_.log.error.empty()) {
        Frame& frame = stack.back();
        if (frame.step == 0 && !frame.remembered && recall(frame, returned)) {
            stack.pop_back();
            continue;
        }
        state_.at_work = frame.path;
        Action action = step(frame, returned);
        if (auto* finished = std::get_if<Finish>(&action)) {
            if (stack.size() == 1 && finished->result) finished->result = settled(*finished->result);
            finish(frame, finished->result);
            returned = finished->result;
            stack.pop_back();
        } else if (auto* call = std::get_if<Call>(&action)) {
            push(call->closure, call->node);
        } else if (frame.remembered) { // its result is that of what it becomes
            frame.step = UINT32_MAX;
            push(std::get<Become>(action).closure, frame.node);
        } else {
            Journal::Mark mark = frame.mark;
            NodeId n = frame.node;
            const Closure next = std::get<Become>(action).closure;
            const StrategyPaths::Path path = state_.within(frame.path, next.strategy);
            frame = Frame{};
            frame.closure = next, frame.node = n, frame.mark = mark, frame.path = path;
        }
    }
    --rewriter_.nesting;
    state_.at_work = outer;
    if (!state_.log.error.empty()) return std::nullopt;
    return returned;
}

// frame.step says how often the frame was entered; `returned` is what it called last.
StrategyMachine::Action StrategyMachine::step(Frame& frame, const Result& returned) {
    if (frame.step == UINT32_MAX) return Finish{returned}; // from what it became
    if (!state_.log.error.empty()) return Finish{std::nullopt};
    const StrategyNode& s = state_.base[frame.closure.strategy];
    if (frame.closure.once) return outermost(frame, s, returned);
    Replacement same{frame.node, {}};
    switch (s.kind) {
    case Kind::Id: return Finish{same};
    case Kind::Fail: return Finish{std::nullopt};
    case Kind::Rules: return Finish{rules(s, frame.closure, frame.node)};
    case Kind::Delayed: return delayed(frame);
    case Kind::Inline: return Finish{rewriter_.inline_at(frame.node, s.number)};
    case Kind::Unroll: return Finish{rewriter_.unroll_at(frame.node)};
    case Kind::Outline: return Finish{rewriter_.outline_at(frame.node)};
    case Kind::Promote: return Finish{promote(frame.node)};
    case Kind::Delay: rewriter_.delay(s.text, within(frame, s.first), frame.node); return Finish{same};
    case Kind::Sequence: return sequence(frame, s, returned);
    case Kind::Choice: return choice(frame, s, returned);
    case Kind::If:
    case Kind::Not:
    case Kind::Test:
    case Kind::Where: return guard(frame, s, returned);
    case Kind::All:
    case Kind::One:
    case Kind::Some: return children(frame, s, returned);
    case Kind::Child: return child(frame, s, returned);
    case Kind::Congruence: return congruence(frame, s, returned);
    case Kind::Call: return call(frame, s);
    case Kind::Argument: return Become{argument(frame.closure.environment, s.number)};
    case Kind::Recursion: {
        Environment environment{frame.closure.environment, s.number, {{s.first, frame.closure.environment, false}}, {}};
        return Become{{s.first, environments_.add(std::move(environment)), false}};
    }
    case Kind::RecursionCall: return recursion_call(frame, s);
    case Kind::Flow: return Finish{flow(within(frame, s.first), frame.node, s.number == 0)};
    case Kind::Innermost: return Finish{innermost(within(frame, s.first), frame.node)};
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::AllTopDown: return traversal(frame, s, returned);
    case Kind::Outermost: return outermost(frame, s, returned);
    case Kind::Limit: return limit(frame, s, returned);
    case Kind::Memo: return Become{within(frame, s.first)};
    case Kind::Log:
    case Kind::Debug: return log(frame, s, returned);
    case Kind::Choose: return choose(frame, s, returned);
    case Kind::Speculate: return speculate(frame, s, returned);
    case Kind::Saturate: return Finish{saturate(frame, s)};
    }
    return Finish{std::nullopt};
}

StrategyMachine::Result StrategyMachine::compose(const Replacement& first, const Replacement& second) const {
    return Replacement{second.value, graph_.has(first.value, Advances) ? second.token : first.token};
}

// The input of the next strategy: whole functions, with one node for each effect. A strategy that would leave two
// fails.
StrategyMachine::Result StrategyMachine::settled(const Replacement& result) {
    if (!state_.is_root(result.value)) return result;
    const std::optional<NodeId> root = rewriter_.settled(result.value);
    if (!root) return std::nullopt;
    return root == result.value ? result : Replacement{*root, graph_.token(*root)};
}

StrategyMachine::Action StrategyMachine::sequence(Frame& frame, const StrategyNode& s, const Result& returned) {
    switch (frame.step++) {
    case 0: return Call{within(frame, s.first), frame.node};
    case 1:
        if (!returned) return Finish{std::nullopt};
        frame.saved = settled(*returned);
        if (!frame.saved) return Finish{std::nullopt};
        if (frame.saved->value != frame.node) ++era_;
        return Call{within(frame, s.second), frame.saved->value};
    default: return Finish{returned ? compose(*frame.saved, *returned) : std::nullopt};
    }
}

StrategyMachine::Action StrategyMachine::choice(Frame& frame, const StrategyNode& s, const Result& returned) {
    if (frame.step++ == 0) return Call{within(frame, s.first), frame.node};
    if (returned) return Finish{returned};
    return Become{within(frame, s.second)};
}

StrategyMachine::Action StrategyMachine::guard(Frame& frame, const StrategyNode& s, const Result& returned) {
    Replacement same{frame.node, {}};
    if (frame.step++ == 0) return Call{within(frame, s.first), frame.node};
    if (frame.step > 2) return Finish{returned ? compose(*frame.saved, *returned) : std::nullopt};
    switch (s.kind) {
    case Kind::Not: return Finish{returned ? std::nullopt : Result(same)};
    case Kind::Test: journal_.roll_back(frame.mark); return Finish{returned ? Result(same) : std::nullopt};
    case Kind::Where: journal_.roll_back_but_waiting(frame.mark); return Finish{returned ? Result(same) : std::nullopt};
    default: break; // s < t + u
    }
    if (!returned) return Become{within(frame, s.third)};
    frame.saved = settled(*returned);
    if (!frame.saved) {
        journal_.roll_back(frame.mark);
        return Become{within(frame, s.third)};
    }
    return Call{within(frame, s.second), frame.saved->value};
}

// At most so many rewrites. What fails for want of them may succeed elsewhere: nothing is remembered
// outside.
StrategyMachine::Action StrategyMachine::limit(Frame& frame, const StrategyNode& s, const Result& returned) {
    if (frame.step++ == 0) {
        limited_.push_back({state_.limit, std::exchange(memory_, {})});
        state_.limit = std::min(state_.limit, state_.log.rewrites - state_.log.normalizing + s.number);
        return Call{within(frame, s.first), frame.node};
    }
    state_.limit = limited_.back().limit;
    memory_ = std::move(limited_.back().memory);
    limited_.pop_back();
    return Finish{returned};
}

// debug("text"): the text and the term. log("text", s): the text, the term, and what s makes of it.
StrategyMachine::Action StrategyMachine::log(Frame& frame, const StrategyNode& s, const Result& returned) {
    auto show = [&](std::string what) {
        std::string text(s.text ? state_.context.symbols[s.text] : std::string_view{});
        state_.message(frame.node, text + (text.empty() ? "" : ": ") + term_text(graph_, frame.node) + what);
    };
    bool tells_result = s.kind == Kind::Log && state_.base[s.first].kind != Kind::Id;
    if (frame.step++ == 0) {
        if (!tells_result) show("");
        return Call{within(frame, s.first), frame.node};
    }
    if (tells_result) show(returned ? "  =>  " + term_text(graph_, returned->value) : ": fails");
    return Finish{returned};
}

StrategyMachine::Action StrategyMachine::delayed(Frame& frame) { return Finish{rewriter_.apply_waiting(frame.node)}; }

// -- names ------------------------------------------------------------------------------------------

Closure StrategyMachine::argument(EnvironmentId environment, std::uint32_t i) const {
    while (environments_[environment].recursion != Environment::none) environment = environments_[environment].parent;
    return environments_[environment].args[i];
}

StrategyMachine::Action StrategyMachine::call(Frame& frame, const StrategyNode& s) {
    Environment environment;
    for (StrategyId arg : s.args) {
        Closure closure = within(frame, arg);
        // An argument passed on is what it stands for: environments do not grow with recursion.
        while (state_.base[closure.strategy].kind == Kind::Argument)
            closure = argument(closure.environment, state_.base[closure.strategy].number);
        environment.args.push_back(closure);
    }
    if (!terms(s, frame.closure.environment, environment.nodes)) return Finish{std::nullopt};
    return Become{{state_.base.definitions[s.definition].body, environments_.add(std::move(environment)), false}};
}

StrategyMachine::Action StrategyMachine::recursion_call(Frame& frame, const StrategyNode& s) {
    EnvironmentId environment = frame.closure.environment;
    while (environment && environments_[environment].recursion != s.number)
        environment = environments_[environment].parent;
    if (environments_[environment].args.empty()) return Finish{std::nullopt};
    return Become{{environments_[environment].args[0].strategy, environment, false}};
}

StrategyMachine::Result StrategyMachine::rules(const StrategyNode& s, const Closure& closure, NodeId node) {
    if (s.terms.empty()) return rewriter_.apply(rewriter_.indices().of(closure.strategy), node);
    std::vector<NodeId> arguments;
    if (!terms(s, closure.environment, arguments)) return std::nullopt;
    for (RuleId rule : s.rules)
        if (auto result = rewriter_.apply(rule, node, arguments)) return result;
    return std::nullopt;
}

// Arguments that are terms: of the rule that mentions the strategy, or of the definition's parameters.
bool StrategyMachine::terms(const StrategyNode& s, EnvironmentId environment, std::vector<NodeId>& out) {
    if (s.terms.empty()) return true;
    const Rule* rule = s.owner ? &state_.base[s.owner] : rule_;
    if (!rule || (!s.owner && !bindings_)) return false;
    Bindings bindings(s.owner ? rule->variables.size() : 0);
    while (environments_[environment].recursion != Environment::none) environment = environments_[environment].parent;
    for (std::size_t i = 0; i < bindings.size(); ++i)
        bindings[i] = {.bound = true,
                       .items = {environments_[environment].nodes[i]},
                       .holes = {},
                       .block = {},
                       .type = {},
                       .dim = {}};
    Builder builder(graph_);
    Instantiation terms(builder, *rule, s.owner ? bindings : *bindings_, state_.surroundings);
    auto nodes = terms.build(s.terms);
    if (nodes) out = std::move(*nodes);
    return nodes.has_value();
}

} // namespace irrewrite
