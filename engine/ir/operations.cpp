#include "engine/ir/operations.hpp"

#include <algorithm>

namespace irrewrite {

bool belongs(const Types& types, TypeId type, TypeClass cls) {
    TypeKind kind = types.kind(type);
    if (lists_scalars(cls))
        return types.is_scalar(type) && (static_cast<unsigned>(cls) >> static_cast<unsigned>(kind) & 1);
    switch (cls) {
    case TypeClass::Any: return true;
    case TypeClass::Int: return types.is_integer(type);
    case TypeClass::Signed: return TypeKind::I8 <= kind && kind <= TypeKind::I64;
    case TypeClass::Unsigned: return types.is_integer(type) && !(TypeKind::I8 <= kind && kind <= TypeKind::I64);
    case TypeClass::Float: return types.is_float(type);
    case TypeClass::Num: return types.is_integer(type) || types.is_float(type);
    case TypeClass::Bool: return kind == TypeKind::Bool;
    case TypeClass::Bits: return kind == TypeKind::Bool || types.is_integer(type);
    case TypeClass::Scalar: return types.is_scalar(type);
    case TypeClass::Array: return kind == TypeKind::Array;
    case TypeClass::Record: return kind == TypeKind::Tuple || kind == TypeKind::Struct;
    }
    return false;
}

std::optional<TypeClass> find_class(std::string_view name) {
    static constexpr std::pair<std::string_view, TypeClass> classes[] = {
        {"int", TypeClass::Int},      {"float", TypeClass::Float},   {"num", TypeClass::Num},
        {"bool", TypeClass::Bool},    {"bits", TypeClass::Bits},     {"scalar", TypeClass::Scalar},
        {"array", TypeClass::Array},  {"signed", TypeClass::Signed}, {"unsigned", TypeClass::Unsigned},
        {"record", TypeClass::Record}};
    for (auto [text, cls] : classes)
        if (text == name) return cls;
    return std::nullopt;
}

Operations::Operations(Symbols& symbols) {
    static constexpr std::string_view names[] = {"literal", "param", "project", "tuple",   "element", "struct",
                                                 "field",   "list",  "call",    "results", "await"};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        Operation operation;
        operation.name = symbols.add(names[i]);
        operation.core = static_cast<Core>(i);
        operation.traits = static_cast<std::uint32_t>(Trait::Pure) | static_cast<std::uint32_t>(Trait::Total);
        list_.emplace_back(std::move(operation)); // found by Core, not by name
    }
    edit(core(Core::Call)).traits = 0; // a call does what the function does
    edit(core(Core::Await)).traits = static_cast<std::uint32_t>(Trait::Io) | static_cast<std::uint32_t>(Trait::Total);
}

OpId Operations::add(Operation operation) {
    OpId id{static_cast<std::uint32_t>(list_.size())};
    by_name_[operation.name].push_back(id);
    for (const BlockSignature& block : operation.signature.blocks)
        if (block.label) labels_[block.label] = true;
    list_.emplace_back(std::move(operation));
    return id;
}

std::span<const OpId> Operations::find(SymbolId name) const {
    auto it = by_name_.find(name);
    if (it == by_name_.end()) return {};
    return it->second;
}

bool Operations::overloads_built_in(const Operation& operation) const {
    return std::ranges::any_of(find(operation.name), [&](OpId op) {
        const Operation& other = (*this)[op];
        return other.built_in && other.where.source != operation.where.source;
    });
}

bool Signature::any_number(std::size_t i, std::size_t n) const {
    const auto first = std::ranges::find_if(operands, &TypeTerm::sequence);
    if (first == operands.end()) return false;
    const auto last = std::find_if(operands.rbegin(), operands.rend(), [](const TypeTerm& t) { return t.sequence; });
    return i >= static_cast<std::size_t>(first - operands.begin()) &&
           i + static_cast<std::size_t>(last - operands.rbegin()) < n;
}

std::optional<std::size_t> Signature::result_count() const {
    if (std::ranges::any_of(results, &TypeTerm::sequence)) return std::nullopt;
    return results.size();
}

bool Operations::accepts(OpId id, std::size_t operands) const {
    const auto& terms = list_[id.index]->signature.operands;
    std::size_t repeated = std::ranges::count_if(terms, &TypeTerm::sequence);
    std::size_t fixed = terms.size() - repeated;
    return repeated ? operands >= fixed : operands == fixed;
}

std::optional<OpId> Operations::find(SymbolId name, std::size_t operands, std::span<const SymbolId> labels) const {
    for (OpId id : find(name)) {
        if (!accepts(id, operands)) continue;
        const auto& blocks = list_[id.index]->signature.blocks;
        std::size_t given = 0;
        bool fits = true;
        for (const BlockSignature& block : blocks) {
            if (given < labels.size() && labels[given] == block.label)
                ++given;
            else
                fits = fits && block.optional;
        }
        if (fits && given == labels.size()) return id;
    }
    return std::nullopt;
}

std::optional<OpId> Operations::find_infix(std::string_view token) const {
    for (std::size_t i = list_.size(); i-- > 0;)
        if (list_[i]->infix == token) return OpId{static_cast<std::uint32_t>(i)};
    return std::nullopt;
}
std::optional<OpId> Operations::find_prefix(std::string_view token) const {
    for (std::size_t i = list_.size(); i-- > 0;)
        if (list_[i]->prefix == token) return OpId{static_cast<std::uint32_t>(i)};
    return std::nullopt;
}

bool Operations::is_label(SymbolId name) const { return labels_.contains(name); }

} // namespace irrewrite
