// Operations in patterns and terms: the overloads that may be meant, attributes, blocks.
#include "engine/ir/scalars.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/expression_facts.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::grammar {

// -- which operation
// ----------------------------------------------------------------------------------

RuleReader::Shape RuleReader::shape(SyntaxId id) {
    Shape shape;
    for (SyntaxId child : tree_.children_of(id)) {
        const SyntaxNode& node = tree_[child];
        if (node.kind == Kind::Attr) {
            shape.attributes.push_back(child);
        } else if (is_block(node)) {
            shape.blocks.push_back(child);
            shape.labels.push_back(tree_.label(child).empty() ? SymbolId{} : symbol(tree_.label(child)));
        } else {
            shape.operands.push_back(child);
            shape.repeats += node.kind == Kind::Seq;
        }
    }
    return shape;
}

TermId RuleReader::operation(SyntaxId id) {
    const std::string_view name = tree_.name(id);
    const auto children = tree_.children_of(id);
    const bool plain = tree_[id].kind == Kind::Op && (children.empty() || !is_block(tree_[children.back()]));
    const auto takes_no_block = [&](OpId op) { return loading_.context.operations[op].signature.blocks.empty(); };
    // An operation of that name is not meant where a sequence stands without `...`.
    if (plain && (name == "count" || name == "results") &&
        (is_bare_sequence(children) ||
         std::ranges::none_of(loading_.context.operations.find(symbol(name)), takes_no_block)))
        return count(id);
    if (const auto sequence = plain ? computed_sequence(id) : std::nullopt) {
        error(tree_.span(id),
              quoted(name) + " is a sequence: '" + std::string(name) +
                  (*sequence == SequenceOf::Range ? "(a, b)...'" : "(?x)...'"),
              *sequence == SequenceOf::Parts ? "'count(parts(?x))' is their number" : "");
        return wrong(id);
    }
    const Shape shape = this->shape(id);
    const TermId made = applied(id, shape, candidates(id, shape));
    rule_.terms[made.index].compares = mode_ == Mode::Term && tree_[id].kind == Kind::Infix && is_comparison(name);
    return made;
}

bool RuleReader::is_bare_sequence(std::span<const SyntaxId> operands) {
    if (operands.size() != 1 || tree_[operands[0]].kind != Kind::Meta) return false;
    const auto variable = find(symbol(tree_.name(operands[0])), Sort::Meta);
    return variable && rule_[*variable].sequence;
}

// count(?xs): of the items of a sequence; results(?gs): of their results, or of one generator's.
TermId RuleReader::count(SyntaxId id) {
    const auto arguments = tree_.children_of(id);
    const std::string name(tree_.name(id));
    Term term{.kind = TermKind::Count, .results = name == "results"};
    if (mode_ == Mode::Pattern)
        error(tree_.span(id), "'" + name + "' is allowed only on the right side and in conditions");
    SyntaxId argument = arguments.empty() ? id : arguments[0];
    if (tree_[argument].kind == Kind::Seq) argument = tree_.children_of(argument)[0];
    term.parts = !term.results && arguments.size() == 1 && computed_sequence(argument) == SequenceOf::Parts &&
                 tree_[argument].count == 1;
    if (term.parts) argument = tree_.children_of(argument)[0];
    const bool plain =
        arguments.size() == 1 && (tree_[argument].kind == Kind::Meta || tree_[argument].kind == Kind::MetaLiteral ||
                                  tree_[argument].kind == Kind::Value);
    if (!plain) {
        error(tree_.span(id), "'" + name + "' takes one sequence, '" + name + "(?xs)'");
        return wrong(id);
    }
    const bool allowed = std::exchange(sequences_allowed_, true);
    const TermId counted = this->term(argument);
    sequences_allowed_ = allowed;
    term.variable = rule_[counted].variable;
    if (!term.results && !term.parts && mode_ == Mode::Term && term.variable && !rule_[term.variable].sequence)
        error(tree_.span(argument), "'" + text(term.variable) + "' is not a sequence");
    return add(std::move(term), id);
}

// `repeats` of the operands are followed by `...` and may be any number.
bool RuleReader::takes(OpId op, std::size_t operands, std::size_t repeats) const {
    if (loading_.context.operations.accepts(op, operands)) return true;
    const auto& terms = loading_.context.operations[op].signature.operands;
    return repeats && (terms.size() >= operands - repeats || std::ranges::any_of(terms, &TypeTerm::sequence));
}

// `some`: others may be missing.
bool RuleReader::takes_blocks(OpId op, std::span<const SymbolId> labels, bool some) const {
    std::size_t given = 0;
    for (const BlockSignature& block : loading_.context.operations[op].signature.blocks) {
        if (given < labels.size() && labels[given] == block.label)
            ++given;
        else if (!block.optional && !some)
            return false;
    }
    return given == labels.size();
}

// The newest declaration first.
std::vector<OpId> RuleReader::candidates(SyntaxId id, const Shape& shape) {
    const std::string_view name = tree_.name(id);
    std::vector<OpId> overloads;
    if (tree_[id].kind == Kind::Op) {
        const auto found = loading_.context.operations.find(symbol(name));
        overloads.assign(found.rbegin(), found.rend());
    } else {
        const auto found = tree_[id].kind == Kind::Infix ? loading_.infix(name) : loading_.prefix(name);
        overloads.assign(found.begin(), found.end());
    }
    const bool place = std::exchange(place_, false);
    blocks_of_place_ = place;
    std::vector<OpId> fitting;
    for (OpId op : overloads)
        if (takes(op, shape.operands.size(), shape.repeats) && takes_blocks(op, shape.labels, place))
            fitting.push_back(op);
    // An expansion does not contain its own operation: the notation is that of another one.
    const bool is_notation = tree_[id].kind == Kind::Infix || tree_[id].kind == Kind::Prefix;
    if (is_notation && expansion_of_ && fitting.size() > 1) std::erase(fitting, *expansion_of_);
    if (fitting.empty()) report_shape(id, shape, overloads);
    return fitting;
}

void RuleReader::report_shape(SyntaxId id, const Shape& shape, std::span<const OpId> overloads) {
    const Operations& operations = loading_.context.operations;
    const std::string name = quoted(tree_.name(id));
    const Span where = tree_.name_span(id);
    if (overloads.empty() && tree_[id].kind == Kind::Prefix && tree_.name(id) == "not") {
        error(where, "'not' negates a condition, and a value is due here", "the operation is written '#(not(…))'");
    } else if (overloads.empty() && (tree_[id].kind == Kind::Infix || tree_[id].kind == Kind::Prefix)) {
        error(where, "there is no operation for the operator " + name);
    } else if (overloads.empty()) {
        std::vector<std::string_view> known;
        for (std::uint32_t i = 0; i < operations.size(); ++i)
            if (operations[OpId{i}].core == Core::None)
                known.push_back(loading_.context.symbols[operations[OpId{i}].name]);
        std::string help = suggestion(tree_.name(id), known);
        if (const auto file = shipped_file_of(tree_.name(id)); file && *file != "core.rules") // read in every run
            help = *file + " declares it: 'import \"" + *file + "\" for sets'";
        else if (find(symbol(tree_.name(id)), Sort::Literal))
            help = "the literal of this rule is written '#" + std::string(tree_.name(id)) + "'";
        else if (help.empty() && shape.operands.empty() && shape.blocks.empty())
            help = "a metavariable is written '?" + std::string(tree_.name(id)) + "'";
        loading_.diagnostics.unknown(where, "operation", tree_.name(id), help);
    } else if (std::ranges::any_of(overloads,
                                   [&](OpId op) { return takes(op, shape.operands.size(), shape.repeats); })) {
        std::string help;
        for (const BlockSignature& block : operations[overloads[0]].signature.blocks)
            help += block.label ? " " + std::string(loading_.context.symbols[block.label]) + " {…}" : " {…}";
        error(where, name + (help.empty() ? " takes no block" : " does not have these blocks"),
              help.empty() ? "" : "its blocks are" + help);
    } else {
        const auto& terms = operations[overloads[0]].signature.operands;
        const bool plain = overloads.size() == 1 && std::ranges::none_of(terms, &TypeTerm::sequence);
        Diagnostic& wrong = error(where, plain ? name + " takes " + counted(terms.size(), "operand") + ", not " +
                                                     std::to_string(shape.operands.size())
                                               : name + " does not take " + counted(shape.operands.size(), "operand"));
        if (Span declared = operations[overloads[0]].where; declared.source)
            wrong.notes.push_back({declared, "it is declared here"});
    }
}

// An operation with several results stands for all of them among operands of which there may be any number. The number of
// some is known only when the right side is built.
void RuleReader::spread_results(std::span<const SyntaxId> operands, OpId op, Term& term) {
    const Operation& operation = loading_.context.operations[op];
    std::vector<TermId> each;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::size_t count = count_results(term.operands[i]);
        const bool many = operation.signature.any_number(i, operands.size());
        if (count > 1 && (!many || (mode_ == Mode::Pattern && operation.has(Trait::Commutative))))
            error(tree_.span(operands[i]), "expected one value, but this has " + std::to_string(count) + " results",
                  "select one of them with '.0'");
        if (count > 1 && mode_ == Mode::Pattern)
            std::ranges::copy(results_of(term.operands[i], count, operands[i]), std::back_inserter(each));
        else
            each.push_back(term.operands[i]);
    }
    term.operands = std::move(each);
}

// Of an operation that always has as many; else 1.
std::size_t RuleReader::count_results(TermId id) const {
    const Term& named = rule_[id];
    const Term& term = named.kind == TermKind::Named ? rule_[named.operands[0]] : named;
    if (term.kind != TermKind::Node || term.sequence || named.sequence || term.ops.empty()) return 1;
    std::size_t most = 0;
    for (OpId op : term.ops) {
        const auto count = loading_.context.operations[op].signature.result_count();
        if (!count || *count < 2 || loading_.context.operations[op].core != Core::None) return 1;
        most = std::max(most, *count);
    }
    return most;
}

// A pattern for each result of `whole`: the first one names the node.
std::vector<TermId> RuleReader::results_of(TermId whole, std::size_t count, SyntaxId where) {
    if (rule_[whole].kind != TermKind::Named) {
        const VariableId name =
            declare(symbol("_" + std::to_string(rule_.variables.size())), Sort::Meta, VariableKind::Node);
        whole = add({.kind = TermKind::Named, .variable = name, .operands = {whole}}, where);
    }
    const VariableId name = rule_[whole].variable;
    std::vector<TermId> results;
    for (std::size_t k = 0; k < count; ++k) {
        const TermId node = k ? add({.kind = TermKind::Variable, .variable = name}, where) : whole;
        const TermId number = add({.kind = TermKind::Number, .text = symbol(std::to_string(k))}, where);
        results.push_back(add({.kind = TermKind::Project, .operands = {node, number}}, where));
    }
    return results;
}

// Operands and blocks are read even where the operation is unknown: they bind metavariables.
TermId RuleReader::applied(SyntaxId id, const Shape& shape, std::vector<OpId> ops) {
    Term term{.kind = TermKind::Node};
    const bool place = std::exchange(blocks_of_place_, false);
    term.operands = items(shape.operands);
    blocks_of_place_ = place;
    if (ops.empty()) {
        for (SyntaxId child : shape.blocks) block(child, nullptr);
        return wrong(id);
    }
    spread_results(shape.operands, ops[0], term);
    attributes(id, shape, ops[0], term);
    blocks(shape, ops[0], term);
    blocks_of_place_ = false;
    const Operations& operations = loading_.context.operations;
    std::erase_if(ops, [&](OpId op) {
        return operations[op].signature.blocks.size() != operations[ops[0]].signature.blocks.size() ||
               operations[op].attributes.size() < term.attrs.size();
    });
    if (mode_ == Mode::Pattern && operations[ops[0]].is_flat && shape.operands.size() == 1 && shape.repeats == 0)
        error(tree_.span(id), quoted(tree_.name(id)) + " of one operand is that operand: the pattern never matches",
              "write a second part, or a sequence, '?rest...'");
    term.ops = std::move(ops);
    const auto analysis = loading_.base.analysis_of(term.ops[0]);
    const TermId made = add(std::move(term), id);
    return analysis ? ask(made, *analysis, id) : made;
}

// -- attributes
// ---------------------------------------------------------------------------------------

// By position or by name. Trailing types may be left out: the context knows them.
void RuleReader::attributes(SyntaxId id, const Shape& shape, OpId op, Term& term) {
    const Operation& operation = loading_.context.operations[op];
    std::vector<std::optional<AttrTerm>> given(operation.attributes.size());
    const std::size_t errors = loading_.diagnostics.errors();
    std::size_t next = 0;
    for (SyntaxId attr : shape.attributes) {
        const auto position = attribute_position(attr, operation, next);
        if (!position) continue;
        if (given[*position]) error(tree_.span(attr), "this attribute is given twice");
        given[*position] = attribute(tree_.children_of(attr)[0], operation.attributes[*position]);
        next = *position + 1;
    }
    while (!given.empty() && !given.back() && operation.attributes[given.size() - 1].kind == AttrKind::Type)
        given.pop_back();
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (!given[i] && loading_.diagnostics.errors() == errors)
            error(tree_.name_span(id), quoted(tree_.name(id)) + " is missing the attribute " +
                                           quoted(loading_.context.symbols[operation.attributes[i].name]));
        term.attrs.push_back(given[i].value_or(AttrTerm{}));
    }
}

std::optional<std::size_t> RuleReader::attribute_position(SyntaxId attr, const Operation& operation, std::size_t next) {
    const auto& declared = operation.attributes;
    const std::string name = quoted(loading_.context.symbols[operation.name]);
    if (tree_.name(attr).empty()) {
        if (next < declared.size()) return next;
        error(tree_.span(attr),
              name + " has " + (declared.empty() ? "no attributes" : counted(declared.size(), "attribute")));
        return std::nullopt;
    }
    const SymbolId wanted = symbol(tree_.name(attr));
    const auto found = std::ranges::find(declared, wanted, &AttrDecl::name);
    if (found != declared.end()) return static_cast<std::size_t>(found - declared.begin());
    std::vector<std::string_view> known;
    for (const AttrDecl& decl : declared) known.push_back(loading_.context.symbols[decl.name]);
    std::string help = suggestion(tree_.name(attr), known);
    if (help.empty() && known.size() == 1) help = "its attribute is " + quoted(known[0]);
    error(tree_.name_span(attr), name + " has no attribute " + quoted(tree_.name(attr)), std::move(help));
    return std::nullopt;
}

AttrTerm RuleReader::attribute(SyntaxId value, const AttrDecl& declared) {
    const Kind kind = tree_[value].kind;
    AttrTerm result;
    if (declared.kind == AttrKind::Type && (kind == Kind::Meta || kind == Kind::TypeVar)) {
        result.kind = AttrTerm::Kind::Type;
        result.variable = variable(value, Sort::Type, VariableKind::Type);
        return result;
    }
    if (declared.kind != AttrKind::Type && kind == Kind::MetaLiteral) {
        result.kind = AttrTerm::Kind::Literal;
        result.variable = variable(value, Sort::Literal, VariableKind::Literal);
        return result;
    }
    if (declared.kind != AttrKind::Type && kind == Kind::Compute) return computed_attribute(value);
    if (declared.kind != AttrKind::Type && mode_ == Mode::Pattern && tree_.name(value) == "_") {
        result.kind = AttrTerm::Kind::Literal;
        result.variable =
            declare(symbol("_" + std::to_string(rule_.variables.size())), Sort::Literal, VariableKind::Literal);
        known_[result.variable.index].bound = true;
        return result;
    }
    return constant_attribute(value, declared);
}

// `[#(#a + 1)]`: a literal of a condition that comes first, `#c = #(#a + 1)`.
AttrTerm RuleReader::computed_attribute(SyntaxId value) {
    const TermId computed = term(value);
    for (SyntaxId i = first_of_subtree(tree_, value); i < value; ++i)
        if (const auto found =
                tree_[i].kind == Kind::MetaLiteral ? find(symbol(tree_.name(i)), Sort::Literal) : std::nullopt)
            if (rule_[*found].sequence)
                error(tree_.span(value), "an attribute can be computed only from single literals");
    const VariableId result =
        declare(symbol(std::to_string(rule_.variables.size())), Sort::Literal, VariableKind::Literal);
    known_[result.index].bound = true;
    rule_.conditions.push_back(
        {.kind = Condition::Kind::Build, .a = computed, .variable = result, .where = tree_.span(value)});
    return {.kind = AttrTerm::Kind::Literal, .variable = result};
}

AttrTerm RuleReader::constant_attribute(SyntaxId value, const AttrDecl& declared) {
    AttrTerm result;
    const Types& types = loading_.context.types;
    const Kind kind = tree_[value].kind;
    const std::string name = quoted(loading_.context.symbols[declared.name]);
    const std::string_view text = tree_.name(value);
    const auto number_of = [&](TypeId type) {
        const NumberText parts = split_number(text);
        const auto bits = kind == Kind::Number ? parse_scalar(types.kind(type), parts.digits) : std::nullopt;
        if (!bits)
            error(tree_.span(value),
                  "the attribute " + name + " is " + (type == types.i64() ? "an integer" : "a float"));
        result.constant = {AttrValue::Kind::Number, type, bits.value_or(0)};
        result.open = !parts.suffix;
    };
    switch (declared.kind) {
    case AttrKind::Int: number_of(types.i64()); break;
    case AttrKind::Float: number_of(types.f64()); break;
    case AttrKind::Bool:
        if (kind != Kind::Bool) error(tree_.span(value), "the attribute " + name + " is 'true' or 'false'");
        result.constant = {AttrValue::Kind::Number, types.boolean(), text == "true"};
        break;
    case AttrKind::Text:
        if (kind != Kind::String)
            error(tree_.span(value), "the attribute " + name + " is a text");
        else
            result.constant = {AttrValue::Kind::Text, {}, symbol(unescape(text)).index};
        break;
    case AttrKind::Type:
        if (kind < Kind::TypeName || kind > Kind::TypeApply)
            error(tree_.span(value), "the attribute " + name + " is a type");
        else if (auto type = elaborate_type(loading_.context, tree_, value, loading_.diagnostics))
            result.constant = {AttrValue::Kind::Type, *type, 0};
        break;
    }
    return result;
}

} // namespace irrewrite::grammar
