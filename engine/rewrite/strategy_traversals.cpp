// Strategies that go through whole terms.
#include "engine/dataflow/dataflow.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/passes/dead_effects.hpp"
#include "engine/passes/promote_cells.hpp"
#include "engine/rewrite/bag_rewriting.hpp"
#include "engine/rewrite/strategy_machine.hpp"

#include <bit>

namespace irrewrite {

using Kind = StrategyNode::Kind;

// topdown(s) = s ; all(topdown(s))   bottomup(s) = all(bottomup(s)) ; s   alltd(s) = s <+ all(alltd(s))
StrategyMachine::Action StrategyMachine::traversal(Frame& frame, const StrategyNode& s, const Result& returned) {
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

// True if the term of `outermost` is one that it was before. (Brent, "An improved Monte Carlo factorization algorithm",
// 1980: one term is kept, another one after twice as many steps; a cycle comes back to it.)
bool StrategyMachine::comes_back(Frame& frame) const {
    if (state_.limit != UINT64_MAX) return false; // it ends
    const NodeId value = frame.saved->value;
    if (!frame.parts.empty() && frame.parts[0] == value) return true;
    if (std::has_single_bit(frame.step)) frame.parts.assign(1, value);
    return false;
}

// outermost(s) = repeat(oncetd(s)); `once`: oncetd(s) = s <+ one(oncetd(s))
StrategyMachine::Action StrategyMachine::outermost(Frame& frame, const StrategyNode& s, const Result& returned) {
    Closure once{frame.closure.strategy, frame.closure.environment, true};
    if (!frame.closure.once) {
        if (frame.step++ == 0) {
            frame.saved = Replacement{frame.node, {}};
        } else if (!returned || returned->value == frame.saved->value) {
            return Finish{frame.saved};
        } else {
            frame.saved = settled(*compose(*frame.saved, *returned));
            if (!frame.saved) return Finish{std::nullopt};
            ++era_;
            if (comes_back(frame)) rewriter_.note_cycle(frame.saved->value);
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
StrategyMachine::Result StrategyMachine::innermost(Closure closure, NodeId node) {
    while (state_.base[closure.strategy].kind == Kind::Argument)
        closure = argument(closure.environment, state_.base[closure.strategy].number);
    bool plain = rewriter_.indices().choice(closure.strategy) != nullptr;
    if (plain && rewriter_.jit().is_normal(closure.strategy, node)) return Replacement{node, {}};
    auto on_graph = [&] { return innermost_on_graph(closure, node, plain); };
    if (!plain || !rewriter_.jit().may_take_terms(closure.strategy, node)) return on_graph();
    if (auto early = rewriter_.jit().warm_up(on_graph)) return *early;
    if (!rewriter_.jit().takes_terms(closure.strategy, node)) return on_graph();
    auto made = rewriter_.jit().run_terms(closure.strategy, node);
    return made ? Result(Replacement{*made, {}}) : std::nullopt;
}

StrategyMachine::Result StrategyMachine::innermost_on_graph(Closure closure, NodeId node, bool plain) {
    Substitution pass(graph_);
    const bool whole = state_.is_root(node); // where no other use of an effect is left out
    std::optional<Rewriter::Choice> choice;
    if (plain) choice.emplace(rewriter_.choice_of(closure.strategy));
    if (choice && whole && !choice->asking.empty()) state_.uses(); // from the first rewrite on
    std::optional<BagRewriting> bags;
    if (choice)
        bags.emplace(rewriter_, *choice, rewriter_.indices().bags(closure.strategy),
                     [&](NodeId at) { return pass(at); });
    pass.rewrite = [&](NodeId at) -> Result {
        if (state_.stopped()) return std::nullopt;
        Result result = bags && bags->takes(at) ? bags->run(at)
                        : choice                ? rewriter_.apply(*choice, at)
                                                : execute(closure, at);
        if (!result || result->value == at) return std::nullopt;
        if (!whole && graph_.has(at, Advances)) rewriter_.lineage().became(at, *result);
        if (Uses* uses = whole ? state_.counted_uses() : nullptr) uses->replaced(graph_, at, result->value);
        return result;
    };
    pass.rebuilt = [&](NodeId from, NodeId to, bool fresh) {
        if (!whole && graph_.has(from, Advances))
            rewriter_.lineage().became(from, {to, graph_.has(to, Advances) ? to : graph_.token(from)});
        if (Uses* uses = state_.counted_uses()) uses->rebuilt(from, to, fresh, whole);
        if (bags) bags->rebuilt(from, to);
    };
    NodeId made = pass(node);
    if (!pass.cycles.empty()) rewriter_.note_cycle(pass.cycles[0]);
    NodeId token = graph_.has(node, Advances) ? pass.token(node) : NodeId{};
    return Replacement{made, token};
}

// Of whole functions: applies at their root alone.
StrategyMachine::Result StrategyMachine::flow(Closure closure, NodeId node, bool speculates) {
    if (!state_.is_root(node)) return std::nullopt;
    Function& function = state_.function;
    const std::vector<NodeId> results = function.results;
    const NodeId exit = function.exit;
    state_.replace_roots(rewriter_.settled(node).value_or(node));
    NodeId made = Flow(
                      state_, [&](NodeId at) { return execute(closure, at); }, speculates)
                      .run();
    rewriter_.lineage().clear(); // what an effect became holds where it stands
    state_.replace_roots(made);
    if (drop_dead_effects(function)) made = state_.root();
    function.results = results, function.exit = exit; // the root is stored when the strategy has succeeded
    state_.refresh_uses();
    return Replacement{made, made};
}

StrategyMachine::Result StrategyMachine::promote(NodeId node) {
    if (!state_.is_root(node) || state_.stopped()) return std::nullopt;
    Function& function = state_.function;
    const std::vector<NodeId> results = function.results;
    const NodeId exit = function.exit;
    state_.replace_roots(rewriter_.settled(node).value_or(node));
    const std::vector<NodeId> cells = promote_cells(function);
    const NodeId made = state_.root();
    function.results = results, function.exit = exit; // the root is stored when the strategy has succeeded
    if (cells.empty()) return std::nullopt;
    for (NodeId cell : cells) state_.note(cell, "a value instead of a cell");
    rewriter_.lineage().clear(); // as of a walk: what an effect became holds where it stands
    state_.refresh_uses();
    return Replacement{made, made};
}

} // namespace irrewrite
