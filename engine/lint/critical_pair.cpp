#include "engine/lint/critical_pair.hpp"

#include "engine/ir/clone.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/match/conditions.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::uint64_t most_rewrites = 3000;
constexpr std::size_t most_results = 8; // of one rule at one node
} // namespace

// Every way in which the rule applies at the node.
std::vector<NodeId> CriticalPair::results(Function& function, RuleId id, NodeId node, const Surroundings& around) {
    Graph& graph = function.graph;
    const Rule& rule = lint_[id];
    std::vector<NodeId> out;
    Builder builder(graph);
    Matcher matcher(graph, rule);
    Conditions conditions(builder, rule, matcher, around);
    auto finish = [&] {
        Instantiation terms(builder, rule, matcher.bindings, around);
        TypeId type = graph.type(node);
        std::vector<TypeId> expected{type};
        if (graph.kind(node) == TypeKind::Results && rule.right.size() > 1)
            expected.assign(lint_.world->context.types.elements(type).begin(),
                            lint_.world->context.types.elements(type).end());
        auto made = terms.build(rule.right, expected);
        if (!made) return false;
        NodeId result;
        if (made->size() == 1)
            result = (*made)[0];
        else
            result = graph.make({.op = Operations::core(Core::Pack), .operands = *made, .type = type});
        if (result != node && lint_.world->context.types.agree(graph.type(result), type) &&
            std::ranges::find(out, result) == out.end())
            out.push_back(result);
        return out.size() == most_results;
    };
    matcher.root(0, node, [&] { return conditions.hold(0, finish); });
    return out;
}

// Each way in which the rule applies somewhere. False: it does not.
bool CriticalPair::reduce(const Function& term, RuleId rule, std::vector<Reduct>& out) {
    bool any = false;
    Function base = term;
    RewriteLog log;
    Rewriter rewriter(lint_.world->context, lint_.alone, base, {}, log);
    const Lint::Functions functions(lint_, rewriter);
    for (NodeId node : reachable(term.graph, roots(term))) {
        if (term.graph.is_param(node) || term.graph.is_literal(node)) continue;
        for (NodeId result : results(base, rule, node, rewriter.surroundings())) {
            Function made = base;
            Substitution substitution(made.graph);
            bool done = false;
            substitution.rewrite = [&](NodeId at) -> std::optional<Replacement> {
                if (at != node || done) return std::nullopt;
                done = true;
                return Replacement{result, made.graph.token(node)};
            };
            for (NodeId& root : made.results) root = substitution(root);
            if (std::ranges::equal(made.results, term.results)) continue;
            out.push_back({std::move(made), rule});
            any = true;
        }
    }
    return any;
}

bool CriticalPair::same(const Function& a, const Function& b) const {
    Function into = a;
    Clone moved(b.graph, into.graph, [](TypeId type) { return type; });
    moved.run(b.results);
    bool same = a.results.size() == b.results.size();
    for (std::size_t i = 0; same && i < a.results.size(); ++i) same = into.results[i] == moved(b.results[i]);
    return same;
}

CriticalPair::Result CriticalPair::look(Function term) {
    if (!group_.normalizes && !lint_.normalizing.empty()) { // no other term is ever there
        Group normalize = group_;
        normalize.phase = lint_.groups[0].phase;
        if (!lint_.run(normalize, term, most_rewrites).error.empty()) return Result::Undecided;
    }
    std::vector<Reduct> reducts;
    if (!reduce(term, outer_, reducts)) return Result::None;
    std::size_t first = reducts.size();
    if (!(outer_ == inner_ ? first > 1 : reduce(term, inner_, reducts))) return Result::None;
    std::vector<Function> ends;
    for (const Reduct& reduct : reducts) {
        Function end = reduct.function;
        if (!lint_.run(group_, end, most_rewrites).error.empty()) return Result::Undecided;
        ends.push_back(std::move(end));
    }
    for (std::size_t i = 1; i < ends.size(); ++i)
        if (!same(ends[0], ends[i])) {
            bool ordered = lint_.is_ordered(outer_) && lint_.is_ordered(inner_);
            reducts[0].function = ends[0], reducts[i].function = ends[i];
            if (!ordered)
                tell(term, reducts[0], reducts[i]);
            else
                lint_.decided.push_back(lint_.place(lint_[std::max(outer_, inner_)].where) +
                                        ": the order of the rules decides between " + lint_.of(outer_) + " and " +
                                        lint_.of(inner_));
            return ordered ? Result::Ordered : Result::Apart;
        }
    return Result::Meets;
}

void CriticalPair::tell(const Function& term, const Reduct& a, const Reduct& b) {
    auto result = [&](const Reduct& reduct) {
        std::string text = lint_.show(reduct.function);
        return "by " + lint_.of(reduct.rule) + " it ends as\n" + text;
    };
    lint_.find(lint_[std::max(outer_, inner_)].where,
               lint_.name(outer_) + " and " + (outer_ == inner_ ? "itself" : lint_.name(inner_)) +
                   " overlap, and do not meet again, in " + group_.name,
               {lint_.show(term), result(a), result(b)});
}

} // namespace irrewrite
