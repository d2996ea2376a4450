// Blocks in patterns and terms, and what `{add}` is short for.
#include "grammar/rules/expansion_effects.hpp"
#include "grammar/rules/rule_reader.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::grammar {

// One for each block of the signature; one that may be missing and is missing is empty.
void RuleReader::blocks(const Shape& shape, OpId op, Term& term) {
    std::size_t given = 0;
    // A reference into a deque: reading blocks declares no operations.
    for (const BlockSignature& signature : loading_.context.operations[op].signature.blocks) {
        if (given < shape.blocks.size() && shape.labels[given] == signature.label)
            term.blocks.push_back(block(shape.blocks[given++], &signature));
        else
            term.blocks.push_back({});
        term.blocks.back().label = signature.label;
    }
}

BlockTerm RuleReader::block(SyntaxId id, const BlockSignature* signature) {
    if (tree_[id].kind == Kind::OperatorBlock) return operator_block(id, signature);
    return open_block(id);
}

BlockTerm RuleReader::open_block(SyntaxId id) {
    BlockTerm block;
    std::vector<TermId>* const lines = std::exchange(lines_, &block.lines);
    const std::size_t outside = scope_.size();
    for (SyntaxId child : tree_.children_of(id)) {
        switch (tree_[child].kind) {
        case Kind::Param: {
            const SymbolId name = symbol(tree_.name(child));
            for (std::size_t i = outside; i < scope_.size(); ++i)
                if (scope_[i].name == name)
                    error(tree_.span(child), "this block has two parameters '%" + std::string(tree_.name(child)) + "'");
            if (tree_[child].count)
                error(tree_.span(tree_.children_of(child)[0]),
                      "the types of a block's parameters follow from the operation");
            const VariableId param = declare(name, Sort::Meta, VariableKind::Param);
            rule_.variables[param.index].sequence = tree_[child].flags & Sequence;
            known_[param.index].bound = true;
            block.params.push_back(param);
            block.names.push_back(name);
            scope_.push_back({name, param, {}});
            break;
        }
        case Kind::Results: block.results = items(tree_.children_of(child)); break;
        default: statement(child);
        }
    }
    scope_.resize(outside);
    lines_ = lines;
    if (mode_ == Mode::Pattern) // effects are matched before results
        block.results.insert(block.results.begin(), block.lines.begin(), block.lines.end()), block.lines.clear();
    return block;
}

// True if the term may have effects: it is then built once, at its line, although two lines mention it. `given`: those of the
// blocks that an expansion is given count.
bool RuleReader::may_have_effects(TermId id, bool given) const {
    const Term& term = rule_[id];
    if (term.kind == TermKind::Call) {
        const Function* function = loading_.functions.find(term.text);
        return !function || !function->pure;
    }
    if (term.kind == TermKind::Apply && rule_[term.variable].kind == VariableKind::Block) return given;
    const auto any = [&](const std::vector<TermId>& terms) {
        return std::ranges::any_of(terms, [&](TermId part) { return may_have_effects(part, given); });
    };
    const auto takes_token = [&](OpId op) { return loading_.context.operations[op].takes_token(); };
    if (std::ranges::any_of(term.ops, takes_token) || any(term.operands)) return true;
    // `if`, `while` and `for` do what their blocks do.
    const auto does_what_blocks_do = [&](OpId op) { return !loading_.context.operations[op].has(Trait::Pure); };
    const auto does_something = [&](const BlockTerm& block) {
        return (block.whole && given) || any(block.lines) || any(block.results);
    };
    return std::ranges::any_of(term.ops, does_what_blocks_do) && std::ranges::any_of(term.blocks, does_something);
}

// An effect that every node which the term becomes has; not one inside a block of a pure operation.
std::optional<TermId> RuleReader::surely_has_effect(TermId id) const {
    const Term& term = rule_[id];
    if (term.kind == TermKind::Call) {
        const Function* function = loading_.functions.find(term.text);
        if (function && !function->pure) return id;
    }
    const auto first = [&](const std::vector<TermId>& terms) -> std::optional<TermId> {
        for (TermId part : terms)
            if (const auto found = surely_has_effect(part)) return found;
        return std::nullopt;
    };
    if (const auto found = first(term.operands)) return found;
    const Operations& operations = loading_.context.operations;
    if (term.kind != TermKind::Node || term.ops.empty()) return std::nullopt;
    if (std::ranges::all_of(term.ops, [&](OpId op) { return operations[op].takes_token(); })) return id;
    if (std::ranges::any_of(term.ops, [&](OpId op) { return operations[op].has(Trait::Pure); })) return std::nullopt;
    for (const BlockTerm& block : term.blocks) {
        if (const auto found = first(block.lines)) return found;
        if (const auto found = first(block.results)) return found;
    }
    return std::nullopt;
}

// Equal nodes of pure operations are one, so the memory of two would be one.
void RuleReader::check_kept_memory() {
    const Operations& operations = loading_.context.operations;
    for (const Term& term : rule_.terms) {
        if (term.kind != TermKind::Node || term.ops.size() != 1 || !operations[term.ops[0]].has(Trait::Pure)) continue;
        for (const BlockTerm& block : term.blocks)
            for (TermId result : block.results)
                if (gives_new_memory(loading_.context, rule_, result))
                    error(rule_[result].where,
                          "a block of a pure operation must not result in memory that it allocates",
                          "allocate outside of the block, or result in the value that the memory holds");
    }
}

// True if what the term matches may change memory or print; other effects, inside of it, stay where they are.
bool RuleReader::may_change(TermId id) const {
    const Term& term = rule_[id];
    if (term.kind != TermKind::Node || term.ops.empty()) return may_have_effects(id);
    const Operations& operations = loading_.context.operations;
    return std::ranges::any_of(term.ops, [&](OpId op) {
        return operations[op].advances() || (!operations[op].has(Trait::Pure) && !term.blocks.empty());
    });
}

// Nothing says when an effect happens that stands in the place of a node without one: reads have no order among each other.
void RuleReader::check_right_effects() {
    if (expansion_of_ || std::ranges::any_of(rule_.left, [&](TermId left) { return may_change(left); })) return;
    const bool reads = std::ranges::any_of(rule_.left, [&](TermId left) { return may_have_effects(left); });
    for (const std::vector<TermId>* terms : {&rule_.lines, &rule_.right})
        for (TermId right : *terms)
            if (const auto effect = surely_has_effect(right); effect && (!reads || may_change(*effect)))
                return (void)error(rule_[*effect].where,
                                   reads ? "this has an effect, and the root of the left side changes nothing"
                                         : "this has an effect, and the left side has none",
                                   "nothing would say when it happens; on memory of its own, write 'region { … }'");
}

// `set(%r, e)`: an effect.
void RuleReader::unnamed_statement(SyntaxId id) {
    const TermId value = item(id);
    if (mode_ == Mode::Pattern) {
        if (surely_has_effect(value)) return lines_->push_back(value);
        return (void)error(tree_.span(id), "a statement of a pattern is an effect, and this has none",
                           "write a comma between results; '{?body}' is a whole block");
    }
    if (!expansion_of_ && !may_have_effects(value))
        return (void)error(tree_.span(id), "this statement has no effect, and its result has no name",
                           "write '%x = …' and use '%x', or a comma between results");
    lines_->push_back(value);
    rule_.terms[value.index].line = true;
}

// `%x = e` and `%a, %b = e`: the names stand for the term.
void RuleReader::statement(SyntaxId id) {
    if (tree_[id].kind != Kind::Bind) return unnamed_statement(id);
    const auto children = tree_.children_of(id);
    const TermId value = term(children.back());
    if (mode_ == Mode::Term && may_have_effects(value)) {
        lines_->push_back(value);
        rule_.terms[value.index].line = true;
    }
    for (std::size_t k = 0; k + 1 < children.size(); ++k) {
        TermId named = value;
        if (children.size() > 2) {
            const TermId position = add({.kind = TermKind::Number, .text = symbol(std::to_string(k))}, children[k]);
            named = add({.kind = TermKind::Project, .operands = {value, position}}, children[k]);
        }
        scope_.push_back({symbol(tree_.name(children[k])), {}, named});
    }
}

// -- {add}, {@f}, {?op}
// -------------------------------------------------------------------------------

BlockTerm RuleReader::operator_block(SyntaxId id, const BlockSignature* signature) {
    const std::string_view name = tree_.name(id);
    if (name.starts_with('?')) return blocks_of_place_ ? result_of_place(id) : whole_block(id);
    BlockTerm block;
    Term result;
    if (name.starts_with('@')) {
        const SymbolId function = symbol(name.substr(1));
        const Function* known = loading_.functions.find(function);
        if (!known && mode_ == Mode::Term && !called_.contains(function))
            loading_.diagnostics.unknown(tree_.span(id), "function", name.substr(1), {}, "@");
        if (mode_ == Mode::Pattern) called_[function] = true;
        result = {.kind = TermKind::Call, .text = function, .type = type_of_call(known)};
        const std::size_t count = known ? known->params.size() : operator_parameters({}, signature);
        result.operands = made_up_parameters(block, count, id);
    } else {
        const auto found = loading_.context.operations.find(symbol(name));
        if (found.empty()) {
            report_shape(id, {}, {});
            return block;
        }
        result = {.kind = TermKind::Node};
        const std::size_t count = operator_parameters(found, signature);
        for (auto op = found.rbegin(); op != found.rend(); ++op)
            if (takes(*op, count, 0)) result.ops.push_back(*op);
        result.operands = made_up_parameters(block, count, id);
    }
    block.results.push_back(add(std::move(result), id));
    return block;
}

// As many as the operation takes; as the block gets where that is open; two where both are.
std::size_t RuleReader::operator_parameters(std::span<const OpId> ops, const BlockSignature* signature) const {
    const auto is_fixed = [](const std::vector<TypeTerm>& terms) {
        return std::ranges::none_of(terms, &TypeTerm::sequence);
    };
    if (ops.size() == 1) {
        const auto& operands = loading_.context.operations[ops[0]].signature.operands;
        if (is_fixed(operands)) return operands.size();
    }
    if (signature && is_fixed(signature->params)) return signature->params.size();
    return 2;
}

std::vector<TermId> RuleReader::made_up_parameters(BlockTerm& block, std::size_t count, SyntaxId id) {
    std::vector<TermId> operands;
    for (std::size_t i = 0; i < count; ++i) {
        const SymbolId name = symbol(i < 26 ? std::string(1, static_cast<char>('a' + i)) : "a" + std::to_string(i));
        const VariableId param = declare(name, Sort::Meta, VariableKind::Param);
        known_[param.index].bound = true;
        block.params.push_back(param);
        block.names.push_back(name);
        operands.push_back(add({.kind = TermKind::Variable, .variable = param}, id));
    }
    return operands;
}

BlockTerm RuleReader::whole_block(SyntaxId id) {
    const SymbolId name = symbol(tree_.name(id).substr(1));
    const auto found = find(name, Sort::Meta);
    const bool function = found && rule_[*found].kind == VariableKind::Node && found->index >= rule_.parameters;
    BlockTerm block;
    if (mode_ == Mode::Term && function && known_[found->index].arity != unknown_arity) return written_out(id, *found);
    if (function || (mode_ == Mode::Term && (!found || !known_[found->index].bound))) {
        error(tree_.span(id),
              function ? "'?" + std::string(loading_.context.symbols[name]) + "' is not a block"
                       : "metavariable '?" + std::string(loading_.context.symbols[name]) + "' is bound nowhere",
              function ? "a block that yields a value is written with its parameters, here none: '{ || ?" +
                             std::string(loading_.context.symbols[name]) + " }'"
                       : "");
        return block;
    }
    block.whole = found ? *found : declare(name, Sort::Meta, VariableKind::Block);
    rule_.variables[block.whole.index].kind = VariableKind::Block;
    if (mode_ == Mode::Pattern) {
        rule_.variables[block.whole.index].sequence = under_ > 0;
        known_[block.whole.index].bound = true;
        if (!ellipses_.empty()) ellipses_.back() = true;
    } else {
        mark_sequence(block.whole, tree_.span(id));
    }
    return block;
}

// `{?f}` where the left side has `{ |%a, %bs...| ?f(%a, %bs...) }`: the same block again.
BlockTerm RuleReader::written_out(SyntaxId id, VariableId function) {
    BlockTerm block;
    const std::vector<bool> holes = known_[function.index].holes;
    Term result{.kind = TermKind::Apply, .sequence = rule_[function].sequence, .variable = function};
    result.operands = made_up_parameters(block, holes.size(), id);
    for (std::size_t i = 0; i < holes.size(); ++i) {
        rule_.variables[block.params[i].index].sequence = holes[i];
        rule_.terms[result.operands[i].index].sequence = holes[i];
    }
    block.results.push_back(add(std::move(result), id));
    return block;
}

// -- computed sequences: `parts(?x)...`, `range(0, #n)...`, `reversed(?xs)...`; records: `{?x with ?y...}`
// ---------------------------------------------------------

// An operation of that name may be declared.
std::optional<SequenceOf> RuleReader::computed_sequence(SyntaxId id) const {
    static constexpr std::pair<std::string_view, SequenceOf> forms[] = {
        {"parts", SequenceOf::Parts}, {"range", SequenceOf::Range}, {"reversed", SequenceOf::Reversed}};
    if (tree_[id].kind != Kind::Op) return std::nullopt;
    for (auto [name, form] : forms)
        if (tree_.name(id) == name && loading_.context.operations.find(loading_.context.symbols.add(name)).empty())
            return form;
    return std::nullopt;
}

TermId RuleReader::sequence_term(SyntaxId id, SequenceOf form) {
    const auto arguments = tree_.children_of(id);
    if (mode_ == Mode::Pattern)
        error(tree_.span(id), quoted(tree_.name(id)) + " is allowed only on the right side and in conditions");
    Term result{.kind = TermKind::Parts, .sequence_of = form};
    const std::size_t due = form == SequenceOf::Range ? 2 : 1;
    if (arguments.size() != due && (form != SequenceOf::Parts || arguments.size() != 3)) {
        error(tree_.span(id), form == SequenceOf::Range      ? "'range' takes two numbers: 'range(0, #n)...'"
                              : form == SequenceOf::Reversed ? "'reversed' takes a sequence: 'reversed(?xs)...'"
                                                             : "'parts' takes a tuple, a struct or a node with several "
                                                               "results: 'parts(?x)...', 'parts(?x, first, count)...'");
        return add({.kind = TermKind::Parts, .operands = {wrong(id)}}, id);
    }
    const bool elements = form == SequenceOf::Reversed || arguments.size() == 3; // of a sequence, perhaps
    const bool allowed = std::exchange(sequences_allowed_, elements);
    const bool inside = std::exchange(in_project_, false);
    result.operands.push_back(term(arguments[0]));
    sequences_allowed_ = allowed, in_project_ = inside;
    for (SyntaxId argument : arguments.subspan(1)) result.operands.push_back(term(argument));
    return add(std::move(result), id);
}

TermId RuleReader::record(SyntaxId id) {
    const auto children = tree_.children_of(id);
    if (mode_ == Mode::Pattern) error(tree_.span(id), "'{… with …}' is allowed only on the right side");
    Term result{.kind = TermKind::Record};
    result.operands.push_back(term(children[0]));
    const auto is_named = [&](SyntaxId child) { return tree_[child].kind == Kind::FieldInit; };
    const bool named = std::ranges::any_of(children.subspan(1), is_named);
    if (named) result.text = symbol("with");
    for (SyntaxId child : children.subspan(1)) {
        if (named != is_named(child)) {
            error(tree_.span(child),
                  "a rule gives all parts of a tuple or struct in their order, '{?x with ?y...}', or "
                  "some by name, '{?x with re = ?y}'");
            return wrong(id);
        }
        result.operands.push_back(named ? named_part(child) : item(child));
    }
    if (named) check_parts(children.subspan(1));
    if (children.size() == 1)
        error(tree_.span(id), "no part is given", "write '{?x with ?y...}' or '{?x with re = ?y}'");
    return add(std::move(result), id);
}

// One part is no other one, and no part of it.
void RuleReader::check_parts(std::span<const SyntaxId> parts) {
    const auto contains = [](std::string_view whole, std::string_view part) {
        return part.starts_with(whole) && (part.size() == whole.size() || part[whole.size()] == '.');
    };
    for (std::size_t i = 1; i < parts.size(); ++i)
        for (SyntaxId before : parts.first(i)) {
            const std::string_view one = tree_.name(parts[i]), other = tree_.name(before);
            if (!contains(one, other) && !contains(other, one)) continue;
            error(tree_.name_span(parts[i]), quoted(contains(other, one) ? one : other) + " is given twice");
            break;
        }
}

// `at.x = ?y`: the value, with the path as its name.
TermId RuleReader::named_part(SyntaxId id) {
    const TermId value = term(tree_.children_of(id)[0]);
    return add({.kind = TermKind::Field, .text = symbol(tree_.name(id)), .operands = {value}}, id);
}

} // namespace irrewrite::grammar
