// Annotations: `?x: int`, `?x: f64`, `?xs: [?n]?T`.
#include "engine/ir/scalars.hpp"
#include "engine/ir/type_parts.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/expression_facts.hpp"
#include "grammar/program/type_classes.hpp"
#include "grammar/rules/declare.hpp"
#include "grammar/rules/rule_reader.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::grammar {

// `?x: u32 | u64`: one of several scalar types, or of classes of them.
void RuleReader::annotate(std::span<const SyntaxId> types, Term& term) {
    if (types.size() == 1) return annotate(types[0], term);
    const std::uint16_t kinds = listed_kinds(loading_.context, tree_, types, loading_.diagnostics);
    if (kinds != 0) term.annotation_class = scalars_of(kinds);
}

// A class stands directly behind the colon, alone or as that of a variable, `?x: ?T: num`.
void RuleReader::annotate(SyntaxId id, Term& term) {
    const bool name = tree_[id].kind == Kind::TypeName;
    if (auto found = name ? find_class(loading_.context, tree_.name(id)) : std::nullopt) {
        term.annotation_class = *found;
        return;
    }
    if (tree_[id].kind == Kind::TypeVar && tree_[id].count) {
        term.annotation_class = type_class(tree_.children_of(id)[0]);
        TypeTerm variable_term;
        variable_term.kind = TypeTerm::Kind::Variable;
        variable_term.variable = variable(id, Sort::Type, VariableKind::Type).index;
        term.annotation = std::move(variable_term);
        return;
    }
    const unsigned under = std::exchange(under_, 0); // `?xs: [?n]f64...`: all have one length
    term.annotation = type(id);
    under_ = under;
}

TypeClass RuleReader::type_class(SyntaxId written) {
    if (const auto found = find_class(loading_.context, tree_.name(written))) return *found;
    error(tree_.span(written), "unknown class " + quoted(tree_.name(written)),
          "the classes are int, float, num, bool, bits, scalar and array");
    return TypeClass::Any;
}

bool RuleReader::has_variables(SyntaxId id) const {
    for (SyntaxId i = first_of_subtree(tree_, id); i <= id; ++i) {
        const Kind kind = tree_[i].kind;
        if (kind == Kind::TypeVar || kind == Kind::DimVar || kind == Kind::TypeSeq || kind == Kind::DimName ||
            kind == Kind::DimSeq)
            return true;
        if (names_any_element(i) || names_any_rank(i)) return true;
    }
    return false;
}

std::optional<TypeTerm> RuleReader::type(SyntaxId id, unsigned depth) {
    if (!has_variables(id)) {
        const auto known = elaborate_type(loading_.context, tree_, id, loading_.diagnostics);
        if (!known) return std::nullopt;
        TypeTerm result;
        result.kind = TypeTerm::Kind::Known;
        result.type = *known;
        return result;
    }
    if (depth > 100) {
        loading_.diagnostics.limit(tree_.span(id), "a type with variables nested deeper than 100 levels");
        return std::nullopt;
    }
    TypeTerm result;
    const auto children = tree_.children_of(id);
    bool ok = true;
    switch (tree_[id].kind) {
    case Kind::TypeVar: return type_variable(id);
    case Kind::TypeName: ok = opaque(id, result, depth); break;
    case Kind::TypeArray:
        result.kind = TypeTerm::Kind::Array;
        ok = array(id, result, depth);
        break;
    case Kind::TypeMut:
        result.kind = TypeTerm::Kind::Mut;
        ok = tree_[children[0]].kind == Kind::TypeArray && array(children[0], result, depth);
        break;
    case Kind::TypeRef:
        result.kind = TypeTerm::Kind::Ref;
        ok = parts(children, result, depth);
        break;
    case Kind::TypeTuple:
        result.kind = TypeTerm::Kind::Tuple;
        ok = parts(children, result, depth);
        break;
    case Kind::TypeApply:
        if (applies_opaque(tree_, id)) {
            if (!opaque(id, result, depth)) return std::nullopt;
            break;
        }
        result.kind = tree_.name(id) == "gen"    ? TypeTerm::Kind::Generator
                      : tree_.name(id) == "once" ? TypeTerm::Kind::Once
                                                 : TypeTerm::Kind::Emission;
        ok = parts(children, result, depth);
        break;
    case Kind::TypeSeq: {
        ++under_;
        ellipses_.push_back(false);
        auto inner = type(children[0], depth + 1);
        ellipses_.pop_back();
        --under_;
        if (!inner) return std::nullopt;
        inner->sequence = true;
        return inner;
    }
    default: ok = false;
    }
    if (!ok) return std::nullopt;
    return result;
}

// A length is a number, a variable of the rule, or open.
bool RuleReader::array(SyntaxId id, TypeTerm& result, unsigned depth) {
    const auto children = tree_.children_of(id);
    return length(children[0], result) && parts(children.subspan(1), result, depth);
}

// `List`, `Mat[?n, 3]`, where the type has elements: of any type.
bool RuleReader::names_any_element(SyntaxId id) const {
    const auto name = loading_.context.symbols.find(tree_.name(id));
    return (tree_[id].kind == Kind::TypeName || writes_sizes(tree_, id)) && !element_of(tree_, id) && name &&
           loading_.context.types.has_element(*name);
}

// `Tensor`, `Tensor of f64`, where the type may have any number of dimensions.
bool RuleReader::names_any_rank(SyntaxId id) const {
    const Kind kind = tree_[id].kind;
    const auto name = loading_.context.symbols.find(tree_.name(id));
    return (kind == Kind::TypeName || kind == Kind::TypeApply) && !writes_sizes(tree_, id) && name &&
           loading_.context.types.any_rank(*name);
}

// `Mat[?n, 3]`, `List of ?T`
bool RuleReader::opaque(SyntaxId id, TypeTerm& result, unsigned depth) {
    const auto name = loading_.context.symbols.find(tree_.name(id));
    if (!name || !loading_.context.opaque_types.contains(*name)) {
        elaborate_type(loading_.context, tree_, id, loading_.diagnostics); // says what is wrong
        return false;
    }
    const bool any_element = names_any_element(id);
    const Open open{.element = any_element, .rank = names_any_rank(id)};
    if (!check_opaque(loading_.context, tree_, id, loading_.diagnostics, open)) return false;
    result.kind = TypeTerm::Kind::Opaque;
    result.type = loading_.context.types.opaque(*name);
    const auto sizes = sizes_of(tree_, id);
    const bool any_rank = loading_.context.types.any_rank(*name);
    const std::size_t count = open.rank  ? 1
                              : any_rank ? sizes.size()
                                         : loading_.context.types.opaque_dims(*name).size();
    for (std::size_t i = 0; i < count; ++i) {
        TypeTerm& part = result.parts.emplace_back();
        part.kind = TypeTerm::Kind::Array;
        part.any_rank = open.rank;
        if (i < sizes.size() && !length(sizes[i], part)) return false;
        part.parts.emplace_back().kind = TypeTerm::Kind::Known;
        part.parts[0].type = loading_.context.types.unit();
    }
    if (any_element) result.parts.emplace_back(); // of any type
    const auto element = element_of(tree_, id);
    return !element || parts({&*element, 1}, result, depth);
}

bool RuleReader::length(SyntaxId dim, TypeTerm& result) {
    switch (tree_[dim].kind) {
    case Kind::DimVar:
        result.length = TypeTerm::Length::Variable;
        result.dim = dimension_variable(dim, result.any_rank).index;
        break;
    case Kind::DimSeq: {
        const SyntaxId inner = tree_.children_of(dim)[0];
        result.any_rank = true;
        if (tree_[inner].kind == Kind::DimVar || tree_[inner].kind == Kind::DimNone) return length(inner, result);
        error(tree_.span(dim), "a sequence of dimensions is '?n...', or '_...' for any");
        return false;
    }
    case Kind::DimNumber:
        result.length = TypeTerm::Length::Constant;
        result.dim = static_cast<std::int64_t>(parse_scalar(TypeKind::I64, tree_.name(dim)).value_or(0));
        break;
    case Kind::DimName:
        error(tree_.span(dim), "unknown length in a rule: " + quoted(tree_.name(dim)),
              "write '?" + std::string(tree_.name(dim)) + "' for any length");
        return false;
    default: break;
    }
    return true;
}

// `?n`, `?n...`
VariableId RuleReader::dimension_variable(SyntaxId dim, bool is_sequence) {
    const auto before = find(symbol(tree_.name(dim)), Sort::Meta);
    const bool is_new = !before || !known_[before->index].bound;
    const bool allowed = std::exchange(sequences_allowed_, true);
    const VariableId found = variable(dim, Sort::Meta, VariableKind::Dim);
    sequences_allowed_ = allowed;
    Variable& entry = rule_.variables[found.index];
    if (is_new)
        entry.sequence = is_sequence;
    else if (entry.sequence != is_sequence)
        error(tree_.span(dim), "'" + text(found) + "' is used both with and without '...'");
    return found;
}

bool RuleReader::parts(std::span<const SyntaxId> ids, TypeTerm& result, unsigned depth) {
    for (SyntaxId id : ids) {
        auto part = type(id, depth + 1);
        if (!part) return false;
        result.parts.push_back(std::move(*part));
    }
    return true;
}

std::optional<TypeTerm> RuleReader::type_variable(SyntaxId id) {
    TypeTerm result;
    result.kind = TypeTerm::Kind::Variable;
    const VariableId found = variable(id, Sort::Type, VariableKind::Type);
    if (tree_[id].count && mode_ != Mode::Pattern)
        error(tree_.span(id), "the class of a type stands on the left side");
    else if (tree_[id].count)
        rule_.variables[found.index].cls = type_class(tree_.children_of(id)[0]);
    result.variable = found.index;
    if (mode_ == Mode::Pattern) rule_.variables[found.index].sequence = under_ > 0;
    return result;
}

std::optional<SyntaxId> declared_element(const SyntaxTree& tree, SyntaxId type) {
    for (SyntaxId child : tree.children_of(type))
        if (tree[type].flags & OfElement && tree[child].kind == Kind::TypeVar) return child;
    return std::nullopt;
}

std::pair<std::string_view, TypeId> element_variable(Context& context, const SyntaxTree& tree, SyntaxId type) {
    const auto element = declared_element(tree, type);
    const auto name = context.symbols.find(tree.name(type));
    if (!element || !name) return {};
    return {tree.name(*element), context.types.declared_element(*name)};
}

SymbolId element_symbol(Context& context, const SyntaxTree& tree, SyntaxId variable) {
    return context.symbols.add("?" + std::string(tree.name(variable)));
}

std::vector<SymbolId> declared_dimensions(Context& context, const SyntaxTree& tree, SyntaxId type) {
    std::vector<SymbolId> dims;
    for (SyntaxId child : tree.children_of(type))
        if (tree[child].kind == Kind::DimName) dims.push_back(context.symbols.add(tree.name(child)));
    return dims;
}

SymbolId declared_sequence(Context& context, const SyntaxTree& tree, SyntaxId type) {
    for (SyntaxId child : tree.children_of(type))
        if (tree[child].kind == Kind::DimSeq) return context.symbols.add(tree.name(tree.children_of(child)[0]));
    return {};
}

void check_dimensions(Context& context, const SyntaxTree& tree, SyntaxId type, Diagnostics& diagnostics) {
    const std::vector<SymbolId> names = declared_dimensions(context, tree, type);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::ranges::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]))
            diagnostics.error(tree.span(tree.children_of(type)[i]),
                              "this type has two dimensions '" + std::string(context.symbols[names[i]]) + "'");
    const auto children = tree.children_of(type);
    const auto sequences = std::ranges::count_if(children, [&](SyntaxId id) { return tree[id].kind == Kind::DimSeq; });
    if (sequences == 0 || sequences + std::ssize(names) < 2) return;
    const auto sequence = std::ranges::find_if(children, [&](SyntaxId id) { return tree[id].kind == Kind::DimSeq; });
    diagnostics.error(tree.span(*sequence), "a sequence stands for all dimensions of a type",
                      "signatures and patterns may name the first and the last ones");
}

std::optional<TypeId> represented_type(Context& context, const SyntaxTree& tree, SyntaxId declaration, SyntaxId as,
                                       Diagnostics& diagnostics) {
    return elaborate_type(context, tree, as, declared_dimensions(context, tree, declaration), diagnostics,
                          element_variable(context, tree, declaration), declared_sequence(context, tree, declaration));
}

void note_nesting(Types& types, const OpaqueType& type) {
    const TypeId element = types.declared_element(type.name);
    const auto nests = [&](TypeId part) {
        return types.kind(part) == TypeKind::Array && types.dim(part).kind == DimKind::Sequence &&
               types.element(part) == element;
    };
    if (element && type.as && any_type_within(types, type.as, nests)) types.set_nests(type.name);
}

} // namespace irrewrite::grammar
