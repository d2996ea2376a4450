#include "grammar/json/json_body.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

std::optional<Core> find_core(std::string_view name) {
    static constexpr std::pair<std::string_view, Core> names[] = {
        {"literal", Core::Literal}, {"project", Core::Project}, {"tuple", Core::Tuple},
        {"element", Core::Element}, {"struct", Core::Struct},   {"field", Core::Field},
        {"list", Core::List},       {"call", Core::Call},       {"await", Core::Await}};
    for (auto [text, core] : names)
        if (text == name) return core;
    return std::nullopt;
}

bool is_value(TypeKind kind) { return kind < TypeKind::Results; }

} // namespace

bool JsonBody::fail(std::string text) {
    if (error_.empty()) error_ = std::move(text), place_ = now_;
    return false;
}

// -- blocks
// -----------------------------------------------------------------------------------------

bool JsonBody::run(const Json& function) {
    const NodeId entry = graph_.param(number::function, number::entry_index, context_.types.token());
    builder_.start(entry);
    frames_.push_back(
        {.block = &function, .nodes = &list(function, "nodes"), .open = {}, .names = {}, .ids = {}, .blocks = {}});
    while (!frames_.empty())
        if (!step()) return false;
    if (builder_.token_used()) function_.entry = entry, function_.exit = builder_.token();
    return true;
}

bool JsonBody::step() {
    Frame& frame = frames_.back();
    if (frame.next == frame.nodes->size()) return close();
    const Json& json = (*frame.nodes)[frame.next];
    now_ = &json;
    const Json& blocks = list(json, "blocks");
    if (frame.blocks.size() < blocks.size()) return open(blocks[frame.blocks.size()]);
    const std::vector<BlockId> done = std::move(frame.blocks);
    frame.blocks.clear();
    ++frame.next;
    return node(json, done);
}

bool JsonBody::open(const Json& block) {
    std::vector<TypeId> types;
    Frame frame{.block = &block, .nodes = &list(block, "nodes"), .open = {}, .names = {}, .ids = {}, .blocks = {}};
    std::vector<std::uint32_t> ids;
    for (const Json& param : list(block, "params")) {
        std::optional<TypeId> type = types_[text(param, "type")];
        std::optional<std::uint32_t> id = number(param, "id");
        if (!type || !id || context_.types.kind(*type) == TypeKind::Results)
            return fail("a block's parameter has no id or type");
        std::string_view name = text(param, "name");
        types.push_back(*type), ids.push_back(*id);
        frame.names.push_back(is_name(name) ? context_.symbols.add(name) : SymbolId{});
    }
    frame.open = builder_.open(types);
    frames_.push_back(std::move(frame));
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (!define_here(ids[i], frames_.back().open->params[i])) return false;
    return true;
}

bool JsonBody::close() {
    now_ = frames_.back().block;
    std::optional<std::vector<NodeId>> results = values(*frames_.back().block, "results");
    if (!results) return false;
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    for (std::uint32_t id : frame.ids) values_.erase(id);
    if (!frame.open) {
        function_.results = *results;
        return true;
    }
    for (NodeId result : *results)
        if (graph_.kind(result) == TypeKind::Results) return fail("a block's result is several values");
    frames_.back().blocks.push_back(builder_.close(*frame.open, frame.names, *results));
    return true;
}

bool JsonBody::define_here(std::uint32_t id, NodeId node) {
    if (!define(id, node)) return fail("id " + std::to_string(id) + " is there twice");
    frames_.back().ids.push_back(id);
    return true;
}

std::optional<std::vector<NodeId>> JsonBody::values(const Json& object, const char* key) {
    std::vector<NodeId> found;
    std::optional<std::vector<std::uint32_t>> ids = numbers(object, key);
    if (!ids) return fail(std::string("expected a list of ids: \"") + key + "\""), std::nullopt;
    for (std::uint32_t id : *ids) {
        auto it = values_.find(id);
        if (it == values_.end()) return fail("no value with id " + std::to_string(id) + " is known here"), std::nullopt;
        found.push_back(it->second);
    }
    return found;
}

// -- nodes
// ------------------------------------------------------------------------------------------

bool JsonBody::node(const Json& json, const std::vector<BlockId>& blocks) {
    std::optional<std::uint32_t> id = number(json, "id");
    if (!id) return fail("a node has no id");
    std::optional<std::vector<NodeId>> operands = values(json, "operands");
    if (!operands) return false;
    Parts parts{.json = &json, .operands = *operands, .attributes = {}, .type = {}};
    for (const Json& value : list(json, "attrs"))
        if (!attribute(value, parts.attributes)) return false;
    std::string_view type = text(json, "type");
    if (std::optional<TypeId> read = types_[type]) parts.type = *read;
    std::optional<NodeId> made = make(parts, blocks);
    if (!made)
        return fail("node " + std::to_string(*id) + ", '" + std::string(text(json, "op")) + "', is not well-formed");
    if (is_name(text(json, "name"))) graph_.set_name(*made, context_.symbols.add(text(json, "name")));
    if (const TypeKind kind = graph_.kind(*made);
        graph_.has(*made, TakesToken) || kind == TypeKind::Ref || kind == TypeKind::Mut)
        lines_.try_emplace(*made, &json);
    return define_here(*id, *made);
}

bool JsonBody::attribute(const Json& json, std::vector<AttrValue>& list) {
    std::optional<TypeId> type = types_[text(json, "type")];
    AttrValue value;
    if (json.contains("text")) {
        value.kind = AttrValue::Kind::Text;
        value.bits = context_.symbols.add(unescape(text(json, "text"))).index;
    } else if (type && json.contains("number")) {
        std::optional<std::uint64_t> bits;
        if (context_.types.is_scalar(*type)) bits = parse_scalar(context_.types.kind(*type), text(json, "number"));
        if (!bits) return fail("'" + std::string(text(json, "number")) + "' is not a literal of its type");
        value = {.kind = AttrValue::Kind::Number, .type = *type, .bits = *bits};
    } else if (type) {
        value = {.kind = AttrValue::Kind::Type, .type = *type};
    } else {
        return fail("an attribute is neither a number, a text nor a type");
    }
    list.push_back(value);
    return true;
}

std::optional<NodeId> JsonBody::make(Parts& parts, const std::vector<BlockId>& blocks) {
    std::optional<Core> core = find_core(text(*parts.json, "op"));
    if (!core) return application(parts, blocks);
    for (NodeId operand : parts.operands)
        if (!is_value(graph_.kind(operand)) && core != Core::Project) return std::nullopt;
    return blocks.empty() ? make_core(*core, parts) : std::nullopt;
}

std::optional<NodeId> JsonBody::make_core(Core core, Parts& parts) {
    switch (core) {
    case Core::Literal:
        if (parts.attributes.size() != 1 || !parts.operands.empty()) return std::nullopt;
        if (parts.attributes[0].kind == AttrValue::Kind::Text)
            return graph_.text(context_.symbols[parts.attributes[0].text()]);
        if (parts.attributes[0].kind == AttrValue::Kind::Type) return std::nullopt;
        return graph_.literal(parts.attributes[0].type, parts.attributes[0].bits);
    case Core::Project:
    case Core::Element:
    case Core::Field: return part(core, parts);
    case Core::Tuple:
    case Core::List:
    case Core::Struct: return gathered(core, parts);
    case Core::Call: return call(parts);
    case Core::Await:
        if (parts.operands.size() != 1 || !parts.attributes.empty()) return std::nullopt;
        return builder_.apply(Operations::core(core), Attributes::none(), parts.operands);
    default: return std::nullopt;
    }
}

std::optional<NodeId> JsonBody::part(Core core, const Parts& parts) {
    if (parts.operands.size() != 1 || parts.attributes.size() != 1) return std::nullopt;
    if (parts.attributes[0].kind != AttrValue::Kind::Number) return std::nullopt;
    const NodeId whole = parts.operands[0];
    const std::uint64_t k = parts.attributes[0].bits;
    const TypeKind due = core == Core::Project   ? TypeKind::Results
                         : core == Core::Element ? TypeKind::Tuple
                                                 : TypeKind::Struct;
    if (graph_.kind(whole) != due) return std::nullopt;
    const std::size_t count = due == TypeKind::Struct ? context_.types.fields(graph_.type(whole)).size()
                                                      : context_.types.elements(graph_.type(whole)).size();
    if (k >= count) return std::nullopt;
    if (core == Core::Project) return builder_.project(whole, k);
    return core == Core::Element ? builder_.element(whole, k) : builder_.field(whole, k);
}

std::optional<NodeId> JsonBody::gathered(Core core, Parts& parts) {
    const Types& types = context_.types;
    std::vector<TypeId> due;
    if (core == Core::Tuple) {
        for (NodeId operand : parts.operands) due.push_back(graph_.type(operand));
        parts.type = context_.types.tuple(due);
    }
    if (!parts.type || !parts.attributes.empty()) return std::nullopt;
    const TypeKind kind = types.kind(parts.type);
    if (core == Core::List && kind == TypeKind::Array) {
        const Dim dim = types.dim(parts.type);
        if (dim.kind == DimKind::Constant && dim.value != static_cast<std::int64_t>(parts.operands.size()))
            return std::nullopt;
        due.assign(parts.operands.size(), types.element(parts.type));
    } else if (core == Core::Struct && kind == TypeKind::Struct) {
        for (const StructField& field : types.fields(parts.type)) due.push_back(field.type);
    } else if (core != Core::Tuple) {
        return std::nullopt;
    }
    if (due.size() != parts.operands.size()) return std::nullopt;
    for (std::size_t i = 0; i < due.size(); ++i)
        if (!types.agree(graph_.type(parts.operands[i]), due[i])) return std::nullopt;
    return graph_.make({.op = Operations::core(core), .operands = parts.operands, .type = parts.type});
}

std::optional<NodeId> JsonBody::call(Parts& parts) {
    if (parts.attributes.size() != 1 || parts.attributes[0].kind != AttrValue::Kind::Text) return std::nullopt;
    const Function* callee = module_.find(parts.attributes[0].text());
    if (!callee || callee->params.size() != parts.operands.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.operands.size(); ++i)
        if (!context_.types.agree(graph_.type(parts.operands[i]), callee->params[i].type)) return std::nullopt;
    std::vector<TypeId> results; // lengths that the callee names say nothing here
    for (TypeId result : callee->result_types)
        results.push_back(context_.types.map_dims(result, [](Dim d) { return d.kind == DimKind::Named ? Dim{} : d; }));
    const TypeId due = context_.types.results(results);
    if (!parts.type) parts.type = due;
    if (!context_.types.agree(parts.type, due)) return std::nullopt;
    return builder_.apply(Operations::core(Core::Call), context_.attributes.add(parts.attributes), parts.operands, {},
                          parts.type);
}

// -- operations of rule files
// -----------------------------------------------------------------------

std::optional<OpId> JsonBody::operation(const Parts& parts) const {
    std::optional<SymbolId> name = context_.symbols.find(text(*parts.json, "op"));
    std::vector<SymbolId> labels;
    for (const Json& block : list(*parts.json, "blocks")) {
        std::string_view label = text(block, "label");
        labels.push_back(label.empty() ? SymbolId{} : context_.symbols.find(label).value_or(SymbolId{0}));
    }
    return name ? context_.operations.find(*name, parts.operands.size(), labels) : std::nullopt;
}

bool JsonBody::fits(const Operation& operation, const Parts& parts) {
    if (operation.attributes.size() != parts.attributes.size()) return false;
    for (std::size_t i = 0; i < parts.attributes.size(); ++i) {
        const AttrKind due = operation.attributes[i].kind;
        const AttrValue::Kind kind = due == AttrKind::Type   ? AttrValue::Kind::Type
                                     : due == AttrKind::Text ? AttrValue::Kind::Text
                                                             : AttrValue::Kind::Number;
        if (parts.attributes[i].kind != kind) return false;
    }
    return std::ranges::none_of(parts.operands, [&](NodeId o) { return graph_.kind(o) == TypeKind::Results; });
}

bool JsonBody::blocks_fit(OpId op, AttrId attrs, const Parts& parts, const std::vector<BlockId>& blocks) {
    std::vector<OperandInfo> infos;
    std::vector<BlockShape> shapes;
    for (NodeId operand : parts.operands) infos.push_back(operand_info(graph_, operand));
    for (BlockId block : blocks) shapes.push_back(block_shape(graph_, block));
    Inference inference(context_, op, attrs);
    if (!inference.operands(infos, shapes)) return fail(inference.error());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        std::vector<TypeId> results;
        for (NodeId result : graph_.results(blocks[i])) results.push_back(graph_.type(result));
        if (!inference.block(i, results)) return fail(inference.error());
        std::optional<std::vector<TypeId>> due = inference.block_params(i);
        std::span<const NodeId> params = graph_.params(blocks[i]);
        auto agree = [&](NodeId param, TypeId type) { return context_.types.agree(graph_.type(param), type); };
        if (due && !std::ranges::equal(params, *due, agree))
            return fail("a block has parameters of other types than it is called with");
    }
    return true;
}

std::optional<NodeId> JsonBody::application(Parts& parts, const std::vector<BlockId>& blocks) {
    std::optional<OpId> op = operation(parts);
    if (!op)
        return fail("there is no operation '" + std::string(text(*parts.json, "op")) +
                    "' with such operands and blocks"),
               std::nullopt;
    if (!fits(context_.operations[*op], parts)) return std::nullopt;
    const AttrId attrs = context_.attributes.add(parts.attributes);
    if (!blocks_fit(*op, attrs, parts, blocks)) return std::nullopt;
    const Inferred inferred = infer(graph_, *op, attrs, parts.operands, blocks);
    if (!inferred.type) return fail(inferred.error), std::nullopt;
    // Generators and emissions have types that the text cannot quite say.
    const bool said = parts.type && is_value(context_.types.kind(parts.type));
    const bool several = parts.type && context_.types.kind(parts.type) == TypeKind::Results;
    if (!said && !several) parts.type = *inferred.type;
    if (!context_.types.agree(parts.type, *inferred.type))
        return fail("the type of '" + std::string(text(*parts.json, "op")) + "' is another than stated"), std::nullopt;
    return builder_.apply(*op, attrs, parts.operands, blocks, parts.type);
}

} // namespace irrewrite::grammar
