// Types as the text writes them. Recursive, with a limit: the engine's own functions on types are
// recursive too.
#include "engine/ir/scalars.hpp"
#include "grammar/program/advice.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

constexpr int deepest_written = 200;
constexpr std::size_t most_dimensions = 200;

constexpr std::string_view scalar_names[] = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                             "u16",  "u32", "u64", "f32", "f64"};

class TypeReader {
  public:
    TypeReader(Context& context, const SyntaxTree& tree, Diagnostics& diagnostics)
        : context_(context), tree_(tree), diagnostics_(diagnostics) {}

    const std::span<const SymbolId>* dimensions = nullptr; // none: any name
    std::pair<std::string_view, TypeId> variable;          // that stands for a type
    SymbolId sequence;                                     // of dimensions

    std::optional<TypeId> read(SyntaxId id, int depth = 0) {
        if (depth > deepest_written) {
            diagnostics_.limit(tree_.span(id),
                               "a type nested deeper than " + std::to_string(deepest_written) + " levels");
            return std::nullopt;
        }
        const auto children = tree_.children_of(id);
        switch (tree_[id].kind) {
        case Kind::TypeName: return named(id);
        case Kind::TypeArray: return array(children, depth);
        case Kind::TypeTuple: return tuple(children, depth);
        case Kind::TypeRef: return reference(children[0], depth);
        case Kind::TypeMut: return mutable_array(children[0], depth);
        case Kind::TypeApply: return applies_opaque(tree_, id) ? opaque(id, depth) : applied(id, depth);
        case Kind::TypeVar:
            if (variable.second && tree_.name(id) == variable.first) return variable.second;
            return fail(id, "a type variable is allowed only in signatures and rules");
        case Kind::TypeSeq: return fail(id, "'...' is allowed only in signatures and rules");
        default: return std::nullopt; // could not be parsed, which was reported
        }
    }

  private:
    std::optional<TypeId> fail(SyntaxId id, std::string text, std::string help = {}) {
        diagnostics_.error(tree_.span(id), std::move(text), std::move(help));
        return std::nullopt;
    }

    std::optional<TypeId> named(SyntaxId id) {
        const std::string_view name = tree_.name(id);
        if (const auto scalar = scalar_type(context_, name)) return scalar;
        if (name == "unit") return context_.types.unit();
        const SymbolId symbol = context_.symbols.add(name);
        if (auto structure = context_.types.find_struct(symbol)) return structure;
        if (context_.opaque_types.contains(symbol)) {
            if (!check_opaque(context_, tree_, id, diagnostics_)) return std::nullopt;
            return context_.types.opaque(symbol);
        }
        diagnostics_.unknown(tree_.span(id), "type", name, help_on(name));
        return std::nullopt;
    }

    std::string help_on(std::string_view name) const {
        std::string help = advice_on_type(name);
        return help.empty() ? suggestion(name, {std::begin(scalar_names), std::end(scalar_names)}) : help;
    }

    std::optional<TypeId> array(std::span<const SyntaxId> children, int depth) {
        const auto dim = dimension(children[0]);
        const auto element = read(children[1], depth + 1);
        if (!dim || !element) return std::nullopt;
        if (dim->kind == DimKind::Sequence && context_.types.kind(*element) == TypeKind::Array)
            return fail(children[1], "the elements behind a sequence of dimensions are no arrays");
        return context_.types.array(*dim, *element);
    }

    // `Mat[n, 3]`, `List of f64`
    std::optional<TypeId> opaque(SyntaxId id, int depth) {
        const std::string_view name = tree_.name(id);
        const SymbolId symbol = context_.symbols.add(name);
        if (!context_.opaque_types.contains(symbol)) {
            if (sizes_of(tree_, id).empty() && !element_of(tree_, id)) return applied(id, depth); // `f64[]`
            if (scalar_type(context_, name) || name == "unit" || context_.types.find_struct(symbol))
                return fail(id, "'" + std::string(name) + "' has no " +
                                    (sizes_of(tree_, id).empty() ? "elements" : "dimensions"));
            diagnostics_.unknown(tree_.name_span(id), "type", name, help_on(name));
            return std::nullopt;
        }
        if (!check_opaque(context_, tree_, id, diagnostics_)) return std::nullopt;
        const std::size_t count = context_.types.opaque_dims(symbol).size();
        std::vector<Dim> dims;
        for (const SyntaxId child : sizes_of(tree_, id)) {
            const auto dim = dimension(child);
            if (!dim) return std::nullopt;
            dims.push_back(*dim);
        }
        if (!context_.types.any_rank(symbol)) dims.resize(count);
        if (dims.size() > most_dimensions) {
            diagnostics_.limit(tree_.span(id), "more than " + std::to_string(most_dimensions) + " dimensions");
            return std::nullopt;
        }
        const auto given = element_of(tree_, id);
        const auto element = given ? read(*given, depth + 1) : TypeId{};
        if (!element) return std::nullopt;
        if (*element && context_.types.nests(symbol) && context_.types.kind(*element) == TypeKind::Array)
            return fail(*given, "the elements of a '" + std::string(name) +
                                    "' are no arrays: it becomes an array itself, of which they would be dimensions");
        return context_.types.opaque(symbol, dims, *element);
    }

    std::optional<Dim> dimension(SyntaxId id) {
        switch (tree_[id].kind) {
        case Kind::DimNone: return Dim{};
        case Kind::DimNumber: return constant(id);
        case Kind::DimName: return name_of_dimension(id);
        case Kind::DimSeq: return sequence_of_dimensions(id);
        default: fail(id, "a dimension variable is allowed only in signatures and rules");
        }
        return std::nullopt;
    }

    std::optional<Dim> constant(SyntaxId id) {
        const auto bits = parse_scalar(TypeKind::I64, tree_.name(id));
        if (!bits || static_cast<std::int64_t>(*bits) < 0) {
            fail(id, "'" + std::string(tree_.name(id)) + "' is not a length");
            return std::nullopt;
        }
        return Dim::constant(static_cast<std::int64_t>(*bits));
    }

    std::optional<Dim> sequence_of_dimensions(SyntaxId id) {
        const SyntaxId name = tree_.children_of(id)[0];
        if (!sequence) {
            fail(id,
                 "a sequence of dimensions is allowed only in signatures, in patterns, and where a type of any rank is "
                 "declared");
            return std::nullopt;
        }
        if (tree_[name].kind == Kind::DimName && context_.symbols.add(tree_.name(name)) == sequence)
            return Dim::sequence(sequence);
        fail(id, "the dimensions of this type are '" + std::string(context_.symbols[sequence]) + "...'");
        return std::nullopt;
    }

    std::optional<Dim> name_of_dimension(SyntaxId id) {
        const SymbolId name = context_.symbols.add(tree_.name(id));
        if (sequence && name == sequence) {
            fail(id, "'" + std::string(tree_.name(id)) + "' is a sequence of dimensions",
                 "write '" + std::string(tree_.name(id)) + "...'");
            return std::nullopt;
        }
        if (!dimensions || std::ranges::find(*dimensions, name) != dimensions->end()) return Dim::named(name);
        std::vector<std::string_view> known;
        for (SymbolId dim : *dimensions) known.push_back(context_.symbols[dim]);
        std::string help = suggestion(tree_.name(id), known);
        if (help.empty()) help = "dimensions are named in the types of parameters";
        fail(id, "unknown dimension '" + std::string(tree_.name(id)) + "'", std::move(help));
        return std::nullopt;
    }

    std::optional<TypeId> tuple(std::span<const SyntaxId> children, int depth) {
        const auto parts = read_all(children, depth);
        if (!parts) return std::nullopt;
        return context_.types.tuple(*parts);
    }

    std::optional<std::vector<TypeId>> read_all(std::span<const SyntaxId> ids, int depth) {
        std::vector<TypeId> types;
        for (SyntaxId id : ids)
            if (auto type = read(id, depth + 1)) types.push_back(*type);
        if (types.size() != ids.size()) return std::nullopt;
        return types;
    }

    std::optional<TypeId> reference(SyntaxId id, int depth) {
        const auto element = read(id, depth + 1);
        if (!element) return std::nullopt;
        return context_.types.ref(*element);
    }

    std::optional<TypeId> mutable_array(SyntaxId id, int depth) {
        const auto type = read(id, depth + 1);
        if (!type) return std::nullopt;
        if (context_.types.kind(*type) != TypeKind::Array)
            return fail(id, "expected an array type after 'mut'", "write 'mut []f64', or 'ref f64' for one cell");
        if (context_.types.dim(*type).kind == DimKind::Sequence) return fail(id, "a mutable array has one dimension");
        return context_.types.mut(context_.types.dim(*type), context_.types.element(*type));
    }

    // `gen(…)`, `emission(…)` and `once(…)` are types of the loop calculus;
    // `none[emission(f64)]()`.
    std::optional<TypeId> applied(SyntaxId id, int depth) {
        const std::string_view name = tree_.name(id);
        const auto parts = read_all(tree_.children_of(id), depth);
        if (!parts) return std::nullopt;
        if (name == "gen") return context_.types.generator(*parts);
        if (name == "emission") return context_.types.emission(*parts, false);
        if (name == "once") return context_.types.emission(*parts, true);
        const bool is_type = scalar_type(context_, name) || context_.types.find_struct(context_.symbols.add(name));
        return fail(id, "unknown type constructor '" + std::string(name) + "'",
                    is_type ? "an array of " + std::string(name) + " is written '[]" + std::string(name) + "'" : "");
    }

    Context& context_;
    const SyntaxTree& tree_;
    Diagnostics& diagnostics_;
};

} // namespace

std::optional<TypeId> scalar_type(const Context& context, std::string_view name) {
    for (std::size_t i = 0; i < std::size(scalar_names); ++i)
        if (scalar_names[i] == name) return context.types.scalar(static_cast<TypeKind>(i));
    return std::nullopt;
}

std::optional<SyntaxId> element_of(const SyntaxTree& tree, SyntaxId type) {
    if (tree[type].kind != Kind::TypeApply || !(tree[type].flags & OfElement) || tree[type].count == 0)
        return std::nullopt;
    return tree.children_of(type).back();
}

std::span<const SyntaxId> sizes_of(const SyntaxTree& tree, SyntaxId type) {
    if (tree[type].kind != Kind::TypeApply) return {};
    const auto children = tree.children_of(type);
    const auto is_dim = [&](SyntaxId id) { return tree[id].kind >= Kind::DimNone && tree[id].kind <= Kind::DimSeq; };
    return children.first(static_cast<std::size_t>(std::ranges::find_if_not(children, is_dim) - children.begin()));
}

bool applies_opaque(const SyntaxTree& tree, SyntaxId type) {
    return writes_sizes(tree, type) || element_of(tree, type);
}

bool writes_sizes(const SyntaxTree& tree, SyntaxId type) {
    return tree[type].kind == Kind::TypeApply && (tree[type].flags & OfSizes);
}

namespace {
bool check_element(const Context& context, const SyntaxTree& tree, SyntaxId type, Diagnostics& diagnostics) {
    const auto symbol = context.symbols.find(tree.name(type));
    const bool is_due = symbol && context.types.has_element(*symbol), is_given = element_of(tree, type).has_value();
    if (is_due == is_given) return true;
    const std::string name(tree.name(type));
    if (is_due)
        diagnostics.error(tree.span(type), "'" + name + "' does not say what its elements are",
                          "write '" + name + " of' and a type");
    else
        diagnostics.error(tree.span(type), "'" + name + "' has no element type",
                          "it is declared as 'type " + name + "', without 'of ?T'");
    return false;
}
} // namespace

bool check_opaque(const Context& context, const SyntaxTree& tree, SyntaxId type, Diagnostics& diagnostics, Open open) {
    const auto symbol = context.symbols.find(tree.name(type));
    const std::size_t due = symbol ? context.types.opaque_dims(*symbol).size() : 0;
    const std::size_t given = sizes_of(tree, type).size();
    const std::string name(tree.name(type));
    const bool any_rank = symbol && context.types.any_rank(*symbol);
    if (any_rank && !open.rank && !writes_sizes(tree, type)) {
        diagnostics.error(tree.span(type), "'" + name + "' does not say how many dimensions it has",
                          "write '" + name + "[_, _]' for two of which nothing is known");
        return false;
    }
    for (SyntaxId size : sizes_of(tree, type)) {
        if (any_rank || tree[size].kind != Kind::DimSeq) continue;
        diagnostics.error(tree.span(size), "'" + name + "' has a fixed number of dimensions",
                          "a type of any number is declared as 'type " + name + "[n...]'");
        return false;
    }
    // Without brackets, nothing is known of any dimension.
    if (any_rank || given == due || given == 0) return open.element || check_element(context, tree, type, diagnostics);
    diagnostics.error(tree.span(type), "'" + name + "' has " +
                                           (due == 0   ? "no dimensions"
                                            : due == 1 ? "1 dimension"
                                                       : std::to_string(due) + " dimensions") +
                                           (due == 0 ? "" : ", and this gives " + std::to_string(given)));
    return false;
}

std::optional<TypeId> elaborate_type(Context& context, const SyntaxTree& tree, SyntaxId type,
                                     Diagnostics& diagnostics) {
    return TypeReader(context, tree, diagnostics).read(type);
}

std::optional<TypeId> elaborate_type(Context& context, const SyntaxTree& tree, SyntaxId type,
                                     std::span<const SymbolId> dimensions, Diagnostics& diagnostics,
                                     std::pair<std::string_view, TypeId> variable, SymbolId sequence) {
    TypeReader reader(context, tree, diagnostics);
    reader.dimensions = &dimensions, reader.variable = variable, reader.sequence = sequence;
    return reader.read(type);
}

} // namespace irrewrite::grammar
