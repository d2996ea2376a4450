#include "engine/jit/lower_rule.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite::term {

// The one plain operation that the term can be of. Nodes of others are no terms; where one is built, the
// others must not fit.
std::optional<OpId> Lowering::plain(const Term& t, bool built) const {
    if (t.kind != TermKind::Node || t.sequence || !t.attrs.empty() || !t.blocks.empty()) return std::nullopt;
    std::optional<OpId> found;
    for (OpId op : t.ops) {
        if (!is_plain(context_, op) || t.operands.size() != context_.operations[op].signature.operands.size()) continue;
        if (found) return std::nullopt;
        found = op;
    }
    if (found && built)
        for (OpId op : t.ops)
            if (op != *found && may_fit(op, *found)) return std::nullopt;
    return found;
}

// True if `op` may accept the operands that `other` does.
bool Lowering::may_fit(OpId op, OpId other) const {
    const auto &operands = context_.operations[op].signature.operands,
               &given = context_.operations[other].signature.operands;
    if (!context_.operations.accepts(op, given.size())) return false;
    for (std::size_t i = 0; i < std::min(operands.size(), given.size()) && !operands[i].sequence; ++i)
        if (operands[i].kind == TypeTerm::Kind::Known && operands[i].type != given[i].type) return false;
    return true;
}

std::optional<Symbol> Lowering::root() {
    if (from_.left.size() != 1 || from_.right.size() != 1 || from_.parameters || from_.at) return std::nullopt;
    if (from_.terms.size() > max_terms) return std::nullopt;
    auto op = plain(from_[from_.left[0]], false);
    return op ? std::optional(program_.add(context_, *op)) : std::nullopt;
}

std::optional<Rule> Lowering::rule() {
    const Term& left = from_[from_.left[0]];
    const Signature& signature = context_.operations[*plain(left, false)].signature;
    to_.operands.resize(left.operands.size());
    for (std::size_t i = 0; i < left.operands.size(); ++i)
        if (!pattern(left.operands[i], signature.operands[i].type, to_.operands[i])) return std::nullopt;
    for (const Condition& c : from_.conditions)
        if (c.kind == Condition::Kind::Build && !let(c)) return std::nullopt;
    if (!build(from_.right[0], signature.results[0].type, to_.right)) return std::nullopt;
    to_.built = static_cast<std::uint32_t>(to_.computations.size());
    for (const Condition& c : from_.conditions)
        if (c.kind != Condition::Kind::Build && !condition(c)) return std::nullopt;
    return std::move(to_);
}

// -- the left side ----------------------------------------------------------------------------------

bool Lowering::fits(const Term& t, TypeId type) const {
    if (t.sequence || !belongs(context_.types, type, t.annotation_class)) return false;
    return !t.annotation || (t.annotation->kind == TypeTerm::Kind::Known && t.annotation->type == type);
}

bool Lowering::variable(const Term& t, TypeId type, Shape& out) {
    const Variable& v = from_[t.variable];
    if (v.sequence || !fits(t, type) || (v.kind != VariableKind::Node && v.kind != VariableKind::Literal)) return false;
    if (v.kind == VariableKind::Literal && !context_.types.is_scalar(type)) return false;
    if (v.kind == VariableKind::Literal) out.symbol = literal(context_.types.kind(type));
    auto [it, fresh] = variables_.try_emplace(t.variable, to_.variables);
    if (fresh) types_[t.variable] = type, ++to_.variables;
    if (!fresh) { // the same again: a variable of its own, and a test
        to_.tests.push_back({Test::Kind::Equal, false, it->second, to_.variables});
        out.kind = Shape::Kind::Variable, out.variable = to_.variables++;
        return true;
    }
    out.kind = Shape::Kind::Variable, out.variable = it->second;
    return true;
}

bool Lowering::number(const Term& t, TypeId type, Shape& out) const {
    if (!context_.types.is_scalar(type)) return false;
    TypeKind kind = context_.types.kind(type);
    NumberText text = split_number(context_.symbols[t.text]);
    if (kind == TypeKind::Bool || (text.suffix && *text.suffix != kind)) return false;
    auto bits = parse_scalar(kind, text.digits);
    if (!bits) return false;
    out.kind = Shape::Kind::Literal, out.value = {kind, *bits}, out.symbol = literal(kind);
    return true;
}

bool Lowering::pattern(TermId id, TypeId type, Shape& out) {
    const Term& t = from_[id];
    switch (t.kind) {
    case TermKind::Wildcard: return !t.sequence;
    case TermKind::Variable: return variable(t, type, out);
    case TermKind::Number: return number(t, type, out);
    case TermKind::Constant:
        if (t.constant.kind != AttrValue::Kind::Number || t.constant.type != type) return false;
        out.kind = Shape::Kind::Literal, out.value = {context_.types.kind(type), t.constant.bits};
        out.symbol = literal(out.value.type);
        return true;
    case TermKind::Node: {
        auto op = plain(t, false);
        if (!op || context_.types.is_scalar(type) || context_.operations[*op].signature.results[0].type != type)
            return false;
        out.kind = Shape::Kind::Cell, out.symbol = program_.add(context_, *op);
        out.parts.resize(t.operands.size());
        for (std::size_t i = 0; i < t.operands.size(); ++i)
            if (!pattern(t.operands[i], context_.operations[*op].signature.operands[i].type, out.parts[i]))
                return false;
        return true;
    }
    default: return false;
    }
}

// -- the right side ---------------------------------------------------------------------------------

std::optional<std::uint32_t> Lowering::number_of(VariableId v) const {
    auto it = variables_.find(v);
    return it == variables_.end() ? std::nullopt : std::optional(it->second);
}

bool Lowering::build(TermId id, TypeId type, Shape& out) {
    const Term& t = from_[id];
    if (t.sequence) return false;
    switch (t.kind) {
    case TermKind::Variable: {
        if (auto it = lets_.find(t.variable); it != lets_.end()) {
            out = it->second;
            lets_.erase(it); // built once: a second use would be another cell
            return true;
        }
        auto number = number_of(t.variable);
        if (!number || types_.at(t.variable) != type) return false;
        out.kind = Shape::Kind::Variable, out.variable = *number;
        return true;
    }
    case TermKind::Number: return number(t, type, out);
    case TermKind::Constant: return pattern(id, type, out);
    case TermKind::Compute: {
        if (!context_.types.is_scalar(type)) return false;
        Computation computation;
        if (!compute(t.operands[0], context_.types.kind(type), computation)) return false;
        if (computation.type() != context_.types.kind(type)) return false;
        out.kind = Shape::Kind::Compute, out.symbol = literal(computation.type());
        out.computation = static_cast<std::uint32_t>(to_.computations.size());
        to_.computations.push_back(std::move(computation));
        return true;
    }
    case TermKind::Node: {
        auto op = plain(t, true);
        if (!op || context_.operations[*op].signature.results[0].type != type || context_.types.is_scalar(type))
            return false;
        out.kind = Shape::Kind::Cell, out.symbol = program_.add(context_, *op);
        out.parts.resize(t.operands.size());
        for (std::size_t i = 0; i < t.operands.size(); ++i)
            if (!build(t.operands[i], context_.operations[*op].signature.operands[i].type, out.parts[i])) return false;
        return true;
    }
    default: return false;
    }
}

// `?y = term`, used once: it stands where it is used.
bool Lowering::let(const Condition& c) {
    const Term& t = from_[c.a];
    if (t.kind != TermKind::Node || variables_.contains(c.variable)) return false;
    auto op = plain(t, true);
    Shape shape;
    if (!op || !build(c.a, context_.operations[*op].signature.results[0].type, shape)) return false;
    lets_.emplace(c.variable, std::move(shape));
    return true;
}

// -- conditions -------------------------------------------------------------------------------------

bool Lowering::condition(const Condition& c, bool negated) {
    if (c.kind == Condition::Kind::Not) return condition(c.parts[0], !negated);
    return c.kind == Condition::Kind::Compare && (equal(c, negated) || compare(c, negated));
}

// Two terms that were matched.
bool Lowering::equal(const Condition& c, bool negated) {
    const Term &a = from_[c.a], &b = from_[c.b];
    std::string_view op = context_.symbols[c.text];
    if (a.kind != TermKind::Variable || b.kind != TermKind::Variable || (op != "==" && op != "!=")) return false;
    auto x = number_of(a.variable), y = number_of(b.variable);
    if (!x || !y || types_.at(a.variable) != types_.at(b.variable)) return false;
    if (context_.types.is_scalar(types_.at(a.variable))) return false;
    to_.tests.push_back({Test::Kind::Equal, negated != (op == "!="), *x, *y});
    return true;
}

bool Lowering::compare(const Condition& c, bool negated) {
    static constexpr std::pair<std::string_view, std::string_view> names[] = {{"==", "eq"}, {"!=", "ne"}, {"<", "lt"},
                                                                              {"<=", "le"}, {">", "gt"},  {">=", "ge"}};
    auto name =
        std::ranges::find(names, context_.symbols[c.text], &std::pair<std::string_view, std::string_view>::first);
    auto a = literal_type(c.a), b = literal_type(c.b);
    std::optional<TypeKind> type = a ? a : b;
    if (name == std::end(names) || !type) return false;
    Computation computation;
    if (!compute(c.a, type, computation) || computation.type() != *type) return false;
    Computation right;
    if (!compute(c.b, type, right) || right.type() != *type) return false;
    computation.steps.insert(computation.steps.end(), right.steps.begin(), right.steps.end());
    computation.steps.push_back({.kind = Step::Kind::Primitive,
                                 .primitive = find_primitive(name->second),
                                 .operands = 2,
                                 .operand_type = *type,
                                 .type = TypeKind::Bool});
    to_.tests.push_back({Test::Kind::Compare, negated, static_cast<std::uint32_t>(to_.computations.size()), 0});
    to_.computations.push_back(std::move(computation));
    return true;
}

// -- computations -----------------------------------------------------------------------------------

// The type that a term has by itself; none: a numeral takes that of its surroundings.
std::optional<TypeKind> Lowering::literal_type(TermId id) const {
    const Term& t = from_[id];
    switch (t.kind) {
    case TermKind::Number: return split_number(context_.symbols[t.text]).suffix;
    case TermKind::Constant: return TypeKind::Bool;
    case TermKind::Variable:
        if (auto it = types_.find(t.variable); it != types_.end() && from_[t.variable].kind == VariableKind::Literal)
            return context_.types.kind(it->second);
        return std::nullopt;
    case TermKind::Compute: return literal_type(t.operands[0]);
    case TermKind::Node:
        for (TermId operand : t.operands)
            if (auto type = literal_type(operand)) return type;
        return std::nullopt;
    default: return std::nullopt;
    }
}

bool Lowering::compute(TermId id, std::optional<TypeKind> due, Computation& out) const {
    const Term& t = from_[id];
    switch (t.kind) {
    case TermKind::Compute: return compute(t.operands[0], due, out);
    case TermKind::Number: {
        NumberText text = split_number(context_.symbols[t.text]);
        TypeKind type = text.suffix ? *text.suffix : due.value_or(text.is_float ? TypeKind::F64 : TypeKind::I64);
        auto bits = parse_scalar(type, text.digits);
        if (!bits) return false;
        out.steps.push_back({.kind = Step::Kind::Constant, .constant = {type, *bits}});
        return true;
    }
    case TermKind::Variable: {
        auto number = number_of(t.variable);
        auto type = literal_type(id);
        if (!number || !type) return false;
        out.steps.push_back({.kind = Step::Kind::Variable, .variable = *number, .type = *type});
        return true;
    }
    case TermKind::Node: return operation(t, due, out);
    default: return false;
    }
}

// Arithmetic whose operands and result have one type.
bool Lowering::operation(const Term& t, std::optional<TypeKind> due, Computation& out) const {
    static constexpr std::string_view names[] = {"add", "sub", "mul", "div", "rem", "neg", "abs", "min",
                                                 "max", "and", "or",  "xor", "not", "shl", "shr"};
    std::optional<TypeKind> type = due;
    for (TermId operand : t.operands)
        if (auto own = literal_type(operand)) type = own;
    for (OpId op : t.ops) {
        const Operation& operation = context_.operations[op];
        bool same = std::ranges::find(names, context_.symbols[operation.name]) != std::end(names);
        if (!same || !type || !t.attrs.empty() || operation.signature.operands.size() != t.operands.size()) continue;
        for (TermId operand : t.operands) {
            if (!compute(operand, type, out)) return false;
            const Step& last = out.steps.back();
            if ((last.kind == Step::Kind::Constant ? last.constant.type : last.type) != *type) return false;
        }
        out.steps.push_back({.kind = Step::Kind::Primitive,
                             .primitive = operation.primitive,
                             .operands = static_cast<std::uint32_t>(t.operands.size()),
                             .operand_type = *type,
                             .type = *type});
        return operation.primitive >= 0;
    }
    return false;
}

} // namespace irrewrite::term
