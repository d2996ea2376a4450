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

} // namespace irrewrite::grammar
