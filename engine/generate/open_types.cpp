#include "engine/generate/open_types.hpp"

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

} // namespace irrewrite
