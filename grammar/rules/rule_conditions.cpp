// Conditions: what stands behind `where`, and the computations of `#(…)`. In order: what one binds, later ones and the right side
// use.
#include "grammar/rules/rule_reader.hpp"
#include "grammar/rules/rule_strategies.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::grammar {

namespace {

struct PredicateForm {
    std::string_view name;
    std::size_t least, most; // arguments
    bool query = false;      // has a value, which is compared
};

constexpr PredicateForm predicates[] = {
    {"pure", 1, 1},       {"total", 1, 2},      {"partial", 1, 1}, {"depends", 1, 2}, {"independent", 0, 2},
    {"once", 1, 1},       {"shared", 1, 1},     {"nonzero", 1, 1}, {"varies", 1, 1},  {"runs", 1, 1},
    {"literal", 1, 1},    {"parameter", 1, 1},  {"closed", 1, 1},  {"always", 1, 1},  {"uses", 1, 1, true},
    {"cost", 1, 1, true}, {"type", 1, 1, true}, {"length", 1, 1},
};

const PredicateForm* find_predicate(std::string_view name) {
    const auto it = std::ranges::find(predicates, name, &PredicateForm::name);
    return it == std::end(predicates) ? nullptr : it;
}

constexpr std::string_view comparisons[] = {"==", "!=", "<", "<=", ">", ">="};

} // namespace

void RuleReader::conditions(std::span<const SyntaxId> ids) {
    mode_ = Mode::Term;
    for (SyntaxId id : ids) condition(id, rule_.conditions);
}

void RuleReader::condition(SyntaxId id, std::vector<Condition>& out) {
    const std::size_t before = out.size();
    std::vector<Condition> outer = take_asks();
    switch (tree_[id].kind) {
    case Kind::CondBuild: out.push_back(build(id)); break;
    case Kind::CondStrategy: apply_strategy(id, out); break;
    case Kind::Infix: infix_condition(id, out); break;
    case Kind::Prefix: {
        const bool negation = tree_.name(id) == "not" || tree_.name(id) == "!";
        if (!negation)
            error(tree_.span(id), "expected a condition here");
        else
            out.push_back(negated(inner(tree_.children_of(id)[0]), id));
        break;
    }
    case Kind::Project:
    case Kind::Compute: out.push_back(truth(id)); break;
    case Kind::Op: out.push_back(is_analysis(id) ? truth(id) : predicate(id)); break;
    default:
        error(tree_.span(id), "expected a condition here",
              "conditions are comparisons, '?y = …', '?x ~ …', 'not', 'or' and predicates such as "
              "'pure(?x)'");
    }
    std::vector<Condition> asks = take_asks();
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(before), asks.begin(), asks.end());
    for (std::size_t i = before; i < out.size(); ++i) out[i].where = tree_.span(id);
    asks_ = std::move(outer);
}

void RuleReader::infix_condition(SyntaxId id, std::vector<Condition>& out) {
    const std::string_view name = tree_.name(id);
    const auto sides = tree_.children_of(id);
    if (name == "~") {
        out.push_back(match(id));
    } else if (name == "and" || name == "&&") {
        for (SyntaxId side : sides) condition(side, out);
    } else if (name == "or" || name == "||") {
        out.push_back(alternatives(id));
    } else if (std::ranges::find(comparisons, name) != std::end(comparisons)) {
        out.push_back(compare(id));
    } else {
        error(tree_.name_span(id), quoted(name) + " is not a condition");
    }
}

// An operand of `not` or `or` binds variables for itself alone.
Condition RuleReader::inner(SyntaxId id) {
    if (depth_ == deepest) {
        loading_.diagnostics.limit(tree_.span(id),
                                   "conditions nested deeper than " + std::to_string(deepest) + " levels");
        return {};
    }
    ++depth_;
    const std::size_t variables = known_.size();
    std::vector<Condition> parts;
    condition(id, parts);
    for (std::size_t i = variables; i < known_.size(); ++i)
        if (rule_.variables[i].kind != VariableKind::Param) known_[i].bound = false;
    --depth_;
    return all_of(std::move(parts), id);
}

Condition RuleReader::negated(Condition part, SyntaxId id) const {
    Condition result{.kind = Condition::Kind::Not};
    std::vector<Condition> asks;
    take_asks_out(part, asks);
    result.parts.push_back(std::move(part));
    result.where = tree_.span(id);
    return asked_before(std::move(asks), std::move(result));
}

Condition RuleReader::alternatives(SyntaxId id) {
    Condition result{.kind = Condition::Kind::Or};
    for (SyntaxId side : tree_.children_of(id)) result.parts.push_back(inner(side));
    return result;
}

// -- comparisons
// --------------------------------------------------------------------------------------

// Of sequences: each element.
Condition RuleReader::compare(SyntaxId id) {
    Condition result{.kind = Condition::Kind::Compare};
    const auto sides = tree_.children_of(id);
    result.text = symbol(tree_.name(id));
    const bool allowed = std::exchange(sequences_allowed_, true);
    result.a = compared(sides[0]);
    result.b = compared(sides[1]);
    sequences_allowed_ = allowed;
    return result;
}

bool RuleReader::is_query(SyntaxId id) const {
    const PredicateForm* form = tree_[id].kind == Kind::Op ? find_predicate(tree_.name(id)) : nullptr;
    return form && form->query;
}

// A side of a comparison: `uses(?x)`, a type, arithmetic over literals and counts, or a node.
TermId RuleReader::compared(SyntaxId id) {
    if (is_query(id)) return query(id);
    if (tree_[id].kind == Kind::Op && tree_[id].count == 0) { // a type's name: `type(?x) == f64`
        for (int kind = 0; kind <= static_cast<int>(TypeKind::F64); ++kind) {
            const TypeId type = loading_.context.types.scalar(static_cast<TypeKind>(kind));
            if (loading_.context.types.text(type, loading_.context.symbols) != tree_.name(id)) continue;
            return add({.kind = TermKind::Constant, .constant = {AttrValue::Kind::Type, type, 0}}, id);
        }
    }
    const TermId result = term(id);
    if (rule_[result].kind != TermKind::Node || !is_scalar(result)) return result;
    check_computed(result, id);
    Term computed{.kind = TermKind::Compute};
    computed.operands.push_back(result);
    return add(std::move(computed), id);
}

// Made of literals, numerals and counts by scalar operations alone.
bool RuleReader::is_scalar(TermId id) const {
    const Term& term = rule_[id];
    switch (term.kind) {
    case TermKind::Number:
    case TermKind::Count:
    case TermKind::Query:
    case TermKind::Compute: return true;
    case TermKind::Constant: return term.constant.kind == AttrValue::Kind::Number;
    case TermKind::Variable: return rule_[term.variable].kind == VariableKind::Literal;
    case TermKind::Project:
    case TermKind::Field: return is_scalar(term.operands[0]);
    case TermKind::Node:
        return std::ranges::any_of(term.ops, [&](OpId op) { return loading_.context.operations[op].primitive >= 0; }) &&
               std::ranges::all_of(term.operands, [&](TermId operand) { return is_scalar(operand); });
    default: return false;
    }
}

// -- computations
// ------------------------------------------------------------------------------------------------

TermId RuleReader::compute(SyntaxId id) {
    if (mode_ == Mode::Pattern) error(tree_.span(id), "'#(…)' is allowed only on the right side and in conditions");
    Term result{.kind = TermKind::Compute};
    const SyntaxId inner = tree_.children_of(id)[0];
    result.operands.push_back(term(inner));
    if (mode_ == Mode::Term) {
        result.evaluated = !is_scalar(result.operands[0]);
        std::vector<VariableId> params;
        if (result.evaluated)
            check_evaluated(result.operands[0], params);
        else
            check_computed(result.operands[0], inner);
    }
    return add(std::move(result), id);
}

// Scalar operations over literals. Keeps those overloads that have a scalar meaning.
void RuleReader::check_computed(TermId id, SyntaxId at) {
    Term& term = rule_.terms[id.index];
    switch (term.kind) {
    case TermKind::Variable:
        if (rule_[term.variable].kind == VariableKind::Node || rule_[term.variable].kind == VariableKind::Param)
            error(term.where, "'" + text(term.variable) + "' is not a literal, and '#(…)' computes only with literals",
                  "'#k' in the pattern matches a literal");
        return;
    case TermKind::Node: {
        std::erase_if(term.ops, [&](OpId op) { return loading_.context.operations[op].primitive < 0; });
        if (term.ops.empty() && loading_.diagnostics.errors() == errors_before_)
            error(term.where, "'#(…)' computes with scalar operations only");
        const auto operands = term.operands;
        for (TermId operand : operands) check_computed(operand, at);
        return;
    }
    case TermKind::Project:
    case TermKind::Field: return check_computed(term.operands[0], at);
    case TermKind::Number:
    case TermKind::Constant:
    case TermKind::Compute:
    case TermKind::Count:
    case TermKind::Query:
    case TermKind::Wildcard: return; // the last: reported already
    default: error(term.where, "'#(…)' computes with literals and scalar operations only");
    }
}

// Pure operations over literals, blocks among them; `params`: those of blocks inside.
void RuleReader::check_evaluated(TermId id, std::vector<VariableId>& params) {
    const Term& term = rule_[id];
    const auto is_wrong = [&] { return loading_.diagnostics.errors() != errors_before_; };
    switch (term.kind) {
    case TermKind::Variable: {
        const VariableKind kind = rule_[term.variable].kind;
        const bool inside = kind == VariableKind::Param && std::ranges::find(params, term.variable) != params.end();
        if (kind != VariableKind::Literal && kind != VariableKind::Dim && !inside)
            error(term.where, "'" + text(term.variable) + "' is not a literal, and '#(…)' computes only with literals",
                  "'#k' in the pattern matches a literal");
        return;
    }
    case TermKind::Node:
    case TermKind::Project:
    case TermKind::Field:
    case TermKind::Struct: {
        const bool effects =
            std::ranges::any_of(term.ops, [&](OpId op) { return loading_.context.operations[op].takes_token(); });
        if (effects && !is_wrong()) error(term.where, "'#(…)' computes with operations without effects");
        const Term whole = term;
        for (const BlockTerm& block : whole.blocks) {
            params.insert(params.end(), block.params.begin(), block.params.end());
            for (TermId result : block.results) check_evaluated(result, params);
        }
        for (TermId operand : whole.operands) check_evaluated(operand, params);
        return;
    }
    case TermKind::Number:
    case TermKind::Constant:
    case TermKind::Compute:
    case TermKind::Count:
    case TermKind::Wildcard: return; // the last: reported already
    default:
        if (!is_wrong()) error(term.where, "'#(…)' computes with literals and operations only");
    }
}

// -- what the engine knows
// ---------------------------------------------------------------------------------------

TermId RuleReader::query(SyntaxId id) {
    const auto arguments = tree_.children_of(id);
    if (arguments.size() != 1) {
        error(tree_.span(id), quoted(tree_.name(id)) + " takes 1 argument, not " + std::to_string(arguments.size()));
        return wrong(id);
    }
    Term result{.kind = TermKind::Query, .text = symbol(tree_.name(id))};
    const bool allowed = std::exchange(sequences_allowed_, true), whole = std::exchange(whole_blocks_, true);
    const bool counts = tree_.name(id) == "uses" && tree_[arguments[0]].kind == Kind::Value;
    const auto param = counts ? parameter_of_left(arguments[0]) : std::nullopt;
    result.operands.push_back(param ? *param : item(arguments[0]));
    sequences_allowed_ = allowed, whole_blocks_ = whole;
    return add(std::move(result), id);
}

// `uses(%x)`: the parameter of that name, if a single block of the left side has one.
std::optional<TermId> RuleReader::parameter_of_left(SyntaxId id) {
    const SymbolId name = symbol(tree_.name(id));
    VariableId found{};
    for (const Term& term : rule_.terms)
        for (const BlockTerm& block : term.blocks)
            for (std::size_t i = 0; i < block.params.size() && i < block.names.size(); ++i) {
                if (block.names[i] != name || block.params[i] == found) continue;
                if (found) {
                    error(tree_.span(id), "several blocks have a parameter '%" + std::string(tree_.name(id)) + "'",
                          "give this one another name");
                    return wrong(id);
                }
                found = block.params[i];
            }
    if (!found) return std::nullopt;
    return add({.kind = TermKind::Variable, .variable = found}, id);
}

// -- conditions that bind
// -------------------------------------------------------------------------------

Condition RuleReader::match(SyntaxId id) {
    Condition result{.kind = Condition::Kind::Match};
    const auto sides = tree_.children_of(id);
    result.a = term(sides[0]);
    mode_ = Mode::Pattern;
    result.b = term(sides[1]);
    finish_patterns();
    mode_ = Mode::Term;
    return result;
}

// ?y = term, ?ys = term...
Condition RuleReader::build(SyntaxId id) {
    Condition result{.kind = Condition::Kind::Build};
    const SyntaxId expression = tree_.children_of(id)[0];
    result.a = item(expression);
    const SymbolId name = symbol(tree_.name(id));
    const auto found = find(name, Sort::Meta);
    if (found && known_[found->index].bound)
        error(tree_.span(id), "'?" + std::string(tree_.name(id)) + "' is already bound", "compare with '=='");
    result.variable = found ? *found : declare(name, Sort::Meta, VariableKind::Node);
    rule_.variables[result.variable.index].sequence = tree_[expression].kind == Kind::Seq;
    known_[result.variable.index].bound = true;
    return result;
}

// <s> t => ?y; a pattern in place of ?y is matched with the strategy's result.
void RuleReader::apply_strategy(SyntaxId id, std::vector<Condition>& out) {
    const auto children = tree_.children_of(id);
    Condition result{.kind = Condition::Kind::Strategy};
    rule_.applies_strategies = true;
    result.strategy =
        StrategyReader(loading_, file_, [&](SyntaxId argument) { return term(argument); }).read(children[0]);
    result.a = term(children[1]);
    const SyntaxId target = children[2];
    const SymbolId name = symbol(tree_.name(target));
    const bool plain = tree_[target].kind == Kind::Meta && !tree_[target].count && !find(name, Sort::Meta);
    if (plain) {
        result.variable = declare(name, Sort::Meta, VariableKind::Node);
        known_[result.variable.index].bound = true;
        out.push_back(std::move(result));
        return;
    }
    result.variable = VariableId{static_cast<std::uint32_t>(rule_.variables.size())};
    rule_.variables.push_back({symbol("_"), VariableKind::Node, false}); // has no name in the text
    known_.emplace_back().bound = true;
    Condition again{.kind = Condition::Kind::Match};
    again.a = add({.kind = TermKind::Variable, .variable = result.variable}, target);
    mode_ = Mode::Pattern;
    again.b = term(target);
    finish_patterns();
    mode_ = Mode::Term;
    out.push_back(std::move(result));
    out.push_back(std::move(again));
}

// -- predicates
// -----------------------------------------------------------------------------------------

// A function or sequence may stand as an argument as it is: `depends(?f, ?x)`.
Condition RuleReader::predicate(SyntaxId id) {
    Condition result{.kind = Condition::Kind::Predicate};
    result.text = symbol(tree_.name(id));
    const PredicateForm* form = find_predicate(tree_.name(id));
    const auto arguments = tree_.children_of(id);
    if (!form) {
        std::vector<std::string_view> known;
        for (const PredicateForm& predicate : predicates) known.push_back(predicate.name);
        error(tree_.name_span(id), "unknown condition " + quoted(tree_.name(id)),
              loading_.context.operations.find(symbol(tree_.name(id))).empty()
                  ? suggestion_or_all(tree_.name(id), "the conditions with a name are", known)
                  : "of literals, '#(…)' computes it: '#(" + std::string(tree_.name(id)) + "(…))'");
        return result;
    }
    if (form->query)
        error(tree_.span(id),
              quoted(form->name) + " has a value: compare it, '" + std::string(form->name) + "(?x) == …'");
    else if (arguments.size() < form->least || arguments.size() > form->most)
        error(tree_.span(id), quoted(form->name) + " takes " + counted(form->most, "argument") + ", not " +
                                  std::to_string(arguments.size()));
    const bool allowed = std::exchange(sequences_allowed_, true), whole = std::exchange(whole_blocks_, true);
    for (SyntaxId argument : arguments) result.terms.push_back(item(argument));
    sequences_allowed_ = allowed, whole_blocks_ = whole;
    return result;
}

} // namespace irrewrite::grammar
