#include "engine/strategies.hpp"

#include "engine/flow.hpp"
#include "engine/live.hpp"
#include "engine/reach.hpp"
#include "engine/term_text.hpp"

#include <algorithm>
#include <iostream>

namespace irrewrite {

using Kind = StrategyNode::Kind;

std::optional<Replacement> Machine::run(StrategyId strategy, NodeId node) { return execute({strategy, 0, false}, node); }

bool Machine::remembers(Kind kind) const {
    switch (kind) {
    case Kind::Call:
    case Kind::RecursionCall:
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::AllTopDown:
    case Kind::Outermost:
    case Kind::Memo: return true;
    default: return false;
    }
}

Machine::Result Machine::execute(Closure closure, NodeId node) {
    std::vector<Frame> stack;
    Result returned;
    auto push = [&](Closure c, NodeId n) {
        stack.emplace_back();
        stack.back().closure = c, stack.back().node = n;
    };
    push(closure, node);
    while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.step == 0 && !frame.remembered &&
            (frame.closure.once || remembers(rewriter_.base_[frame.closure.strategy].kind))) {
            Key key{frame.closure.strategy, frame.closure.env, frame.closure.once, frame.node};
            if (auto it = memory_.find(key); it != memory_.end()) {
                returned = it->second;
                stack.pop_back();
                continue;
            }
            if (!running_.emplace(key, true).second) {
                rewriter_.log_.error = "a strategy comes back to itself at the same term";
                return std::nullopt;
            }
            frame.remembered = true, frame.key = key;
        }
        if (rewriter_.stopped()) return std::nullopt;
        Action action = step(frame, returned);
        if (auto* finish = std::get_if<Finish>(&action)) {
            if (frame.remembered) memory_[frame.key] = finish->result, running_.erase(frame.key);
            returned = finish->result;
            stack.pop_back();
        } else if (auto* call = std::get_if<Call>(&action)) {
            push(call->closure, call->node);
        } else if (frame.remembered) { // its result is that of what it becomes
            if (frame.step == UINT32_MAX) {
                memory_[frame.key] = returned, running_.erase(frame.key);
                stack.pop_back();
            } else {
                frame.step = UINT32_MAX;
                push(std::get<Become>(action).closure, frame.node);
            }
        } else {
            NodeId n = frame.node;
            frame = Frame{};
            frame.closure = std::get<Become>(action).closure, frame.node = n;
        }
    }
    return returned;
}

// frame.step says how often the frame was entered; `returned` is what it called last.
Machine::Action Machine::step(Frame& frame, const Result& returned) {
    if (frame.step == UINT32_MAX) return Become{}; // returned from what it became
    if (frame.closure.once) return outermost(frame, rewriter_.base_[frame.closure.strategy], returned);
    const StrategyNode& s = rewriter_.base_[frame.closure.strategy];
    Replacement same{frame.node, {}};
    switch (s.kind) {
    case Kind::Id: return Finish{same};
    case Kind::Fail: return Finish{std::nullopt};
    case Kind::Rules: return Finish{rules(s, frame.closure.strategy, frame.node)};
    case Kind::Delayed: return Finish{rewriter_.apply(*rewriter_.delayed_, frame.node)};
    case Kind::Sequence: return sequence(frame, s, returned);
    case Kind::Choice: return choice(frame, s, returned);
    case Kind::If:
    case Kind::Not:
    case Kind::Test:
    case Kind::Where: return guard(frame, s, returned);
    case Kind::All:
    case Kind::One:
    case Kind::Some: return children(frame, s, returned, within(frame, s.first));
    case Kind::Child: return child(frame, s, returned);
    case Kind::Congruence: return congruence(frame, s, returned);
    case Kind::Call: return call(frame, s);
    case Kind::Argument: return Become{argument(frame.closure.env, s.number)};
    case Kind::Recursion: {
        Env env{frame.closure.env, s.number, {{s.first, frame.closure.env, false}}};
        return Become{{s.first, environment(std::move(env)), false}};
    }
    case Kind::RecursionCall: return recursion_call(frame, s);
    case Kind::Flow: return Finish{flow(within(frame, s.first), frame.node, s.number == 0)};
    case Kind::Innermost: return Finish{innermost(within(frame, s.first), frame.node)};
    case Kind::TopDown:
    case Kind::BottomUp:
    case Kind::AllTopDown: return traversal(frame, s, returned);
    case Kind::Outermost: return outermost(frame, s, returned);
    case Kind::Limit: {
        std::uint64_t end = rewriter_.log_.rewrites + s.number;
        RewriteOptions limited = rewriter_.options_;
        limited.max_rewrites = std::min(limited.max_rewrites, end);
        Rewriter::Borrow borrow(rewriter_, limited);
        Result result = execute(within(frame, s.first), frame.node);
        if (borrow.reached()) return Finish{result ? result : Result(same)};
        return Finish{result};
    }
    case Kind::Memo: return Become{within(frame, s.first)};
    case Kind::Log:
    case Kind::Debug:
        std::cerr << rewriter_.context_.symbols[s.text] << ": "
                  << rewriter_.context_.symbols[graph_.operation(frame.node).name] << '\n';
        return s.first ? Action{Become{within(frame, s.first)}} : Action{Finish{same}};
    }
    return Finish{std::nullopt};
}

Machine::Result Machine::compose(const Replacement& first, const Replacement& second) const {
    return Replacement{second.value, graph_.has(first.value, Advances) ? second.token : first.token};
}

Machine::Action Machine::sequence(Frame& frame, const StrategyNode& s, const Result& returned) {
    switch (frame.step++) {
    case 0: return Call{within(frame, s.first), frame.node};
    case 1:
        if (!returned) return Finish{std::nullopt};
        frame.saved = returned;
        return Call{within(frame, s.second), returned->value};
    default: return Finish{returned ? compose(*frame.saved, *returned) : std::nullopt};
    }
}

Machine::Action Machine::choice(Frame& frame, const StrategyNode& s, const Result& returned) {
    if (frame.step++ == 0) return Call{within(frame, s.first), frame.node};
    if (returned) return Finish{returned};
    return Become{within(frame, s.second)};
}

Machine::Action Machine::guard(Frame& frame, const StrategyNode& s, const Result& returned) {
    Replacement same{frame.node, {}};
    if (frame.step++ == 0) return Call{within(frame, s.first), frame.node};
    if (frame.step > 2) return Finish{returned ? compose(*frame.saved, *returned) : std::nullopt};
    switch (s.kind) {
    case Kind::Not: return Finish{returned ? std::nullopt : Result(same)};
    case Kind::Test:
    case Kind::Where: return Finish{returned ? Result(same) : std::nullopt};
    default: break; // s < t + u
    }
    if (!returned) return Become{within(frame, s.third)};
    frame.saved = returned;
    return Call{within(frame, s.second), returned->value};
}

// -- children ---------------------------------------------------------------------------------------

// Operands, results of blocks, and the effect before: each once.
void Machine::collect_parts(Frame& frame) const {
    for_each_part(graph_, frame.node, [&](NodeId part) {
        if (!graph_.is_param(part) && std::ranges::find(frame.parts, part) == frame.parts.end()) frame.parts.push_back(part);
    });
}

Replacement Machine::rebuild(const Frame& frame) {
    Substitution substitution(graph_);
    for (std::size_t i = 0; i < frame.made.size(); ++i) {
        NodeId part = frame.parts[i];
        substitution.put(part, frame.made[i].value);
        if (graph_.has(part, Advances) && frame.made[i].token) substitution.put_token(part, frame.made[i].token);
    }
    NodeId made = substitution.only(frame.node);
    return {made, graph_.has(made, Advances) ? made : graph_.token(frame.node)};
}

Machine::Action Machine::children(Frame& frame, const StrategyNode& s, const Result& returned, Closure each) {
    if (frame.step++ == 0) {
        collect_parts(frame);
    } else {
        NodeId part = frame.parts[frame.made.size()];
        if (!returned && s.kind != Kind::One && s.kind != Kind::Some) return Finish{std::nullopt};
        frame.made.push_back(returned.value_or(Replacement{part, part}));
        frame.any = frame.any || returned.has_value();
        if (s.kind == Kind::One && returned) return Finish{rebuild(frame)};
    }
    if (frame.made.size() < frame.parts.size()) return Call{each, frame.parts[frame.made.size()]};
    if ((s.kind == Kind::One || s.kind == Kind::Some) && !frame.any) return Finish{std::nullopt};
    return Finish{rebuild(frame)};
}

Machine::Action Machine::child(Frame& frame, const StrategyNode& s, const Result& returned) {
    auto operands = graph_.operands(frame.node);
    if (s.number >= operands.size()) return Finish{std::nullopt};
    if (frame.step++ == 0) {
        frame.parts = {operands[s.number]};
        return Call{within(frame, s.first), operands[s.number]};
    }
    if (!returned) return Finish{std::nullopt};
    frame.made.push_back(*returned);
    return Finish{rebuild(frame)};
}

Machine::Action Machine::congruence(Frame& frame, const StrategyNode& s, const Result& returned) {
    const Context& context = graph_.context();
    auto operands = graph_.operands(frame.node);
    bool same_name = context.operations[s.op].name == graph_.operation(frame.node).name;
    if (!same_name || operands.size() != s.args.size()) return Finish{std::nullopt};
    if (frame.step > 0) {
        if (!returned) return Finish{std::nullopt};
        frame.parts.push_back(operands[frame.step - 1]);
        frame.made.push_back(*returned);
    }
    if (frame.step < s.args.size()) {
        std::uint32_t i = frame.step++;
        return Call{within(frame, s.args[i]), operands[i]};
    }
    return Finish{rebuild(frame)};
}

// -- traversals -------------------------------------------------------------------------------------

// topdown(s) = s ; all(topdown(s))   bottomup(s) = all(bottomup(s)) ; s   alltd(s) = s <+ all(alltd(s))
Machine::Action Machine::traversal(Frame& frame, const StrategyNode& s, const Result& returned) {
    Closure inside = within(frame, s.first);
    bool before = s.kind != Kind::BottomUp;
    if (frame.step == 0 && before) {
        frame.step = 1;
        return Call{inside, frame.node};
    }
    if (frame.step == 1) {
        frame.step = 2;
        if (s.kind == Kind::AllTopDown && returned) return Finish{returned};
        if (s.kind == Kind::TopDown && !returned) return Finish{std::nullopt};
        if (s.kind == Kind::TopDown) {
            frame.saved = returned;
            frame.node = returned->value;
        }
    }
    if (frame.step == 0) frame.step = 2;
    if (frame.step == 2) {
        frame.step = 3;
        collect_parts(frame);
    } else if (frame.step == 3) {
        if (!returned) return Finish{std::nullopt};
        frame.made.push_back(*returned);
    } else // the strategy after the children of bottomup
        return Finish{returned ? compose(*frame.saved, *returned) : std::nullopt};
    if (frame.made.size() < frame.parts.size()) return Call{frame.closure, frame.parts[frame.made.size()]};
    Replacement made = rebuild(frame);
    if (s.kind != Kind::BottomUp) return Finish{frame.saved ? compose(*frame.saved, made) : Result(made)};
    frame.saved = made;
    frame.step = 4;
    return Call{inside, made.value};
}

// outermost(s) = repeat(oncetd(s)); `once`: oncetd(s) = s <+ one(oncetd(s))
Machine::Action Machine::outermost(Frame& frame, const StrategyNode& s, const Result& returned) {
    Closure once{frame.closure.strategy, frame.closure.env, true};
    if (!frame.closure.once) {
        if (frame.step++ == 0) {
            frame.saved = Replacement{frame.node, {}};
        } else if (!returned || returned->value == frame.saved->value) {
            return Finish{frame.saved};
        } else {
            frame.saved = compose(*frame.saved, *returned);
        }
        return Call{once, frame.saved->value};
    }
    if (frame.step == 0) {
        frame.step = 1;
        return Call{within(frame, s.first), frame.node};
    }
    if (frame.step == 1 && returned && returned->value != frame.node) return Finish{returned};
    if (frame.step == 1) {
        frame.step = 2;
        collect_parts(frame);
    } else {
        NodeId part = frame.parts[frame.made.size()];
        frame.made.push_back(returned.value_or(Replacement{part, part}));
        if (returned) return Finish{rebuild(frame)};
    }
    if (frame.made.size() < frame.parts.size()) return Call{once, frame.parts[frame.made.size()]};
    return Finish{std::nullopt};
}

// On the graph; first-order rules that fire often go on where terms are rewritten faster.
Machine::Result Machine::innermost(Closure closure, NodeId node) {
    const StrategyNode& s = rewriter_.base_[closure.strategy];
    bool plain = s.kind == Kind::Rules && s.terms.empty();
    if (plain && rewriter_.is_normal(closure.strategy, node)) return Replacement{node, {}};
    if (!plain || !rewriter_.takes_terms(closure.strategy, node)) return innermost_on_graph(closure, node, plain);
    if (auto early = rewriter_.warm_up([&] { return innermost_on_graph(closure, node, plain); })) return *early;
    auto made = rewriter_.run_terms(closure.strategy, node);
    return made ? Result(Replacement{*made, {}}) : std::nullopt;
}

Machine::Result Machine::innermost_on_graph(Closure closure, NodeId node, bool plain) {
    Substitution pass(graph_);
    pass.rewrite = [&](NodeId at) -> Result {
        if (rewriter_.stopped()) return std::nullopt;
        Result result = plain ? rewriter_.apply(rewriter_.indices_->of(closure.strategy), at)
                              : execute(closure, at);
        if (!result || result->value == at) return std::nullopt;
        return result;
    };
    NodeId made = pass(node);
    if (!pass.cycles.empty() && rewriter_.log_.error.empty())
        rewriter_.log_.error = "a term comes back to itself: '" + term_text(graph_, pass.cycles[0]) +
                               "'; the rules that fired most: " + rewriter_.busiest();
    NodeId token = graph_.has(node, Advances) ? pass.token(node) : NodeId{};
    return Replacement{made, token};
}

// Of whole functions: applies at their root alone.
Machine::Result Machine::flow(Closure closure, NodeId node, bool speculates) {
    if (graph_.core(node) != Core::Pack || !graph_.token(node) != !rewriter_.function_.exit) return std::nullopt;
    Function& function = rewriter_.function_;
    const std::vector<NodeId> results = function.results;
    const NodeId exit = function.exit;
    rewriter_.replace_roots(node);
    NodeId made = Flow(rewriter_, [&](NodeId at) { return execute(closure, at); }, speculates).run();
    rewriter_.replace_roots(made);
    if (drop_dead_effects(function)) made = rewriter_.root();
    function.results = results, function.exit = exit; // the root is stored when the strategy has succeeded
    rewriter_.refresh_uses();
    return Replacement{made, made};
}

// -- names ------------------------------------------------------------------------------------------

Machine::EnvId Machine::environment(Env env) {
    auto [it, fresh] = env_index_.try_emplace(env, static_cast<EnvId>(envs_.size()));
    if (fresh) envs_.push_back(std::move(env));
    return it->second;
}

Machine::Closure Machine::argument(EnvId env, std::uint32_t i) const {
    while (envs_[env].recursion != UINT32_MAX) env = envs_[env].parent;
    return envs_[env].args[i];
}

Machine::Action Machine::call(Frame& frame, const StrategyNode& s) {
    Env env;
    for (StrategyId arg : s.args) {
        Closure closure = within(frame, arg);
        // An argument passed on is what it stands for: environments do not grow with recursion.
        while (rewriter_.base_[closure.strategy].kind == Kind::Argument)
            closure = argument(closure.env, rewriter_.base_[closure.strategy].number);
        env.args.push_back(closure);
    }
    return Become{{rewriter_.base_.definitions[s.definition].body, environment(std::move(env)), false}};
}

Machine::Action Machine::recursion_call(Frame& frame, const StrategyNode& s) {
    EnvId env = frame.closure.env;
    while (env && envs_[env].recursion != s.number) env = envs_[env].parent;
    if (envs_[env].args.empty()) return Finish{std::nullopt};
    return Become{{envs_[env].args[0].strategy, env, false}};
}

Machine::Result Machine::rules(const StrategyNode& s, StrategyId id, NodeId node) {
    if (s.terms.empty()) return rewriter_.apply(rewriter_.indices_->of(id), node);
    if (!rule_ || !bindings_) return std::nullopt;
    Builder builder(graph_);
    Instantiation terms(builder, *rule_, *bindings_, rewriter_.around_);
    auto arguments = terms.build(s.terms);
    if (!arguments) return std::nullopt;
    for (RuleId rule : s.rules)
        if (auto result = rewriter_.apply(rule, node, *arguments)) return result;
    return std::nullopt;
}

} // namespace irrewrite
