#include "grammar/program/type_classes.hpp"

#include "grammar/program/elaborate.hpp"

namespace irrewrite::grammar {

namespace {

// The bits of a class, or of one type.
std::uint16_t kinds_named(const Context& context, std::string_view name) {
    const auto cls = find_class(context, name);
    const auto type = cls ? std::nullopt : scalar_type(context, name);
    std::uint16_t kinds = 0;
    for (unsigned kind = 0; kind <= static_cast<unsigned>(TypeKind::F64); ++kind) {
        const TypeId scalar = context.types.scalar(static_cast<TypeKind>(kind));
        if (cls ? belongs(context.types, scalar, *cls) : type == scalar)
            kinds |= static_cast<std::uint16_t>(1u << kind);
    }
    return kinds;
}

} // namespace

std::optional<TypeClass> find_class(const Context& context, std::string_view name) {
    if (const auto known = irrewrite::find_class(name)) return known;
    const auto symbol = context.symbols.find(name);
    if (!symbol) return std::nullopt;
    const auto declared = context.classes.find(*symbol);
    if (declared == context.classes.end()) return std::nullopt;
    return scalars_of(declared->second);
}

std::uint16_t listed_kinds(Context& context, const SyntaxTree& tree, std::span<const SyntaxId> types,
                           Diagnostics& diagnostics) {
    std::uint16_t kinds = 0;
    for (SyntaxId id : types) {
        const bool named = tree[id].kind == Kind::TypeName;
        const std::uint16_t found = named ? kinds_named(context, tree.name(id)) : 0;
        kinds |= found;
        if (found != 0 || (named && !elaborate_type(context, tree, id, diagnostics))) continue; // unknown: reported
        diagnostics.error(tree.span(id), "only scalar types, and classes of them, stand beside others with '|'");
    }
    return kinds;
}

// The members of a class as bits: 1 signed, 2 unsigned, 4 float, 8 bool, 16 array, 32 record, 64 others.
static unsigned kinds(TypeClass cls) {
    if (lists_scalars(cls)) {
        unsigned found = 0;
        for (unsigned kind = 0; kind <= static_cast<unsigned>(TypeKind::F64); ++kind)
            if (static_cast<unsigned>(cls) >> kind & 1)
                found |= kind == 0                                      ? 8
                         : kind <= static_cast<unsigned>(TypeKind::I64) ? 1
                         : kind <= static_cast<unsigned>(TypeKind::U64) ? 2
                                                                        : 4;
        return found;
    }
    switch (cls) {
    case TypeClass::Any: return 127;
    case TypeClass::Int: return 3;
    case TypeClass::Signed: return 1;
    case TypeClass::Unsigned: return 2;
    case TypeClass::Float: return 4;
    case TypeClass::Num: return 7;
    case TypeClass::Bool: return 8;
    case TypeClass::Bits: return 11;
    case TypeClass::Scalar: return 15;
    case TypeClass::Array: return 16;
    case TypeClass::Record: return 32;
    }
    return 127;
}

bool disjoint(TypeClass a, TypeClass b) { return !(kinds(a) & kinds(b)); }
bool within(TypeClass a, TypeClass b) { return !(kinds(a) & ~kinds(b)); }

} // namespace irrewrite::grammar
