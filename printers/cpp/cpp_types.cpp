#include "printers/cpp/cpp_types.hpp"

#include "engine/ir/type_parts.hpp"
#include "printers/c_like/expressions.hpp"
#include "printers/cpp/runtime/runtime.hpp"

namespace irrewrite::printers {

std::string CppTypes::list(std::span<const TypeId> types) const {
    std::string text;
    for (TypeId type : types) text += (text.empty() ? "" : ", ") + value(type);
    return text;
}

std::string CppTypes::value(TypeId type) const {
    if (types_.is_scalar(type)) return std::string(scalar_type(types_.kind(type)));
    switch (types_.kind(type)) {
    case TypeKind::Tuple: return "std::tuple<" + list(types_.elements(type)) + ">";
    case TypeKind::Struct: return name(type);
    case TypeKind::Ref: return "ref<" + value(types_.element(type)) + ">";
    case TypeKind::Mut: return "mut<" + value(types_.element(type)) + ">";
    case TypeKind::Array: {
        const std::size_t dimensions = rank(type);
        const std::string suffix = dimensions == 1 ? "" : ", " + std::to_string(dimensions);
        return "array<" + value(element(type, dimensions)) + suffix + ">";
    }
    default: return "std::tuple<>";
    }
}

std::string CppTypes::parameter(TypeId type) const {
    if (types_.kind(type) == TypeKind::Tuple || types_.kind(type) == TypeKind::Struct)
        return "const " + value(type) + "&";
    return shared_ && is_array(type) && !is_rows(type) ? "const " + value(type) + "&" : read(type);
}

std::string CppTypes::read(TypeId type) const {
    if (!is_array(type)) return value(type);
    const std::size_t dimensions = rank(type);
    if (is_rows(type)) return "rows<const " + value(element(type, 2)) + ">";
    const std::string inner = "const " + value(element(type, dimensions));
    if (dimensions == 1) return "std::span<" + inner + ">";
    return "view<" + inner + ", " + std::to_string(dimensions) + ">";
}

std::string CppTypes::returned(std::span<const TypeId> results) const {
    if (results.empty()) return "void";
    if (results.size() == 1) return value(results[0]);
    return "std::tuple<" + list(results) + ">";
}

void CppTypes::name_structs(std::span<const TypeId> structs, Names& taken) {
    for (TypeId structure : structs)
        structs_[structure].name =
            taken.fresh(global_identifier(symbols_[types_.name(structure)], shared_ ? Target::Cuda : Target::Cpp));
    for (TypeId structure : structs) {
        std::string used; // a field of such a name would hide the type
        Names fields;
        for (const StructField& field : types_.fields(structure)) (used += value(field.type)) += ' ';
        for (const StructField& field : types_.fields(structure)) {
            std::string wanted = identifier(symbols_[field.name]);
            if (mentions(used, wanted)) wanted += '_';
            structs_[structure].fields.push_back(fields.fresh(wanted));
        }
    }
}

Form CppTypes::parameter_form(TypeId type) const {
    if (!is_array(type)) return Form::Value;
    if (is_rows(type)) return Form::Rows;
    return shared_ ? Form::Value : Form::View;
}

} // namespace irrewrite::printers
