// Patterns and terms. Recursive, with a limit: the matcher recurses over patterns as well.
#include "engine/ir/scalars.hpp"
#include "grammar/program/expression_facts.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/rules/rule_strategies.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

TermId RuleReader::item(SyntaxId id) { return tree_[id].kind == Kind::Seq ? repeated(id) : read(id); }

TermId RuleReader::term(SyntaxId id) {
    if (tree_[id].kind != Kind::Seq) return read(id);
    error(tree_.span(id), "'...' is allowed only after operands, results, arguments and fields");
    return repeated(id);
}

std::vector<TermId> RuleReader::items(std::span<const SyntaxId> ids) {
    std::vector<TermId> terms;
    for (SyntaxId id : ids) terms.push_back(item(id));
    return terms;
}

TermId RuleReader::read(SyntaxId id) {
    if (depth_ == deepest) {
        if (!too_deep_)
            loading_.diagnostics.limit(tree_.span(id),
                                       "a term nested deeper than " + std::to_string(deepest) + " levels");
        too_deep_ = true;
        return wrong(id);
    }
    ++depth_;
    const TermId result = [&] {
        switch (tree_[id].kind) {
        case Kind::Number: return number(id);
        case Kind::Bool:
        case Kind::String: return constant(id);
        case Kind::Value: return value(id);
        case Kind::Meta: return meta(id);
        case Kind::MetaLiteral: return meta_literal(id);
        case Kind::Apply: return apply(id);
        case Kind::Named: return named(id);
        case Kind::Op:
        case Kind::Infix:
        case Kind::Prefix: return operation(id);
        case Kind::Call: return call(id);
        case Kind::NamedCall: return named_call(id);
        case Kind::WholeFunction: return whole_function(id);
        case Kind::Project: return project(id);
        case Kind::Tuple: return list(id, Core::Tuple);
        case Kind::Array: return list(id, Core::List);
        case Kind::Struct: return structure(id);
        case Kind::Compute: return compute(id);
        case Kind::StrategyTerm: return strategy(id);
        case Kind::Wildcard:
            if (mode_ == Mode::Term) error(tree_.span(id), "'_' is allowed only in patterns");
            return wrong(id);
        case Kind::Update: return record(id);
        default: error(tree_.span(id), "expected a term here"); return wrong(id);
        }
    }();
    --depth_;
    return result;
}

// `t...`: the term itself is marked; a line's term is shared with uses without `...`.
TermId RuleReader::repeated(SyntaxId id) {
    const SyntaxId inner = tree_.children_of(id)[0];
    ellipses_.push_back(false);
    ++under_;
    const auto computed = computed_sequence(inner);
    TermId result = computed ? sequence_term(inner, *computed) : item(inner);
    --under_;
    const bool over_sequence = ellipses_.back();
    ellipses_.pop_back();
    if (rule_[result].line)
        result = add({.kind = TermKind::Named, .operands = {result}}, inner);
    else if (rule_[result].kind != TermKind::Variable && tree_[inner].kind == Kind::Value)
        result = add(Term(rule_[result]), inner);
    Term& term = rule_.terms[result.index];
    term.sequence = true;
    // An operation's tuple, or its results, are spread.
    const bool spread = term.kind == TermKind::Node || term.kind == TermKind::Call || term.kind == TermKind::Named ||
                        term.kind == TermKind::Parts;
    if (mode_ == Mode::Term && !over_sequence && !spread)
        error(tree_.span(id), "'...' has no sequence to repeat: no name in this term was bound under '...'");
    const bool metavariable = term.kind == TermKind::Variable || term.kind == TermKind::Apply;
    if (mode_ == Mode::Pattern && metavariable && rule_[term.variable].kind != VariableKind::Param)
        known_[term.variable.index].repeated.push_back(tree_.span(id));
    return result;
}

// -- leaves
// -----------------------------------------------------------------------------------------

TermId RuleReader::number(SyntaxId id) {
    const std::string_view text = tree_.name(id);
    const NumberText parts = split_number(text);
    Term term{.kind = TermKind::Number, .text = symbol(text)};
    if (parts.suffix) {
        term.type = loading_.context.types.scalar(*parts.suffix);
        if (!parse_scalar(*parts.suffix, parts.digits))
            error(tree_.span(id), quoted(parts.digits) + " is not a value of the type '" +
                                      loading_.context.types.text(term.type, loading_.context.symbols) + "'");
    }
    return add(std::move(term), id);
}

TermId RuleReader::constant(SyntaxId id) {
    const std::string_view text = tree_.name(id);
    Term term{.kind = TermKind::Constant};
    if (tree_[id].kind == Kind::Bool)
        term.constant = {AttrValue::Kind::Number, loading_.context.types.boolean(), text == "true"};
    else
        term.constant = {AttrValue::Kind::Text, {}, symbol(unescape(text)).index};
    return add(std::move(term), id);
}

// `%x`: the innermost block's parameter or line of that name.
TermId RuleReader::value(SyntaxId id) {
    const SymbolId name = symbol(tree_.name(id));
    const auto local = std::find_if(scope_.rbegin(), scope_.rend(), [&](const Local& l) { return l.name == name; });
    if (local == scope_.rend()) {
        std::vector<std::string_view> known;
        for (const Local& l : scope_) known.push_back(loading_.context.symbols[l.name]);
        error(tree_.span(id), "no enclosing block has a parameter '%" + std::string(tree_.name(id)) + "'",
              known.empty() ? "a metavariable is written '?" + std::string(tree_.name(id)) + "'"
                            : suggestion(tree_.name(id), known, "%"));
        return wrong(id);
    }
    if (!local->param) return local->term;
    const VariableId param = local->param;
    mark_sequence(param, tree_.span(id));
    return add({.kind = TermKind::Variable, .variable = param}, id);
}

TermId RuleReader::meta(SyntaxId id) {
    const bool length = dims_.contains(symbol(tree_.name(id)));
    const VariableId found = variable(id, Sort::Meta, length ? VariableKind::Dim : VariableKind::Node);
    const bool block = rule_[found].kind == VariableKind::Block;
    if (block && mode_ == Mode::Pattern)
        error(tree_.span(id), "'" + text(found) + "' is already a block",
              "write it in the same form everywhere on the left side");
    if (block && mode_ == Mode::Term && !whole_blocks_) // its result: a block without parameters
        return add({.kind = TermKind::Apply, .variable = found}, id);
    const int arity = known_[found.index].arity;
    const bool function = arity > 0 || arity == open_arity;
    if (mode_ == Mode::Term && function && (!sequences_allowed_ || in_project_))
        error(tree_.span(id),
              "'" + text(found) + "' is a function" +
                  (arity > 0 ? " of " + counted(static_cast<std::size_t>(arity), "operand") : ""),
              "apply it, '" + text(found) + "(…)'");
    Term term{.kind = TermKind::Variable, .variable = found};
    annotate(tree_.children_of(id), term);
    return add(std::move(term), id);
}

TermId RuleReader::meta_literal(SyntaxId id) {
    Term term{.kind = TermKind::Variable, .variable = variable(id, Sort::Literal, VariableKind::Literal)};
    annotate(tree_.children_of(id), term);
    if (rule_[term.variable].kind == VariableKind::Literal && is_compound(term))
        rule_.variables[term.variable.index].compound = true;
    return add(std::move(term), id);
}

// `#s: []u8`: a literal that is more than a number.
bool RuleReader::is_compound(const Term& term) const {
    if (term.annotation_class == TypeClass::Array || term.annotation_class == TypeClass::Record) return true;
    if (!term.annotation) return false;
    if (term.annotation->kind != TypeTerm::Kind::Known)
        return term.annotation->kind == TypeTerm::Kind::Array || term.annotation->kind == TypeTerm::Kind::Tuple;
    const TypeKind kind = loading_.context.types.kind(term.annotation->type);
    return kind == TypeKind::Array || kind == TypeKind::Tuple || kind == TypeKind::Struct;
}

// -- functions
// --------------------------------------------------------------------------------------

TermId RuleReader::apply(SyntaxId id) {
    const VariableId function = variable(id, Sort::Meta, VariableKind::Node);
    const auto arguments = tree_.children_of(id);
    if (mode_ == Mode::Pattern && rule_[function].kind == VariableKind::Block)
        error(tree_.span(id), "'" + text(function) + "' is already a block",
              "write it in the same form everywhere on the left side");
    const unsigned under = under_;
    const std::size_t bound = rule_.variables.size();
    if (mode_ == Mode::Pattern) under_ = 0; // see the note in rule_reader.hpp
    Term term{.kind = TermKind::Apply, .variable = function, .operands = items(arguments)};
    under_ = under;
    if (mode_ == Mode::Pattern) {
        for (std::size_t i = 0; i < term.operands.size() && i < arguments.size(); ++i)
            if (!can_be_found(term.operands[i], bound))
                error(tree_.span(arguments[i]), "this argument of '" + text(function) + "' cannot be found in a body",
                      "it needs a parameter of the block, or a metavariable that stands before it in the pattern");
        note_holes(function, arguments);
    } else
        check_holes(id, function);
    return add(std::move(term), id);
}

// A body is searched for what depends on a parameter, or on what one of the first `bound` variables stands for.
bool RuleReader::can_be_found(TermId argument, std::size_t bound) const {
    const Term& term = rule_[argument];
    const auto is_known = [&](VariableId v) { return v && (rule_[v].kind == VariableKind::Param || v.index < bound); };
    const auto below = [&](TermId part) { return can_be_found(part, bound); };
    return is_known(term.variable) || std::ranges::any_of(term.operands, below) ||
           std::ranges::any_of(term.blocks, [&](const BlockTerm& block) {
               return is_known(block.whole) || std::ranges::any_of(block.results, below);
           });
}

void RuleReader::note_holes(VariableId function, std::span<const SyntaxId> arguments) {
    Knowledge& known = known_[function.index];
    if (known.arity != unknown_arity) return;
    known.holes.clear();
    for (SyntaxId argument : arguments) known.holes.push_back(tree_[argument].kind == Kind::Seq);
    const bool open = std::ranges::find(known.holes, true) != known.holes.end();
    known.arity = open ? open_arity : static_cast<int>(arguments.size());
}

void RuleReader::check_holes(SyntaxId id, VariableId function) {
    const Knowledge& known = known_[function.index];
    const auto arguments = tree_.children_of(id);
    const bool open = std::ranges::any_of(arguments, [&](SyntaxId a) { return tree_[a].kind == Kind::Seq; });
    if (open || known.arity < 0 || static_cast<std::size_t>(known.arity) == arguments.size()) return;
    error(tree_.span(id),
          "'" + text(function) + "' takes " + counted(static_cast<std::size_t>(known.arity), "operand") +
              (expansion_of_ ? ", not " : " on the left side, not ") + std::to_string(arguments.size()));
}

TermId RuleReader::named(SyntaxId id) {
    if (mode_ == Mode::Term)
        error(tree_.span(id), "a node can be named only in patterns", "build it in a condition, 'where ?y = …'");
    const VariableId name = mode_ == Mode::Pattern ? bind(id, Sort::Meta, VariableKind::Node) : VariableId{};
    Term term{.kind = TermKind::Named, .variable = name};
    term.operands.push_back(this->term(tree_.children_of(id)[0]));
    return add(std::move(term), id);
}

// -- what follows an operand
// ------------------------------------------------------------------------

// In a term, `?xs.#k`, `?f(…).#k` and `%xs.#k` may be an element of a sequence.
TermId RuleReader::project(SyntaxId id) {
    const auto children = tree_.children_of(id);
    const bool allowed = sequences_allowed_;
    const Kind whole = tree_[children[0]].kind;
    const bool element = whole == Kind::Meta || whole == Kind::Apply || whole == Kind::Value;
    sequences_allowed_ = allowed || (mode_ == Mode::Term && element);
    const bool inside = std::exchange(in_project_, whole == Kind::Meta);
    Term term{.kind = TermKind::Project};
    const TermId operand = this->term(children[0]);
    in_project_ = inside;
    sequences_allowed_ = allowed;
    const Term& read = rule_[operand];
    const bool block = read.kind == TermKind::Variable && rule_[read.variable].kind == VariableKind::Block;
    // `{ ?a }` is a whole block: what it results in.
    term.operands.push_back(block ? add({.kind = TermKind::Apply, .variable = read.variable}, id) : operand);
    const std::string_view name = tree_.name(id);
    if (children.size() > 1) {
        term.operands.push_back(this->term(children[1]));
    } else if (name[0] >= '0' && name[0] <= '9') {
        term.operands.push_back(add({.kind = TermKind::Number, .text = symbol(name)}, id));
    } else {
        term.kind = TermKind::Field;
        term.text = symbol(name);
    }
    return add(std::move(term), id);
}

// -- terms alone
// ------------------------------------------------------------------------------------

TermId RuleReader::strategy(SyntaxId id) {
    const auto children = tree_.children_of(id);
    if (mode_ == Mode::Pattern)
        error(tree_.span(id), "a strategy can be applied only on the right side and in conditions");
    Term result{.kind = TermKind::Strategy};
    rule_.applies_strategies = true;
    result.strategy =
        StrategyReader(loading_, file_, [&](SyntaxId argument) { return term(argument); }).read(children[0]);
    result.operands.push_back(term(children[1]));
    return add(std::move(result), id);
}

// On the left any function of the program may be meant.
TermId RuleReader::call(SyntaxId id) {
    const SymbolId name = symbol(tree_.name(id));
    const Function* function = loading_.functions.find(name);
    const auto children = tree_.children_of(id);
    const bool makes = !children.empty() && is_block(tree_[children.back()]);
    if (makes)
        return made_call(id, {.constant = {AttrValue::Kind::Text, {}, name.index}}, children.first(children.size() - 1),
                         children.back());
    if (mode_ == Mode::Pattern) called_[name] = true;
    if (!function && !called_.contains(name)) {
        std::vector<std::string_view> known;
        for (const Function& f : loading_.functions.functions) known.push_back(loading_.context.symbols[f.name]);
        loading_.diagnostics.unknown(tree_.span(id), "function", tree_.name(id), suggestion(tree_.name(id), known, "@"),
                                     "@");
    }
    const bool open = std::ranges::any_of(children, [&](SyntaxId a) { return tree_[a].kind == Kind::Seq; });
    if (function && !open && function->params.size() != children.size())
        error(tree_.span(id), "'@" + std::string(tree_.name(id)) + "' takes " +
                                  counted(function->params.size(), "operand") + ", not " +
                                  std::to_string(children.size()))
            .notes.push_back({function->where, "declared here"});
    return add({.kind = TermKind::Call, .text = name, .type = type_of_call(function), .operands = items(children)}, id);
}

// The result type of a function without lengths: those are named by its own parameters.
TypeId RuleReader::type_of_call(const Function* function) {
    if (!function || std::ranges::find(function->result_types, TypeId{}) != function->result_types.end())
        return {}; // the second: its declaration is wrong
    Types& types = loading_.context.types;
    const TypeId results = types.results(function->result_types);
    return types.map_dims(results, [](Dim dim) { return dim.kind == DimKind::Named ? Dim{} : dim; });
}

TermId RuleReader::list(SyntaxId id, Core core) {
    Term term{.kind = TermKind::Node, .ops = {Operations::core(core)}};
    term.operands = items(tree_.children_of(id));
    return add(std::move(term), id);
}

// Fields in any order; `?rest...` last, behind the first fields in order.
TermId RuleReader::structure(SyntaxId id) {
    const Types& types = loading_.context.types;
    const auto type = types.find_struct(symbol(tree_.name(id)));
    if (!type) {
        loading_.diagnostics.unknown(tree_.name_span(id), "struct", tree_.name(id));
        for (SyntaxId field : tree_.children_of(id))
            item(tree_[field].kind == Kind::FieldInit ? tree_.children_of(field)[0] : field);
        return wrong(id);
    }
    std::vector<TermId> values(types.fields(*type).size()), rest;
    for (SyntaxId child : tree_.children_of(id)) {
        const bool named = tree_[child].kind == Kind::FieldInit;
        const TermId value = named ? term(tree_.children_of(child)[0]) : item(child);
        const auto index = named ? types.field_index(*type, symbol(tree_.name(child))) : std::nullopt;
        if (!named)
            rest.push_back(value);
        else if (!index)
            error(tree_.name_span(child), quoted(tree_.name(id)) + " has no field " + quoted(tree_.name(child)));
        else if (values[*index])
            error(tree_.name_span(child), "the field " + quoted(tree_.name(child)) + " is given twice");
        else
            values[*index] = value;
    }
    const auto missing = std::ranges::find(values, TermId{});
    if (rest.empty() && missing != values.end()) {
        const auto& field = types.fields(*type)[static_cast<std::size_t>(missing - values.begin())];
        if (loading_.diagnostics.errors() == errors_before_)
            error(tree_.name_span(id), "the field " + quoted(loading_.context.symbols[field.name]) + " is missing",
                  "'?rest...' stands for the other fields");
    }
    values.erase(missing, values.end());
    values.insert(values.end(), rest.begin(), rest.end());
    return add({.kind = TermKind::Struct, .type = *type, .operands = std::move(values)}, id);
}

} // namespace irrewrite::grammar
