#include "grammar/program/arguments.hpp"

#include "engine/ir/scalars.hpp"

namespace irrewrite::grammar {

namespace {

constexpr unsigned greatest_depth = 1000;

class Reader {
  public:
    Reader(Context& context, const SyntaxTree& tree, Diagnostics& diagnostics)
        : context_(context), types_(context.types), tree_(tree), diagnostics_(diagnostics) {}

    std::optional<std::vector<Value>> arguments(const Function& function);

  private:
    using MaybeValue = std::optional<Value>;

    MaybeValue read(SyntaxId id, TypeId type);
    MaybeValue read_at_depth(SyntaxId id, TypeId type);
    MaybeValue read_number(SyntaxId whole, TypeId type);
    MaybeValue read_string(SyntaxId id, TypeId type);
    MaybeValue read_list(SyntaxId id, TypeId type);
    MaybeValue read_tuple(SyntaxId id, TypeId type);
    MaybeValue read_struct(SyntaxId id, TypeId type);
    MaybeValue read_named(SyntaxId id, TypeId type);

    MaybeValue fail(SyntaxId id, std::string text) {
        diagnostics_.error(tree_.span(id), std::move(text));
        return {};
    }
    MaybeValue mismatch(SyntaxId id, TypeId type) { return fail(id, "expected a literal of type " + text(type)); }
    std::string text(TypeId type) const { return types_.text(type, context_.symbols); }
    bool is_array(TypeId type) const {
        return types_.kind(type) == TypeKind::Array || types_.kind(type) == TypeKind::Mut;
    }

    Context& context_;
    const Types& types_;
    const SyntaxTree& tree_;
    Diagnostics& diagnostics_;
    unsigned depth_ = 0;
};

Value compound(std::vector<Value> parts) { return {0, std::make_shared<std::vector<Value>>(std::move(parts))}; }

std::optional<std::vector<Value>> Reader::arguments(const Function& function) {
    std::string name = "@" + std::string(context_.symbols[function.name]);
    if (tree_[tree_.root].kind != Kind::Call) {
        fail(tree_.root, "expected a call, " + name + "(…)");
        return {};
    }
    std::span<const SyntaxId> operands = tree_.children_of(tree_.root);
    if (operands.size() != function.params.size()) {
        fail(tree_.root, name + " takes " + std::to_string(function.params.size()) +
                             (function.params.size() == 1 ? " argument" : " arguments") + ", found " +
                             std::to_string(operands.size()));
        return {};
    }
    std::vector<Value> values;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (MaybeValue value = read(operands[i], function.params[i].type)) values.push_back(std::move(*value));
    return values.size() == operands.size() ? std::optional(std::move(values)) : std::nullopt;
}

Reader::MaybeValue Reader::read(SyntaxId id, TypeId type) {
    if (depth_ == greatest_depth) {
        diagnostics_.limit(tree_.span(id),
                           "a literal nested deeper than " + std::to_string(greatest_depth) + " levels");
        return std::nullopt;
    }
    ++depth_;
    MaybeValue value = read_at_depth(id, type);
    --depth_;
    return value;
}

Reader::MaybeValue Reader::read_at_depth(SyntaxId id, TypeId type) {
    bool is_tuple = tree_[id].kind == Kind::Tuple;
    // A tuple of one element is written as that element.
    if (types_.kind(type) == TypeKind::Tuple && types_.elements(type).size() == 1 && !is_tuple) {
        MaybeValue only = read(id, types_.element(type));
        return only ? MaybeValue(compound({std::move(*only)})) : std::nullopt;
    }
    switch (tree_[id].kind) {
    case Kind::Number:
    case Kind::Prefix: return read_number(id, type);
    case Kind::Bool:
        if (types_.kind(type) != TypeKind::Bool) return mismatch(id, type);
        return Value{tree_.name(id) == "true", nullptr};
    case Kind::String: return read_string(id, type);
    case Kind::Array: return read_list(id, type);
    case Kind::Tuple: return read_tuple(id, type);
    case Kind::Struct: return read_struct(id, type);
    case Kind::Op: return read_named(id, type);
    default: return mismatch(id, type);
    }
}

Reader::MaybeValue Reader::read_number(SyntaxId whole, TypeId type) {
    bool negative = false;
    SyntaxId id = whole;
    for (; tree_[id].kind == Kind::Prefix && tree_.name(id) == "-"; id = tree_.children_of(id)[0]) negative = !negative;
    if (tree_[id].kind != Kind::Number || !types_.is_scalar(type)) return mismatch(whole, type);
    NumberText number = split_number(tree_.name(id));
    if (number.suffix && types_.scalar(*number.suffix) != type) return mismatch(whole, type);
    if (number.is_float && !types_.is_float(type)) return mismatch(whole, type);
    std::string digits(number.digits);
    if (negative) digits = digits.starts_with('-') ? digits.substr(1) : "-" + digits;
    if (auto bits = parse_scalar(types_.kind(type), digits)) return Value{*bits, nullptr};
    if (types_.kind(type) == TypeKind::Bool) return mismatch(whole, type);
    return fail(whole, digits + " does not fit " + text(type));
}

Reader::MaybeValue Reader::read_string(SyntaxId id, TypeId type) {
    if (!is_array(type) || types_.element(type) != types_.u8()) return mismatch(id, type);
    std::vector<Value> bytes;
    for (unsigned char byte : unescape(tree_.name(id))) bytes.push_back({byte, nullptr});
    return compound(std::move(bytes));
}

Reader::MaybeValue Reader::read_list(SyntaxId id, TypeId type) {
    if (!is_array(type)) return mismatch(id, type);
    std::vector<Value> elements;
    elements.reserve(tree_.children_of(id).size());
    for (SyntaxId child : tree_.children_of(id)) {
        MaybeValue element = read(child, types_.element(type));
        if (!element) return {}; // one message is enough for an array
        elements.push_back(std::move(*element));
    }
    return compound(std::move(elements));
}

Reader::MaybeValue Reader::read_tuple(SyntaxId id, TypeId type) {
    std::span<const SyntaxId> children = tree_.children_of(id);
    if (types_.kind(type) == TypeKind::Unit && children.empty()) return Value{};
    if (types_.kind(type) != TypeKind::Tuple || types_.elements(type).size() != children.size())
        return mismatch(id, type);
    std::vector<Value> elements;
    for (std::size_t i = 0; i < children.size(); ++i) {
        MaybeValue element = read(children[i], types_.elements(type)[i]);
        if (!element) return {};
        elements.push_back(std::move(*element));
    }
    return compound(std::move(elements));
}

Reader::MaybeValue Reader::read_struct(SyntaxId id, TypeId type) {
    if (types_.kind(type) != TypeKind::Struct || context_.symbols[types_.name(type)] != tree_.name(id))
        return mismatch(id, type);
    std::vector<MaybeValue> fields(types_.fields(type).size());
    for (SyntaxId init : tree_.children_of(id)) {
        std::optional<SymbolId> name = context_.symbols.find(tree_.name(init));
        std::optional<std::size_t> index = name ? types_.field_index(type, *name) : std::nullopt;
        if (tree_[init].kind != Kind::FieldInit || !index)
            return fail(init, text(type) + " has no field '" + std::string(tree_.name(init)) + "'");
        if (fields[*index]) return fail(init, "field '" + std::string(tree_.name(init)) + "' is given twice");
        fields[*index] = read(tree_.children_of(init)[0], types_.fields(type)[*index].type);
        if (!fields[*index]) return {};
    }
    std::vector<Value> parts;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (!fields[i])
            return fail(id, "field '" + std::string(context_.symbols[types_.fields(type)[i].name]) + "' is missing");
        parts.push_back(std::move(*fields[i]));
    }
    return compound(std::move(parts));
}

// `unit`, and a cell as it is printed, `ref(1.0)`.
Reader::MaybeValue Reader::read_named(SyntaxId id, TypeId type) {
    std::span<const SyntaxId> children = tree_.children_of(id);
    if (tree_.name(id) == "unit" && children.empty() && types_.kind(type) == TypeKind::Unit) return Value{};
    if (tree_.name(id) != "ref" || children.size() != 1 || types_.kind(type) != TypeKind::Ref)
        return mismatch(id, type);
    MaybeValue content = read(children[0], types_.element(type));
    return content ? MaybeValue(compound({std::move(*content)})) : std::nullopt;
}

} // namespace

std::optional<std::vector<Value>> read_arguments(Context& context, const SyntaxTree& tree, const Function& function,
                                                 Diagnostics& diagnostics) {
    return Reader(context, tree, diagnostics).arguments(function);
}

} // namespace irrewrite::grammar
