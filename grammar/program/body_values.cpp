// Tuples, arrays, structs, calls and projections.
#include "engine/ir/scalars.hpp"
#include "grammar/program/advice.hpp"
#include "grammar/program/body.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace irrewrite::grammar {

bool Body::start_group(SyntaxId id, TypeId due) {
    Group group{.id = id, .due = due, .base = static_cast<std::uint32_t>(values_.size())};
    if (tree_[id].kind == Kind::Array)
        group.due = due && context_.types.kind(due) == TypeKind::Array ? context_.types.element(due) : TypeId{};
    values_.resize(values_.size() + tree_[id].count);
    wanted_.resize(values_.size());
    stack_.push_back(group);
    return false;
}

// Elements of an array whose type stands by itself come first: numerals follow them.
std::uint8_t Body::rank(SyntaxId element) const {
    if (!facts_.flexible(element)) return 0;
    if (tree_[element].kind != Kind::Number) return 1;
    return split_number(tree_.name(element)).is_float ? 2 : last_rank;
}

void Body::step(Group& group) {
    const auto children = tree_.children_of(group.id);
    const bool array = tree_[group.id].kind == Kind::Array;
    for (;;) {
        if (group.awaited != nothing) {
            const NodeId part = single(result_, children[group.awaited]);
            values_[group.base + group.awaited] = part;
            if (array && part && !group.due) group.due = graph_.type(part);
            group.awaited = nothing;
        }
        if (group.next == children.size()) {
            if (!array || group.rank == last_rank) break;
            ++group.rank;
            group.next = 0;
            continue;
        }
        const std::uint32_t i = group.next++;
        if (array && rank(children[i]) != group.rank) continue;
        group.awaited = i;
        const bool named = tree_[children[i]].kind == Kind::FieldInit;
        const SyntaxId expression = named ? tree_.children_of(children[i])[0] : children[i];
        if (!start(expression, due_of_part(group, i))) return;
    }
    const auto first = values_.begin() + group.base;
    std::vector<NodeId> parts(first, first + static_cast<std::ptrdiff_t>(children.size()));
    const Group done = group;
    finish(combine(done, std::move(parts)), done.base);
}

TypeId Body::due_of_part(const Group& group, std::size_t i) {
    const Types& types = context_.types;
    switch (tree_[group.id].kind) {
    case Kind::Array: return group.due;
    case Kind::Call: return module_.find(context_.symbols.add(tree_.name(group.id)))->params[i].type;
    case Kind::Struct: {
        const auto type = types.find_struct(context_.symbols.add(tree_.name(group.id)));
        if (!type) return {};
        const auto field = types.field_index(*type, context_.symbols.add(tree_.name(tree_.children_of(group.id)[i])));
        return field ? types.fields(*type)[*field].type : TypeId{};
    }
    case Kind::Update: {
        const NodeId whole = values_[group.base];
        return i && whole ? type_of_path(graph_.type(whole), tree_.name(tree_.children_of(group.id)[i])) : TypeId{};
    }
    default: break;
    }
    if (!group.due || types.kind(group.due) != TypeKind::Tuple || types.elements(group.due).size() <= i) return {};
    return types.elements(group.due)[i];
}

NodeId Body::combine(const Group& group, std::vector<NodeId> parts) {
    const Kind kind = tree_[group.id].kind;
    if (kind == Kind::Struct) return make_struct(group.id, parts);
    if (std::ranges::any_of(parts, [](NodeId part) { return !part; })) return {};
    if (kind == Kind::Update) return make_update(group.id, parts);
    if (kind == Kind::Array) return make_array(group.id, group.due, parts);
    if (kind == Kind::Call)
        return make_call(group.id, *module_.find(context_.symbols.add(tree_.name(group.id))), parts);
    std::vector<TypeId> types;
    for (NodeId part : parts) types.push_back(graph_.type(part));
    return apply(group.id, Operations::core(Core::Tuple), Attributes::none(), parts, {}, context_.types.tuple(types));
}

NodeId Body::make_array(SyntaxId id, TypeId due, std::span<const NodeId> parts) {
    Types& types = context_.types;
    TypeId element = parts.empty() ? due : graph_.type(parts[0]);
    if (!element) {
        error(id, "cannot infer the type of '[]'", "write '%xs: []f64 = []'");
        return {};
    }
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const TypeId type = graph_.type(parts[i]);
        if (!types.alike(element, type)) {
            error(tree_.children_of(id)[i],
                  "the elements before this one are " + text_of(element) + ", but this is " + text_of(type));
            return {};
        }
        element = types.meet(element, type);
    }
    const TypeId type = types.array(Dim::constant(static_cast<std::int64_t>(parts.size())), element);
    return apply(id, Operations::core(Core::List), Attributes::none(), parts, {}, type);
}

NodeId Body::make_struct(SyntaxId id, std::span<const NodeId> parts) {
    const std::string name(tree_.name(id));
    const auto type = context_.types.find_struct(context_.symbols.add(name));
    if (!type) {
        ok_ = false;
        diagnostics_.unknown(tree_.name_span(id), "struct", name);
        return {};
    }
    const std::vector<StructField> fields(context_.types.fields(*type).begin(), context_.types.fields(*type).end());
    std::vector<NodeId> ordered(fields.size());
    std::vector<bool> given(fields.size());
    bool complete = true;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const SyntaxId init = tree_.children_of(id)[i];
        const auto field = context_.types.field_index(*type, context_.symbols.add(tree_.name(init)));
        if (!field || given[*field]) {
            error(init, field ? "'" + std::string(tree_.name(init)) + "' is given twice"
                              : "'" + name + "' has no field '" + std::string(tree_.name(init)) + "'");
            complete = false;
            continue;
        }
        given[*field] = true;
        ordered[*field] = promised(parts[i], fields[*field].type, tree_.span(init), "this field");
        complete = complete && ordered[*field];
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (given[i]) continue;
        error(id, "'" + name + "' is missing its field '" + std::string(context_.symbols[fields[i].name]) + "'");
        complete = false;
    }
    if (!complete) return {};
    return apply(id, Operations::core(Core::Struct), Attributes::none(), ordered, {}, *type);
}

// -- `{%z with re = 1.0}`
// ------------------------------------------------------------------------------------------

// The part of a struct or tuple that has this name or number. None if there is none.
std::optional<std::size_t> Body::part_named(TypeId type, std::string_view name) const {
    const Types& types = context_.types;
    if (types.kind(type) == TypeKind::Struct) return types.field_index(type, context_.symbols.add(name));
    std::size_t k = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), k);
    const bool number =
        error == std::errc() && end == name.data() + name.size() && (k == 0 ? name == "0" : name[0] != '0');
    if (!number || types.kind(type) != TypeKind::Tuple || k >= types.elements(type).size()) return {};
    return k;
}

TypeId Body::type_of_part(TypeId type, std::size_t k) const {
    const Types& types = context_.types;
    return types.kind(type) == TypeKind::Struct ? types.fields(type)[k].type : types.elements(type)[k];
}

// The type of a part, or of a part of a part: `z.re`. None if there is none.
TypeId Body::type_of_path(TypeId type, std::string_view path) const {
    while (!path.empty()) {
        const std::string_view name = path.substr(0, path.find('.'));
        const auto part = part_named(type, name);
        if (!part) return {};
        type = type_of_part(type, *part);
        path.remove_prefix(std::min(path.size(), name.size() + 1));
    }
    return type;
}

NodeId Body::make_update(SyntaxId id, std::span<const NodeId> parts) {
    std::vector<FieldUpdate> updates;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const SyntaxId init = tree_.children_of(id)[i];
        const std::string_view path = tree_.name(init);
        const auto begins = [&](const FieldUpdate& other) { // one of them is the other, or a field of it
            const std::size_t common = std::min(path.size(), other.path.size());
            const std::string_view longer = path.size() > common ? path : other.path;
            return path.substr(0, common) == other.path.substr(0, common) &&
                   (longer.size() == common || longer[common] == '.');
        };
        if (std::ranges::any_of(updates, begins)) {
            error(init, "'" + std::string(path) + "' is given twice");
            return {};
        }
        updates.push_back({path, parts[i], init});
    }
    return updated(id, parts[0], updates);
}

// The struct or tuple with these parts; the others are those of `whole`.
NodeId Body::updated(SyntaxId id, NodeId whole, std::span<const FieldUpdate> updates) {
    const TypeId type = graph_.type(whole);
    const bool tuple = context_.types.kind(type) == TypeKind::Tuple;
    if (!tuple && context_.types.kind(type) != TypeKind::Struct) {
        error(id, "only a struct or a tuple has parts to change, but this is " + text_of(type));
        return {};
    }
    const std::size_t count = tuple ? context_.types.elements(type).size() : context_.types.fields(type).size();
    std::vector<NodeId> parts(count);
    std::vector<std::vector<FieldUpdate>> deeper(count);
    for (const FieldUpdate& update : updates) {
        const std::string_view name = update.path.substr(0, update.path.find('.'));
        const auto part = part_named(type, name);
        if (!part) {
            error(update.where,
                  "'" + text_of(type) + "' has no " + (tuple ? "element '" : "field '") + std::string(name) + "'");
            return {};
        }
        if (name.size() < update.path.size())
            deeper[*part].push_back({update.path.substr(name.size() + 1), update.value, update.where});
        else if (!(parts[*part] = promised(update.value, type_of_part(type, *part), tree_.span(update.where),
                                           tuple ? "this element" : "this field")))
            return {};
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (!parts[k]) parts[k] = tuple ? builder_.element(whole, k) : builder_.field(whole, k);
        if (!deeper[k].empty() && !(parts[k] = updated(deeper[k][0].where, parts[k], deeper[k]))) return {};
    }
    return apply(id, Operations::core(tuple ? Core::Tuple : Core::Struct), Attributes::none(), parts, {}, type);
}

// -- calls
// ------------------------------------------------------------------------------------------

// The lengths that the callee has names for, as far as the operands determine them.
std::vector<std::pair<SymbolId, Dim>> Body::callee_lengths(const Function& callee, std::span<const NodeId> operands) {
    std::vector<std::pair<SymbolId, Dim>> lengths;
    const Types& types = context_.types;
    for (const Dimension& dimension : callee.dims) {
        const TypeId type = graph_.type(operands[dimension.param]);
        lengths.emplace_back(dimension.name, dimension_at(types, type, dimension.depth).value_or(Dim{}));
    }
    return lengths;
}

NodeId Body::make_call(SyntaxId where, const Function& callee, std::span<const NodeId> operands) {
    const auto lengths = callee_lengths(callee, operands);
    const auto here = [&](Dim dim) {
        if (dim.kind != DimKind::Named) return dim;
        for (const auto& [name, known] : lengths)
            if (Dim::named(name) == dim) return known;
        return Dim{};
    };
    bool fits = true;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!callee.params[i].type) return {}; // its declaration was wrong
        const TypeId due = context_.types.map_dims(callee.params[i].type, here);
        if (context_.types.agree(graph_.type(operands[i]), due)) continue;
        const SyntaxId place = tree_[where].kind == Kind::Call ? tree_.children_of(where)[i] : where;
        error(place, "operand " + std::to_string(i + 1) + " of '@" + std::string(context_.symbols[callee.name]) +
                         "' is " + text_of(due) + ", but this is " + text_of(graph_.type(operands[i])))
            .notes.push_back({callee.where, "declared here"});
        fits = false;
    }
    std::vector<TypeId> results;
    for (TypeId type : callee.result_types) {
        if (!type) return {};
        results.push_back(context_.types.map_dims(type, here));
    }
    if (!fits) return {};
    const AttrValue name{.kind = AttrValue::Kind::Text, .type = {}, .bits = callee.name.index};
    return apply(where, Operations::core(Core::Call), context_.attributes.add({&name, 1}), operands, {},
                 context_.types.results(results));
}

// -- projections
// ------------------------------------------------------------------------------------

void Body::step(Projection& projection) {
    const SyntaxId id = projection.id;
    if (!std::exchange(projection.started, true) && !start(tree_.children_of(id)[0], {})) return;
    finish(result_ ? part_of(id, result_) : NodeId{}, static_cast<std::uint32_t>(values_.size()));
}

NodeId Body::part_of(SyntaxId id, NodeId whole) {
    const std::string_view name = tree_.name(id);
    if (tree_[id].count != 1) {
        error(id, "this is allowed only in rules");
        return {};
    }
    const TypeKind kind = graph_.kind(whole);
    if (kind == TypeKind::Struct) return field_of(id, whole);
    if (kind != TypeKind::Results && kind != TypeKind::Tuple) {
        error(id, "a value of type " + text_of(graph_.type(whole)) + " has no part '." + std::string(name) + "'",
              advice_on_part(context_, graph_.type(whole), name));
        return {};
    }
    const std::size_t count = context_.types.elements(graph_.type(whole)).size();
    const auto position = parse_scalar(TypeKind::I64, name);
    if (!position || *position >= count) {
        error(id, "there is no part '." + std::string(name) + "': there are " + std::to_string(count) + " parts");
        return {};
    }
    return kind == TypeKind::Results ? builder_.project(whole, *position) : builder_.element(whole, *position);
}

NodeId Body::field_of(SyntaxId id, NodeId whole) {
    const std::string_view name = tree_.name(id);
    const auto field = context_.types.field_index(graph_.type(whole), context_.symbols.add(name));
    if (field) return builder_.field(whole, *field);
    std::vector<std::string_view> known;
    for (const StructField& f : context_.types.fields(graph_.type(whole))) known.push_back(context_.symbols[f.name]);
    error(id, "'" + text_of(graph_.type(whole)) + "' has no field '" + std::string(name) + "'",
          suggestion(name, known));
    return {};
}

} // namespace irrewrite::grammar
