#include "engine/match/explain_mismatch.hpp"

#include "engine/ir/term_text.hpp"
#include "engine/match/conditions.hpp"
#include "engine/rules/strategy_uses.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

struct Failure {
    unsigned depth = 0;
    std::string text;
};

// Walks the pattern and the term side by side. Operands are tried on their own with the matcher; the first that does
// not match is examined in turn.
class Explanation {
  public:
    Explanation(Function& function, const Rule& rule) : graph_(function.graph), rule_(rule) {}

    bool matches(TermId term, NodeId node) {
        Matcher matcher(graph_, rule_);
        for (const Inside& block : inside_) matcher.enter(*block.term, block.block, block.counts);
        auto yes = [] { return true; };
        return matcher.match(term, node, yes);
    }

    Failure of(TermId id, NodeId node, unsigned depth) {
        const Term& term = rule_[id];
        switch (term.kind) {
        case TermKind::Named: return of(term.operands[0], node, depth);
        case TermKind::Node: return operation(id, node, depth);
        case TermKind::Variable:
            if (rule_[term.variable].kind == VariableKind::Literal) return parted(id, node, depth, "is not a literal");
            if (std::ranges::any_of(inside_, [&](const Inside& block) { return depends_on(node, block.block); }))
                return parted(id, node, depth, "depends on a parameter of the block around it");
            return parted(id, node, depth, "has the type " + type(node));
        case TermKind::Number:
        case TermKind::Constant: return parted(id, node, depth, "is not that literal");
        case TermKind::Apply: return parted(id, node, depth, "is no function of these arguments alone");
        default: return parted(id, node, depth, "is a different term");
        }
    }

  private:
    const Symbols& symbols() const { return graph_.context().symbols; }
    bool depends_on(NodeId node, BlockId block) const {
        return !graph_.params(block).empty() && graph_.depends_on_number(node, graph_[block].number);
    }
    std::string source(TermId id) const { return pattern_text(graph_.context(), rule_, id); }
    std::string type(NodeId node) const { return graph_.context().types.text(graph_.type(node), symbols()); }

    Failure parted(TermId id, NodeId node, unsigned depth, const std::string& what) const {
        TermNames names;
        for (const Inside& block : inside_)
            for (std::size_t i = 0; i < graph_.params(block.block).size(); ++i)
                if (const SymbolId name = graph_.param_names(block.block)[i])
                    names.bound.emplace_back(graph_.params(block.block)[i], "%" + std::string(symbols()[name]));
        return {depth, "the pattern has '" + source(id) + "' where the term has '" + term_text(graph_, node, names) +
                           "', which " + what};
    }

    Failure operation(TermId id, NodeId node, unsigned depth) {
        const Term& term = rule_[id];
        if (graph_.is_param(node)) return parted(id, node, depth, "is a parameter");
        if (graph_.is_literal(node)) return parted(id, node, depth, "is a literal");
        if (std::ranges::find(term.ops, graph_.op(node)) == term.ops.end())
            return parted(id, node, depth,
                          "is another operation, '" + std::string(symbols()[graph_.operation(node).name]) + "'");
        if (graph_.operation(node).takes_any_order()) return any_order(id, node, depth);
        if (std::ranges::any_of(term.operands, [&](TermId t) { return rule_[t].sequence; }))
            return whole(id, node, depth);
        std::vector<NodeId> operands(graph_.operands(node).begin(), graph_.operands(node).end());
        if (operands.size() != term.operands.size())
            return parted(id, node, depth, "has " + std::to_string(operands.size()) + " operands");
        std::optional<Failure> found = deepest(term, operands, depth);
        if (graph_.operation(node).has(Trait::Commutative) && operands.size() == 2) {
            std::swap(operands[0], operands[1]);
            std::optional<Failure> other = deepest(term, operands, depth);
            if (found && !other)
                found = other; // in this order each operand matches
            else if (found && other && other->depth > found->depth)
                found = other;
        }
        return found ? *found : whole(id, node, depth);
    }

    // The first part for which there is no operand.
    Failure any_order(TermId id, NodeId node, unsigned depth) {
        const std::vector<NodeId> operands(graph_.operands(node).begin(), graph_.operands(node).end());
        for (TermId part : rule_[id].operands) {
            if (rule_[part].sequence) continue;
            if (std::ranges::none_of(operands, [&](NodeId operand) { return matches(part, operand); }))
                return parted(id, node, depth, "has no operand '" + source(part) + "'");
        }
        return parted(id, node, depth, "has an operand for each part, but not all of them together");
    }

    std::optional<Failure> deepest(const Term& term, std::span<const NodeId> operands, unsigned depth) {
        std::optional<Failure> found;
        for (std::size_t i = 0; i < operands.size(); ++i) {
            if (matches(term.operands[i], operands[i])) continue;
            Failure failure = of(term.operands[i], operands[i], depth + 1);
            if (!found || failure.depth > found->depth) found = failure;
        }
        return found;
    }

    // The first block that does not match on its own, examined in turn.
    std::optional<Failure> in_blocks(TermId id, NodeId node, unsigned depth) {
        const Term& term = rule_[id];
        for (std::size_t b = 0; b < std::min(term.blocks.size(), graph_.blocks(node).size()); ++b) {
            const BlockTerm& pattern = term.blocks[b];
            const BlockId block = graph_.blocks(node)[b];
            if (pattern.whole) continue;
            if (std::ranges::count_if(pattern.params, [&](VariableId v) { return rule_[v].sequence; }) > 1) continue;
            const std::size_t count = graph_.params(block).size();
            const auto counts = share_params(rule_, pattern, count, {});
            if (!counts) return parted(id, node, depth, has("parameter", count));
            std::optional<std::vector<NodeId>> results = effects_in_order(graph_, block);
            if (!results)
                return parted(id, node, depth,
                              "has a block with effects that have results: '{?block}' takes them along");
            results->insert(results->end(), graph_.results(block).begin(), graph_.results(block).end());
            if (std::ranges::any_of(pattern.results, [&](TermId t) { return rule_[t].sequence; })) continue;
            if (results->size() != pattern.results.size())
                return parted(id, node, depth, has("effect or result", results->size()));
            inside_.push_back({&pattern, block, *counts});
            for (std::size_t k = 0; k < results->size(); ++k)
                if (!matches(pattern.results[k], (*results)[k])) {
                    Failure found = of(pattern.results[k], (*results)[k], depth + 1);
                    inside_.pop_back();
                    return found;
                }
            inside_.pop_back();
        }
        return std::nullopt;
    }
    static std::string has(const std::string& what, std::size_t count) {
        return "has a block with " + std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    }

    // All operands match on their own.
    Failure whole(TermId id, NodeId node, unsigned depth) {
        const Term& term = rule_[id];
        if (term.function && term.attrs[0].kind == AttrTerm::Kind::Constant &&
            term.attrs[0].constant != graph_.attrs(node)[0])
            return parted(id, node, depth, "is another function");
        if (const auto found = in_blocks(id, node, depth)) return *found;
        if (!term.blocks.empty())
            return parted(id, node, depth, "has other blocks, or operands that do not fit its blocks");
        if (!term.attrs.empty()) return parted(id, node, depth, "has other attributes");
        return parted(id, node, depth, "matches part by part, but " + values_apart(id, node));
    }

    // The terms below one, and their attributes, that are this variable.
    template <class F> static void each_place(Rule& rule, TermId id, VariableId variable, F&& change) {
        Term& term = rule.terms[id.index];
        const bool stands = term.kind == TermKind::Variable || term.kind == TermKind::Named;
        if (stands && term.variable == variable) change(term.variable);
        for (AttrTerm& attribute : term.attrs)
            if (attribute.kind == AttrTerm::Kind::Literal && attribute.variable == variable) change(attribute.variable);
        for (const TermId operand : term.operands) each_place(rule, operand, variable, change);
    }

    // The metavariable of which each place could have a value of its own, and these values: if others keep to one, else of all.
    std::string values_apart(TermId id, NodeId node) {
        std::vector<VariableId> repeated;
        for (std::uint32_t v = 0; v < rule_.variables.size(); ++v) {
            const VariableKind kind = rule_.variables[v].kind;
            if ((kind == VariableKind::Node || kind == VariableKind::Literal) && !rule_.variables[v].sequence)
                repeated.push_back(VariableId{v});
        }
        for (const VariableId& v : repeated)
            if (const std::string text = values_of({&v, 1}, id, node); !text.empty()) return text;
        const std::string text = values_of(repeated, id, node);
        return text.empty() ? "one metavariable would be bound to different values" : text;
    }
    std::string values_of(std::span<const VariableId> variables, TermId id, NodeId node) {
        Rule apart = rule_;
        std::vector<std::vector<VariableId>> places(variables.size());
        for (std::size_t i = 0; i < variables.size(); ++i)
            each_place(apart, id, variables[i], [&](VariableId& place) {
                if (!places[i].empty()) {
                    place = VariableId{static_cast<std::uint32_t>(apart.variables.size())};
                    apart.variables.push_back(Variable(apart.variables[variables[i].index]));
                }
                places[i].push_back(place);
            });
        std::string text;
        Matcher matcher(graph_, apart);
        for (const Inside& block : inside_) matcher.enter(*block.term, block.block, block.counts);
        const auto see = [&] {
            for (std::size_t i = 0; i < variables.size() && text.empty(); ++i)
                text = different(rule_[variables[i]], places[i], matcher);
            return true;
        };
        return matcher.match(id, node, see) ? text : "";
    }
    // `'?x' would be '%a' and '%b'`; empty: it would have one value.
    std::string different(const Variable& variable, std::span<const VariableId> places, const Matcher& matcher) {
        std::vector<std::string> values;
        TermNames names;
        for (const VariableId place : places) {
            const auto& items = matcher.bindings[place.index].items;
            const std::string value = items.size() == 1 ? "'" + term_text(graph_, items[0], names) + "'" : "";
            if (!value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
        }
        if (values.size() < 2) return "";
        const char sigil = variable.kind == VariableKind::Literal ? '#' : '?';
        std::string out = std::string("'") + sigil + std::string(symbols()[variable.name]) + "' would be ";
        for (std::size_t i = 0; i < values.size(); ++i)
            out += (i == 0 ? "" : i + 1 == values.size() ? " and " : ", ") + values[i];
        return out;
    }

    struct Inside {
        const BlockTerm* term;
        BlockId block;
        std::vector<std::size_t> counts;
    };

    Graph& graph_;
    const Rule& rule_;
    std::vector<Inside> inside_; // the blocks around what is examined
};

// Conditions that no file has are those of a rule of an analysis that is checked.
std::string text_of(const Context& context, const Condition& condition) {
    if (!condition.where.source) return "what the analysis says";
    return "the condition '" + std::string(context.sources.text(condition.where)) + "'";
}

// The length of the longest prefix of the conditions that holds for some match.
std::size_t conditions_held(Graph& graph, const Rule& rule, NodeId node, const Surroundings& around) {
    for (std::size_t count = rule.conditions.size(); count > 0; --count) {
        Rule shorter = rule;
        shorter.conditions.resize(count);
        Matcher matcher(graph, shorter);
        Builder builder(graph);
        Conditions conditions(builder, shorter, matcher, around);
        auto yes = [] { return true; };
        auto hold = [&] { return conditions.hold(0, yes); };
        if (matcher.root(0, node, hold)) return count;
    }
    return 0;
}

// The reason why the right side cannot be built for any match; empty: it can, or it is the term itself.
std::string right_side_fails(Graph& graph, const Rule& rule, NodeId node, const Surroundings& around) {
    if (rule.is_of_functions()) return {};
    Matcher matcher(graph, rule);
    Builder builder(graph);
    Conditions conditions(builder, rule, matcher, around);
    std::string why;
    auto build = [&] {
        builder.set_token(graph.token(node));
        Instantiation terms(builder, rule, matcher.bindings, around);
        terms.in_order = true;
        const TypeId due = graph.type(node);
        const bool several = graph.kind(node) == TypeKind::Results && rule.right.size() > 1;
        const bool built =
            terms.build(rule.right, several ? graph.context().types.elements(due) : std::span(&due, 1)).has_value();
        if (!built && why.empty() && terms.failed()) {
            why = "'" + pattern_text(graph.context(), rule, terms.failed()) + "' cannot be built";
            if (!terms.error().empty()) why += ": " + terms.error();
        }
        return built;
    };
    auto hold = [&] { return conditions.hold(0, build); };
    return matcher.root(0, node, hold) ? "" : why;
}

// A phase takes what it gives only where that is cheaper.
bool is_compared(const RuleBase& base, RuleId rule) {
    const StrategyUses uses(base);
    return std::ranges::any_of(base.phases, [&](const Phase& phase) {
        return phase.strategy && std::ranges::any_of(uses.of(phase.strategy), [&](const UsedStrategy& used) {
                   const auto& rules = base[used.strategy].rules;
                   return used.use == StrategyUse::Tries && std::ranges::find(rules, rule) != rules.end();
               });
    });
}

} // namespace

std::string pattern_text(const Context& context, const Rule& rule, TermId id) {
    const Span where = rule[id].where;
    const std::string_view file = context.sources[where.source].text;
    const std::string_view text = file.substr(where.begin, where.end - where.begin);
    std::size_t begin = where.begin;
    int open = 0, missing = 0; // brackets
    for (const char c : text) {
        open += (c == '(') - (c == ')');
        missing = std::max(missing, -open);
    }
    while (missing > 0 && begin > 0 && (file[begin - 1] == '(' || file[begin - 1] == ' '))
        missing -= file[--begin] == '(';
    return std::string(file.substr(begin, where.end - begin));
}

std::string why_not(const RuleBase& base, Function& function, RuleId id, NodeId node, const Surroundings& around) {
    const Rule& rule = base[id];
    const Context& context = function.graph.context();
    if (rule.left.size() > 1) return "a rule with several roots is tried at several nodes together, not at one node";
    if (rule.parameters) return "the rule's set has parameters: the rule is tried only with arguments for them";
    Explanation explanation(function, rule);
    if (!explanation.matches(rule.left[0], node)) return explanation.of(rule.left[0], node, 0).text;
    std::size_t held = conditions_held(function.graph, rule, node, around);
    if (held < rule.conditions.size())
        return "the left side matches; " + text_of(context, rule.conditions[held]) + " does not hold";
    if (rule.changes_parameters() && !function.local)
        return "the left side matches and the conditions hold, but only a 'local func' takes other operands: "
               "others may call this function as it is";
    if (rule.changes_parameters())
        return "the left side matches and the conditions hold: where it did not fire, no phase tried it here, or "
               "the function needs a parameter or a length that would go, or takes these operands already";
    if (rule.at)
        return "the rule applies, but it is delayed until the phase '" +
               std::string(context.symbols[base.phases[rule.at.index].name]) + "'";
    if (const std::string fault = right_side_fails(function.graph, rule, node, around); !fault.empty())
        return "the left side matches and the conditions hold, but " + fault;
    return "the left side matches and the conditions hold: where it did not fire, no phase tried it here, " +
           std::string(is_compared(base, id) ? "what it gives was not the cheapest, " : "") +
           "or its right side is the term itself";
}

std::optional<std::string> mismatch(Function& function, const Rule& rule, std::size_t root, NodeId node) {
    Explanation explanation(function, rule);
    if (explanation.matches(rule.left[root], node)) return std::nullopt;
    return explanation.of(rule.left[root], node, 0).text;
}

} // namespace irrewrite
