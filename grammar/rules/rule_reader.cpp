#include "grammar/rules/rule_reader.hpp"

#include "engine/ir/scalars.hpp"

#include "engine/rules/flat_terms.hpp"
#include "engine/rules/overloads.hpp"
#include "engine/rules/result_places.hpp"
#include "engine/rules/sequence_lengths.hpp"
#include "grammar/program/expression_facts.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <tuple>

namespace irrewrite::grammar {

RuleReader::RuleReader(Loading& loading, RuleFile file, Rule& rule)
    : loading_(loading), file_(file), tree_(file.tree), rule_(rule), errors_before_(loading.diagnostics.errors()) {}

Diagnostic& RuleReader::error(Span where, std::string text, std::string help) {
    return loading_.diagnostics.error(where, std::move(text), std::move(help));
}

TermId RuleReader::add(Term term, SyntaxId id) {
    term.where = tree_.span(id);
    rule_.terms.push_back(std::move(term));
    return {static_cast<std::uint32_t>(rule_.terms.size() - 1)};
}

// -- variables
// --------------------------------------------------------------------------------------

VariableId RuleReader::declare(SymbolId name, Sort sort, VariableKind kind) {
    const VariableId id{static_cast<std::uint32_t>(rule_.variables.size())};
    rule_.variables.push_back({name, kind, false});
    known_.emplace_back();
    if (kind != VariableKind::Param) variables_.emplace((std::uint64_t(sort) << 32) | name.index, id);
    return id;
}

std::optional<VariableId> RuleReader::find(SymbolId name, Sort sort) const {
    const auto it = variables_.find((std::uint64_t(sort) << 32) | name.index);
    if (it == variables_.end()) return std::nullopt;
    return it->second;
}

std::string RuleReader::text(VariableId id) const {
    const Variable& variable = rule_[id];
    const std::string sigil = variable.kind == VariableKind::Literal ? "#"
                              : variable.kind == VariableKind::Param ? "%"
                                                                     : "?";
    const std::string_view name = loading_.context.symbols[variable.name];
    return name.starts_with('%') ? std::string(name) : sigil + std::string(name); // an expansion's operand
}

// An occurrence in a pattern. A sequence is one whose every such occurrence is under `...`.
VariableId RuleReader::bind(SyntaxId id, Sort sort, VariableKind kind) {
    const SymbolId name = symbol(tree_.name(id));
    const bool under = under_ > 0 && sort != Sort::Type && kind != VariableKind::Dim;
    const auto found = find(name, sort);
    const VariableId variable = found ? *found : declare(name, sort, kind);
    Variable& entry = rule_.variables[variable.index];
    if (!found)
        entry.sequence = under;
    else if (kind != VariableKind::Dim) // a length says it itself
        entry.sequence = entry.sequence && under;
    known_[variable.index].bound = true;
    if (!ellipses_.empty()) ellipses_.back() = true;
    return variable;
}

// An occurrence in a term: what is bound nowhere is reported once.
VariableId RuleReader::use(SyntaxId id, Sort sort, VariableKind kind) {
    const SymbolId name = symbol(tree_.name(id));
    const auto found = find(name, sort);
    if (found && known_[found->index].bound) {
        mark_sequence(*found, tree_.span(id));
        return *found;
    }
    unbound(id, sort);
    const VariableId variable = found ? *found : declare(name, sort, kind);
    known_[variable.index].bound = true;
    return variable;
}

VariableId RuleReader::variable(SyntaxId id, Sort sort, VariableKind kind) {
    return mode_ == Mode::Pattern ? bind(id, sort, kind) : use(id, sort, kind);
}

void RuleReader::unbound(SyntaxId id, Sort sort) {
    const char* sigil = sort == Sort::Literal ? "#" : "?";
    std::vector<std::string_view> known;
    for (const auto& variable : rule_.variables)
        if ((variable.kind == VariableKind::Literal) == (sort == Sort::Literal) &&
            variable.kind != VariableKind::Param && loading_.context.symbols[variable.name] != tree_.name(id))
            known.push_back(loading_.context.symbols[variable.name]);
    Span where = tree_.span(id);
    where.end = std::max(tree_[id].name_end, where.begin + 1);
    error(where, "metavariable '" + std::string(sigil) + std::string(tree_.name(id)) + "' is bound nowhere",
          suggestion(tree_.name(id), known, sigil));
}

// A use of a sequence needs `...` around it; a block may have any number of results, and one.
void RuleReader::mark_sequence(VariableId id, Span where) {
    const bool block = rule_[id].kind == VariableKind::Block;
    if (block && !ellipses_.empty()) ellipses_.back() = true;
    if (block || !rule_[id].sequence) return;
    if (!ellipses_.empty())
        ellipses_.back() = true;
    else if (!sequences_allowed_)
        error(where, "'" + text(id) + "' is a sequence, and needs '...' here",
              "write '" + text(id) + "...' for all of them");
}

// -- the sections of a rule
// ----------------------------------------------------------------------------

// Finds in advance which names are lengths: `?n` may be used before `[?n]` says so.
void RuleReader::prepare(SyntaxId id) {
    for (SyntaxId i = first_of_subtree(tree_, id); i <= id; ++i)
        if (tree_[i].kind == Kind::DimVar) dims_[symbol(tree_.name(i))] = true;
}

bool RuleReader::is_broken(SyntaxId id) const {
    for (SyntaxId i = first_of_subtree(tree_, id); i <= id; ++i)
        if (tree_[i].kind == Kind::Error) return true;
    return false;
}

void RuleReader::parameters(std::span<const SyntaxId> ids) {
    for (SyntaxId id : ids) {
        const bool literal = tree_[id].kind == Kind::MetaLiteral;
        const Sort sort = literal ? Sort::Literal : Sort::Meta;
        const VariableId variable =
            declare(symbol(tree_.name(id)), sort, literal ? VariableKind::Literal : VariableKind::Node);
        known_[variable.index].bound = true;
        ++rule_.parameters;
    }
}

TermId RuleReader::argument(SyntaxId id) {
    mode_ = Mode::Term;
    const TermId argument = term(id);
    for (const Condition& asked : take_asks()) error(asked.where, "an analysis is asked in rules alone");
    return argument;
}

void RuleReader::read_rule(SyntaxId id) {
    if (is_broken(id)) return;
    prepare(id);
    std::vector<SyntaxId> terms, conditions_of;
    std::span<const SyntaxId> roots_of;
    for (SyntaxId child : tree_.children_of(id)) {
        const Kind kind = tree_[child].kind;
        if (kind == Kind::Pattern)
            roots_of = tree_.children_of(child), roots(child);
        else if (kind == Kind::Terms)
            terms.assign(tree_.children_of(child).begin(), tree_.children_of(child).end());
        else if (kind != Kind::AtPhase)
            conditions_of.push_back(child);
    }
    finish_patterns();
    conditions(conditions_of);
    whole_ = terms.size() == 1 ? terms[0] : UINT32_MAX;
    results(terms);
    check_whole_functions(terms, roots_of);
    check_counts(id);
    finish(true);
}

// The right side is what is known of a node that the left side matches; their types differ.
void RuleReader::read_transfer(SyntaxId id) {
    if (is_broken(id)) return;
    prepare(id);
    const auto children = tree_.children_of(id);
    std::vector<SyntaxId> conditions_of;
    for (SyntaxId child : children.subspan(2))
        if (tree_[child].kind == Kind::AtPhase)
            error(tree_.span(child), "a rule of an analysis waits for no phase");
        else
            conditions_of.push_back(child);
    const auto roots_of = tree_.children_of(children[0]), terms = tree_.children_of(children[1]);
    rule_.left.push_back(term(roots_of[0]));
    finish_patterns();
    if (roots_of.size() > 1) error(tree_.span(roots_of[1]), "a rule of an analysis is about one node");
    if (terms.size() > 1) error(tree_.span(terms[1]), "a rule of an analysis has one result");
    conditions(conditions_of);
    results(terms.first(1));
    if (loading_.diagnostics.errors() != errors_before_) return;
    flatten_terms(loading_.context, rule_);
    find_lengths(loading_.context, rule_);
}

void RuleReader::read_test(SyntaxId id) {
    if (is_broken(id)) return;
    prepare(id);
    auto children = tree_.children_of(id);
    if (tree_[children.back()].kind == Kind::AtPhase) children = children.first(children.size() - 1);
    rule_.left.push_back(term(children[0]));
    finish_patterns();
    if (children.size() > 1) results(children.subspan(1));
    for (const Condition& asked : rule_.conditions) error(asked.where, "an analysis is asked in rules alone");
    finish();
}

// The left side is an application, the right side a number; what the two are as values is not compared.
void RuleReader::read_cost(SyntaxId id) {
    if (is_broken(id)) return;
    prepare(id);
    const auto children = tree_.children_of(id);
    rule_.left.push_back(term(children[0]));
    check_root(children[0], rule_.left[0]);
    finish_patterns();
    conditions(children.subspan(2));
    results(children.subspan(1, 1));
    const Term& cost = rule_[rule_.right[0]];
    const bool is_literal = cost.kind == TermKind::Variable && rule_[cost.variable].kind == VariableKind::Literal;
    const bool is_number =
        cost.kind == TermKind::Number || cost.kind == TermKind::Compute || cost.kind == TermKind::Count || is_literal;
    const bool is_whole = cost.kind != TermKind::Number ||
                          parse_scalar(TypeKind::I64, split_number(loading_.context.symbols[cost.text]).digits);
    if (!is_whole) error(tree_.span(children[1]), "a cost is a whole number");
    if (!is_number && loading_.diagnostics.errors() == errors_before_)
        error(tree_.span(children[1]), "a cost is a number that is known when a term is rewritten",
              "write a numeral, '#k', 'count(?xs)' or a computation, '#(#n * #m)'");
}

void RuleReader::finish(bool holds_among_others) {
    if (loading_.diagnostics.errors() != errors_before_) return;
    narrow_overloads(loading_.context, rule_, [&](TypeId type) { return later_type(type); });
    flatten_terms(loading_.context, rule_);
    if (holds_among_others) extend_to_others(loading_.context, rule_);
    check_types(loading_, rule_);
    check_right_effects();
    check_kept_memory();
    find_lengths(loading_.context, rule_);
    find_places(loading_.context, rule_);
}

// An expansion at a phase is of what types are from that phase on.
TypeId RuleReader::later_type(TypeId type) const {
    if (!expansion_of_) return type;
    const auto place = [&](SymbolId phase) {
        return std::ranges::find(loading_.base.phases, phase, &Phase::name) - loading_.base.phases.begin();
    };
    const SymbolId at = loading_.context.operations[*expansion_of_].expansion_phase;
    Types& types = loading_.context.types;
    for (std::size_t i = 0; at && i < loading_.base.opaque.size() && types.kind(type) == TypeKind::Opaque; ++i) {
        const auto& opaque = loading_.base.opaque;
        const auto declared = std::ranges::find(opaque, types.name(type), &OpaqueType::name);
        if (declared == opaque.end() || !declared->as || place(declared->phase) > place(at)) break;
        type = declared->as;
    }
    return type;
}

void RuleReader::roots(SyntaxId pattern) {
    const auto roots = tree_.children_of(pattern);
    whole_ = roots.size() == 1 ? roots[0] : UINT32_MAX;
    for (SyntaxId root : roots) {
        const TermId left = term(root);
        check_root(root, left);
        rule_.left.push_back(left);
    }
}

void RuleReader::check_root(SyntaxId id, TermId left) {
    const Term* root = &rule_[left];
    while (root->kind == TermKind::Named) root = &rule_[root->operands[0]];
    const bool bare = root->kind == TermKind::Variable || root->kind == TermKind::Apply ||
                      (root->kind == TermKind::Wildcard && tree_[id].kind == Kind::Wildcard);
    if (bare && loading_.diagnostics.errors() == errors_before_)
        error(tree_.span(id), "the left side is a bare metavariable: it would match everywhere",
              "begin with an operation");
    if (root->kind == TermKind::Number || root->kind == TermKind::Constant)
        error(tree_.span(id), "the left side is a literal: it would never be rewritten",
              "begin with the operation that has it as an operand");
}

// `?x...` where ?x turned out to stand elsewhere without.
void RuleReader::finish_patterns() {
    for (std::uint32_t i = 0; i < known_.size(); ++i) {
        if (!rule_.variables[i].sequence)
            for (Span where : known_[i].repeated)
                error(where, "'" + text(VariableId{i}) + "' is used both with and without '...'");
        known_[i].repeated.clear();
    }
}

void RuleReader::results(std::span<const SyntaxId> ids) {
    mode_ = Mode::Term;
    for (SyntaxId id : ids) rule_.right.push_back(item(id));
    for (Condition& asked : take_asks()) rule_.conditions.push_back(std::move(asked));
}

// Operands are one value each.
bool RuleReader::is_operand(VariableId variable) const {
    return std::ranges::any_of(rule_.terms, [&](const Term& term) {
        return term.kind == TermKind::Node && std::ranges::any_of(term.operands, [&](TermId operand) {
                   const Term& o = rule_[operand];
                   return o.kind == TermKind::Variable && !o.sequence && o.variable == variable &&
                          !rule_[variable].sequence;
               });
    });
}

// The fewest and the most results of a term on a side of a rule.
RuleReader::ResultCount RuleReader::result_count(TermId id) const {
    const Term* term = &rule_[id];
    while (term->kind == TermKind::Named) term = &rule_[term->operands[0]];
    constexpr std::size_t many = SIZE_MAX;
    if (term->sequence) return {0, many};
    if (term->kind == TermKind::Variable && is_operand(term->variable)) return {1, 1};
    if (term->kind == TermKind::Number) return {1, 1};
    const Operation* operation =
        term->kind == TermKind::Node && term->ops.size() == 1 ? &loading_.context.operations[term->ops[0]] : nullptr;
    const bool is_tuple = operation && operation->core == Core::Tuple;
    if (is_tuple && term->operands.empty()) return {0, 1}; // nothing, or `unit`
    if (!operation || operation->core != Core::None) return {1, many};
    const auto& [operands, results] = std::tie(operation->signature.operands, operation->signature.results);
    if (std::ranges::none_of(results, &TypeTerm::sequence)) return {results.size(), results.size()};
    // `for(i64, ?A...) … -> ?A...`
    const bool carries =
        results.size() == 1 && !operands.empty() && operands.back().sequence &&
        std::ranges::count_if(operands, &TypeTerm::sequence) == 1 && results[0].kind == TypeTerm::Kind::Variable &&
        operands.back().kind == TypeTerm::Kind::Variable && operands.back().variable == results[0].variable;
    const auto is_open = [&](TermId operand) { return rule_[operand].sequence; };
    if (!carries || std::ranges::any_of(term->operands, is_open) || term->operands.size() + 1 < operands.size())
        return {0, many};
    const std::size_t count = term->operands.size() + 1 - operands.size();
    return {count, count};
}

// True if a result of this type may be `unit`.
static bool may_be_unit(const Types& types, const Signature& signature) {
    if (signature.results.size() != 1) return false;
    const TypeTerm& type = signature.results[0];
    using K = TypeTerm::Kind;
    if (type.kind == K::Known) return types.kind(type.type) == TypeKind::Unit;
    if (type.kind == K::Variable) return signature.type_variables[type.variable] == TypeClass::Any;
    return type.kind == K::Attribute || type.kind == K::Any || type.kind == K::Opaque;
}

// The results on the right replace those of the roots: as many, where the number on the left is plain.
void RuleReader::check_counts(SyntaxId id) {
    std::size_t left = 0, fewest = 0, most = 0;
    for (TermId root : rule_.left) {
        const ResultCount count = result_count(root);
        if (count.fewest != count.most) return;
        left += count.most;
    }
    const Term& root = rule_[rule_.left[0]];
    const bool is_value = rule_.left.size() == 1 && root.kind == TermKind::Node && root.ops.size() == 1 && left == 1 &&
                          !may_be_unit(loading_.context.types, loading_.context.operations[root.ops[0]].signature);
    for (TermId term : rule_.right) {
        ResultCount count = result_count(term);
        if (is_value && count.fewest == 0 && count.most == 1) count.most = 0; // `()`
        fewest += count.fewest;
        most = count.most > SIZE_MAX - most ? SIZE_MAX : most + count.most;
    }
    if (fewest > left || most < left)
        error(tree_.name_span(id), "the left side has " + counted(left, "result") + ", the right side " +
                                       std::to_string(fewest > left ? fewest : most));
}

} // namespace irrewrite::grammar
