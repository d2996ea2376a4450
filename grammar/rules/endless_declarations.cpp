#include "grammar/rules/endless_declarations.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace irrewrite::grammar {

namespace {

// True if `from` becomes `wanted`, or a type with it inside.
bool becomes(Loading& loading, SymbolId from, SymbolId wanted, std::set<SymbolId>& seen) {
    bool found = false;
    for (const OpaqueType& type : loading.base.opaque) {
        if (type.name != from || !type.as || !seen.insert(from).second) continue;
        loading.context.types.map_opaque(type.as, [&](TypeId part) {
            const SymbolId name = loading.context.types.name(part);
            found = found || name == wanted || becomes(loading, name, wanted, seen);
            return part;
        });
    }
    return found;
}

// The uses of generic operations in the expansion of one.
std::map<OpId, Span> used_in(const RuleBase& base, OpId op) {
    std::map<OpId, Span> out;
    const Rule& rule = base[base.expansions.at(op)];
    for (const Term& term : rule.terms)
        if (term.kind == TermKind::Node && &term != &rule[rule.left[0]] && term.ops.size() == 1 &&
            base.expansions.contains(term.ops[0]))
            out.emplace(term.ops[0], term.where);
    return out;
}

bool expands_to(const RuleBase& base, OpId from, OpId wanted, std::set<OpId>& seen) {
    if (from == wanted) return true;
    if (!seen.insert(from).second) return false;
    return std::ranges::any_of(used_in(base, from),
                               [&](const auto& use) { return expands_to(base, use.first, wanted, seen); });
}

// A parameter of a definition.
using Parameter = std::pair<std::uint32_t, std::uint32_t>;

// The way of parameters into arguments of calls: from each parameter to those that get it, and those that get more than it alone. An
// endless family of strategies is a cycle on which something grows (A. Kennedy and B. Pierce, "On Decidability of Nominal
// Subtyping with Variance", 2007: expansive inheritance).
class ArgumentFlow {
  public:
    explicit ArgumentFlow(const RuleBase& base) : base_(base) {
        for (std::uint32_t i = 0; i < base.definitions.size(); ++i)
            if (base.definitions[i].body) look(i, base.definitions[i].body, nullptr);
    }

    // Calls in which an argument grows on its way to itself.
    std::vector<StrategyId> growing() const {
        std::vector<StrategyId> out;
        for (const auto& [call, edge] : grows_)
            if (reaches(edge.second, edge.first)) out.push_back(call);
        return out;
    }

  private:
    // `into`: the arguments that the node is inside of, of any calls around.
    struct Around {
        StrategyId call;
        Parameter parameter;
        bool whole; // the node is the argument itself
        const Around* outer;
    };

    void look(std::uint32_t definition, StrategyId id, const Around* into) {
        const StrategyNode& node = base_[id];
        if (node.kind == StrategyNode::Kind::Argument)
            for (const Around* a = into; a; a = a->outer) {
                const Parameter from{definition, node.number};
                flows_[from].insert(a->parameter);
                if (!a->whole) grows_.push_back({a->call, {from, a->parameter}});
            }
        // An argument inside is no longer the whole of what is around.
        std::vector<Around> parts;
        for (const Around* a = into; a; a = a->outer) parts.push_back({a->call, a->parameter, false, nullptr});
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) parts[i].outer = &parts[i + 1];
        const Around* inside = parts.empty() ? nullptr : parts.data();
        for (StrategyId part : {node.first, node.second, node.third})
            if (part) look(definition, part, inside);
        std::uint32_t position = 0;
        for (StrategyId argument : node.args) {
            const Around own{id, {node.definition, position++}, true, inside};
            look(definition, argument, node.kind == StrategyNode::Kind::Call ? &own : inside);
        }
    }

    bool reaches(Parameter from, Parameter to) const {
        std::set<Parameter> seen{from};
        std::vector<Parameter> stack{from};
        while (!stack.empty()) {
            const Parameter next = stack.back();
            stack.pop_back();
            if (next == to) return true;
            if (const auto found = flows_.find(next); found != flows_.end())
                for (Parameter other : found->second)
                    if (seen.insert(other).second) stack.push_back(other);
        }
        return false;
    }

    const RuleBase& base_;
    std::map<Parameter, std::set<Parameter>> flows_;
    std::vector<std::pair<StrategyId, std::pair<Parameter, Parameter>>> grows_;
};

} // namespace

void report_cyclic_types(Loading& loading) {
    for (const auto& [name, where] : loading.lowered_types)
        if (std::set<SymbolId> seen; becomes(loading, name, name, seen))
            loading.diagnostics.error(where, "type " + quoted(loading.context.symbols[name]) + " becomes itself");
}

void report_cyclic_expansions(Loading& loading) {
    const RuleBase& base = loading.base;
    std::map<OpId, RuleId> expansions(base.expansions.begin(), base.expansions.end());
    for (const auto& [op, rule] : expansions) {
        if (base[rule].left.empty()) continue;
        for (const auto& [used, where] : used_in(base, op))
            if (std::set<OpId> seen; used != op && expands_to(base, used, op, seen)) {
                const auto name = [&](OpId of) {
                    return quoted(loading.context.symbols[loading.context.operations[of].name]);
                };
                loading.diagnostics.error(where, "the expansion of " + name(op) +
                                                     " contains the operation itself, in that of " + name(used));
            }
    }
}

void report_growing_strategies(Loading& loading) {
    std::set<StrategyId> told;
    for (StrategyId call : ArgumentFlow(loading.base).growing())
        if (told.insert(call).second)
            loading.diagnostics.error(loading.base[call].where, "this strategy calls itself with ever larger arguments",
                                      "'rec x(…)', or the same arguments again, is a recursion that can be run");
}

} // namespace irrewrite::grammar
