// Applications of operations: attributes, operands, the type.
#include "engine/ir/scalars.hpp"
#include "grammar/program/advice.hpp"
#include "grammar/program/body.hpp"
#include "grammar/program/expected_types.hpp"
#include "grammar/program/numeral_types.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {
constexpr NodeId pending{UINT32_MAX - 1}; // an operand that is built when its type is known
} // namespace

bool Body::start_application(SyntaxId id, TypeId due) {
    const auto children = tree_.children_of(id);
    std::uint32_t first = 0, count = 0;
    while (first < children.size() && tree_[children[first]].kind == Kind::Attr) ++first;
    while (first + count < children.size() && !is_block(tree_[children[first + count]])) ++count;
    const OpId op = facts_.op(id);
    const auto attrs = attributes(id, context_.operations[op], due);
    if (!attrs) {
        ok_ = false;
        return give({});
    }
    const auto base = static_cast<std::uint32_t>(values_.size());
    values_.resize(base + count, pending);
    wanted_.resize(base + count);
    stack_.push_back(
        Application{.id = id, .op = op, .due = due, .attrs = *attrs, .base = base, .first = first, .count = count});
    return false;
}

// -- attributes
// -------------------------------------------------------------------------------------

std::optional<AttrId> Body::attributes(SyntaxId id, const Operation& operation, TypeId due) {
    const auto& declared = operation.attributes;
    if (declared.empty() && (tree_[id].kind != Kind::Op || tree_[id].count == 0)) return Attributes::none();
    std::vector<std::optional<AttrValue>> given(declared.size());
    std::size_t next = 0;
    for (SyntaxId child : tree_.children_of(id)) {
        if (tree_[child].kind != Kind::Attr) break;
        const std::string_view name = tree_.name(child);
        std::size_t i = next++;
        if (!name.empty()) {
            const auto named = [&](const AttrDecl& d) { return context_.symbols[d.name] == name; };
            i = static_cast<std::size_t>(std::ranges::find_if(declared, named) - declared.begin());
        }
        if (i >= declared.size() || given[i]) {
            error(child, "'" + std::string(tree_.name(id)) + "' has no such attribute");
            return std::nullopt;
        }
        if (!(given[i] = attribute(child, declared[i]))) return std::nullopt;
    }
    std::vector<AttrValue> values;
    for (std::size_t i = 0; i < declared.size(); ++i) {
        if (!given[i] && declared[i].kind == AttrKind::Type && due)
            given[i] = AttrValue{.kind = AttrValue::Kind::Type, .type = due};
        if (!given[i]) {
            const std::string name(tree_.name(id));
            error(
                id, "'" + name + "' is missing its attribute '" + std::string(context_.symbols[declared[i].name]) + "'",
                declared[i].kind == AttrKind::Type ? "write '" + name + "[f64](…)', with the type that you need" : "");
            return std::nullopt;
        }
        values.push_back(*given[i]);
    }
    return context_.attributes.add(values);
}

std::optional<AttrValue> Body::attribute(SyntaxId id, const AttrDecl& declared) {
    const SyntaxId value = tree_.children_of(id)[0];
    const Kind kind = tree_[value].kind;
    const auto number = [&](TypeKind type, std::uint64_t bits) {
        return AttrValue{.kind = AttrValue::Kind::Number, .type = context_.types.scalar(type), .bits = bits};
    };
    switch (declared.kind) {
    case AttrKind::Type:
        if (kind != Kind::TypeName && kind != Kind::TypeArray && kind != Kind::TypeTuple && kind != Kind::TypeRef &&
            kind != Kind::TypeMut && kind != Kind::TypeApply)
            break;
        if (const auto type = this->type(value)) return AttrValue{.kind = AttrValue::Kind::Type, .type = *type};
        return std::nullopt;
    case AttrKind::Bool:
        if (kind == Kind::Bool) return number(TypeKind::Bool, tree_.name(value) == "true");
        break;
    case AttrKind::Text:
        if (kind != Kind::String) break;
        return AttrValue{
            .kind = AttrValue::Kind::Text, .type = {}, .bits = context_.symbols.add(unescape(tree_.name(value))).index};
    case AttrKind::Int:
    case AttrKind::Float: {
        const TypeKind type = declared.kind == AttrKind::Int ? TypeKind::I64 : TypeKind::F64;
        if (kind != Kind::Number) break;
        if (const auto bits = parse_scalar(type, split_number(tree_.name(value)).digits)) return number(type, *bits);
        break;
    }
    }
    static constexpr std::string_view kinds[] = {"an integer literal", "a float literal", "'true' or 'false'",
                                                 "a string", "a type"};
    error(value, "this attribute is " + std::string(kinds[static_cast<std::size_t>(declared.kind)]));
    return std::nullopt;
}

// -- operands
// ---------------------------------------------------------------------------------------

void Body::step(Application& frame) {
    if (frame.blocks) return block_built(frame, block_.value_or(BlockId{}));
    if (frame.awaited != nothing) take_operand(frame);
    if (build_fixed(frame) && build_flexible(frame)) infer(frame);
}

// The place at which operand i is written.
SyntaxId Body::place_of(const Application& frame, std::size_t i) const {
    return frame.places.empty() ? tree_.children_of(frame.id)[frame.first + i] : frame.places[i];
}

// The results of the awaited operand are operands side by side.
void Body::spread(Application& frame) {
    const std::uint32_t i = frame.awaited;
    const std::size_t more = graph_.result_count(result_) - 1;
    if (frame.places.empty()) {
        const auto written = tree_.children_of(frame.id).subspan(frame.first, frame.count);
        frame.places.assign(written.begin(), written.end());
    }
    const auto behind = [&](auto& all, std::size_t at) { return all.begin() + static_cast<std::ptrdiff_t>(at) + 1; };
    frame.places.insert(behind(frame.places, i), more, frame.places[i]);
    values_.insert(behind(values_, frame.base + i), more, NodeId{});
    wanted_.insert(behind(wanted_, frame.base + i), more, TypeId{});
    for (std::size_t k = 0; k <= more; ++k) values_[frame.base + i + k] = builder_.project(result_, k);
    frame.count += static_cast<std::uint32_t>(more);
    frame.next += static_cast<std::uint32_t>(more);
    frame.inferred = false;
}

void Body::take_operand(Application& frame) {
    const SyntaxId id = place_of(frame, frame.awaited);
    if (result_ && graph_.kind(result_) == TypeKind::Results &&
        context_.operations[frame.op].signature.any_number(frame.awaited, frame.count)) {
        spread(frame);
        frame.awaited = nothing;
        return;
    }
    values_[frame.base + frame.awaited] = single(result_, id);
    if (frame.guarded) close_guard(frame, values_[frame.base + frame.awaited]);
    frame.awaited = nothing;
}

// Those whose type stands by itself, in program order. False: one of them takes a frame.
bool Body::build_fixed(Application& frame) {
    while (frame.next < frame.count) {
        const std::uint32_t i = frame.next++;
        const SyntaxId id = place_of(frame, i);
        if (facts_.flexible(id)) continue;
        frame.awaited = i;
        if (i == 1 && may_guard(frame) && facts_.effectful(id) && !facts_.only_reads(id)) open_guard(frame);
        if (!start(id, hint(frame, i))) return false;
        take_operand(frame);
    }
    return true;
}

bool Body::build_flexible(Application& frame) {
    for (std::uint32_t i; (i = choose_pending(frame)) != nothing;) {
        const TypeId wanted = wanted_[frame.base + i];
        // The type of an operand may determine those of the others; not used for long lists, to stay linear.
        constexpr std::uint32_t long_list = 64;
        if (!wanted && frame.count <= long_list) frame.inferred = false;
        frame.awaited = i;
        if (!start(place_of(frame, i), wanted)) return false;
        take_operand(frame);
    }
    return true;
}

// The next operand to build: one whose type is known; else an expression, else a float, else any.
std::uint32_t Body::choose_pending(Application& frame) {
    std::uint32_t chosen = nothing;
    int best = 0;
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        if (values_[frame.base + i] != pending) continue;
        if (!frame.inferred) infer_pending(frame);
        if (wanted_[frame.base + i]) return i;
        const int rank = 1 + last_rank - this->rank(place_of(frame, i));
        if (rank > best) best = rank, chosen = i;
        if (frame.count > 64) return i;
    }
    return chosen;
}

// Sets wanted_ of the pending operands, as far as the others and what is due of the whole tell.
void Body::infer_pending(Application& frame) {
    frame.inferred = true;
    auto inference = infer_operands(frame, operand_infos(frame));
    const bool fits = inference.error().empty();
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        TypeId& wanted = wanted_[frame.base + i];
        if (values_[frame.base + i] != pending) continue;
        wanted = fits ? inference.operand(i) : TypeId{};
        if (!wanted) wanted = hint(frame, i);
    }
}

// The operation on these operands. An operator may mean several: the first declared that fits.
Inference Body::infer_operands(Application& frame, std::span<const OperandInfo> infos) {
    Inference first(context_, frame.op, frame.attrs);
    const bool fits = first.operands(infos, block_shapes(frame));
    if (tree_[frame.id].kind == Kind::Op || (fits && numerals_fit(frame, first))) return first;
    for (OpId other : facts_.overloads(frame.id)) {
        Inference inference(context_, other, frame.attrs);
        if (!inference.operands(infos, {}) || !numerals_fit(frame, inference)) continue;
        frame.op = other;
        return inference;
    }
    return first;
}

// True if the numerals that are not built yet would be numbers.
bool Body::numerals_fit(const Application& frame, Inference& inference) const {
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const SyntaxId id = place_of(frame, i);
        if (values_[frame.base + i] != pending || tree_[id].kind != Kind::Number) continue;
        const TypeId type = inference.operand(i);
        if (type && !belongs(context_.types, type, TypeClass::Num)) return false;
    }
    return true;
}

TypeId Body::hint(const Application& frame, std::size_t operand) {
    const Signature& signature = context_.operations[frame.op].signature;
    const TypeTerm* term = operand_term(signature, operand, frame.count);
    if (!term) return {};
    std::size_t position = 0;
    if (term->sequence) position = operand - static_cast<std::size_t>(term - signature.operands.data());
    return Expected(context_.types, signature, frame.due).build(*term, position);
}

std::vector<OperandInfo> Body::operand_infos(const Application& frame) const {
    std::vector<OperandInfo> infos(frame.count);
    for (std::uint32_t i = 0; i < frame.count; ++i) {
        const NodeId value = values_[frame.base + i];
        if (value && value != pending) infos[i] = operand_info(graph_, value);
    }
    return infos;
}

// -- the whole
// --------------------------------------------------------------------------------------

// All operands are there: the blocks follow, or the node itself.
void Body::infer(Application& frame) {
    for (std::uint32_t i = 0; i < frame.count; ++i)
        if (!values_[frame.base + i]) return fail(frame.base);
    if (compares_wholes(frame)) return compare_wholes(frame);
    std::vector<OperandInfo> infos = operand_infos(frame);
    if (const auto known = weakened_.find(frame.id); known != weakened_.end())
        for (std::size_t i = 0; i < infos.size(); ++i)
            if (known->second[i] && context_.types.agree(known->second[i], infos[i].type))
                infos[i].type = context_.types.meet(known->second[i], infos[i].type);
    Inference inference = infer_operands(frame, infos);
    if (!inference.error().empty()) {
        Diagnostic& wrong = error(frame.id, inference.error(), advice_on_operands(context_, frame.op, infos));
        for (std::size_t i = 0, same = 1; i < frame.places.size(); i += same, same = 1) {
            while (i + same < frame.places.size() && frame.places[i + same] == frame.places[i]) ++same;
            if (same > 1)
                wrong.notes.push_back(
                    {tree_.span(frame.places[i]), "this gives " + std::to_string(same) + " operands"});
        }
        return fail(frame.base);
    }
    if (context_.operations[frame.op].signature.blocks.empty()) return conclude(frame, inference, {});
    frame.blocks = std::make_unique<Blocks>();
    frame.blocks->infos = std::move(infos);
    frame.blocks->inference.emplace(std::move(inference));
    next_block(frame);
}

void Body::conclude(Application& frame, Inference& inference, std::span<const BlockId> blocks) {
    const auto type = inference.result();
    if (!type) {
        error(frame.id, "cannot infer the type of this", inference.error());
        return fail(frame.base);
    }
    const auto first = values_.begin() + frame.base;
    const std::vector<NodeId> operands(first, first + static_cast<std::ptrdiff_t>(frame.count));
    if (!may_give(context_, frame.op, operands.empty() ? TypeId{} : graph_.type(operands[0]), *type)) {
        const std::string name(context_.symbols[context_.operations[frame.op].name]);
        error(frame.id, "'" + name + "' cannot have the result type " + text_of(*type));
        return fail(frame.base);
    }
    const NodeId guard = frame.right || needs_guard(frame) ? make_guard(frame) : NodeId{};
    const NodeId node = guard ? guard : apply(frame.id, frame.op, frame.attrs, operands, blocks, *type);
    finish(node, frame.base);
}

} // namespace irrewrite::grammar
