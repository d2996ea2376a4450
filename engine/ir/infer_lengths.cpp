// Chooses the number of operands that each `...` of a signature takes, and of dimensions: `Tensor[?n..., ?k] of ?T`, and what
// that becomes, `[?n...][?k]?T`.
#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

BlockShape block_shape(const Graph& graph, BlockId block) {
    std::size_t results = graph.results(block).size();
    return {graph.params(block).size(), results, results};
}

std::size_t Inference::length(const TypeTerm& term) const {
    if (!term.sequence) return 1;
    if (auto v = sequence_of(term, is_sequence_)) return lengths_[*v].value_or(0);
    return lengths_[is_sequence_.size() + static_cast<std::size_t>(&term - signature_.operands.data())].value_or(0);
}

// True if as many values as the terms stand for lie between the bounds, as far as that is known.
bool Inference::fits(std::span<const TypeTerm> terms, std::size_t least, std::size_t most) const {
    std::size_t count = 0;
    for (const TypeTerm& term : terms) {
        auto v = sequence_of(term, is_sequence_);
        if (term.sequence && !(v && lengths_[*v])) return true;
        count += term.sequence ? *lengths_[*v] : 1;
    }
    return least <= count && count <= most;
}

bool Inference::choose_lengths(std::size_t operands, std::span<const BlockShape> blocks) {
    // The unknowns: one for each sequence among the operands.
    std::vector<std::size_t> unknowns, weights;
    std::size_t fixed = 0;
    for (std::size_t i = 0; i < signature_.operands.size(); ++i) {
        const TypeTerm& term = signature_.operands[i];
        auto inner = sequence_of(term, is_sequence_);
        if (!term.sequence) {
            ++fixed; // `emission(?V...)`, `(?A...)`: its own length comes with its type
            continue;
        }
        std::size_t unknown = inner ? *inner : is_sequence_.size() + i;
        auto it = std::ranges::find(unknowns, unknown);
        if (it == unknowns.end())
            unknowns.push_back(unknown), weights.push_back(1);
        else
            ++weights[static_cast<std::size_t>(it - unknowns.begin())];
    }
    if (operands < fixed) return false;
    std::size_t rest = operands - fixed;
    auto blocks_fit = [&] {
        for (std::size_t b = 0; b < std::min(blocks.size(), signature_.blocks.size()); ++b) {
            const BlockSignature& due = signature_.blocks[b];
            const BlockShape& given = blocks[b];
            if (given.params && !fits(due.params, *given.params, *given.params)) return false;
            if (!fits(due.results, given.least_results, given.most_results)) return false;
        }
        return true;
    };
    if (unknowns.empty()) return rest == 0;
    if (unknowns.size() == 1) {
        if (rest % weights[0]) return false;
        lengths_[unknowns[0]] = rest / weights[0];
        return true;
    }
    if (unknowns.size() > 2) return false;
    // Two kinds of sequences side by side: as the blocks say, else as the types allow.
    for (std::size_t second = 0; second * weights[1] <= rest; ++second) {
        if ((rest - second * weights[1]) % weights[0]) continue;
        lengths_[unknowns[0]] = (rest - second * weights[1]) / weights[0];
        lengths_[unknowns[1]] = second;
        if (lacks_arrays() || !blocks_fit()) continue;
        Inference trial = *this;
        if (trial.try_operands(operands_)) return true;
        fail(trial.error_);
    }
    return false;
}

namespace {
bool side_by_side(const Signature& signature) {
    auto is_sequence = sequence_variables(signature);
    std::optional<std::uint32_t> first;
    for (const TypeTerm& term : signature.operands) {
        auto v = term.sequence ? sequence_of(term, is_sequence) : std::nullopt;
        if (v && first && *v != *first) return true;
        if (v) first = v;
    }
    return false;
}
} // namespace

std::optional<Lengths> uneven_lengths(const Graph& graph, NodeId node) {
    Context& context = graph.context();
    const Signature& signature = context.operations[graph.op(node)].signature;
    if (!side_by_side(signature)) return std::nullopt;
    std::vector<OperandInfo> infos;
    for (NodeId operand : graph.operands(node)) infos.push_back(operand_info(graph, operand));
    std::vector<BlockShape> shapes;
    for (BlockId block : graph.blocks(node)) shapes.push_back(block_shape(graph, block));
    Inference inference(context, graph.op(node), graph[node].attrs);
    if (!inference.operands(infos, shapes)) return std::nullopt;
    Lengths found;
    for (const TypeTerm& term : signature.operands) found.operands.push_back(inference.length(term));
    for (const BlockSignature& block : signature.blocks) {
        found.params.emplace_back();
        for (const TypeTerm& term : block.params) found.params.back().push_back(inference.length(term));
    }
    return found;
}

// -- dimensions -------------------------------------------------------------------------------------

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
