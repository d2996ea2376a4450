// Expansions of generic operations, `op twice([?n]?T) {?T -> ?T} -> [?n]?T = { |%xs, ?f| … }`: a rule in no
// set, whose left side is the operation with everything that it was given, and whose right side is the block.
// `%xs` and `?f` are the operands and blocks, by position; `#k` and `?to` the attributes, `?T` the type
// variables, by name.
#include "grammar/program/expression_facts.hpp"
#include "grammar/rules/declare.hpp"
#include "grammar/rules/expansion_effects.hpp"
#include "grammar/rules/rule_reader.hpp"

#include <algorithm>

namespace irrewrite::grammar {

void RuleReader::read_expansion(SyntaxId block, OpId op) {
    const Operation& operation = loading_.context.operations[op];
    if (is_broken(block)) return;
    expansion_of_ = op;
    Term root{.kind = TermKind::Node, .ops = {op}};
    for (const AttrDecl& attribute : operation.attributes) root.attrs.push_back(given_attribute(attribute));
    std::vector<VariableId> types;
    for (SymbolId name : operation.signature.type_names) types.push_back(type_of_signature(name));
    std::vector<SyntaxId> values, functions;
    for (SyntaxId child : tree_.children_of(block)) {
        if (tree_[child].kind == Kind::Param) values.push_back(child);
        if (tree_[child].kind == Kind::Meta) functions.push_back(child);
    }
    if (!given_operands(block, values, operation.signature, types, root)) return;
    if (!given_blocks(block, functions, operation.signature, root)) return;
    rule_.left.push_back(add(std::move(root), block));
    expanded_body(block, op);
}

void RuleReader::expanded_body(SyntaxId block, OpId op) {
    mode_ = Mode::Term;
    lines_ = &rule_.lines;
    for (SyntaxId child : tree_.children_of(block)) {
        const Kind kind = tree_[child].kind;
        if (kind == Kind::Results)
            results(tree_.children_of(child));
        else if (kind != Kind::Param && kind != Kind::Meta)
            statement(child);
    }
    scope_.clear();
    const Operation& operation = loading_.context.operations[op];
    if (loading_.diagnostics.errors() != errors_before_) return;
    if (rule_.applies_strategies) error(tree_.span(block), "an expansion cannot apply strategies");
    if (rule_.asks()) error(rule_.conditions[0].where, "an expansion cannot ask an analysis");
    report(loading_.diagnostics, tree_.span(block), undeclared_effects(loading_.context, operation, rule_));
    for (const Term& term : rule_.terms)
        if (term.kind == TermKind::Node && &term != &rule_[rule_.left[0]] && term.ops == std::vector{op})
            error(term.where, "the expansion of " + quoted(loading_.context.symbols[operation.name]) +
                                  " contains the operation itself");
    const auto& due = operation.signature.results;
    const bool open = std::ranges::any_of(due, &TypeTerm::sequence) ||
                      std::ranges::any_of(rule_.right, [&](TermId t) { return rule_[t].sequence; });
    if (!open && rule_.right.size() > due.size() && !(due.empty() && rule_.right.size() == 1))
        error(tree_.span(block), "the operation has " + counted(due.size(), "result") + ", its expansion " +
                                     std::to_string(rule_.right.size()));
    finish();
}

// -- what the left side binds -----------------------------------------------------------------------

AttrTerm RuleReader::given_attribute(const AttrDecl& attribute) {
    const bool type = attribute.kind == AttrKind::Type;
    AttrTerm term{.kind = type ? AttrTerm::Kind::Type : AttrTerm::Kind::Literal};
    term.variable =
        declare(attribute.name, type ? Sort::Type : Sort::Literal, type ? VariableKind::Type : VariableKind::Literal);
    known_[term.variable.index].bound = true;
    return term;
}

VariableId RuleReader::type_of_signature(SymbolId name) {
    if (const auto found = find(name, Sort::Type)) return *found;
    return declare(name, Sort::Type, VariableKind::Type);
}

// The operand's type with the rule's own variables instead of the signature's; nothing if that is not one type.
std::optional<TypeTerm> RuleReader::annotation(const TypeTerm& term, std::span<const VariableId> types) {
    TypeTerm out = term;
    out.parts.clear();
    if (term.sequence || term.kind == TypeTerm::Kind::Attribute) return std::nullopt;
    out.length = TypeTerm::Length::Unknown;
    if (term.kind == TypeTerm::Kind::Variable) {
        out.variable = types[term.variable].index;
        known_[out.variable].bound = true;
    }
    for (const TypeTerm& part : term.parts) {
        auto inner = annotation(part, types);
        if (!inner) return std::nullopt;
        out.parts.push_back(std::move(*inner));
    }
    return out;
}

bool RuleReader::given_operands(SyntaxId block, std::span<const SyntaxId> values, const Signature& signature,
                                std::span<const VariableId> types, Term& root) {
    if (values.size() != signature.operands.size()) {
        error(tree_.span(block), "this block does not have as many parameters as the operation has operands",
              signature.blocks.empty() ? "" : "blocks are named '?f', after the operands: '{ |%xs, ?f| … }'");
        return false;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool sequence = tree_[values[i]].flags & Sequence;
        if (sequence != signature.operands[i].sequence) {
            const std::string name = "%" + std::string(tree_.name(values[i]));
            error(tree_.span(values[i]), "'" + name + "' is " + (sequence ? "one operand" : "any number of operands"),
                  "write '" + name + (sequence ? "'" : "...'"));
            return false;
        }
        const SymbolId name = symbol(tree_.name(values[i]));
        if (std::ranges::any_of(scope_, [&](const Local& l) { return l.name == name; }))
            error(tree_.span(values[i]), "this block has two parameters '%" + std::string(tree_.name(values[i])) + "'");
        const VariableId variable =
            declare(symbol("%" + std::string(tree_.name(values[i]))), Sort::Meta, VariableKind::Node);
        rule_.variables[variable.index].sequence = sequence;
        known_[variable.index].bound = true;
        scope_.push_back({name, variable, {}});
        Term term{.kind = TermKind::Variable, .sequence = sequence, .variable = variable};
        const TypeTerm::Kind kind = signature.operands[i].kind;
        if (!types.empty() && kind != TypeTerm::Kind::Known && kind != TypeTerm::Kind::Any)
            term.annotation = annotation(signature.operands[i], types);
        root.operands.push_back(add(std::move(term), values[i]));
    }
    return true;
}

bool RuleReader::given_blocks(SyntaxId block, std::span<const SyntaxId> functions, const Signature& signature,
                              Term& root) {
    if (functions.size() != signature.blocks.size()) {
        error(tree_.span(block),
              "the operation has " + counted(signature.blocks.size(), "block") + ", and its expansion names " +
                  std::to_string(functions.size()),
              signature.blocks.empty() ? "" : "blocks are named '?f', after the operands: '{ |%xs, ?f| … }'");
        return false;
    }
    for (std::size_t i = 0; i < functions.size(); ++i) {
        const SymbolId name = symbol(tree_.name(functions[i]));
        if (find(name, Sort::Meta))
            error(tree_.span(functions[i]), "two blocks '?" + std::string(tree_.name(functions[i])) + "'");
        BlockTerm term;
        term.label = signature.blocks[i].label;
        term.whole = declare(name, Sort::Meta, VariableKind::Block);
        const auto& params = signature.blocks[i].params;
        Knowledge& known = known_[term.whole.index];
        known.bound = true;
        known.arity = std::ranges::any_of(params, &TypeTerm::sequence) ? open_arity : static_cast<int>(params.size());
        root.blocks.push_back(std::move(term));
    }
    return true;
}

// Whatever is not said in types and operands alone. An opaque type becomes another one at its phase: then the
// expansion is of that.
bool is_generic_expansion(Context& context, const SyntaxTree& tree, SyntaxId block, const Operation& operation) {
    const auto is_known = [&](const TypeTerm& term) {
        if (term.kind != TypeTerm::Kind::Known || term.sequence) return false;
        bool stays = true;
        context.types.map_opaque(term.type, [&](TypeId opaque) {
            const auto declared = context.opaque_types.find(context.types.name(opaque));
            stays &= declared == context.opaque_types.end() || declared->second;
            return opaque;
        });
        return stays;
    };
    const Signature& signature = operation.signature;
    if (!std::ranges::all_of(signature.operands, is_known) || !std::ranges::all_of(signature.results, is_known) ||
        !signature.blocks.empty())
        return true;
    // `?to` of `op into[to: type](i64) -> to` looks like any metavariable.
    if (std::ranges::any_of(operation.attributes, [](const AttrDecl& a) { return a.kind == AttrKind::Type; }))
        return true;
    for (SyntaxId i = first_of_subtree(tree, block); i < block; ++i)
        if (tree[i].kind == Kind::MetaLiteral || tree[i].kind == Kind::TypeVar) return true;
    return false;
}

// -- functions
// ------------------------------------------------------------------------------------

namespace {
constexpr std::string_view function_operation = whole_function_operation;
} // namespace

// A name of a function is a text: `#f`, or computed, `#(#f ++ "_2")`.
AttrTerm RuleReader::function_name(SyntaxId name) {
    AttrTerm result{.kind = AttrTerm::Kind::Literal};
    if (tree_[name].kind == Kind::Compute && mode_ == Mode::Term) return computed_attribute(name);
    if (tree_[name].kind == Kind::Compute) {
        error(tree_.span(name), "the name of a function is computed only on the right side",
              "bind it, '@#f', and compare it in a condition, 'where #f == \"name\"'");
        return result;
    }
    result.variable = variable(name, Sort::Literal, VariableKind::Literal);
    rule_.variables[result.variable.index].compound = true;
    return result;
}

// `@#f(?x...)`: a call of any function, or, with a block, of a new one.
TermId RuleReader::named_call(SyntaxId id) {
    auto children = tree_.children_of(id);
    const SyntaxId name = children[0];
    const bool makes = is_block(tree_[children.back()]);
    const auto operands = children.subspan(1, children.size() - 1 - makes);
    if (makes) return made_call(id, function_name(name), operands, children.back());
    Term term{.kind = TermKind::Call, .attrs = {function_name(name)}};
    term.operands = items(operands);
    return add(std::move(term), id);
}

// `@name(?x...) { |%x...| … }`: a call of a new function.
TermId RuleReader::made_call(SyntaxId id, AttrTerm name, std::span<const SyntaxId> operands, SyntaxId block) {
    if (mode_ == Mode::Pattern)
        error(tree_.span(block), "a call has no block: on the left side it is a call of a function that exists",
              "the body of a function is matched by 'func @#f { … }'");
    const auto found = loading_.context.operations.find(symbol(function_operation));
    Term term{.kind = TermKind::Node, .function = true, .ops = {found[0]}, .attrs = {name}};
    term.operands = items(operands);
    term.blocks.push_back(this->block(block, &loading_.context.operations[found[0]].signature.blocks[0]));
    return add(std::move(term), id);
}

// `func @#f(?x...) { |%x...| … }`: as if the operands, by default its parameters, were given to its body.
TermId RuleReader::whole_function(SyntaxId id) {
    auto children = tree_.children_of(id);
    if (id != whole_)
        error(tree_.span(id), "a function stands alone on the left side of a rule, and alone on its right side",
              "a call of a new function is '@name(?x) { |%x| … }'");
    AttrTerm name{.constant = {AttrValue::Kind::Text, {}, symbol(tree_.name(id)).index}};
    if (tree_.name(id).empty()) name = function_name(children[0]), children = children.subspan(1);
    const auto found = loading_.context.operations.find(symbol(function_operation));
    Term term{.kind = TermKind::Node, .function = true, .ops = {found[0]}, .attrs = {name}};
    const bool spelled = children.size() > 1;
    if (spelled)
        term.operands = operands_of_calls(children[0]);
    else if (given_)
        for (const VariableId given : *given_)
            term.operands.push_back(
                add({.kind = TermKind::Variable, .sequence = rule_[given].sequence, .variable = given}, id));
    if (!spelled && !given_) term.operands.push_back(all_operands(id));
    term.blocks.push_back(block(children.back(), &loading_.context.operations[found[0]].signature.blocks[0]));
    if (spelled || given_) check_operands_of_calls(children.back(), term);
    return add(std::move(term), id);
}

TermId RuleReader::all_operands(SyntaxId id) {
    const SymbolId params = symbol("% the parameters");
    const auto known = this->find(params, Sort::Meta);
    const VariableId variable = known ? *known : declare(params, Sort::Meta, VariableKind::Node);
    rule_.variables[variable.index].sequence = known_[variable.index].bound = true;
    return add({.kind = TermKind::Variable, .sequence = true, .variable = variable}, id);
}

// On the left, what any call gives; on the right, what it gives from then on.
std::vector<TermId> RuleReader::operands_of_calls(SyntaxId list) {
    const auto operands = tree_.children_of(list);
    if (mode_ == Mode::Term && !given_)
        error(tree_.span(list), "the left side does not say what calls of the function give",
              "name its operands there: 'func @#f(?x, ?y...) {?body}'");
    const std::vector<TermId> terms = items(operands);
    if (mode_ != Mode::Pattern) return terms;
    given_.emplace();
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Term& operand = rule_[terms[i]];
        if (operand.kind == TermKind::Variable && rule_[operand.variable].kind == VariableKind::Node)
            given_->push_back(operand.variable);
        else
            error(tree_.span(operands[i]), "any call is meant: its operands are metavariables, '?x'");
    }
    return terms;
}

// One parameter for each operand, one sequence for each sequence.
void RuleReader::check_operands_of_calls(SyntaxId block, const Term& function) {
    const auto is_sequence = [&](auto item) { return rule_[item].sequence; };
    std::vector<bool> operands, params;
    for (const TermId operand : function.operands) operands.push_back(is_sequence(operand));
    for (const VariableId param : function.blocks[0].params) params.push_back(is_sequence(param));
    const bool is_any = function.blocks[0].whole || (params == std::vector{true} && mode_ == Mode::Term);
    if (!is_any && operands != params)
        error(tree_.span(block), "the block has another list of parameters than calls have operands",
              "one parameter stands for each operand, and '%x...' for '?x...'");
}

// A function becomes a function.
void RuleReader::check_whole_functions(std::span<const SyntaxId> terms, std::span<const SyntaxId> roots) {
    const auto is_whole = [&](SyntaxId id) { return tree_[id].kind == Kind::WholeFunction; };
    const bool left = roots.size() == 1 && is_whole(roots[0]);
    if (!left && terms.size() == 1 && is_whole(terms[0]))
        error(tree_.span(terms[0]), "the left side is no function",
              "a call of a new function is '@name(?x) { |%x| … }'");
    if (left && terms.size() == 1 && !is_whole(terms[0]))
        error(tree_.span(terms[0]), "the left side is a function, so the right side must be one, 'func @… { … }'");
}

} // namespace irrewrite::grammar
