// Unification of the types in a signature with those of operands and blocks.
#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// The dimensions and the element type of a declaration, and the terms that they stand for.
struct Meanings {
    std::span<const SymbolId> names;
    TypeId element;
    std::span<const TypeTerm> dims; // one for each name, or any number for the sequence of all
    const TypeTerm* of_element;     // none: nothing is known of it
};

// An array of these dimensions, none among them.
TypeTerm nested(std::span<const TypeTerm> dims, TypeTerm element) {
    for (std::size_t i = dims.size(); i-- > 0;) {
        TypeTerm out = dims[i];
        out.kind = TypeTerm::Kind::Array;
        out.parts.assign(1, std::move(element));
        element = std::move(out);
    }
    return element;
}

// A type with these terms where it names what they stand for.
TypeTerm term_of(const Types& types, TypeId type, const Meanings& given) {
    const auto named = [&](Dim dim) {
        const auto it = std::ranges::find_if(given.names, [&](SymbolId name) { return dim == Dim::named(name); });
        return it == given.names.end() ? nullptr : &given.dims[static_cast<std::size_t>(it - given.names.begin())];
    };
    TypeTerm out;
    if (type == given.element) return given.of_element ? *given.of_element : out;
    const std::size_t sizes = types.kind(type) == TypeKind::Opaque ? types.dim_count(type) : 0;
    const auto parts = [&](TypeTerm::Kind kind) {
        out.kind = kind;
        for (std::size_t i = 0; const TypeId part : types.elements(type)) {
            if (i++ < sizes && types.dim(part).kind == DimKind::Sequence)
                out.parts.insert(out.parts.end(), given.dims.begin(), given.dims.end());
            else
                out.parts.push_back(term_of(types, part, given));
        }
    };
    switch (types.kind(type)) {
    case TypeKind::Array:
        if (types.dim(type).kind == DimKind::Sequence)
            return nested(given.dims, term_of(types, types.element(type), given));
        [[fallthrough]];
    case TypeKind::Mut:
        parts(types.kind(type) == TypeKind::Mut ? TypeTerm::Kind::Mut : TypeTerm::Kind::Array);
        if (const TypeTerm* dim = named(types.dim(type)))
            out.length = dim->length, out.dim = dim->dim;
        else if (types.dim(type).kind == DimKind::Constant)
            out.length = TypeTerm::Length::Constant, out.dim = types.dim(type).value;
        break;
    case TypeKind::Ref: parts(TypeTerm::Kind::Ref); break;
    case TypeKind::Tuple: parts(TypeTerm::Kind::Tuple); break;
    case TypeKind::Opaque:
        if (!types.elements(type).empty() || types.any_rank(types.name(type))) {
            parts(TypeTerm::Kind::Opaque);
            out.type = type;
            break;
        }
        [[fallthrough]];
    default: out.kind = TypeTerm::Kind::Known, out.type = type;
    }
    return out;
}

} // namespace

TypeTerm lowered_term(Types& types, const TypeTerm& term) {
    if (term.kind != TypeTerm::Kind::Opaque || !types.is_lowered(types.name(term.type))) return term;
    const SymbolId name = types.name(term.type);
    const std::span<const SymbolId> names = types.opaque_dims(name);
    std::vector<Dim> dims;
    for (SymbolId dim : names) dims.push_back(types.any_rank(name) ? Dim::sequence(dim) : Dim::named(dim));
    const TypeId element = types.declared_element(name);
    const std::size_t count = dim_count(types, term);
    TypeTerm out = term_of(
        types, types.lowered(types.opaque(name, dims, element)),
        {names, element, std::span(term.parts).first(count), term.parts.size() > count ? &term.parts.back() : nullptr});
    out.sequence = term.sequence;
    return out;
}

bool Inference::bind(std::uint32_t variable, TypeId type) {
    if (context_.types.kind(type) == TypeKind::Emission || context_.types.kind(type) == TypeKind::Generator)
        return fail("which is no value");
    if (!belongs(context_.types, type, signature_.type_variables[variable])) return fail("which it does not take");
    TypeId& bound = bound_[variable];
    if (!bound) {
        bound = type;
        return true;
    }
    if (!context_.types.alike(bound, type)) return fail("expected " + text(bound));
    bound = context_.types.meet(bound, type);
    return true;
}

bool Inference::bind_sequence(std::uint32_t variable, TypeId type, std::size_t position, bool append) {
    if (!belongs(context_.types, type, signature_.type_variables[variable])) return fail("which it does not take");
    Sequence& sequence = sequences_[variable];
    if (append) position = sequence.size();
    if (sequence.size() <= position) sequence.resize(position + 1);
    TypeId& bound = sequence[position];
    if (!bound) {
        bound = type;
        return true;
    }
    if (!context_.types.alike(bound, type)) return fail("expected " + text(bound));
    bound = context_.types.meet(bound, type);
    return true;
}

bool Inference::bind_dim(const TypeTerm& term, Dim dim) {
    if (term.length == TypeTerm::Length::Constant)
        return dim.kind != DimKind::Constant || dim.value == term.dim || fail("of another length");
    if (term.length != TypeTerm::Length::Variable) return true;
    std::optional<Dim>& bound = dims_[static_cast<std::size_t>(term.dim)];
    if (!bound) bound = Dim{};
    return bind_length(*bound, dim);
}

bool Inference::bind_length(Dim& bound, Dim dim) {
    if (bound.kind == DimKind::Unknown || (bound.kind == DimKind::Named && dim.kind == DimKind::Constant)) {
        bound = dim;
        return true;
    }
    if (bound.kind == DimKind::Constant && dim.kind == DimKind::Constant && bound != dim)
        return fail("but another operand has length " + std::to_string(bound.value));
    return true;
}

bool Inference::unify(const TypeTerm& term, TypeId type, std::size_t position, bool append) {
    Types& types = context_.types;
    using K = TypeTerm::Kind;
    auto expect = [&](TypeKind kind) { return types.kind(type) == kind; };
    switch (term.kind) {
    case K::Known: {
        TypeId due = context_.types.lowered(term.type);
        return types.agree(due, type) || fail("expected " + text(due));
    }
    case K::Any: return true;
    case K::Attribute:
        return types.agree(context_.attributes[attrs_][term.variable].type, type) || fail("not the type given");
    case K::Variable:
        return is_sequence_[term.variable] ? bind_sequence(term.variable, type, position, append)
                                           : bind(term.variable, type);
    case K::Array:
        if (has_any_rank(term)) return unify_nested(term, type, position, append);
        if (!expect(TypeKind::Array)) return fail("expected an array");
        return bind_dim(term, types.dim(type)) && unify(term.parts[0], types.element(type), position, append);
    case K::Mut:
        if (!expect(TypeKind::Mut)) return fail("expected a mutable array");
        return bind_dim(term, types.dim(type)) && unify(term.parts[0], types.element(type), position, append);
    case K::Ref:
        if (!expect(TypeKind::Ref)) return fail("expected a ref");
        return unify(term.parts[0], types.element(type), position, append);
    case K::Opaque:
        if (types.is_lowered(types.name(term.type))) return unify(lowered_term(types, term), type, position, append);
        if (!expect(TypeKind::Opaque) || types.name(type) != types.name(term.type))
            return fail("expected " + text(term.type));
        return unify_dims(term, type) && (term.parts.size() == dim_count(types, term) ||
                                          unify(term.parts.back(), types.opaque_element(type), position, append));
    case K::Tuple:
        return (expect(TypeKind::Tuple) || fail("expected a tuple")) &&
               unify_list(term.parts, types.elements(type), append);
    case K::Generator:
        return (expect(TypeKind::Generator) || fail("expected a generator")) &&
               unify_list(term.parts, types.elements(type), true);
    case K::Once:
        if (!expect(TypeKind::Emission) || !types.once(type)) return fail("expected exactly one emission");
        return unify_list(term.parts, types.elements(type), append);
    case K::Emission:
        if (!expect(TypeKind::Emission)) return fail("expected an emission");
        each_once_ = each_once_ && types.once(type);
        return unify_list(term.parts, types.elements(type), append);
    }
    return false;
}

bool Inference::unify_list(std::span<const TypeTerm> terms, std::span<const TypeId> given, bool append) {
    std::vector<TypeId> types(given.begin(), given.end()); // meet() may grow the table
    std::size_t fixed =
        static_cast<std::size_t>(std::ranges::count_if(terms, [](const TypeTerm& t) { return !t.sequence; }));
    std::size_t repeated = terms.size() - fixed;
    if (repeated ? types.size() < fixed : types.size() != fixed)
        return fail("expected " + std::to_string(fixed) + " values, not " + std::to_string(types.size()));
    std::size_t each = repeated ? (types.size() - fixed) / repeated : 0, next = 0;
    for (const TypeTerm& term : terms) {
        auto v = sequence_of(term, is_sequence_);
        std::size_t count = term.sequence ? (repeated == 1 ? each : v && lengths_[*v] ? *lengths_[*v] : each) : 1;
        if (term.sequence && v && !append) {
            if (lengths_[*v] && *lengths_[*v] != count)
                return fail("expected " + std::to_string(*lengths_[*v]) + " values, not " + std::to_string(count));
            lengths_[*v] = count;
        }
        for (std::size_t k = 0; k < count; ++k, ++next) {
            if (next >= types.size()) return fail("too few values");
            if (!unify(term, types[next], k, append && term.sequence)) return false;
        }
    }
    return next == types.size() ||
           fail("expected " + std::to_string(next) + " values, not " + std::to_string(types.size()));
}

} // namespace irrewrite
