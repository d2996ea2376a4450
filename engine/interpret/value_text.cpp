// Values compared, and written as literals.

#include "engine/interpret/interpreter.hpp"
#include "engine/ir/scalars.hpp"

namespace irrewrite {

TypeId part_type(const Types& types, TypeId type, std::size_t i) {
    switch (types.kind(type)) {
    case TypeKind::Tuple: return types.elements(type)[i];
    case TypeKind::Struct: return types.fields(type)[i].type;
    default: return types.element(type);
    }
}

namespace {

bool is_bytes(const Types& types, TypeId type) {
    TypeKind kind = types.kind(type);
    return (kind == TypeKind::Array || kind == TypeKind::Mut) && types.element(type) == types.u8();
}

void append_text(const Context& context, TypeId type, const Value& value, std::string& text);

void append_parts(const Context& context, TypeId type, const Value& value, std::string_view open,
                  std::string_view close, std::string& text) {
    bool named = context.types.kind(type) == TypeKind::Struct;
    text += open;
    for (std::size_t i = 0; i < value.parts->size(); ++i) {
        if (i > 0) text += ", ";
        if (named) (text += context.symbols[context.types.fields(type)[i].name]) += " = ";
        append_text(context, part_type(context.types, type, i), (*value.parts)[i], text);
    }
    text += close;
}

std::string bytes_of(const Value& value) {
    std::string bytes;
    for (const Value& byte : *value.parts) bytes += static_cast<char>(byte.bits);
    return bytes;
}

void append_text(const Context& context, TypeId type, const Value& value, std::string& text) {
    if (is_bytes(context.types, type)) {
        text += escape(bytes_of(value));
        return;
    }
    switch (TypeKind kind = context.types.kind(type)) {
    case TypeKind::Array:
    case TypeKind::Mut: return append_parts(context, type, value, "[", "]", text);
    case TypeKind::Tuple: return append_parts(context, type, value, "(", ")", text);
    case TypeKind::Ref: return append_parts(context, type, value, "ref(", ")", text);
    case TypeKind::Struct:
        text += context.symbols[context.types.name(type)];
        return append_parts(context, type, value, "{", "}", text);
    default: text += context.types.is_scalar(type) ? scalar_text(kind, value.bits) : "unit";
    }
}

void append_key(const Types& types, TypeId type, const Value& value, std::string& text) {
    auto append = [&](std::uint64_t bits) { text.append(reinterpret_cast<const char*>(&bits), sizeof bits); };
    if (value.parts) {
        append(value.parts->size());
        for (std::size_t i = 0; i < value.parts->size(); ++i)
            append_key(types, part_type(types, type, i), (*value.parts)[i], text);
        return;
    }
    const double number = types.is_float(type) ? to_double(types.kind(type), value.bits) : 1;
    const bool is_nan = number != number;
    append(is_nan ? ~std::uint64_t{0} : number == 0 ? 0 : value.bits); // zeros are one key, and so are NaNs
}

} // namespace

bool equal(const Types& types, TypeId type, const Value& a, const Value& b) {
    if (!a.parts || !b.parts) return a.bits == b.bits;
    if (a.parts == b.parts) return true;
    if (a.parts->size() != b.parts->size()) return false;
    for (std::size_t i = 0; i < a.parts->size(); ++i)
        if (!equal(types, part_type(types, type, i), (*a.parts)[i], (*b.parts)[i])) return false;
    return true;
}

std::string value_text(const Context& context, TypeId type, const Value& value) {
    std::string text;
    append_text(context, type, value, text);
    return text;
}

std::string printed_text(const Context& context, TypeId type, const Value& value) {
    return is_bytes(context.types, type) ? bytes_of(value) : value_text(context, type, value);
}

std::string key_text(const Types& types, TypeId type, const Value& value) {
    std::string text;
    append_key(types, type, value, text);
    return text;
}

} // namespace irrewrite
