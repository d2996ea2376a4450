#include "printers/c/c_types.hpp"

#include <array>

namespace irrewrite::printers {

std::string_view CTypes::suffix(TypeKind scalar) {
    static constexpr std::array<std::string_view, 11> names = {"bool", "i8",  "i16", "i32", "i64", "u8",
                                                               "u16",  "u32", "u64", "f32", "f64"};
    return names[static_cast<std::size_t>(scalar)];
}

bool CTypes::is_representable(TypeId type) const {
    if (types_.is_scalar(type)) return true;
    switch (types_.kind(type)) {
    case TypeKind::Tuple:
        if (types_.elements(type).empty()) return false;
        for (TypeId part : types_.elements(type))
            if (!is_representable(part)) return false;
        return true;
    case TypeKind::Struct:
        if (types_.fields(type).empty()) return false;
        for (const StructField& part : types_.fields(type))
            if (!is_representable(part.type)) return false;
        return true;
    case TypeKind::Array: return is_representable(element(type, rank(type)));
    case TypeKind::Ref:
    case TypeKind::Mut: return is_representable(types_.element(type));
    default: return false;
    }
}

bool CTypes::holds(TypeId type) const {
    switch (types_.kind(type)) {
    case TypeKind::Array:
    case TypeKind::Ref:
    case TypeKind::Mut: return true;
    case TypeKind::Tuple:
        for (TypeId part : types_.elements(type))
            if (holds(part)) return true;
        return false;
    case TypeKind::Struct:
        for (const StructField& part : types_.fields(type))
            if (holds(part.type)) return true;
        return false;
    default: return false;
    }
}

// -- names -----------------------------------------------------------------------------------------

bool CTypes::is_function(const std::string& name) const {
    return std::ranges::any_of(c_functions_of_types(), [&](const std::string& function) {
        return name.ends_with("_" + function) &&
               type_names_.contains(name.substr(0, name.size() - function.size() - 1));
    });
}

// Neither it nor a function for it is anything else.
bool CTypes::is_free(const std::string& name) const {
    return !names_.is_taken(name) && !is_function(name) &&
           std::ranges::none_of(c_functions_of_types(),
                                [&](const std::string& function) { return names_.is_taken(name + "_" + function); });
}

// The name of the type with these parts: the wanted one where types of other parts do not have it.
std::string CTypes::named(const std::string& wanted, const std::string& key) {
    std::string& name = by_key_[key];
    if (!name.empty()) return name;
    name = wanted;
    for (unsigned k = 2; !is_free(name); ++k) name = wanted + "_" + std::to_string(k);
    names_.reserve(name);
    type_names_.insert(name);
    return name;
}

void CTypes::name_structs(std::span<const TypeId> structs, const std::string& prefix) {
    for (TypeId type : structs) {
        std::string name = identifier(symbols_[types_.name(type)]);
        const bool of_arrays = std::ranges::any_of(std::array{"array", "tuple", "mut_", "ref_"},
                                                   [&](std::string_view other) { return name.starts_with(other); });
        if (c_runtime_names().contains("ir_" + name) || of_arrays) name += '_';
        StructNames& made = structs_[type];
        made.name = named(prefix + name, "struct|" + std::to_string(type.index));
        Names fields;
        for (std::string_view word : c_words) fields.reserve(word);
        for (const StructField& field : types_.fields(type)) made.fields.push_back(fields.fresh(symbols_[field.name]));
    }
}

// The part of a name that stands for the type.
std::string CTypes::suffix_of(TypeId type) {
    if (types_.is_scalar(type)) return std::string(suffix(types_.kind(type)));
    const std::string name = value(type);
    return name.starts_with("ir_") ? name.substr(3) : name;
}

std::string CTypes::value(TypeId type) {
    static constexpr std::array<std::string_view, 11> scalars = {"bool",     "int8_t",  "int16_t",  "int32_t",
                                                                 "int64_t",  "uint8_t", "uint16_t", "uint32_t",
                                                                 "uint64_t", "float",   "double"};
    if (types_.is_scalar(type)) return std::string(scalars[static_cast<std::size_t>(types_.kind(type))]);
    switch (types_.kind(type)) {
    case TypeKind::Tuple: return tuple(types_.elements(type), type);
    case TypeKind::Struct: {
        const std::string& name = structs_.at(type).name;
        if (!by_name_.contains(name)) define_struct(name, type);
        return name;
    }
    case TypeKind::Ref:
    case TypeKind::Mut: {
        const TypeId held = types_.element(type);
        const std::string kind = types_.kind(type) == TypeKind::Ref ? "ir_ref_" : "ir_mut_";
        const std::string name = named(kind + suffix_of(held), kind + "|" + value(held));
        if (!by_name_.contains(name)) define_array(name, type, 1, held);
        return name;
    }
    case TypeKind::Array: {
        const std::size_t dimensions = rank(type);
        const TypeId held = element(type, dimensions);
        const std::string kind = "ir_array" + (dimensions == 1 ? "" : std::to_string(dimensions)) + "_";
        const std::string name = named(kind + suffix_of(held), kind + "|" + value(held));
        if (!by_name_.contains(name)) define_array(name, type, dimensions, held);
        return name;
    }
    default: return "void";
    }
}

std::string CTypes::results(std::span<const TypeId> types) {
    if (types.empty()) return "void";
    return types.size() == 1 ? value(types[0]) : tuple(types, {});
}

std::string CTypes::tuple(std::span<const TypeId> types, TypeId type) {
    std::string wanted = "ir_tuple" + std::to_string(types.size()), key = wanted;
    const std::vector<TypeId> parts(types.begin(), types.end());
    std::vector<std::string> fields;
    for (TypeId part : parts) {
        wanted += "_" + suffix_of(part), key += "|" + value(part);
        fields.push_back("f" + std::to_string(fields.size()));
    }
    const std::string name = named(wanted, key);
    if (!by_name_.contains(name)) define_record(name, parts, fields, type);
    return name;
}

void CTypes::define_struct(const std::string& name, TypeId type) {
    std::vector<TypeId> parts;
    for (const StructField& part : types_.fields(type)) parts.push_back(part.type);
    define_record(name, parts, structs_.at(type).fields, type);
}

void CTypes::define_array(const std::string& name, TypeId type, std::size_t rank, TypeId element) {
    CArrayWords words;
    words.name = name, words.element = value(element), words.rank = rank;
    if (rank > 1) words.row = value(types_.element(type));
    words.deep = holds(element);
    if (words.deep) words.keep = kept(element, ""), words.release = value(element) + "_release";
    if (words.deep) words.keep.resize(words.keep.find('('));
    const auto function_of = [](std::string call) { return call.substr(0, call.find('(')); };
    words.read = function_of(read(element, "")), words.write = function_of(written(element, ""));
    if (rank > 1) {
        words.read_row = function_of(read(types_.element(type), ""));
        words.write_row = function_of(written(types_.element(type), ""));
    }
    by_name_[name] = c_array_helpers(words);
    order_.push_back(name);
}

void CTypes::define_record(const std::string& name, std::span<const TypeId> parts, std::span<const std::string> fields,
                           TypeId type) {
    std::string members, keep, release, read_text, write_text;
    const bool is_struct = type && types_.kind(type) == TypeKind::Struct;
    const auto spelled = [&](std::size_t k) { return std::string(symbols_[types_.fields(type)[k].name]); };
    bool counts = false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::string whole = "x." + fields[k];
        members += "    " + value(parts[k]) + " " + fields[k] + ";\n";
        if (holds(parts[k])) {
            counts = true;
            keep += "    " + whole + " = " + kept(parts[k], whole) + ";\n";
            release += "    " + released(parts[k], whole) + ";\n";
        }
        if (k > 0) read_text += "    ir_expect(in, ',');\n", write_text += "    fputs(\", \", stdout);\n";
        if (is_struct) {
            read_text += "    ir_expect_word(in, \"" + spelled(k) + "\");\n    ir_expect(in, '=');\n";
            write_text += "    fputs(\"" + spelled(k) + " = \", stdout);\n";
        }
        read_text += "    " + whole + " = " + read(parts[k], "in") + ";\n";
        write_text += "    " + written(parts[k], whole) + ";\n";
    }
    std::vector<CHelper>& list = by_name_[name];
    const std::string head = "static inline " + name + " " + name;
    list.push_back({name, "typedef struct " + name + " {\n" + members + "} " + name + ";\n"});
    if (counts) {
        list.push_back({name + "_keep", head + "_keep(" + name + " x) {\n" + keep + "    return x;\n}\n"});
        list.push_back(
            {name + "_release", "static inline void " + name + "_release(" + name + " x) {\n" + release + "}\n"});
        list.push_back({name + "_take", head + "_take(" + name + " *x) {\n    const " + name +
                                            " taken = *x;\n    memset(x, 0, sizeof *x);\n    return taken;\n}\n"});
    }
    const std::string label = is_struct ? std::string(symbols_[types_.name(type)]) : "";
    const std::string open = is_struct ? "    ir_expect_word(in, \"" + label + "\");\n    ir_expect(in, '{');\n"
                                       : "    ir_expect(in, '(');\n";
    const std::string begin = is_struct ? "    fputs(\"" + label + "{\", stdout);\n" : "    putchar('(');\n";
    const std::string end = is_struct ? "}" : ")";
    list.push_back({name + "_read", head + "_read(ir_reader *in) {\n    " + name +
                                        " x;\n    memset(&x, 0, sizeof x);\n" + open + read_text +
                                        "    ir_expect(in, '" + end + "');\n    return x;\n}\n"});
    list.push_back({name + "_write", "static inline void " + name + "_write(" + name + " x) {\n" + begin + write_text +
                                         "    putchar('" + end + "');\n}\n"});
    order_.push_back(name);
}

std::string CTypes::kept(TypeId type, const std::string& text) {
    if (!holds(type)) return text;
    const bool shares = types_.kind(type) == TypeKind::Ref || types_.kind(type) == TypeKind::Mut;
    return value(type) + (shares ? "_share(" : "_keep(") + text + ")";
}

std::string CTypes::taken(TypeId type, const std::string& variable) {
    return holds(type) ? value(type) + "_take(&" + variable + ")" : variable;
}

std::string CTypes::released(TypeId type, const std::string& text) {
    return holds(type) ? value(type) + "_release(" + text + ")" : std::string();
}

std::string CTypes::converted(TypeId to, TypeId from, const std::string& text, const std::string& line) {
    const std::string target = value(to), source = value(from);
    if (target == source) return kept(to, text);
    const std::string name = named(target + "_of_" + source, "of|" + target + "|" + source);
    if (!by_name_.contains(name)) {
        by_name_[name] = {};
        const std::string body =
            is_array(to) || types_.kind(to) == TypeKind::Mut ? array_conversion(to, from) : record_conversion(to, from);
        by_name_[name].push_back({name, "static inline " + target + " " + name + "(" + source + " x, int line) {\n" +
                                            body + "    return y;\n}\n"});
        order_.push_back(name);
    }
    return name + "(" + text + ", " + line + ")";
}

std::string CTypes::array_conversion(TypeId to, TypeId from) {
    const std::string target = value(to), source = value(from);
    const TypeId row = types_.element(to), old = types_.element(from);
    const auto dimensions = [&](TypeId type) { return is_array(type) ? rank(type) : 1; };
    const std::string one = converted(row, old, dimensions(from) > 1 ? source + "_row(x, i)" : "x.data[i]", "line");
    const std::string head = "    for (int64_t i = 0; i < x.n[0]; ++i) ";
    if (dimensions(to) == 1)
        return "    " + target + " y = " + target + "_new((int64_t[]){x.n[0]});\n" + head + "y.data[i] = " + one +
               ";\n    (void)line;\n";
    return "    " + target + " y = {0};\n" + head + "{\n        const " + value(row) + " row = " + one +
           ";\n        for (int k = 1; k < " + std::to_string(rank(to)) +
           "; ++k)\n            if (i > 0 && row.n[k - 1] != y.n[k]) ir_fault(line, \"rows of different lengths\");\n  "
           "      " +
           target + "_push_row(&y, row);\n        " + released(row, "row") + ";\n    }\n";
}

std::string CTypes::record_conversion(TypeId to, TypeId from) {
    const auto parts = types_.elements(to), old = types_.elements(from);
    std::string text = "    " + value(to) + " y;\n";
    for (std::size_t k = 0; k < parts.size(); ++k)
        text += "    y.f" + std::to_string(k) + " = " + converted(parts[k], old[k], "x.f" + std::to_string(k), "line") +
                ";\n";
    return text + "    (void)line;\n";
}

std::string CTypes::read(TypeId type, const std::string& in) {
    if (types_.is_scalar(type)) return "ir_read_" + std::string(suffix(types_.kind(type))) + "(" + in + ")";
    const bool is_array = types_.kind(type) == TypeKind::Array;
    const bool bytes = is_array && rank(type) == 1 && types_.kind(types_.element(type)) == TypeKind::U8;
    return value(type) + (bytes ? "_read_text(" : is_array && rank(type) > 1 ? "_read_rows(" : "_read(") + in + ")";
}

std::string CTypes::written(TypeId type, const std::string& text) {
    if (types_.is_scalar(type)) return "ir_write_" + std::string(suffix(types_.kind(type))) + "(" + text + ")";
    const bool is_array = types_.kind(type) == TypeKind::Array;
    const bool bytes = is_array && rank(type) == 1 && types_.kind(types_.element(type)) == TypeKind::U8;
    return value(type) +
           (bytes                        ? "_write_text("
            : is_array && rank(type) > 1 ? "_write_rows("
                                         : "_write(") +
           text + ")";
}

std::vector<CHelper> CTypes::definitions() const {
    std::vector<CHelper> list;
    for (const std::string& name : order_) {
        const std::vector<CHelper>& helpers = by_name_.at(name);
        list.insert(list.end(), helpers.begin(), helpers.end());
    }
    return list;
}

} // namespace irrewrite::printers
