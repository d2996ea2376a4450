#include "grammar/json/json_fields.hpp"

#include "grammar/program/elaborate.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {
const Json* find(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    auto it = object.find(key);
    return it == object.end() ? nullptr : &*it;
}
} // namespace

const Json& list(const Json& object, const char* key) {
    static const Json empty = Json::array();
    const Json* member = find(object, key);
    return member && member->is_array() ? *member : empty;
}

std::string_view text(const Json& object, const char* key) {
    const Json* member = find(object, key);
    return member && member->is_string() ? std::string_view(member->get_ref<const std::string&>()) : std::string_view();
}

bool flag(const Json& object, const char* key, bool otherwise) {
    const Json* member = find(object, key);
    return member && member->is_boolean() ? member->get<bool>() : otherwise;
}

std::optional<std::uint32_t> number(const Json& value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto wide = value.get<std::uint64_t>();
    if (wide >= UINT32_MAX) return std::nullopt;
    return static_cast<std::uint32_t>(wide);
}

std::optional<std::uint32_t> number(const Json& object, const char* key) {
    const Json* member = find(object, key);
    return member ? number(*member) : std::nullopt;
}

std::optional<std::vector<std::uint32_t>> numbers(const Json& object, const char* key) {
    std::vector<std::uint32_t> values;
    const Json* member = find(object, key);
    if (!member || !member->is_array()) return std::nullopt;
    for (const Json& value : *member) {
        std::optional<std::uint32_t> n = number(value);
        if (!n) return std::nullopt;
        values.push_back(*n);
    }
    return values;
}

bool is_name(std::string_view text) {
    auto fits = [](char c) {
        return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_';
    };
    return !text.empty() && std::ranges::all_of(text, fits);
}

std::optional<TypeId> JsonTypes::operator[](std::string_view text) {
    auto it = known_.find(std::string(text));
    if (it == known_.end()) it = known_.try_emplace(std::string(text), read(text)).first;
    return it->second;
}

// Through the grammar of the IR: as the type of a struct's field.
std::optional<TypeId> JsonTypes::read(std::string_view text) {
    constexpr std::string_view results = "results";
    if (text.starts_with(results)) { // has no notation in the text of a program
        std::optional<TypeId> tuple = read(text.substr(results.size()));
        if (!tuple || context_.types.kind(*tuple) != TypeKind::Tuple) return std::nullopt;
        std::vector<TypeId> parts(context_.types.elements(*tuple).begin(), context_.types.elements(*tuple).end());
        return context_.types.results(parts);
    }
    Diagnostics faults;
    const SourceId source = context_.sources.add("<type>", "struct T { f: " + std::string(text) + " }");
    const SyntaxTree tree = parse_ir(
        context_.sources, source, [](std::string_view) { return false; }, faults);
    if (faults.has_errors()) return std::nullopt;
    SyntaxId at = tree.root;
    for (Kind kind : {Kind::StructDecl, Kind::Field}) {
        if (tree.children_of(at).size() != 1 || tree[tree.children_of(at)[0]].kind != kind) return std::nullopt;
        at = tree.children_of(at)[0];
    }
    if (tree.children_of(at).size() != 1) return std::nullopt;
    return elaborate_type(context_, tree, tree.children_of(at)[0], faults);
}

} // namespace irrewrite::grammar
