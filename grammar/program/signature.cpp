#include "grammar/program/signature.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/type_classes.hpp"

#include <algorithm>

namespace irrewrite::grammar {

std::vector<TypeTerm> SignatureReader::read_list(std::span<const SyntaxId> types) {
    std::vector<TypeTerm> terms;
    for (SyntaxId type : types) terms.push_back(read(type));
    return terms;
}

TypeTerm SignatureReader::read(SyntaxId type, int depth) {
    constexpr int deepest = 200;
    TypeTerm term;
    const auto children = tree_.children_of(type);
    if (depth > deepest) {
        diagnostics_.limit(tree_.span(type), "a type nested deeper than " + std::to_string(deepest) + " levels");
        return term;
    }
    const auto parts = [&](TypeTerm::Kind kind) {
        term.kind = kind;
        for (SyntaxId child : children) term.parts.push_back(read(child, depth + 1));
    };
    switch (tree_[type].kind) {
    case Kind::TypeSeq:
        term = read(children[0], depth + 1);
        term.sequence = true;
        return term;
    case Kind::TypeVar: variable(type, term); break;
    case Kind::TypeArray: array(type, term, depth); break;
    case Kind::TypeMut:
        term = read(children[0], depth + 1);
        if (term.kind != TypeTerm::Kind::Array)
            diagnostics_.error(tree_.span(type), "expected an array type after 'mut'");
        term.kind = TypeTerm::Kind::Mut;
        break;
    case Kind::TypeRef: parts(TypeTerm::Kind::Ref); break;
    case Kind::TypeTuple: parts(TypeTerm::Kind::Tuple); break;
    case Kind::TypeApply:
        if (applies_opaque(tree_, type))
            opaque(type, term, depth);
        else if (tree_.name(type) == "gen")
            parts(TypeTerm::Kind::Generator);
        else if (tree_.name(type) == "emission")
            parts(TypeTerm::Kind::Emission);
        else if (tree_.name(type) == "once")
            parts(TypeTerm::Kind::Once);
        else
            diagnostics_.error(tree_.span(type), "unknown type constructor '" + std::string(tree_.name(type)) + "'");
        break;
    default: return known(type, std::move(term));
    }
    return term;
}

TypeTerm SignatureReader::known(SyntaxId type, TypeTerm term) {
    if (attribute(type, term)) return term;
    term.kind = TypeTerm::Kind::Known;
    const auto found = elaborate_type(context_, tree_, type, diagnostics_);
    if (found)
        term.type = *found;
    else
        term.kind = TypeTerm::Kind::Any;
    return term;
}

// `to`, where the operation has an attribute `to: type`.
bool SignatureReader::attribute(SyntaxId type, TypeTerm& term) const {
    for (std::uint32_t i = 0; i < attributes_.size(); ++i) {
        const AttrDecl& declared = attributes_[i];
        if (declared.kind != AttrKind::Type || context_.symbols[declared.name] != tree_.name(type)) continue;
        term.kind = TypeTerm::Kind::Attribute;
        term.variable = i;
        return true;
    }
    return false;
}

void SignatureReader::variable(SyntaxId type, TypeTerm& term) {
    const SymbolId name = context_.symbols.add(tree_.name(type));
    const auto it = std::ranges::find(names_, name);
    term.kind = TypeTerm::Kind::Variable;
    term.variable = static_cast<std::uint32_t>(it - names_.begin());
    if (it == names_.end()) {
        names_.push_back(name);
        classes_.push_back(TypeClass::Any);
    }
    if (tree_[type].count == 0) return;
    const SyntaxId written = tree_.children_of(type)[0];
    if (const auto cls = find_class(context_, tree_.name(written)))
        classes_[term.variable] = *cls;
    else
        diagnostics_.error(tree_.span(written), "unknown type class '" + std::string(tree_.name(written)) + "'",
                           "the classes are int, float, num, bool, bits, scalar and array");
}

void SignatureReader::array(SyntaxId type, TypeTerm& term, int depth) {
    term.kind = TypeTerm::Kind::Array;
    dimension(tree_.children_of(type)[0], term);
    term.parts.push_back(read(tree_.children_of(type)[1], depth + 1));
}

// `Mat[?n, 3]`, `List of ?T`
void SignatureReader::opaque(SyntaxId type, TypeTerm& term, int depth) {
    const auto symbol = context_.symbols.find(tree_.name(type));
    if (!symbol || !context_.opaque_types.contains(*symbol) || !check_opaque(context_, tree_, type, diagnostics_)) {
        if (!symbol || !context_.opaque_types.contains(*symbol))
            elaborate_type(context_, tree_, type, diagnostics_); // says what is wrong
        return;
    }
    term.kind = TypeTerm::Kind::Opaque;
    term.type = context_.types.opaque(*symbol);
    const auto sizes = sizes_of(tree_, type);
    const std::size_t count =
        context_.types.any_rank(*symbol) ? sizes.size() : context_.types.opaque_dims(*symbol).size();
    for (std::size_t i = 0; i < count; ++i) {
        TypeTerm& part = term.parts.emplace_back();
        part.kind = TypeTerm::Kind::Array;
        if (i < sizes.size()) dimension(sizes[i], part);
        part.parts.emplace_back().kind = TypeTerm::Kind::Known;
        part.parts[0].type = context_.types.unit();
    }
    if (const auto element = element_of(tree_, type)) term.parts.push_back(read(*element, depth + 1));
}

void SignatureReader::dimension(SyntaxId dim, TypeTerm& term) {
    const std::string_view name = tree_.name(dim);
    switch (tree_[dim].kind) {
    case Kind::DimNone: return;
    case Kind::DimSeq: {
        const SyntaxId inner = tree_.children_of(dim)[0];
        term.any_rank = true;
        if (tree_[inner].kind == Kind::DimNone) {
            term.dim = static_cast<std::int64_t>(any_places_.size());
            any_places_.push_back(dim);
            return;
        }
        if (tree_[inner].kind == Kind::DimVar) return dimension(inner, term);
        diagnostics_.error(tree_.span(dim), "a sequence of dimensions is '?n...', or '_...' for any");
        return;
    }
    case Kind::DimVar: {
        const SymbolId symbol = context_.symbols.add(name);
        const auto it = std::ranges::find(dims_, symbol);
        term.length = TypeTerm::Length::Variable;
        term.dim = it - dims_.begin();
        if (it == dims_.end())
            dims_.push_back(symbol), dim_places_.push_back({dim, term.any_rank});
        else if (dim_places_[static_cast<std::size_t>(term.dim)].is_sequence != term.any_rank)
            diagnostics_.error(tree_.span(dim), "'?" + std::string(name) + "' is used both with and without '...'");
        return;
    }
    case Kind::DimNumber:
        term.length = TypeTerm::Length::Constant;
        term.dim = static_cast<std::int64_t>(parse_scalar(TypeKind::I64, name).value_or(0));
        return;
    default: named_dimension(dim, term);
    }
}

// `[operand0]`, `[each]`.
void SignatureReader::named_dimension(SyntaxId dim, TypeTerm& term) {
    const std::string_view name = tree_.name(dim);
    constexpr std::string_view operand = "operand";
    if (name == "each") {
        term.length = TypeTerm::Length::Each;
        return;
    }
    const auto index =
        name.starts_with(operand) ? parse_scalar(TypeKind::I64, name.substr(operand.size())) : std::nullopt;
    if (index && *index < operands_) {
        term.length = TypeTerm::Length::Operand;
        term.dim = static_cast<std::int64_t>(*index);
        return;
    }
    diagnostics_.error(tree_.span(dim), "unknown length '" + std::string(name) + "'",
                       "a length is '?n', a number, 'operand0' or 'each'");
}

// Marks the sequences of dimensions that a term tells: where all others of the same type are known.
void SignatureReader::check_told(const TypeTerm& term, std::vector<bool>& told, bool report) {
    std::vector<const TypeTerm*> dims;
    std::vector<const TypeTerm*> rest;
    if (term.kind == TypeTerm::Kind::Array)
        rest.push_back(&dimensions_of(term, dims));
    else
        for (const TypeTerm& part : term.parts)
            (term.kind == TypeTerm::Kind::Opaque && part.any_rank ? dims : rest).push_back(&part);
    std::vector<std::size_t> open;
    std::size_t any = 0;
    for (const TypeTerm* dim : dims) {
        if (!dim->any_rank) continue;
        if (dim->length != TypeTerm::Length::Variable)
            ++any;
        else if (const auto v = static_cast<std::size_t>(dim->dim); !told[v])
            open.push_back(v);
    }
    if (open.size() + any == 1 && !open.empty()) told[open[0]] = true;
    if (report && open.size() + any > 1 && !open.empty())
        diagnostics_.error(tree_.span(dim_places_[open[0]].first),
                           "which dimensions are '?" + std::string(context_.symbols[dims_[open[0]]]) +
                               "...' cannot be told: no operand has them without another sequence");
    for (const TypeTerm* part : rest) check_told(*part, told, report);
}

// Reports sequences of dimensions in what an operation gives that nothing tells.
void SignatureReader::check_built(const TypeTerm& term) {
    if (term.any_rank && term.length != TypeTerm::Length::Variable)
        diagnostics_.error(tree_.span(any_places_[static_cast<std::size_t>(term.dim)]),
                           "nothing tells which dimensions these are");
    for (const TypeTerm& part : term.parts) check_built(part);
}

// Each sequence of dimensions is one of an operand or of a block's result, in which all others are known.
void SignatureReader::check_ranks(const Signature& signature) {
    std::vector<bool> told(dims_.size());
    const auto all = [&](bool report) {
        for (const TypeTerm& term : signature.operands) check_told(term, told, report);
        for (const BlockSignature& block : signature.blocks)
            for (const TypeTerm& term : block.results) check_told(term, told, report);
    };
    for (std::size_t round = 0; round <= dims_.size(); ++round) all(false);
    const std::size_t errors = diagnostics_.errors();
    all(true);
    if (diagnostics_.errors() > errors) return;
    for (const BlockSignature& block : signature.blocks)
        for (const TypeTerm& term : block.params) check_built(term);
    for (const TypeTerm& term : signature.results) check_built(term);
    for (std::size_t v = 0; v < dims_.size(); ++v)
        if (dim_places_[v].is_sequence && !told[v])
            diagnostics_.error(tree_.span(dim_places_[v].first), "no operand tells which dimensions '?" +
                                                                     std::string(context_.symbols[dims_[v]]) +
                                                                     "...' are");
}

void SignatureReader::finish(Signature& signature) && {
    check_ranks(signature);
    signature.type_variables = std::move(classes_);
    signature.type_names = std::move(names_);
    signature.dim_variables = static_cast<std::uint32_t>(dims_.size());
}

} // namespace irrewrite::grammar
