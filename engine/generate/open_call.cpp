// Applications of operations with types that are open: one unknown for each variable of the signature.
#include "engine/generate/open_types.hpp"
#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

// The unknowns of one application.
struct OpenCall::Env {
    Env(OpenTypes& types, const Operation& operation)
        : types(types), signature(operation.signature), sequence(sequence_variables(signature)),
          single(sequence.size()), lists(sequence.size()), ranks(signature.dim_variables) {
        for (std::size_t v = 0; v < sequence.size(); ++v) {
            if (sequence[v])
                lists[v] = types.open_list();
            else
                single[v] = types.fresh(signature.type_variables[v]);
        }
        for (const AttrDecl& attribute : operation.attributes)
            attributes.push_back(attribute.kind == AttrKind::Type ? types.fresh() : OpenType{});
    }

    std::optional<std::uint32_t> variable_of(const TypeTerm& term) const {
        if (term.kind == TypeTerm::Kind::Variable && sequence[term.variable]) return term.variable;
        for (const TypeTerm& part : term.parts)
            if (auto v = variable_of(part)) return v;
        return std::nullopt;
    }
    // `at`: the element of the sequence that `term` is repeated over.
    OpenType type(const TypeTerm& term, std::size_t at) {
        using K = TypeTerm::Kind;
        switch (term.kind) {
        case K::Known: return types.known(types.types().lowered(term.type));
        case K::Variable:
            return sequence[term.variable] ? types.items(lists[term.variable])[at] : single[term.variable];
        case K::Array: return array(term, at);
        case K::Mut: return types.make(TypeKind::Mut, types.list({type(term.parts[0], at)}));
        case K::Ref: return types.make(TypeKind::Ref, types.list({type(term.parts[0], at)}));
        case K::Tuple: return types.make(TypeKind::Tuple, list(term.parts));
        case K::Generator: return types.make(TypeKind::Generator, list(term.parts));
        case K::Emission:
        case K::Once: return types.make(TypeKind::Emission, list(term.parts));
        case K::Attribute: return attributes[term.variable];
        case K::Opaque:
            if (types.types().is_lowered(types.types().name(term.type)))
                return type(lowered_term(types.types(), term), at);
            return opaque(term, at);
        case K::Any: return types.fresh();
        }
        return types.fresh();
    }
    OpenType array(const TypeTerm& term, std::size_t at) {
        if (!has_any_rank(term)) return types.make(TypeKind::Array, types.list({type(term.parts[0], at)}));
        std::vector<const TypeTerm*> dims;
        OpenType made = type(dimensions_of(term, dims), at);
        for (std::size_t i = rank(dims); i > 0; --i) made = types.array(made);
        return made;
    }
    OpenType opaque(const TypeTerm& term, std::size_t at) {
        const std::size_t count = dim_count(types.types(), term);
        const bool has_element = term.parts.size() > count;
        if (types.types().any_rank(types.types().name(term.type)))
            return types.opaque(term.type, rank(dims_of(term, count)),
                                has_element ? type(term.parts.back(), at) : OpenType{});
        return has_element ? types.opaque(term.type, type(term.parts.back(), at)) : types.known(term.type);
    }
    static std::vector<const TypeTerm*> dims_of(const TypeTerm& opaque, std::size_t count) {
        std::vector<const TypeTerm*> dims;
        for (std::size_t i = 0; i < count; ++i) dims.push_back(&opaque.parts[i]);
        return dims;
    }
    // The number of dimensions; what is open is chosen.
    std::size_t rank(std::span<const TypeTerm* const> dims) {
        std::size_t count = 0;
        for (const TypeTerm* dim : dims) {
            const bool is_named = dim->any_rank && dim->length == TypeTerm::Length::Variable;
            if (is_named && !ranks[static_cast<std::size_t>(dim->dim)])
                ranks[static_cast<std::size_t>(dim->dim)] = types.some_rank();
            count += is_named ? *ranks[static_cast<std::size_t>(dim->dim)] : dim->any_rank ? types.some_rank() : 1;
        }
        return count;
    }
    // The ranks that a type which is given determines; where there are several, some. False: it does not fit.
    bool take_ranks(const TypeTerm& term, OpenType given) {
        if (term.kind == TypeTerm::Kind::Opaque && types.types().is_lowered(types.types().name(term.type)))
            return take_ranks(lowered_term(types.types(), term), given);
        std::vector<const TypeTerm*> dims;
        if (term.kind == TypeTerm::Kind::Opaque)
            dims = dims_of(term, dim_count(types.types(), term));
        else
            dimensions_of(term, dims);
        const auto is_sequence = [](const TypeTerm* dim) { return dim->any_rank; };
        const auto known = types.rank(given);
        if (std::ranges::none_of(dims, is_sequence) || !known) return true;
        std::size_t rest = *known;
        std::vector<std::size_t> open;
        bool any = false;
        for (const TypeTerm* dim : dims) {
            const bool is_named = dim->any_rank && dim->length == TypeTerm::Length::Variable;
            const auto at = static_cast<std::size_t>(dim->dim);
            any |= dim->any_rank && !is_named;
            if (is_named && !ranks[at])
                open.push_back(at);
            else if (const std::size_t count = is_named ? *ranks[at] : !dim->any_rank; count > rest)
                return false;
            else
                rest -= count;
        }
        for (std::size_t i = 0; i < open.size(); ++i) {
            const bool is_last = i + 1 == open.size() && !any;
            ranks[open[i]] = is_last ? rest : types.choices().below(static_cast<std::uint32_t>(rest) + 1);
            rest -= *ranks[open[i]];
        }
        return rest == 0 || any;
    }
    bool take_ranks(std::span<const OpenType> given) {
        std::size_t next = 0;
        for (const TypeTerm& term : signature.operands)
            for (std::size_t k = 0, count = count_of(term); k < count && next < given.size(); ++k, ++next)
                if (!take_ranks(term, given[next])) return false;
        return true;
    }

    OpenList list(std::span<const TypeTerm> terms) {
        if (terms.size() == 1 && terms[0].sequence && terms[0].kind == TypeTerm::Kind::Variable &&
            sequence[terms[0].variable])
            return lists[terms[0].variable];
        std::vector<OpenType> out;
        for (const TypeTerm& term : terms) append(term, out);
        return types.list(std::move(out));
    }
    void append(const TypeTerm& term, std::vector<OpenType>& out) {
        for (std::size_t i = 0, count = count_of(term); i < count; ++i) out.push_back(type(term, i));
    }
    std::size_t count_of(const TypeTerm& term) {
        auto v = variable_of(term);
        return !term.sequence ? 1 : v ? types.items(lists[*v]).size() : repeats;
    }
    bool lengths_from(std::uint32_t v) const {
        return std::ranges::any_of(signature.operands, [&](const TypeTerm& term) {
            return term.sequence && term.length == TypeTerm::Length::Variable && variable_of(term) == v;
        });
    }
    // Chooses the number of operands of each sequence; two sequences share them at random.
    bool share_out(std::size_t operands) {
        std::vector<std::uint32_t> found;
        std::vector<std::size_t> weights;
        std::size_t fixed = 0;
        bool plain = false;
        for (const TypeTerm& term : signature.operands) {
            auto v = variable_of(term);
            if (!term.sequence) {
                ++fixed;
            } else if (!v) {
                plain = true;
            } else if (auto it = std::ranges::find(found, *v); it != found.end()) {
                ++weights[static_cast<std::size_t>(it - found.begin())];
            } else {
                found.push_back(*v), weights.push_back(1);
            }
        }
        if (operands < fixed) return false;
        std::size_t rest = operands - fixed;
        if (plain) return repeats = rest, found.empty();
        for (std::size_t i = 0; i < found.size(); ++i) {
            std::size_t most = rest / weights[i];
            if (rest == 0 && lengths_from(found[i])) return false; // their length would be anybody's guess
            std::size_t count =
                i + 1 == found.size() ? most : types.choices().below(static_cast<std::uint32_t>(most) + 1);
            std::vector<OpenType> fresh;
            for (std::size_t k = 0; k < count; ++k) fresh.push_back(types.fresh(signature.type_variables[found[i]]));
            if (!types.unify(lists[found[i]], types.list(fresh))) return false;
            rest -= count * weights[i];
        }
        return rest == 0;
    }

    // `emission(?K, ?V...)` of a type whose components are known: ?V takes those that are left.
    bool take_lengths(const TypeTerm& term, OpenType given) {
        const bool structure = term.kind == TypeTerm::Kind::Emission || term.kind == TypeTerm::Kind::Once ||
                               term.kind == TypeTerm::Kind::Generator;
        const auto kind = types.kind(given);
        if (!structure || term.parts.empty() || !term.parts.back().sequence) return true;
        if (kind != TypeKind::Emission && kind != TypeKind::Generator)
            return true; // nothing is known of it, or it does not fit
        const TypeTerm& last = term.parts.back();
        const auto known = types.count(types.parts(given));
        auto sequences = std::ranges::count_if(term.parts, [](const TypeTerm& part) { return part.sequence; });
        if (!known || sequences != 1 || !variable_of(last)) return true;
        if (*known + 1 < term.parts.size()) return false;
        std::vector<OpenType> fresh;
        for (std::size_t k = term.parts.size() - 1; k < *known; ++k) fresh.push_back(types.fresh());
        return types.unify(lists[*variable_of(last)], types.list(std::move(fresh)));
    }

    OpenTypes& types;
    const Signature& signature;
    std::vector<bool> sequence;
    std::vector<OpenType> single;
    std::vector<OpenList> lists;
    std::vector<std::optional<std::size_t>> ranks; // by dimension variable: the lengths of sequences
    std::vector<OpenType> attributes;
    std::size_t repeats = 0; // of `T...` without a variable
};

std::optional<OpenCall> OpenCall::make(OpenTypes& types, const Operation& operation, std::size_t operands,
                                       std::span<const OpenType> given, OpenType result) {
    Env env(types, operation);
    if (!env.share_out(operands)) return std::nullopt;
    const auto& results = env.signature.results;
    if (result && results.size() == 1 && !results[0].sequence && !env.take_ranks(results[0], result))
        return std::nullopt;
    if (!env.take_ranks(given)) return std::nullopt;
    OpenCall call;
    for (std::size_t i = 0; i < env.signature.operands.size(); ++i) {
        const TypeTerm& term = env.signature.operands[i];
        const std::size_t first = call.operands.size();
        if (first < given.size() && !term.sequence && !env.take_lengths(term, given[first])) return std::nullopt;
        env.append(term, call.operands);
        call.term_of_operand.resize(call.operands.size(), i);
        for (std::size_t k = first; k < std::min(call.operands.size(), given.size()); ++k)
            if (!types.unify(call.operands[k], given[k])) return std::nullopt;
    }
    for (const BlockSignature& block : env.signature.blocks) {
        // `{… -> gen(?R...)...}`: generators of any number of results each.
        bool flattens = block.results.size() == 1 && block.results[0].sequence &&
                        block.results[0].kind == TypeTerm::Kind::Generator;
        if (flattens) {
            call.flattens = call.blocks.size();
            call.flat_ = env.list(block.results[0].parts);
        }
        call.blocks.push_back({env.list(block.params), flattens ? types.open_list() : env.list(block.results)});
    }
    call.results = env.list(env.signature.results);
    call.attributes = env.attributes;
    return call;
}

bool OpenCall::flatten(OpenTypes& types, std::span<const OpenType> generators) {
    std::vector<OpenType> all;
    for (OpenType generator : generators) {
        OpenList results = types.open_list();
        if (!types.unify(generator, types.make(TypeKind::Generator, results))) return false;
        for (OpenType result : types.items(results)) {
            types.collect(result);
            all.push_back(result);
        }
    }
    return types.unify(flat_, types.list(std::move(all)));
}

bool OpenCall::spread(OpenTypes& types) {
    std::vector<OpenType> generators;
    for (OpenType result : types.items(flat_))
        generators.push_back(types.make(TypeKind::Generator, types.list({result})));
    return types.unify(blocks[*flattens].results, types.list(std::move(generators)));
}

} // namespace irrewrite
