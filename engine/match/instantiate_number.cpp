// Numbers of right sides and conditions: numerals, `#(…)`, `count(?xs)`. Numerals alone take the type that is due, and which one
// that is.
#include "engine/match/instantiate.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

bool Instantiation::is_float(TermId numeral) const {
    const Term& t = rule_[numeral];
    if (t.kind == TermKind::Number) return split_number(graph_.context().symbols[t.text]).is_float;
    return std::ranges::any_of(t.operands, [&](TermId operand) { return is_float(operand); });
}

bool Instantiation::adapt(Number& x, TypeKind type) {
    const auto adapted = number(x.open, type);
    if (!adapted || adapted->type != type) return false;
    x = *adapted;
    return true;
}

bool Instantiation::unify(Number& a, Number& b) {
    if (!a.type && !b.type) {
        const TypeKind type = is_float(a.open) || is_float(b.open) ? TypeKind::F64 : TypeKind::I64;
        return adapt(a, type) && adapt(b, type);
    }
    if (!a.type) return adapt(a, *b.type);
    if (!b.type) return adapt(b, *a.type);
    return *a.type == *b.type;
}

std::optional<Instantiation::Number> Instantiation::number(TermId id, std::optional<TypeKind> due) {
    const Term& t = rule_[id];
    switch (t.kind) {
    case TermKind::Number: {
        const NumberText text = split_number(graph_.context().symbols[t.text]);
        const auto type = text.suffix ? text.suffix : due;
        if (!type) return Number{{}, id, 0};
        const auto bits = parse_scalar(*type, text.digits);
        return bits ? std::optional(Number{type, {}, *bits}) : std::nullopt;
    }
    case TermKind::Constant:
        if (t.constant.kind != AttrValue::Kind::Number) return std::nullopt;
        return Number{graph_.context().types.kind(t.constant.type), {}, t.constant.bits};
    case TermKind::Variable: {
        NodeId node = item(t.variable);
        if (rule_[t.variable].kind == VariableKind::Dim) {
            Dim dim = binding(t.variable).dim;
            if (dim.kind != DimKind::Constant) return std::nullopt;
            return Number{TypeKind::I64, {}, static_cast<std::uint64_t>(dim.value)};
        }
        if (!node || !graph_.is_number(node)) return std::nullopt;
        return Number{graph_.kind(node), {}, graph_.bits(node)};
    }
    case TermKind::Count: {
        const Binding& b = binding(t.variable);
        std::size_t count = b.items.size();
        if (t.parts) {
            const NodeId whole = item(t.variable);
            if (!whole) return std::nullopt;
            count = part_count(whole);
        }
        if (t.results) {
            count = 0;
            ResultCount results(graph_);
            for (NodeId item : b.items) count += results(item);
        }
        return Number{TypeKind::I64, {}, count};
    }
    case TermKind::Compute: {
        if (!t.evaluated) return number(t.operands[0], due);
        const NodeId value = evaluated(t);
        if (!value || !graph_.is_number(value)) return std::nullopt;
        return Number{graph_.kind(value), {}, graph_.bits(value)};
    }
    case TermKind::Node: return compute_operation(id, due);
    case TermKind::Project:
    case TermKind::Field: { // of a literal
        const auto part = build(id);
        if (!part || part->size() != 1 || !graph_.is_number((*part)[0])) return std::nullopt;
        return Number{graph_.kind((*part)[0]), {}, graph_.bits((*part)[0])};
    }
    default: return std::nullopt;
    }
}

// Operations that are not scalar are built as nodes, which are evaluated.
NodeId Instantiation::evaluated(const Term& computed) {
    const auto built = build(computed.operands[0]);
    if (!built || built->size() != 1) return {};
    const NodeId node = (*built)[0];
    if (graph_.is_constant(node)) return node;
    const auto& evaluate = graph_.context().evaluate;
    return evaluate ? evaluate(graph_, node).value_or(NodeId{}) : NodeId{};
}

bool Instantiation::keeps_type(const Signature& signature, std::size_t first) {
    const auto same = [&](const TypeTerm& term) {
        return term.kind == TypeTerm::Kind::Variable && term.variable == signature.results[0].variable;
    };
    return signature.results.size() == 1 && same(signature.results[0]) && first < signature.operands.size() &&
           std::ranges::all_of(std::span(signature.operands).subspan(first), same);
}

std::optional<Instantiation::Number> Instantiation::compute_operation(TermId id, std::optional<TypeKind> due) {
    const Term& t = rule_[id];
    Context& context = graph_.context();
    std::vector<Number> operands;
    for (TermId operand : t.operands) {
        auto n = number(operand);
        if (!n) return std::nullopt;
        operands.push_back(*n);
    }
    for (OpId op : t.ops) {
        const Operation& operation = context.operations[op];
        if (operation.primitive < 0 || operands.empty() || operands.size() > 3) continue;
        const Primitive& primitive = primitives()[operation.primitive];
        std::size_t first = primitive.name == "select" ? 1 : 0;
        // Numerals take the type of the first operand that has one.
        std::size_t typed = first;
        while (typed + 1 < operands.size() && !operands[typed].type) ++typed;
        if (!operands[typed].type && keeps_type(operation.signature, first)) {
            if (!due) return Number{{}, id, 0};
            if (!adapt(operands[typed], *due)) return std::nullopt;
        }
        for (std::size_t i = first; i < operands.size(); ++i)
            if (i != typed && !unify(operands[typed], operands[i])) return std::nullopt;
        if (!operands[typed].type) {
            Number self = operands[typed];
            if (!unify(operands[typed], self)) return std::nullopt;
        }
        std::vector<OperandInfo> infos;
        for (const Number& n : operands) {
            if (!n.type) return std::nullopt;
            infos.push_back({context.types.scalar(*n.type), {}});
        }
        AttrId attrs;
        if (!attributes(t, op, {}, attrs)) return std::nullopt;
        Inference inference(context, op, attrs);
        if (!inference.operands(infos, {})) continue;
        auto type = inference.result();
        if (!type) continue;
        std::uint64_t values[3];
        for (std::size_t i = 0; i < operands.size(); ++i) values[i] = operands[i].bits;
        auto result = primitive.evaluate(*operands[first].type, context.types.kind(*type), {values, operands.size()});
        if (!result) return std::nullopt; // a fault: the rule does not apply
        return Number{context.types.kind(*type), {}, *result};
    }
    return std::nullopt;
}

TypeId Instantiation::due_type(const Term& t, std::size_t operand, std::size_t at, TypeId expected,
                               const Items& others) const {
    const Types& types = graph_.context().types;
    const bool is_struct = t.kind == TermKind::Struct;
    const auto is = [&](Core core) { return !is_struct && t.ops.size() == 1 && t.ops[0] == Operations::core(core); };
    if (is_struct) return types.fields(t.type)[operand].type;
    if (is(Core::List)) return expected && types.kind(expected) == TypeKind::Array ? types.element(expected) : TypeId{};
    if (is(Core::Tuple)) {
        const bool fits =
            expected && types.kind(expected) == TypeKind::Tuple && types.elements(expected).size() == t.operands.size();
        return fits ? types.elements(expected)[operand] : TypeId{};
    }
    TypeId due;
    for (const OpId op : t.ops) { // all overloads say the same, or nothing is due
        const TypeId type = due_by(graph_.context().operations[op].signature, at, expected, others);
        if (!type || (due && due != type)) return {};
        due = type;
    }
    return due;
}

namespace {
// The declared type of operand `at`; none: how many operands stand before it depends on the application.
const TypeTerm* declared(const Signature& signature, std::size_t at) {
    const auto& operands = signature.operands;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool several = operands[i].sequence;
        if (several && i + 1 < operands.size()) return nullptr;
        if (several || i == at) return &operands[i];
    }
    return nullptr;
}
bool is_type_variable(const TypeTerm& term, std::uint32_t variable) {
    return term.kind == TypeTerm::Kind::Variable && term.variable == variable;
}
// A type, and not a sequence of types.
bool is_one_type(const Signature& signature, std::uint32_t variable) {
    const auto alone = [&](const TypeTerm& term) { return is_type_variable(term, variable) && !term.sequence; };
    return std::ranges::any_of(signature.operands, alone);
}
} // namespace

// The declared type, that of the result, or that of another operand.
TypeId Instantiation::due_by(const Signature& signature, std::size_t at, TypeId expected, const Items& others) const {
    const TypeTerm* const term = declared(signature, at);
    if (!term) return {};
    if (term->kind == TypeTerm::Kind::Known) return graph_.context().types.lowered(term->type);
    if (term->kind != TypeTerm::Kind::Variable || !is_one_type(signature, term->variable)) return {};
    if (expected && signature.results.size() == 1 && is_type_variable(signature.results[0], term->variable))
        return expected;
    for (std::size_t i = 0; i < others.size(); ++i) {
        const TypeTerm* const other = others[i].node ? declared(signature, i) : nullptr;
        if (other && is_type_variable(*other, term->variable)) return graph_.type(others[i].node);
    }
    return {};
}

bool Instantiation::is_of_numerals(TermId id) const {
    const Term& t = rule_[id];
    if (t.kind == TermKind::Number) return true;
    const auto keeps = [&](OpId op) { return keeps_type(graph_.context().operations[op].signature, 0); };
    return t.kind == TermKind::Node && !t.line && !t.sequence && t.blocks.empty() && !t.operands.empty() &&
           std::ranges::all_of(t.operands, [&](TermId operand) { return is_of_numerals(operand); }) &&
           std::ranges::all_of(t.ops, keeps);
}

bool Instantiation::is_empty_list(TermId id) const {
    const Term& t = rule_[id];
    return t.kind == TermKind::Node && !t.line && t.operands.empty() && t.ops.size() == 1 &&
           t.ops[0] == Operations::core(Core::List);
}

} // namespace irrewrite
