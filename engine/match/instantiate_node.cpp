// Building one operation of a right side: operands, numerals typed by the signature, blocks.
#include "engine/match/instantiate.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

// Operations on numerals alone come last: they are of the type that is due, or that the other operands have. An empty array is of
// the type that the operation needs.
bool Instantiation::operands_of(const Term& t, TypeId expected, Items& operands, std::vector<std::size_t>& made) {
    std::vector<std::pair<std::size_t, std::size_t>> open; // which operand, and where it belongs
    for (std::size_t i = 0; i < t.operands.size(); ++i) {
        const std::size_t before = operands.size();
        if (rule_[t.operands[i]].kind == TermKind::Node && is_of_numerals(t.operands[i]))
            open.emplace_back(i, before), operands.push_back({});
        else if (is_empty_list(t.operands[i]))
            operands.push_back({{}, t.operands[i]});
        else if (!term(t.operands[i], {}, operands))
            return false;
        made.push_back(operands.size() - before);
    }
    for (const auto& [i, at] : open) {
        Items one;
        if (!term(t.operands[i], due_type(t, i, at, expected, operands), one) || one.size() != 1) return false;
        operands[at] = one[0];
    }
    return true;
}

bool Instantiation::node(const Term& t, TypeId expected, Items& out) {
    Items operands;
    std::vector<std::size_t> made;
    if (!operands_of(t, expected, operands, made)) return false;
    if (t.kind == TermKind::Struct) return structural(t, Operations::core(Core::Struct), expected, operands, out);
    if (t.compares && is_whole(operands)) return compare_wholes(t.ops.back(), operands, out);
    std::string why;
    for (OpId op : t.ops) { // the first overload that fits
        error_.clear();
        if (spread_results(op, operands, made, [&](const Items& each, std::span<const std::size_t> counts) {
                return node(t, op, expected, each, counts, out);
            }))
            return true;
        if (why.empty()) why = error_;
    }
    error_ = why;
    return false;
}

namespace {
bool is_value(const Types& types, AttrKind kind, const AttrValue& value) {
    if (value.kind != AttrValue::Kind::Number) return kind == AttrKind::Text && value.kind == AttrValue::Kind::Text;
    switch (kind) {
    case AttrKind::Int: return value.type == types.i64();
    case AttrKind::Float: return value.type == types.f64();
    case AttrKind::Bool: return value.type == types.boolean();
    case AttrKind::Text:
    case AttrKind::Type: return false;
    }
    return false;
}
} // namespace

bool Instantiation::attributes(const Term& t, OpId op, TypeId expected, AttrId& out) {
    Context& context = graph_.context();
    const auto& declared = context.operations[op].attributes;
    std::vector<AttrValue> values;
    for (const AttrTerm& attr : t.attrs) {
        switch (attr.kind) {
        case AttrTerm::Kind::Constant: values.push_back(attr.constant); break;
        case AttrTerm::Kind::Literal: {
            NodeId node = item(attr.variable);
            if (!node) return false;
            values.push_back(graph_.attrs(node)[0]);
            if (values.size() <= declared.size() &&
                !is_value(context.types, declared[values.size() - 1].kind, values.back()))
                return fail("an attribute of another type");
            break;
        }
        case AttrTerm::Kind::Type:
            if (!binding(attr.variable).type) return fail("a type that is not known");
            values.push_back({.kind = AttrValue::Kind::Type, .type = binding(attr.variable).type, .bits = 0});
            break;
        }
    }
    // A type that is left out is the one the context expects.
    if (values.size() + 1 == declared.size() && declared.back().kind == AttrKind::Type) {
        if (!expected) return fail("the type attribute is not known here");
        values.push_back({.kind = AttrValue::Kind::Type, .type = expected, .bits = 0});
    }
    if (values.size() != declared.size() && context.operations[op].core == Core::None) return fail("wrong attributes");
    out = values.empty() ? Attributes::none() : context.attributes.add(values);
    return true;
}

bool Instantiation::invalid(NodeId node) {
    const std::size_t count = graph_.kind(node) == TypeKind::Unit ? 0 : graph_.result_count(node);
    invalid_ = "gives an operation '" + std::string(graph_.context().symbols[graph_.operation(node).name]) + "' with " +
               std::to_string(count) + " results where one value is expected";
    return fail(invalid_);
}

bool Instantiation::structural(const Term& t, OpId op, TypeId expected, const Items& operands, Items& out) {
    Types& types = graph_.context().types;
    Nodes nodes;
    std::vector<TypeId> due;
    TypeId type;
    if (t.kind == TermKind::Struct) {
        type = t.type;
        for (const StructField& field : types.fields(type)) due.push_back(field.type);
    } else if (op == Operations::core(Core::List)) {
        TypeId element = expected && types.kind(expected) == TypeKind::Array ? types.element(expected) : TypeId{};
        for (const Item& item : operands)
            if (item.node && !element) element = graph_.type(item.node);
        due.assign(operands.size(), element);
    } else if (expected && types.kind(expected) == TypeKind::Tuple)
        due.assign(types.elements(expected).begin(), types.elements(expected).end());
    if (!settle(operands, due, nodes)) return false;
    for (NodeId node : nodes)
        if (!is_one_value(node)) return invalid(node);
    if (op == Operations::core(Core::List)) {
        TypeId element = !nodes.empty() ? graph_.type(nodes[0]) : due.empty() ? TypeId{} : due[0];
        if (nodes.empty() && expected && types.kind(expected) == TypeKind::Array) element = types.element(expected);
        if (!element) return fail("the element type of '[]' is not known");
        for (NodeId node : nodes) {
            if (!types.alike(element, graph_.type(node))) return fail("elements of different types");
            element = types.meet(element, graph_.type(node));
        }
        type = types.array(Dim::constant(static_cast<std::int64_t>(nodes.size())), element);
    }
    auto node = builder_.apply(op, Attributes::none(), nodes, {}, type);
    if (!node) return fail("ill-typed");
    out.push_back({*node, {}});
    return true;
}

// Many operands of one type, which the signature names: nothing is to be inferred.
std::optional<NodeId> Instantiation::flat(const Operation& operation, OpId op, const Items& items) {
    const auto& results = operation.signature.results;
    if (!operation.is_flat || !operation.attributes.empty() || results[0].kind != TypeTerm::Kind::Known)
        return std::nullopt;
    const TypeId type = graph_.context().types.lowered(results[0].type);
    Nodes operands;
    operands.reserve(items.size());
    for (const Item& item : items) {
        if (!item.node || graph_.type(item.node) != type) return std::nullopt;
        operands.push_back(item.node);
    }
    return graph_.make({.op = op, .operands = operands, .type = type});
}

bool Instantiation::node(const Term& t, OpId op, TypeId expected, const Items& items,
                         std::span<const std::size_t> counts, Items& out) {
    Context& context = graph_.context();
    if (context.operations[op].core != Core::None) return structural(t, op, expected, items, out);
    if (!context.operations.accepts(op, items.size())) return fail("wrong number of operands");
    if (const auto made = flat(context.operations[op], op, items)) {
        out.push_back({*made, {}});
        return true;
    }
    AttrId attrs;
    if (!attributes(t, op, expected, attrs)) return false;

    std::vector<OperandInfo> infos;
    std::vector<BlockShape> shapes(t.blocks.size());
    bool waiting = false;
    for (const Item& item : items) {
        if (item.node && !is_one_value(item.node)) return invalid(item.node);
        waiting = waiting || !item.node;
        infos.push_back(item.node ? operand_info(graph_, item.node) : OperandInfo{});
    }
    for (std::size_t b = 0; b < t.blocks.size(); ++b) {
        if (t.blocks[b].whole)
            shapes[b] = block_shape(graph_, binding(t.blocks[b].whole).block);
        else
            shapes[b] = shape(t.blocks[b]);
    }
    Inference first(context, op, attrs);
    if (!first.operands(infos, shapes)) return fail(first.error());
    std::vector<TypeId> due;
    if (waiting)
        for (std::size_t i = 0; i < items.size(); ++i) {
            TypeId type = items[i].node ? TypeId{} : first.operand(i);
            // A numeral among numerals only: as the result is expected to be.
            if (!items[i].node && !type && expected && context.types.is_scalar(expected))
                type = due_by(context.operations[op].signature, i, expected, {});
            due.push_back(type);
        }
    Nodes operands;
    if (!settle(items, due, operands)) return false;
    for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = operand_info(graph_, operands[i]);

    std::optional<Inference> inference;
    std::vector<BlockId> blocks;
    std::vector<std::size_t> lengths = common_lengths(rule_.correspondence(t, op), counts);
    constexpr unsigned most_rounds = 8; // each forgets a length
    for (unsigned round = 0;; ++round) {
        inference.emplace(context, op, attrs);
        if (!inference->operands(infos, shapes)) return fail(inference->error());
        if (!node_blocks(t, *inference, rule_.correspondence(t, op), lengths, blocks)) return false;
        if (inference->settled() || round == most_rounds || !weaken(*inference, infos)) break;
    }
    auto type = inference->result();
    if (!type) return fail("the type is not determined");
    if (in_order && !builder_.token() && effect_use(graph_, op, attrs, blocks).takes) { // nothing says when it happens
        const std::string why = "gives an effect, '" + std::string(context.symbols[context.operations[op].name]) +
                                "', where its left side is no effect";
        // A function that only the match names may have effects, or none: then the rule does not apply.
        const bool named_by_match = makes_function(t) || (t.kind == TermKind::Call && !t.attrs.empty() &&
                                                          t.attrs[0].kind == AttrTerm::Kind::Literal);
        if (!named_by_match) invalid_ = why;
        return fail(why);
    }
    auto made = makes_function(t) ? around_.call_of_new(builder_, graph_.context().attributes[attrs][0].text(),
                                                        operands, blocks[0], *type)
                                  : builder_.apply(op, attrs, operands, blocks, *type);
    if (!*made) return fail("there can be no such function");
    out.push_back({*made, {}});
    return true;
}

bool Instantiation::node_blocks(const Term& t, Inference& inference, const Correspondence* corresponding,
                                std::vector<std::size_t>& lengths, std::vector<BlockId>& out) {
    out.clear();
    for (std::size_t b = 0; b < t.blocks.size(); ++b) {
        CommonLengths params;
        if (corresponding) params = {corresponding->params[b], lengths};
        if (!block(t.blocks[b], inference, b, params, out)) return false;
    }
    return true;
}

// Weakens the types of carried operands to what holds after an iteration. True if one lost knowledge: the blocks must
// be built again.
bool Instantiation::weaken(Inference& inference, std::vector<OperandInfo>& infos) {
    Types& types = graph_.context().types;
    bool weaker = false;
    for (std::size_t i = 0; i < infos.size(); ++i) {
        const TypeId type = inference.operand(i);
        if (!type || !types.agree(type, infos[i].type)) continue;
        const TypeId met = types.meet(type, infos[i].type);
        weaker = weaker || met != infos[i].type;
        infos[i].type = met;
    }
    return weaker;
}

// As far as it shows before sequences are unrolled.
BlockShape Instantiation::shape(const BlockTerm& t) const {
    BlockShape shape;
    if (std::ranges::none_of(t.params, [&](VariableId v) { return rule_[v].sequence; })) shape.params = t.params.size();
    for (TermId result : t.results) shape.least_results += !rule_[result].sequence;
    return shape;
}

bool Instantiation::block(const BlockTerm& t, Inference& inference, std::size_t i, const CommonLengths& params,
                          std::vector<BlockId>& out) {
    if (!t.whole) return open_block(t, inference, i, params, out);
    BlockId id = binding(t.whole).block;
    std::vector<TypeId> results;
    for (NodeId result : graph_.results(id)) results.push_back(graph_.type(result));
    if (auto due = inference.block_params(i)) { // the block's own parameters are what it is used with
        const auto params = graph_.params(id);
        for (std::size_t k = 0; k < params.size() && k < due->size(); ++k)
            if (!graph_.context().types.agree(graph_.type(params[k]), (*due)[k]))
                return fail("a block of parameters of other types");
        if (params.size() != due->size()) return fail("a block of another number of parameters");
    }
    if (!inference.block(i, results)) return fail(inference.error());
    out.push_back(id);
    return true;
}

// The values of nodes: all results of an operation with several, and no value of one without results.
std::vector<NodeId> Instantiation::values_of(std::span<const NodeId> nodes) {
    Nodes out;
    for (NodeId node : nodes) {
        const TypeKind kind = graph_.kind(node);
        if (kind != TypeKind::Results && kind != TypeKind::Unit) out.push_back(node);
        if (kind != TypeKind::Results) continue;
        for (std::size_t k = 0; k < graph_.result_count(node); ++k) out.push_back(graph_.result(node, k));
    }
    return out;
}

// The block of the left side that `{ |%x...| ?f(%x...)... }` is again, if ?f is all of that block; none: it is built.
BlockId Instantiation::same_block(const BlockTerm& t, std::span<const TypeId> types) const {
    if (t.results.size() != 1 || t.params.empty() || !t.lines.empty()) return {};
    const Term& result = rule_[t.results[0]];
    if (result.kind != TermKind::Apply || result.line || rule_[result.variable].kind != VariableKind::Node) return {};
    if (result.sequence != rule_[result.variable].sequence) return {};
    const auto is_param = [&](TermId operand, VariableId param) {
        const Term& argument = rule_[operand];
        return argument.kind == TermKind::Variable && argument.variable == param &&
               argument.sequence == rule_[param].sequence;
    };
    if (!std::ranges::equal(result.operands, t.params, is_param)) return {};
    const Binding& function = binding(result.variable);
    if (!function.bound || function.block || function.holes.size() != types.size()) return {};
    for (VariableId v{0}; v.index < rule_.variables.size(); ++v.index) {
        const BlockId block = rule_[v].kind == VariableKind::Param ? given_[v.index].block : BlockId{};
        if (!block || !given_[v.index].bound || graph_[block].entry) continue;
        const auto has_type = [&](NodeId param, TypeId type) { return graph_.type(param) == type; };
        if (std::ranges::equal(graph_.params(block), function.holes) &&
            std::ranges::equal(graph_.results(block), function.items) &&
            std::ranges::equal(graph_.params(block), types, has_type))
            return block;
    }
    return {};
}

bool Instantiation::open_block(const BlockTerm& t, Inference& inference, std::size_t i, const CommonLengths& params,
                               std::vector<BlockId>& out) {
    auto types = inference.block_params(i);
    if (!types) return fail("the parameter types of a block are not determined");
    auto counts = share_params(rule_, t, types->size(), params);
    if (!counts) return fail("a block with another number of parameters");
    if (const BlockId same = same_block(t, *types)) {
        std::vector<TypeId> results;
        for (NodeId result : graph_.results(same)) results.push_back(graph_.type(result));
        if (!inference.block(i, results)) return fail(inference.error());
        out.push_back(same);
        return true;
    }
    Builder::Open open = builder_.open(*types);
    std::vector<Binding> saved;
    if (!own_) own_ = given_;
    Bindings& bindings = *own_;
    std::vector<SymbolId> names;
    std::size_t next = 0;
    for (std::size_t p = 0; p < t.params.size(); ++p) {
        VariableId v = t.params[p];
        saved.push_back(bindings[v.index]);
        std::size_t count = (*counts)[p];
        Binding& b = bindings[v.index];
        b = {};
        b.bound = true;
        for (std::size_t k = 0; k < count; ++k, ++next) {
            b.items.push_back(open.params[next]);
            names.push_back(p < t.names.size() && count == 1 ? t.names[p] : SymbolId{});
        }
    }
    // Sequences of the block's own parameters run afresh inside it.
    Items results;
    bool fine = lines(t.lines);
    for (TermId result : t.results) {
        if (!fine) break;
        auto expected = inference.expected_results(i, results.size() + 1);
        fine = term(result, expected.size() > results.size() ? expected[results.size()] : TypeId{}, results);
    }
    Nodes nodes;
    if (fine) fine = settle(results, inference.expected_results(i, results.size()), nodes);
    nodes = values_of(nodes);
    for (std::size_t p = 0; p < t.params.size(); ++p) bindings[t.params[p].index] = std::move(saved[p]);
    for (TermId id : t.lines) lines_.erase(id);
    if (!fine) {
        builder_.abandon(open);
        return false;
    }
    std::vector<TypeId> result_types;
    for (NodeId node : nodes) result_types.push_back(graph_.type(node));
    BlockId id = builder_.close(open, names, nodes);
    if (!inference.block(i, result_types)) return fail(inference.error());
    out.push_back(id);
    return true;
}

} // namespace irrewrite
