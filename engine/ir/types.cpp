#include "engine/ir/types.hpp"

#include <algorithm>
#include <variant>

namespace irrewrite {

namespace {
Dim without_length(Dim dim) { return dim.kind == DimKind::Sequence ? dim : Dim{}; }
} // namespace

Types::Types() {
    for (std::uint32_t k = 0; k <= static_cast<std::uint32_t>(TypeKind::F64); ++k)
        entries_.push_back({.kind = static_cast<TypeKind>(k), .dim = {}, .name = {}});
    unit_ = intern({.kind = TypeKind::Unit, .dim = {}, .name = {}}, {});
    token_ = intern({.kind = TypeKind::Token, .dim = {}, .name = {}}, {});
}

TypeId Types::intern(Entry entry, std::span<const TypeId> elements) {
    std::size_t hash = static_cast<std::size_t>(entry.kind) * 31 + entry.once;
    auto mix = [&](std::size_t x) { hash = (hash ^ x) * 0x9E3779B97F4A7C15ull, hash ^= hash >> 29; };
    mix(static_cast<std::size_t>(entry.dim.kind)), mix(static_cast<std::size_t>(entry.dim.value));
    mix(entry.name.index);
    for (TypeId part : elements) mix(part.index);
    auto [begin, end] = index_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
        const Entry& other = entries_[it->second.index];
        if (other.kind == entry.kind && other.once == entry.once && other.dim == entry.dim &&
            other.name == entry.name && std::ranges::equal(this->elements(it->second), elements))
            return it->second;
    }
    TypeId id{static_cast<std::uint32_t>(entries_.size())};
    std::vector<TypeId> copy(elements.begin(), elements.end()); // may point into the pool
    entry.first = static_cast<std::uint32_t>(pool_.size());
    entry.count = static_cast<std::uint32_t>(copy.size());
    pool_.insert(pool_.end(), copy.begin(), copy.end());
    entry.depth = 1, entry.parts = 1;
    for (TypeId part : copy) {
        if (!part) continue;
        entry.depth = std::max(entry.depth, depth(part) + 1);
        entry.parts = std::min<std::uint64_t>(entry.parts + parts(part), UINT64_C(1) << 32);
    }
    too_deep_ |= entry.depth > deepest_type, too_long_ |= entry.parts > longest_type;
    entries_.push_back(entry);
    index_.emplace(hash, id);
    return id;
}

TypeId Types::tuple(std::span<const TypeId> elements) {
    return intern({.kind = TypeKind::Tuple, .dim = {}, .name = {}}, elements);
}
TypeId Types::results(std::span<const TypeId> elements) {
    if (elements.empty()) return unit_;
    if (elements.size() == 1) return elements[0];
    return intern({.kind = TypeKind::Results, .dim = {}, .name = {}}, elements);
}
TypeId Types::array(Dim dim, TypeId element) {
    return intern({.kind = TypeKind::Array, .dim = dim, .name = {}}, {&element, 1});
}
// A value that is stored later may have another length.
TypeId Types::mut(Dim dim, TypeId element) {
    const TypeId any = map_dims(element, without_length);
    return intern({.kind = TypeKind::Mut, .dim = dim, .name = {}}, {&any, 1});
}
TypeId Types::ref(TypeId element) {
    const TypeId any = map_dims(element, without_length);
    return intern({.kind = TypeKind::Ref, .dim = {}, .name = {}}, {&any, 1});
}
std::span<const SymbolId> Types::opaque_dims(SymbolId name) const {
    const auto found = opaque_.find(name);
    if (found == opaque_.end()) return {};
    return found->second.dims;
}
TypeId Types::declared_element(SymbolId name) {
    const auto found = opaque_.find(name);
    return found == opaque_.end() || !found->second.element ? TypeId{} : opaque(found->second.element);
}
std::size_t Types::dim_count(TypeId opaque) const {
    if (!any_rank(name(opaque))) return opaque_dims(name(opaque)).size();
    return has_rank(opaque) ? elements(opaque).size() - has_element(name(opaque)) : 0;
}
TypeId Types::opaque(SymbolId name) {
    if (any_rank(name)) return intern({.kind = TypeKind::Opaque, .dim = {}, .name = name}, {});
    return opaque(name, std::vector<Dim>(opaque_dims(name).size()));
}
bool Types::nests(SymbolId name) const {
    const auto found = opaque_.find(name);
    return found != opaque_.end() && found->second.nests;
}
// An element that is stored later may have other lengths.
TypeId Types::opaque(SymbolId name, std::span<const Dim> dims, TypeId element) {
    std::vector<TypeId> parts;
    for (Dim dim : dims) parts.push_back(array(dim, unit_));
    if (element) parts.push_back(map_dims(element, without_length));
    return intern({.kind = TypeKind::Opaque, .once = any_rank(name), .dim = {}, .name = name}, parts);
}
TypeId Types::generator(std::span<const TypeId> results) {
    return intern({.kind = TypeKind::Generator, .dim = {}, .name = {}}, results);
}
TypeId Types::emission(std::span<const TypeId> values, bool once) {
    return intern({.kind = TypeKind::Emission, .once = once, .dim = {}, .name = {}}, values);
}

std::optional<TypeId> Types::declare_struct(SymbolId name, std::span<const StructField> fields) {
    TypeId id = intern({.kind = TypeKind::Struct, .dim = {}, .name = name}, {});
    auto [it, fresh] = fields_.try_emplace(id.index, fields.begin(), fields.end());
    structs_.emplace(name, id);
    auto same = [](const StructField& a, const StructField& b) { return a.name == b.name && a.type == b.type; };
    if (!fresh && !std::ranges::equal(it->second, fields, same)) return std::nullopt;
    return id;
}
std::optional<TypeId> Types::find_struct(SymbolId name) const {
    auto it = structs_.find(name);
    if (it == structs_.end()) return std::nullopt;
    return it->second;
}
std::span<const StructField> Types::fields(TypeId type) const {
    auto it = fields_.find(type.index);
    if (it == fields_.end()) return {};
    return it->second;
}
std::optional<std::size_t> Types::field_index(TypeId type, SymbolId name) const {
    auto all = fields(type);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].name == name) return i;
    return std::nullopt;
}

std::span<const TypeId> Types::elements(TypeId type) const {
    const Entry& entry = entries_[type.index];
    return {pool_.data() + entry.first, entry.count};
}

bool Types::is_integer(TypeId type) const { return kind(type) >= TypeKind::I8 && kind(type) <= TypeKind::U64; }
bool Types::is_signed(TypeId type) const { return kind(type) >= TypeKind::I8 && kind(type) <= TypeKind::I64; }
bool Types::is_float(TypeId type) const { return kind(type) == TypeKind::F32 || kind(type) == TypeKind::F64; }
unsigned Types::bits(TypeId type) const {
    static constexpr unsigned widths[] = {1, 8, 16, 32, 64, 8, 16, 32, 64, 32, 64};
    return widths[type.index];
}

// `met`: pairs of tuples that are equal; one type may occur many times.
bool Types::compare(TypeId a, TypeId b, bool lengths, Pairs& met) const {
    if (a == b) return true;
    const Entry &x = entries_[a.index], &y = entries_[b.index];
    if (x.kind != y.kind || x.name != y.name) return false;
    // Of elements that only one says, the other says nothing.
    const bool opaque = x.kind == TypeKind::Opaque;
    if ((x.count != y.count || x.count == 0) && !opaque) return false;
    if (opaque && x.once && y.once && x.count != y.count) return false; // of another rank
    const bool known = x.dim.kind == DimKind::Constant && y.dim.kind == DimKind::Constant;
    if (lengths && known && x.dim != y.dim) return false;
    if (x.count > 1 && met.contains({a, b})) return true;
    for (std::uint32_t i = 0; i < std::min(x.count, y.count); ++i)
        if (!compare(pool_[x.first + i], pool_[y.first + i], lengths, met)) return false;
    if (x.count > 1) met.emplace(std::pair(a, b), a);
    return true;
}

bool Types::agree(TypeId a, TypeId b) const {
    Pairs met;
    return compare(a, b, true, met);
}
bool Types::alike(TypeId a, TypeId b) const {
    Pairs met;
    return compare(a, b, false, met);
}

TypeId Types::meet(TypeId a, TypeId b) {
    Pairs made;
    return meet(a, b, made);
}

TypeId Types::meet(TypeId a, TypeId b, Pairs& made) {
    if (a == b) return a;
    if (const auto found = made.find({a, b}); found != made.end()) return found->second;
    Entry entry = entries_[a.index];
    const Entry other = entries_[b.index];
    if (entry.count != other.count) return entry.count > other.count ? a : b; // what elements are, if only one says it
    std::vector<TypeId> parts;
    for (std::uint32_t i = 0; i < entry.count; ++i)
        parts.push_back(meet(pool_[entry.first + i], pool_[other.first + i], made));
    if (entry.dim != other.dim) entry.dim = {};
    entry.once = entry.once && other.once;
    const TypeId met = intern(entry, parts);
    if (entry.count > 1) made.emplace(std::pair(a, b), met);
    return met;
}

bool Types::knows(TypeId actual, TypeId declared) const {
    Pairs known;
    return knows(actual, declared, known);
}

bool Types::knows(TypeId actual, TypeId declared, Pairs& known) const {
    if (actual == declared) return true;
    const Entry &x = entries_[actual.index], &y = entries_[declared.index];
    if (x.kind != y.kind || x.name != y.name || x.count != y.count) return false;
    if (y.kind == TypeKind::Opaque && y.once && !x.once) return false;
    if (y.dim.kind != DimKind::Unknown && x.dim != y.dim) return false;
    if (x.count > 1 && known.contains({actual, declared})) return true;
    for (std::uint32_t i = 0; i < x.count; ++i)
        if (!knows(pool_[x.first + i], pool_[y.first + i], known)) return false;
    if (x.count > 1) known.emplace(std::pair(actual, declared), actual);
    return true;
}

// `type` with all of the dimensions where it has the sequence of them: `[n...]f64` becomes `[a][b]f64`.
TypeId Types::spread(TypeId type, Dim sequence, std::span<const TypeId> dims) {
    const Entry entry = entries_[type.index];
    const std::vector<TypeId> parts(elements(type).begin(), elements(type).end());
    if (parts.empty()) return type;
    std::vector<TypeId> made;
    const std::size_t sizes = entry.kind == TypeKind::Opaque ? dim_count(type) : 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i < sizes && dim(parts[i]) == sequence)
            made.insert(made.end(), dims.begin(), dims.end());
        else
            made.push_back(spread(parts[i], sequence, dims));
    }
    if (entry.kind == TypeKind::Array && entry.dim == sequence) {
        if (kind(made[0]) == TypeKind::Array) mixed_ = made[0];
        for (std::size_t i = dims.size(); i-- > 0;) made[0] = array(dim(dims[i]), made[0]);
        return made[0];
    }
    if (entry.kind == TypeKind::Ref) return ref(made[0]);
    if (entry.kind == TypeKind::Mut) return mut(entry.dim, made[0]);
    if (entry.kind == TypeKind::Opaque && has_element(entry.name)) made.back() = map_dims(made.back(), without_length);
    return intern(entry, made);
}

TypeId Types::represent(TypeId opaque, TypeId as) {
    if (elements(opaque).empty() && !entries_[opaque.index].once) return as;
    const std::span<const SymbolId> names = opaque_dims(name(opaque));
    const TypeId element = opaque_element(opaque), declared = declared_element(name(opaque));
    if (element && element != declared)
        as = map_opaque(as, [&](TypeId part) { return part == declared ? element : part; });
    if (any_rank(name(opaque))) {
        const std::vector<TypeId> parts(elements(opaque).begin(), elements(opaque).end());
        return spread(as, Dim::sequence(names[0]), std::span(parts).first(dim_count(opaque)));
    }
    return map_dims(as, [&](Dim dim) {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (dim == Dim::named(names[i])) return opaque_dim(opaque, i);
        return dim;
    });
}

TypeId Types::lowered(TypeId type) {
    if (lowered_.empty()) return type;
    const auto next = [&](TypeId t) {
        auto it = lowered_.find(elements(t).empty() && !entries_[t.index].once ? t : opaque(name(t)));
        return it == lowered_.end() ? t : represent(t, it->second);
    };
    for (std::size_t steps = lowered_.size(); steps > 0; --steps) { // A as B, and B as C
        const TypeId before = std::exchange(type, map_opaque(type, next));
        if (type == before) break;
    }
    return type;
}

namespace {
std::string_view scalar_name(TypeKind kind) {
    static constexpr std::string_view names[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                                 "u16",  "u32", "u64", "f32", "f64"};
    return names[static_cast<std::size_t>(kind)];
}
std::string dim_text(Dim dim, const Symbols& symbols) {
    switch (dim.kind) {
    case DimKind::Unknown: return "[]";
    case DimKind::Constant: return "[" + std::to_string(dim.value) + "]";
    case DimKind::Named: return "[" + std::string(symbols[SymbolId{static_cast<std::uint32_t>(dim.value)}]) + "]";
    case DimKind::Each: return "[each]";
    case DimKind::Sequence: return "[" + std::string(symbols[SymbolId{static_cast<std::uint32_t>(dim.value)}]) + "...]";
    }
    return {};
}
} // namespace

namespace {
// A type whose text is still to come, or text.
using TextPart = std::variant<TypeId, std::string>;
} // namespace

// `[n, _]`; nothing where nothing is known, not even of the rank.
std::string Types::opaque_text(TypeId type, const Symbols& symbols) const {
    const auto known = [&](TypeId part) { return dim(part).kind != DimKind::Unknown; };
    const auto dims = elements(type).first(dim_count(type));
    if (std::ranges::none_of(dims, known) && !entries_[type.index].once) return {};
    std::string out;
    if (dims.empty()) return "[]";
    for (TypeId part : dims) {
        const std::string text = dim_text(dim(part), symbols);
        out += (out.empty() ? "[" : ", ") + (known(part) ? text.substr(1, text.size() - 2) : std::string("_"));
    }
    return out + "]";
}

std::string Types::text(TypeId type, const Symbols& symbols) const {
    std::string out;
    std::vector<TextPart> rest{type}; // the next one last: types may be nested however deep
    const auto list = [&](std::string_view open, TypeId of) {
        out += open;
        rest.emplace_back(")");
        const auto parts = elements(of);
        for (std::size_t i = parts.size(); i-- > 0;) {
            rest.emplace_back(parts[i]);
            if (i) rest.emplace_back(", ");
        }
    };
    constexpr std::size_t longest = std::size_t{1} << 24; // of a type with longest_type parts, and more
    while (!rest.empty()) {
        if (out.size() > longest) return out + "…";
        const TextPart part = std::move(rest.back());
        rest.pop_back();
        if (const auto* said = std::get_if<std::string>(&part)) {
            out += *said;
            continue;
        }
        const TypeId next = std::get<TypeId>(part);
        if (!next) {
            out += "?";
            continue;
        }
        switch (kind(next)) {
        case TypeKind::Unit: out += "unit"; break;
        case TypeKind::Token: out += "token"; break;
        case TypeKind::Tuple: list("(", next); break;
        case TypeKind::Results: list("results(", next); break;
        case TypeKind::Generator: list("gen(", next); break;
        case TypeKind::Emission: list(once(next) ? "once(" : "emission(", next); break;
        case TypeKind::Struct: out += symbols[name(next)]; break;
        case TypeKind::Opaque:
            out += symbols[name(next)];
            out += opaque_text(next, symbols);
            if (const TypeId of = opaque_element(next)) out += " of ", rest.emplace_back(of);
            break;
        case TypeKind::Array: out += dim_text(dim(next), symbols), rest.emplace_back(element(next)); break;
        case TypeKind::Mut: out += "mut " + dim_text(dim(next), symbols), rest.emplace_back(element(next)); break;
        case TypeKind::Ref: out += "ref ", rest.emplace_back(element(next)); break;
        default: out += scalar_name(kind(next));
        }
    }
    return out;
}

} // namespace irrewrite
