// Types of the IR, interned: two equal types have one TypeId.
//
// An array type carries what is known of its length. `[n]T`, `[3]T` and `[]T` are one type with more or less knowledge:
// `agree` compares without it, `meet` keeps what both sides know. Types that are `alike` may differ in lengths; a value
// that has one of them on one path and another on another path has their meet.
#pragma once

#include "engine/support/symbols.hpp"

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace irrewrite {

enum class TypeKind : std::uint8_t {
    Bool,
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64, // scalars, in this order
    Unit,
    Tuple,     // (A, B)
    Struct,    // nominal, with named fields
    Array,     // [dim]T
    Ref,       // ref T
    Mut,       // mut [dim]T
    Opaque,    // a type that a rule file declares, perhaps with dimensions and an element type: `Mat[n, m] of f64`
    Results,   // several results of one node; not a value, only projected from
    Generator, // what a loop's body returns: gen(results of the loop…)
    Emission,  // emission(values…) or once(values…)
    Token,     // the state that orders effects; hidden from the text
};

enum class DimKind : std::uint8_t {
    Unknown,
    Constant, // value
    Named,    // value is the index of the SymbolId of a dimension of the enclosing function
    Each,     // one for each index of the enclosing loop (inside Generator types alone)
    Sequence, // value as of Named: all dimensions of an opaque type of any rank (inside what it becomes alone): `[n...]?T`
};

struct Dim {
    DimKind kind = DimKind::Unknown;
    std::int64_t value = 0;
    bool operator==(const Dim&) const = default;
    static Dim constant(std::int64_t n) { return {DimKind::Constant, n}; }
    static Dim named(SymbolId name) { return {DimKind::Named, name.index}; }
    static Dim sequence(SymbolId name) { return {DimKind::Sequence, name.index}; }
};

// Types of values are nested so deep, or the program is not read or rewritten: functions on types are recursive.
inline constexpr std::uint32_t deepest_type = 4000;
// Parts of a type whose text is printed.
inline constexpr std::uint64_t longest_type = 100'000;

struct StructField {
    SymbolId name;
    TypeId type;
};

class Types {
  public:
    Types();

    TypeId scalar(TypeKind kind) const { return {static_cast<std::uint32_t>(kind)}; }
    TypeId unit() const { return unit_; }
    TypeId token() const { return token_; }
    TypeId boolean() const { return scalar(TypeKind::Bool); }
    TypeId i64() const { return scalar(TypeKind::I64); }
    TypeId f64() const { return scalar(TypeKind::F64); }
    TypeId u8() const { return scalar(TypeKind::U8); }
    TypeId tuple(std::span<const TypeId> elements);
    TypeId results(std::span<const TypeId> elements); // one element: that type; none: unit
    TypeId array(Dim dim, TypeId element);
    TypeId mut(Dim dim, TypeId element);
    TypeId ref(TypeId element);
    // `type Mat[n, m]`: from then on Mat has two dimensions, and nothing is known of those of a plain `Mat`.
    // `type List of ?T`: `element` is the name of the variable, `?T`.
    // `type Tensor[n...]`: of any rank, and `dims` is the name of the sequence of all dimensions.
    void declare_opaque(SymbolId name, std::span<const SymbolId> dims, SymbolId element = {}, bool any_rank = false) {
        opaque_[name] = {{dims.begin(), dims.end()}, element, any_rank};
    }
    std::span<const SymbolId> opaque_dims(SymbolId name) const; // as declared
    bool any_rank(SymbolId name) const {
        const auto found = opaque_.find(name);
        return found != opaque_.end() && found->second.any_rank;
    }
    bool has_element(SymbolId name) const { // `type List of ?T`
        const auto found = opaque_.find(name);
        return found != opaque_.end() && found->second.element;
    }
    // The element type as its declaration names it, a type of its own; none: the type has no elements.
    TypeId declared_element(SymbolId name);
    TypeId opaque(SymbolId name); // of no element type that is known
    TypeId opaque(SymbolId name, std::span<const Dim> dims, TypeId element = {});
    Dim opaque_dim(TypeId type, std::size_t i) const { return dim(elements(type)[i]); }
    std::size_t dim_count(TypeId opaque) const;
    // False for a type of any rank of which the rank is not known, as opaque(name) gives it.
    bool has_rank(TypeId opaque) const { return entries_[opaque.index].once || !any_rank(name(opaque)); }
    bool has_dims(TypeId type) const { return kind(type) == TypeKind::Opaque && dim_count(type) > 0; }
    TypeId opaque_element(TypeId opaque) const { // none: it has no elements, or nothing is known of them
        return elements(opaque).size() > dim_count(opaque) ? elements(opaque).back() : TypeId{};
    }
    TypeId generator(std::span<const TypeId> results);
    TypeId emission(std::span<const TypeId> values, bool once);

    // Empty when a struct of that name with other fields exists.
    std::optional<TypeId> declare_struct(SymbolId name, std::span<const StructField> fields);
    std::optional<TypeId> find_struct(SymbolId name) const;
    std::span<const StructField> fields(TypeId type) const; // of a Struct
    std::optional<std::size_t> field_index(TypeId type, SymbolId name) const;

    TypeKind kind(TypeId type) const { return entries_[type.index].kind; }
    // Tuple, Results, Generator, Emission: their component types; Array, Mut, Ref: the one element type; Opaque: for each
    // dimension an array of units, so that what is known of lengths is compared, met and replaced as it is for arrays; then
    // the element type, if there is one.
    std::span<const TypeId> elements(TypeId type) const;
    TypeId element(TypeId type) const { return elements(type)[0]; }
    Dim dim(TypeId type) const { return entries_[type.index].dim; }
    SymbolId name(TypeId type) const { return entries_[type.index].name; }        // Struct, Opaque
    std::uint32_t depth(TypeId type) const { return entries_[type.index].depth; } // of nesting; a struct is its name
    std::uint64_t parts(TypeId type) const { return entries_[type.index].parts; } // that its text has, or 2^32 and more
    bool once(TypeId type) const { return entries_[type.index].once; }            // Emission

    bool is_scalar(TypeId type) const { return type.index <= static_cast<std::uint32_t>(TypeKind::F64); }
    bool is_integer(TypeId type) const;
    bool is_signed(TypeId type) const;
    bool is_float(TypeId type) const;
    unsigned bits(TypeId type) const; // width of a scalar; 1 for bool

    // The same type but for what is known of lengths; false when known lengths differ.
    bool agree(TypeId a, TypeId b) const;
    bool alike(TypeId a, TypeId b) const;
    // The type with the lengths that both know. Requires alike(a, b).
    TypeId meet(TypeId a, TypeId b);
    // True if `actual` knows every length that `declared` promises.
    bool knows(TypeId actual, TypeId declared) const;
    // `type` with every dimension replaced by f(dim), bottom-up.
    template <class F> TypeId map_dims(TypeId type, F&& f);
    // `type` with every opaque type replaced by f(type).
    template <class F> TypeId map_opaque(TypeId type, F&& f);

    // `type Vec as []f64 at p`: from phase p on, Vec stands for what it is.
    // `opaque`: without what is known of its dimensions and elements, as opaque(name) gives it. In `as` they have the names
    // that they are declared with.
    void lower(TypeId opaque, TypeId as) { lowered_[opaque] = as; }
    void raise(TypeId opaque) { lowered_.erase(opaque); }
    TypeId lowered(TypeId type);
    bool is_lowered(SymbolId opaque) { return lowered_.contains(this->opaque(opaque)); }
    // `as` for an opaque type of these dimensions and elements.
    TypeId represent(TypeId opaque, TypeId as);
    // Arrays of which it cannot be said which are dimensions and which are elements: an opaque type of any rank has elements
    // that are arrays, and becomes an array, `[n...]?T`, itself. None: lowered() has met no such type since the last call.
    TypeId take_mixed() { return std::exchange(mixed_, TypeId{}); }
    // True if an opaque type becomes `[n...]?T` when it is lowered next.
    bool nests(SymbolId name) const;
    void set_nests(SymbolId name) { opaque_[name].nests = true; }
    using Lowering = std::unordered_map<TypeId, TypeId>;
    const Lowering& lowering() const { return lowered_; }
    void set_lowering(Lowering lowering) { lowered_ = std::move(lowering); }

    // Some type is nested deeper than deepest_type; has more parts than longest_type.
    bool too_deep() const { return too_deep_; }
    bool too_long() const { return too_long_; }

    // The end of what is very long is left out: see `parts`.
    std::string text(TypeId type, const Symbols& symbols) const;

  private:
    struct Entry {
        TypeKind kind;
        bool once = false; // of an opaque type of any rank: its rank is known
        Dim dim;
        SymbolId name;
        std::uint32_t first = 0, count = 0;
        std::uint32_t depth = 1;
        std::uint64_t parts = 1;
    };
    using Pairs = std::map<std::pair<TypeId, TypeId>, TypeId>;
    std::string opaque_text(TypeId type, const Symbols& symbols) const;
    TypeId spread(TypeId type, Dim sequence, std::span<const TypeId> dims);
    bool compare(TypeId a, TypeId b, bool lengths, Pairs& met) const;
    TypeId meet(TypeId a, TypeId b, Pairs& made);
    bool knows(TypeId actual, TypeId declared, Pairs& known) const;
    TypeId intern(Entry entry, std::span<const TypeId> elements);
    // `made`: of tuples and the like, in which one type may occur many times.
    template <class F, class G>
    TypeId rebuild(TypeId type, F&& dim, G&& opaque, std::unordered_map<TypeId, TypeId>& made);

    std::vector<Entry> entries_;
    std::vector<TypeId> pool_;
    std::unordered_multimap<std::size_t, TypeId> index_;
    std::unordered_map<std::uint32_t, std::vector<StructField>> fields_; // by type index
    std::unordered_map<SymbolId, TypeId> structs_;
    struct Declared { // of an opaque type
        std::vector<SymbolId> dims;
        SymbolId element;
        bool any_rank = false;
        bool nests = false;
    };
    std::unordered_map<SymbolId, Declared> opaque_;
    Lowering lowered_;
    TypeId unit_, token_, mixed_;
    bool too_deep_ = false, too_long_ = false;
};

template <class F, class G>
TypeId Types::rebuild(TypeId type, F&& dim, G&& opaque, std::unordered_map<TypeId, TypeId>& made) {
    Entry entry = entries_[type.index];
    if (entry.count == 0) return entry.kind == TypeKind::Opaque ? opaque(type) : type;
    if (entry.count > 1)
        if (const auto found = made.find(type); found != made.end()) return found->second;
    std::vector<TypeId> parts(elements(type).begin(), elements(type).end());
    for (TypeId& part : parts) part = rebuild(part, dim, opaque, made);
    if (entry.kind == TypeKind::Array || entry.kind == TypeKind::Mut) entry.dim = dim(entry.dim);
    TypeId rebuilt = intern(entry, parts);
    if (entry.kind == TypeKind::Opaque) rebuilt = opaque(rebuilt);
    if (entry.count > 1) made.emplace(type, rebuilt);
    return rebuilt;
}
template <class F> TypeId Types::map_dims(TypeId type, F&& f) {
    std::unordered_map<TypeId, TypeId> made;
    return rebuild(
        type, f, [](TypeId t) { return t; }, made);
}
template <class F> TypeId Types::map_opaque(TypeId type, F&& f) {
    std::unordered_map<TypeId, TypeId> made;
    return rebuild(
        type, [](Dim d) { return d; }, f, made);
}

} // namespace irrewrite
