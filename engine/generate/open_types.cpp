#include "engine/generate/open_types.hpp"

#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr unsigned greatest_depth = 12; // of a type
bool has_parts(TypeKind kind) {
    return kind == TypeKind::Array || kind == TypeKind::Mut || kind == TypeKind::Ref || kind == TypeKind::Tuple ||
           kind == TypeKind::Generator || kind == TypeKind::Emission;
}
} // namespace

OpenType OpenTypes::fresh(TypeClass cls) {
    OpenType id{static_cast<std::uint32_t>(types_of_.size())};
    types_of_.push_back({.parent = id});
    if (cls != TypeClass::Any) types_of_.back().classes.push_back(cls);
    return id;
}

OpenType OpenTypes::known(TypeId type) {
    TypeKind kind = types_.kind(type);
    if (has_parts(kind)) {
        std::vector<TypeId> given(types_.elements(type).begin(), types_.elements(type).end());
        std::vector<OpenType> parts;
        for (TypeId part : given) parts.push_back(known(part));
        return make(kind, list(std::move(parts)));
    }
    if (kind == TypeKind::Opaque) {
        const TypeId element = types_.opaque_element(type);
        if (types_.has_rank(type) && types_.any_rank(types_.name(type)))
            return opaque(type, types_.dim_count(type), element ? known(element) : OpenType{});
        if (element) return opaque(type, known(element));
    }
    OpenType id = fresh();
    types_of_[id.index].kind = kind;
    types_of_[id.index].leaf = type;
    return id;
}

OpenType OpenTypes::opaque(TypeId type, OpenType element) {
    const OpenType id = make(TypeKind::Opaque, list({element}));
    types_of_[id.index].leaf = types_.opaque(types_.name(type));
    return id;
}

// The leaf has the rank, and a place holder as its element.
OpenType OpenTypes::opaque(TypeId type, std::size_t rank, OpenType element) {
    const OpenType id = element ? make(TypeKind::Opaque, list({element})) : fresh();
    const std::vector<Dim> dims(rank);
    types_of_[id.index].kind = TypeKind::Opaque;
    types_of_[id.index].leaf = types_.opaque(types_.name(type), dims, element ? types_.unit() : TypeId{});
    return id;
}

std::optional<std::size_t> OpenTypes::rank(OpenType type) const {
    std::size_t arrays = 0;
    const TypeEntry* entry = &types_of_[find(type).index];
    for (; entry->kind == TypeKind::Array; ++arrays)
        entry = &types_of_[find(lists_[find(entry->parts).index].items[0]).index];
    if (arrays == 0 && entry->kind == TypeKind::Opaque && types_.any_rank(types_.name(entry->leaf)))
        return types_.dim_count(entry->leaf);
    const auto is_array = [](TypeClass cls) { return cls == TypeClass::Array; };
    if (arrays > 0 || entry->kind) return arrays;
    return entry->classes.empty() || std::ranges::any_of(entry->classes, is_array) ? std::nullopt
                                                                                   : std::optional<std::size_t>(0);
}

std::size_t OpenTypes::some_rank() {
    if (!rank_) rank_ = choices_.weighted({3, 5, 4});
    return choices_.likely(75) ? *rank_ : choices_.below(3);
}

OpenType OpenTypes::make(TypeKind kind, OpenList parts) {
    OpenType id = fresh();
    types_of_[id.index].kind = kind;
    types_of_[id.index].parts = parts;
    if (kind == TypeKind::Tuple) lists_[find(parts).index].least = 2;
    return id;
}

OpenList OpenTypes::open_list() {
    OpenList id{static_cast<std::uint32_t>(lists_.size())};
    lists_.push_back({.parent = id});
    return id;
}
OpenList OpenTypes::list(std::vector<OpenType> items) {
    OpenList id = open_list();
    lists_[id.index].known = true;
    lists_[id.index].items = std::move(items);
    return id;
}

OpenType OpenTypes::find(OpenType type) const {
    while (types_of_[type.index].parent != type) type = types_of_[type.index].parent;
    return type;
}
OpenList OpenTypes::find(OpenList list) const {
    while (lists_[list.index].parent != list) list = lists_[list.index].parent;
    return list;
}

// -- unification ------------------------------------------------------------------------------------

// True if a type whose outermost constructor is known can be of the class.
bool OpenTypes::admits(const TypeEntry& entry, TypeClass cls) const {
    if (!entry.kind || cls == TypeClass::Any) return true;
    if (entry.leaf) return belongs(types_, entry.leaf, cls);
    return (cls == TypeClass::Array && *entry.kind == TypeKind::Array) ||
           (cls == TypeClass::Record && *entry.kind == TypeKind::Tuple);
}

bool OpenTypes::limit(OpenType type, TypeClass cls) {
    TypeEntry& entry = types_of_[find(type).index];
    if (cls != TypeClass::Any && !entry.kind) entry.classes.push_back(cls);
    return admits(entry, cls);
}

bool OpenTypes::unify(OpenType a, OpenType b) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (!types_of_[a.index].kind) std::swap(a, b); // an open one, if any, becomes the other
    TypeEntry &to = types_of_[a.index], &from = types_of_[b.index];
    if (!from.kind) {
        from.parent = a;
        if (!to.kind) to.classes.insert(to.classes.end(), from.classes.begin(), from.classes.end());
        return std::ranges::all_of(from.classes, [&](TypeClass cls) { return admits(to, cls); });
    }
    if (to.kind != from.kind || to.leaf != from.leaf) return false;
    from.parent = a;
    return to.parts && from.parts ? unify(to.parts, from.parts) : !to.parts && !from.parts;
}

bool OpenTypes::unify(OpenList a, OpenList b) {
    a = find(a), b = find(b);
    if (a == b) return true;
    if (!lists_[a.index].known) std::swap(a, b);
    ListEntry &to = lists_[a.index], &from = lists_[b.index];
    from.parent = a;
    to.least = std::max(to.least, from.least);
    if (!from.known) return !to.known || to.items.size() >= to.least;
    if (to.items.size() != from.items.size()) return false;
    std::vector<OpenType> x = to.items, y = from.items;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!unify(x[i], y[i])) return false;
    return true;
}

std::optional<TypeKind> OpenTypes::kind(OpenType type) { return types_of_[find(type).index].kind; }

std::optional<std::size_t> OpenTypes::count(OpenList list) {
    const ListEntry& entry = lists_[find(list).index];
    return entry.known ? std::optional(entry.items.size()) : std::nullopt;
}

std::vector<OpenType> OpenTypes::items(OpenList list) {
    OpenList id = find(list);
    if (!lists_[id.index].known) {
        std::uint32_t number = (several_ ? choices_.weighted({4, 5, 4}) : choices_.weighted({12, 4, 1})) + 1;
        if (number == 3) number = choices_.rarely(30) ? 0 : 3;
        std::size_t count = std::max<std::size_t>(number, lists_[id.index].least);
        std::vector<OpenType> made;
        for (std::size_t i = 0; i < count; ++i) made.push_back(fresh());
        lists_[id.index].known = true;
        lists_[id.index].items = std::move(made);
    }
    return lists_[id.index].items;
}

// -- choosing ---------------------------------------------------------------------------------------

void OpenTypes::collect(OpenType made) {
    const TypeEntry& entry = types_of_[find(made).index];
    if (!entry.kind && entry.classes.empty() && choices_.rarely(40)) unify(made, array(fresh()));
}

std::optional<TypeId> OpenTypes::choose(OpenType open, unsigned depth) {
    open = find(open);
    if (TypeId done = types_of_[open.index].chosen) return done;
    if (depth > greatest_depth) return std::nullopt;
    TypeId type = types_of_[open.index].leaf;
    if (type && types_of_[open.index].parts) {
        const auto element = choose(items(types_of_[open.index].parts)[0], depth + 1);
        if (!element || (types_.nests(types_.name(type)) && types_.kind(*element) == TypeKind::Array))
            return std::nullopt;
        type = types_.opaque(types_.name(type), std::vector<Dim>(types_.dim_count(type)), *element);
    }
    if (auto kind = types_of_[open.index].kind; kind && !type) {
        std::vector<TypeId> parts;
        for (OpenType part : items(types_of_[open.index].parts)) {
            if (*kind == TypeKind::Generator) collect(part);
            auto chosen = choose(part, depth + 1);
            if (!chosen) return std::nullopt;
            parts.push_back(*chosen);
        }
        switch (*kind) {
        case TypeKind::Array: type = types_.array({}, parts[0]); break;
        case TypeKind::Mut: type = types_.mut({}, parts[0]); break;
        case TypeKind::Ref: type = types_.ref(parts[0]); break;
        case TypeKind::Tuple: type = types_.tuple(parts); break;
        case TypeKind::Generator: type = types_.generator(parts); break;
        default: type = types_.emission(parts, false);
        }
    }
    if (const auto& classes = types_of_[open.index].classes;
        !type && std::ranges::find(classes, TypeClass::Record) != classes.end()) {
        OpenList parts = open_list();
        lists_[parts.index].least = 2;
        return unify(open, make(TypeKind::Tuple, parts)) ? choose(open, depth) : std::nullopt;
    }
    if (!type) {
        std::vector<TypeId> candidates;
        auto fits = [&](TypeId t) {
            return std::ranges::all_of(types_of_[open.index].classes,
                                       [&](TypeClass cls) { return belongs(types_, t, cls); });
        };
        for (TypeKind scalar : palette_.scalars) candidates.push_back(types_.scalar(scalar));
        std::erase_if(candidates, [&](TypeId t) { return !fits(t); });
        if (candidates.empty()) // no scalar of the palette: of any
            for (std::uint32_t k = 0; k <= static_cast<std::uint32_t>(TypeKind::F64); ++k)
                if (TypeId t{k}; fits(t)) candidates.push_back(t);
        std::vector<TypeId> composite;
        if ((palette_.composite && depth < 2) || candidates.empty())
            for (TypeKind scalar : palette_.scalars)
                if (TypeId t = types_.array({}, types_.scalar(scalar)); fits(t)) composite.push_back(t);
        if (!composite.empty() && (candidates.empty() || choices_.rarely(15))) candidates = composite;
        if (candidates.empty()) return std::nullopt;
        type = candidates[choices_.below(static_cast<std::uint32_t>(candidates.size()))];
    }
    types_of_[open.index].chosen = type;
    return type;
}

// -- signatures -------------------------------------------------------------------------------------

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
