// Sequences that a right side computes; tuples and structs there: their parts, and others of the same type.
#include "engine/match/instantiate.hpp"

#include <algorithm>
#include <charconv>

namespace irrewrite {

// Of a tuple its elements, of a struct its fields, of a node with several results these.
std::size_t Instantiation::part_count(NodeId whole) const {
    const Types& types = graph_.context().types;
    switch (graph_.kind(whole)) {
    case TypeKind::Tuple: return types.elements(graph_.type(whole)).size();
    case TypeKind::Struct: return types.fields(graph_.type(whole)).size();
    default: return graph_.kind(whole) == TypeKind::Unit ? 0 : graph_.result_count(whole);
    }
}

NodeId Instantiation::part(NodeId whole, std::size_t k) {
    switch (graph_.kind(whole)) {
    case TypeKind::Tuple: return builder_.element(whole, k);
    case TypeKind::Struct: return builder_.field(whole, k);
    default: return graph_.result(whole, k);
    }
}

bool Instantiation::is_whole_sequence(const Term& t) const {
    return t.kind == TermKind::Variable && rule_[t.variable].sequence && iteration_[t.variable.index] < 0;
}

bool Instantiation::computed_sequence(const Term& t, Items& out) {
    switch (t.sequence_of) {
    case SequenceOf::Parts: return parts(t, out);
    case SequenceOf::Range: return range(t, out);
    case SequenceOf::Reversed: {
        const std::size_t before = out.size();
        const bool fine = parts(t, out);
        std::reverse(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
        return fine;
    }
    }
    return false;
}

// `range(a, b)...`: the numbers of [a, b).
bool Instantiation::range(const Term& t, Items& out) {
    const auto from = number(t.operands[0], TypeKind::I64), to = number(t.operands[1], TypeKind::I64);
    if (!from || !to) return false;
    const auto first = static_cast<std::int64_t>(from->bits), last = static_cast<std::int64_t>(to->bits);
    constexpr std::uint64_t longest = 4096; // what is unrolled is text
    if (last > first && to->bits - from->bits > longest) return fail("a range of more than 4096 numbers");
    const TypeId type = graph_.context().types.i64();
    for (std::int64_t k = first; k < last; ++k)
        out.push_back({graph_.literal(type, static_cast<std::uint64_t>(k)), {}});
    return true;
}

// `parts(t)...`: all; `parts(t, first, count)...`: so many from the first on.
bool Instantiation::parts(const Term& t, Items& out) {
    const Term& of = rule_[t.operands[0]];
    const bool sequence = is_whole_sequence(of);
    Items whole;
    if (sequence)
        for (NodeId item : binding(of.variable).items) whole.push_back({item, {}});
    else if (!term(t.operands[0], {}, whole) || whole.size() != 1 || !whole[0].node)
        return false;
    std::uint64_t first = 0, count = sequence ? whole.size() : part_count(whole[0].node);
    if (t.operands.size() > 1) {
        auto from = number(t.operands[1], TypeKind::I64), many = number(t.operands[2], TypeKind::I64);
        if (!from || !many) return false;
        if (from->bits > count || many->bits > count - from->bits) return fail("there are not so many parts");
        first = from->bits, count = many->bits;
    }
    for (std::uint64_t k = first; k < first + count; ++k)
        out.push_back(sequence ? whole[k] : Item{part(whole[0].node, k), {}});
    return true;
}

// The part of this name, or number.
std::optional<std::size_t> Instantiation::part_named(TypeId type, std::string_view name) const {
    const Types& types = graph_.context().types;
    if (types.kind(type) == TypeKind::Struct) {
        const auto symbol = graph_.context().symbols.find(name);
        return symbol ? types.field_index(type, *symbol) : std::nullopt;
    }
    std::size_t k = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), k);
    const bool number = error == std::errc() && end == name.data() + name.size();
    const bool there = number && types.kind(type) == TypeKind::Tuple && k < types.elements(type).size();
    return there ? std::optional(k) : std::nullopt;
}

// Operands with several results, among those of which there may be any number, become their results; `counts` says how many
// operands each term gives.
bool Instantiation::spread_results(OpId op, const Items& items, std::span<const std::size_t> counts,
                                   FunctionRef<bool(const Items&, std::span<const std::size_t>)> build) {
    const Signature& signature = graph_.context().operations[op].signature;
    const auto several = [&](const Item& item) {
        const auto i = static_cast<std::size_t>(&item - items.data());
        return item.node && graph_.kind(item.node) == TypeKind::Results && signature.any_number(i, items.size());
    };
    if (std::ranges::none_of(items, several)) return build(items, counts);
    Items each;
    std::vector<std::size_t> made;
    for (std::size_t next = 0; const std::size_t count : counts) {
        const std::size_t before = each.size();
        for (const Item& item : std::span(items).subspan(next, count)) {
            const std::size_t results = several(item) ? graph_.result_count(item.node) : 0;
            for (std::size_t k = 0; k < results; ++k) each.push_back({builder_.project(item.node, k), {}});
            if (!results) each.push_back(item);
        }
        next += count;
        made.push_back(each.size() - before);
    }
    return build(each, made);
}

bool Instantiation::is_one_value(NodeId node) const {
    const TypeKind kind = graph_.kind(node);
    return kind != TypeKind::Results && kind != TypeKind::Unit;
}

// -- `a < b` of arrays, tuples and structs is `compare(a, b) < 0` --------------------------------------

bool Instantiation::is_whole(const Items& operands) const {
    return std::ranges::all_of(operands, [&](const Item& item) {
        const TypeKind kind = item.node ? graph_.kind(item.node) : TypeKind::Unit;
        return kind == TypeKind::Array || kind == TypeKind::Tuple || kind == TypeKind::Struct;
    });
}

bool Instantiation::compare_wholes(OpId op, const Items& operands, Items& out) {
    Context& context = graph_.context();
    const auto compare = context.operations.find(context.symbols.add("compare"), 2, {});
    const NodeId sides[] = {operands[0].node, operands[1].node};
    const auto order = compare ? builder_.apply(*compare, Attributes::none(), sides) : std::nullopt;
    if (!order) return fail("values that cannot be compared");
    const NodeId signs[] = {*order, builder_.i64(0)};
    const auto made = builder_.apply(op, Attributes::none(), signs);
    if (!made) return fail("values that cannot be compared");
    out.push_back({*made, {}});
    return true;
}

// The tuple or struct with these parts, or parts of parts; the others are those of `whole`.
NodeId Instantiation::with_parts(NodeId whole, std::span<const NamedPart> named) {
    Types& types = graph_.context().types;
    const TypeId type = graph_.type(whole);
    const bool tuple = types.kind(type) == TypeKind::Tuple;
    if (!tuple && types.kind(type) != TypeKind::Struct) return fail("neither a tuple nor a struct"), NodeId{};
    Nodes nodes;
    for (std::size_t k = 0; k < part_count(whole); ++k) nodes.push_back(part(whole, k));
    std::vector<std::vector<NamedPart>> deeper(nodes.size());
    for (const NamedPart& part : named) {
        const std::string_view name = part.path.substr(0, part.path.find('.'));
        const auto k = part_named(type, name);
        if (!k) return fail("no part '" + std::string(name) + "'"), NodeId{};
        if (name.size() < part.path.size()) {
            deeper[*k].push_back({part.path.substr(name.size() + 1), part.value});
            continue;
        }
        const auto value = build(part.value, graph_.type(nodes[*k]));
        if (!value || value->size() != 1) return {};
        if (!types.agree(graph_.type(nodes[*k]), graph_.type((*value)[0])))
            return fail("a part of another type"), NodeId{};
        nodes[*k] = (*value)[0];
    }
    for (std::size_t k = 0; k < nodes.size(); ++k)
        if (!deeper[k].empty() && !(nodes[k] = with_parts(nodes[k], deeper[k]))) return {};
    const auto made = builder_.apply(Operations::core(tuple ? Core::Tuple : Core::Struct), Attributes::none(), nodes,
                                     {}, tuple ? TypeId{} : type);
    return made ? *made : NodeId{};
}

// `{t with parts}`.
bool Instantiation::record(const Term& t, Items& out) {
    Types& types = graph_.context().types;
    Items items;
    if (!term(t.operands[0], {}, items) || items.size() != 1 || !items[0].node) return false;
    const TypeId like = graph_.type(items[0].node);
    const bool tuple = types.kind(like) == TypeKind::Tuple;
    if (!tuple && types.kind(like) != TypeKind::Struct) return fail("neither a tuple nor a struct");
    if (t.text) {
        std::vector<NamedPart> parts;
        for (TermId part : std::span(t.operands).subspan(1))
            parts.push_back({graph_.context().symbols[rule_[part].text], rule_[part].operands[0]});
        const NodeId changed = with_parts(items[0].node, parts);
        if (changed) out.push_back({changed, {}});
        return static_cast<bool>(changed);
    }
    std::vector<TypeId> due;
    if (tuple) due.assign(types.elements(like).begin(), types.elements(like).end());
    if (!tuple)
        for (const StructField& field : types.fields(like)) due.push_back(field.type);
    Items given;
    for (std::size_t i = 1; i < t.operands.size(); ++i)
        if (!term(t.operands[i], given.size() < due.size() ? due[given.size()] : TypeId{}, given)) return false;
    Nodes nodes;
    if (!settle(given, due, nodes)) return false;
    if (nodes.size() != due.size()) return fail("another number of parts");
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!is_one_value(nodes[i])) return invalid(nodes[i]);
        if (!types.agree(due[i], graph_.type(nodes[i]))) return fail("a part of another type");
    }
    auto made = builder_.apply(Operations::core(tuple ? Core::Tuple : Core::Struct), Attributes::none(), nodes, {},
                               tuple ? TypeId{} : like);
    if (!made) return fail("ill-typed");
    out.push_back({*made, {}});
    return true;
}

// -- calls of functions that a literal names, or that are new

// The name of a function that a literal gives: a text.
bool Instantiation::call(const Term& t, TypeId expected, Items& out) {
    Nodes operands;
    for (TermId operand : t.operands) {
        Items items;
        if (!term(operand, {}, items) || !settle(items, {}, operands)) return false;
    }
    AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = t.text.index};
    TypeId type = t.type ? graph_.context().types.lowered(t.type) : expected;
    if (!t.attrs.empty()) {
        const NodeId text = item(t.attrs[0].variable);
        if (!text || graph_.is_param(text) || graph_.attrs(text).empty()) return false;
        name = graph_.attrs(text)[0];
        if (name.kind != AttrValue::Kind::Text) return fail("the name of a function is a text");
        type = {};
    }
    if (!type && around_.results_of) { // a function of the program
        std::vector<TypeId> types;
        for (NodeId operand : operands) types.push_back(graph_.type(operand));
        type = around_.results_of(name.text(), types);
    }
    if (!type) return fail("there is no function of that name, or not for these operands");
    auto node =
        builder_.apply(Operations::core(Core::Call), graph_.context().attributes.add({&name, 1}), operands, {}, type);
    out.push_back({*node, {}});
    return true;
}

// A call of a new function; where nobody makes functions (in checks), its block stands in its place.
bool Instantiation::makes_function(const Term& t) const {
    const bool is_whole = rule_.is_of_functions() && &t == &rule_[rule_.right[0]];
    return t.function && !is_whole && around_.call_of_new;
}

} // namespace irrewrite
