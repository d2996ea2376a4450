// Sequences of dimensions in signatures: `Tensor[?n..., ?k] of ?T`, and what it becomes, `[?n...][?k]?T`.
#include "engine/ir/infer_types.hpp"

namespace irrewrite {

std::size_t dim_count(const Types& types, const TypeTerm& opaque) {
    const SymbolId name = types.name(opaque.type);
    return types.any_rank(name) ? opaque.parts.size() - types.has_element(name) : types.opaque_dims(name).size();
}

bool has_any_rank(const TypeTerm& array) {
    const TypeTerm* term = &array;
    for (; term->kind == TypeTerm::Kind::Array; term = &term->parts[0])
        if (term->any_rank) return true;
    return false;
}

const TypeTerm& dimensions_of(const TypeTerm& array, std::vector<const TypeTerm*>& dims) {
    const TypeTerm* term = &array;
    for (; term->kind == TypeTerm::Kind::Array; term = &term->parts[0]) dims.push_back(term);
    return *term;
}

// Dimensions of a type, where a signature has sequences of them. At most one sequence whose length is not known yet can be
// told; with more of them, other operands come first.
bool Inference::bind_dims(std::span<const TypeTerm* const> terms, std::span<const Dim> dims) {
    const auto bound = [&](const TypeTerm& term) -> std::optional<std::vector<Dim>>* {
        const bool is_variable = term.length == TypeTerm::Length::Variable;
        return is_variable ? &ranks_[static_cast<std::size_t>(term.dim)] : nullptr;
    };
    std::size_t least = 0, open = 0;
    for (const TypeTerm* term : terms) {
        const auto* known = term->any_rank ? bound(*term) : nullptr;
        open += term->any_rank && !(known && *known);
        least += !term->any_rank ? 1 : known && *known ? (*known)->size() : 0;
    }
    if (dims.size() < least || (open == 0 && dims.size() != least))
        return fail("expected " + std::string(open ? "at least " : "") + std::to_string(least) +
                    (least == 1 ? " dimension" : " dimensions") + ", not " + std::to_string(dims.size()));
    if (open > 1) return postponed_ = true;
    std::size_t next = 0;
    for (const TypeTerm* term : terms) {
        if (!term->any_rank) {
            if (!bind_dim(*term, dims[next++])) return false;
            continue;
        }
        auto* known = bound(*term);
        const std::size_t count = known && *known ? (*known)->size() : dims.size() - least;
        const auto part = dims.subspan(next, count);
        next += count;
        if (!known) continue;
        if (!*known) *known = std::vector<Dim>(count);
        for (std::size_t i = 0; i < count; ++i)
            if (!bind_length((**known)[i], part[i])) return false;
    }
    return true;
}

bool Inference::unify_dims(const TypeTerm& opaque, TypeId type) {
    std::vector<const TypeTerm*> terms;
    std::vector<Dim> dims;
    for (std::size_t i = 0; i < dim_count(context_.types, opaque); ++i) terms.push_back(&opaque.parts[i]);
    for (std::size_t i = 0; i < context_.types.dim_count(type); ++i) dims.push_back(context_.types.opaque_dim(type, i));
    return bind_dims(terms, dims);
}

// `[?n...][?k]?T`. Elements are no arrays where there is a sequence: it takes all dimensions that are left.
bool Inference::unify_nested(const TypeTerm& term, TypeId type, std::size_t position, bool append) {
    const Types& types = context_.types;
    std::vector<const TypeTerm*> terms;
    const TypeTerm& element = dimensions_of(term, terms);
    std::vector<Dim> dims;
    for (; types.kind(type) == TypeKind::Array; type = types.element(type)) dims.push_back(types.dim(type));
    return bind_dims(terms, dims) && unify(element, type, position, append);
}

std::optional<std::vector<Dim>> Inference::build_dims(std::span<const TypeTerm* const> terms) const {
    std::vector<Dim> dims;
    for (const TypeTerm* term : terms) {
        if (term->any_rank) {
            if (term->length != TypeTerm::Length::Variable || !ranks_[static_cast<std::size_t>(term->dim)])
                return std::nullopt;
            const auto& known = *ranks_[static_cast<std::size_t>(term->dim)];
            dims.insert(dims.end(), known.begin(), known.end());
            continue;
        }
        const auto dim = build_dim(*term);
        if (!dim) return std::nullopt;
        dims.push_back(*dim);
    }
    return dims;
}

std::optional<TypeId> Inference::build_nested(const TypeTerm& term, std::size_t position) {
    Types& types = context_.types;
    std::vector<const TypeTerm*> terms;
    const auto element = build(dimensions_of(term, terms), position);
    const auto dims = build_dims(terms);
    if (!element || !dims) return std::nullopt;
    if (types.kind(*element) == TypeKind::Array) {
        fail("its elements are " + text(*element) + ", and would be further dimensions");
        return std::nullopt;
    }
    TypeId type = *element;
    for (std::size_t i = dims->size(); i-- > 0;) type = types.array((*dims)[i], type);
    return type;
}

std::optional<TypeId> Inference::build_opaque(const TypeTerm& term, std::size_t position) {
    Types& types = context_.types;
    const SymbolId name = types.name(term.type);
    std::vector<const TypeTerm*> terms;
    for (std::size_t i = 0; i < dim_count(types, term); ++i) terms.push_back(&term.parts[i]);
    const auto dims = build_dims(terms);
    const auto element = term.parts.size() > terms.size() ? build(term.parts.back(), position) : TypeId{};
    if (!dims || !element) return std::nullopt;
    if (*element && types.nests(name) && types.kind(*element) == TypeKind::Array) {
        fail("the elements of a '" + std::string(context_.symbols[name]) + "' are " + text(*element) +
             ", and would be further dimensions of the array that it becomes");
        return std::nullopt;
    }
    return types.lowered(types.opaque(name, *dims, *element));
}

} // namespace irrewrite
