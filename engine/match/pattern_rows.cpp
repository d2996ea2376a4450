#include "engine/match/pattern_rows.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

std::optional<Register> Places::find_or_add(Register parent, std::size_t operand) {
    for (std::size_t r = 1; r < list_.size(); ++r)
        if (list_[r].parent == parent && list_[r].operand == operand) return static_cast<Register>(r);
    if (list_.size() == max_registers || operand > UINT16_MAX) return std::nullopt;
    list_.push_back({parent, static_cast<std::uint16_t>(operand)});
    return static_cast<Register>(list_.size() - 1);
}

namespace {

bool any_sequence(const Rule& rule, const Term& term) {
    return std::ranges::any_of(term.operands, [&](TermId operand) { return rule[operand].sequence; });
}

// Reads one left side with given orders of operands.
class Reader {
  public:
    Reader(Context& context, const Rule& rule, Places& places, unsigned swapped, unsigned limit, Row& row)
        : context_(context), rule_(rule), places_(places), swapped_(swapped), limit_(limit), row_(row) {
        row_.variables.assign(rule.variables.size(), no_register);
    }

    // False: no node matches in this order.
    bool read(OpId root) {
        term(rule_.left[0], 0, root);
        return possible_;
    }
    unsigned choices() const { return choices_; }

  private:
    void test(Test::Kind kind, Register reg, std::uint32_t argument = 0, std::uint16_t operand = 0) {
        row_.tests.push_back({.kind = kind, .reg = reg, .from = 0, .operand = operand, .argument = argument});
    }
    void compare(Test::Kind kind, Register a, Register b) { row_.tests.push_back({.kind = kind, .reg = a, .from = b}); }
    void partly() { row_.whole = false; }

    void term(TermId id, Register reg, OpId root = {});
    void operations(Register reg, std::vector<OpId> ops);
    void core(Register reg, Core core) { operations(reg, {Operations::core(core)}); }
    void variable(const Term& term, Register reg);
    void bind(VariableId variable, Register reg);
    void number(const Term& term, Register reg);
    void constant(const Term& term, Register reg);
    void node(const Term& term, Register reg, OpId root);
    void operands(const Term& term, Register reg, const std::vector<OpId>& ops, bool swap);
    void attributes(const Term& term, Register reg);
    bool takes_any_order(const std::vector<OpId>& ops) const;
    bool chooses(const Term& term) const;
    Numeral numeral(const Term& term) const;

    Context& context_;
    const Rule& rule_;
    Places& places_;
    unsigned swapped_; // bit i: choice i, in the order of the pattern, takes the operands in the other order
    unsigned limit_;   // choices behind these are left to the plain matcher
    unsigned choices_ = 0;
    bool possible_ = true;
    Row& row_;
};

void Reader::term(TermId id, Register reg, OpId root) {
    const Term& t = rule_[id];
    switch (t.kind) {
    case TermKind::Variable: return variable(t, reg);
    case TermKind::Number: return number(t, reg);
    case TermKind::Constant: return constant(t, reg);
    case TermKind::Node: return node(t, reg, root);
    case TermKind::Struct:
        core(reg, Core::Struct);
        test(Test::Kind::Exact, reg, t.type.index);
        return operands(t, reg, {Operations::core(Core::Struct)}, false);
    case TermKind::Field:
        core(reg, Core::Field);
        test(Test::Kind::Field, reg, t.text.index);
        return operands(t, reg, {Operations::core(Core::Field)}, false);
    case TermKind::Call:
        core(reg, Core::Call);
        if (t.attrs.empty())
            test(Test::Kind::Callee, reg, t.text.index);
        else
            partly();
        return operands(t, reg, {Operations::core(Core::Call)}, false);
    case TermKind::Named: bind(t.variable, reg); return term(t.operands[0], reg, root);
    case TermKind::Wildcard: return;
    case TermKind::Project:
        partly();
        // At the root there is a projection; elsewhere the node may be its own result 0.
        if (auto inner = root ? places_.find_or_add(reg, 0) : std::nullopt) term(t.operands[0], *inner);
        return;
    default: return partly();
    }
}

// -- leaves -----------------------------------------------------------------------------------------

void Reader::operations(Register reg, std::vector<OpId> ops) {
    std::ranges::sort(ops);
    Guard guard{reg, false, {}};
    for (OpId op : ops) guard.allowed.push_back(op.index);
    possible_ = possible_ && !ops.empty();
    if (reg == 0) return; // rows are those of one root operation
    row_.guards.push_back(std::move(guard));
    if (ops.size() == 1) return test(Test::Kind::Op, reg, ops[0].index);
    test(Test::Kind::OneOf, reg, static_cast<std::uint32_t>(row_.operations.size()));
    row_.operations.push_back(std::move(ops));
}

void Reader::bind(VariableId variable, Register reg) {
    Register& bound = row_.variables[variable.index];
    if (bound == no_register)
        bound = reg;
    else
        compare(Test::Kind::Same, reg, bound);
}

void Reader::variable(const Term& t, Register reg) {
    const Variable& v = rule_[t.variable];
    if (v.sequence || (v.kind != VariableKind::Node && v.kind != VariableKind::Literal)) return partly();
    if (v.compound) return partly();
    if (v.kind == VariableKind::Literal) core(reg, Core::Literal), test(Test::Kind::Number, reg);
    if (t.annotation_class != TypeClass::Any)
        test(Test::Kind::Class, reg, static_cast<std::uint32_t>(t.annotation_class));
    if (t.annotation && t.annotation->kind != TypeTerm::Kind::Known) return partly();
    if (t.annotation) test(Test::Kind::Known, reg, t.annotation->type.index);
    bind(t.variable, reg);
}

Numeral Reader::numeral(const Term& t) const {
    NumberText text = split_number(context_.symbols[t.text]);
    Numeral out;
    for (std::size_t k = 0; k < out.size(); ++k) {
        auto kind = static_cast<TypeKind>(k);
        if (kind == TypeKind::Bool || (text.suffix && *text.suffix != kind)) continue;
        auto bits = parse_scalar(kind, text.digits);
        if (!bits) continue;
        AttrValue value{.kind = AttrValue::Kind::Number, .type = context_.types.scalar(kind), .bits = *bits};
        out[k] = context_.attributes.add({&value, 1});
    }
    return out;
}

void Reader::number(const Term& t, Register reg) {
    core(reg, Core::Literal);
    Numeral values = numeral(t);
    Guard guard{reg, true, {}};
    for (AttrId value : values)
        if (value) guard.allowed.push_back(value.index);
    std::ranges::sort(guard.allowed);
    row_.guards.push_back(std::move(guard));
    test(Test::Kind::Numeral, reg, static_cast<std::uint32_t>(row_.numerals.size()));
    row_.numerals.push_back(values);
}

void Reader::constant(const Term& t, Register reg) {
    core(reg, Core::Literal);
    AttrId value = context_.attributes.add({&t.constant, 1});
    row_.guards.push_back({reg, true, {value.index}});
    test(Test::Kind::Literal, reg, value.index);
}

// -- nodes ------------------------------------------------------------------------------------------

// True if the plain matcher tries two orders of operands.
bool Reader::chooses(const Term& t) const {
    return t.operands.size() == 2 &&
           std::ranges::any_of(t.ops, [&](OpId op) { return context_.operations[op].commutative(); });
}

bool Reader::takes_any_order(const std::vector<OpId>& ops) const {
    return std::ranges::any_of(ops, [&](OpId op) { return context_.operations[op].takes_any_order(); });
}

void Reader::node(const Term& t, Register reg, OpId root) {
    std::vector<OpId> ops = root ? std::vector<OpId>{root} : t.ops;
    if (!t.blocks.empty()) partly();
    if (takes_any_order(ops)) {
        operations(reg, ops);
        attributes(t, reg);
        return partly();
    }
    if (!chooses(t)) {
        operations(reg, ops);
        attributes(t, reg);
        return operands(t, reg, ops, false);
    }
    unsigned choice = choices_++;
    bool open = choice >= limit_ || any_sequence(rule_, t);
    bool swap = !open && (swapped_ >> choice & 1);
    if (swap) std::erase_if(ops, [&](OpId op) { return !context_.operations[op].commutative(); });
    operations(reg, ops);
    attributes(t, reg);
    if (open) return partly();
    operands(t, reg, ops, swap);
}

void Reader::operands(const Term& t, Register reg, const std::vector<OpId>& ops, bool swap) {
    bool sequence = any_sequence(rule_, t);
    if (sequence) partly();
    bool variadic = std::ranges::any_of(ops, [&](OpId op) {
        const Operation& operation = context_.operations[op];
        return operation.core != Core::None || operation.signature.operands.size() != t.operands.size() ||
               std::ranges::any_of(operation.signature.operands, &TypeTerm::sequence);
    });
    if (variadic && !sequence) test(Test::Kind::Count, reg, static_cast<std::uint32_t>(t.operands.size()));
    std::optional<Register> places[2];
    for (std::size_t i = 0; i < t.operands.size() && !rule_[t.operands[i]].sequence; ++i) {
        auto place = places_.find_or_add(reg, swap ? 1 - i : i);
        if (!place) return partly();
        auto [parent, operand] = places_[*place];
        row_.tests.push_back({.kind = Test::Kind::Load, .reg = *place, .from = parent, .operand = operand});
        if (i < 2) places[i] = place;
        if (swap && i == 1) compare(Test::Kind::Distinct, *places[0], *place);
        term(t.operands[i], *place);
    }
}

void Reader::attributes(const Term& t, Register reg) {
    for (std::size_t i = 0; i < t.attrs.size(); ++i) {
        if (t.attrs[i].kind != AttrTerm::Kind::Constant) {
            partly();
            continue;
        }
        test(Test::Kind::Attribute, reg, static_cast<std::uint32_t>(row_.attributes.size()),
             static_cast<std::uint16_t>(i));
        row_.attributes.push_back(t.attrs[i]);
    }
}

} // namespace

std::vector<Row> rows(Context& context, const RuleBase& base, RuleId id, OpId root, Places& places) {
    std::vector<Row> out;
    unsigned choices = 0;
    for (unsigned order = 0; order < 1u << choices; ++order) {
        unsigned swapped = 0; // the choice made last varies fastest
        for (unsigned i = 0; i < choices; ++i) swapped |= (order >> (choices - 1 - i) & 1) << i;
        Row row{.rule = id};
        Reader reader(context, base[id], places, swapped, order ? choices : max_choices, row);
        bool possible = reader.read(root);
        if (order == 0) choices = std::min(reader.choices(), max_choices);
        if (possible) out.push_back(std::move(row));
    }
    if (!std::ranges::all_of(out, &Row::whole))
        for (Row& row : out) row.whole = false, row.tests.clear();
    return out;
}

// -- running ----------------------------------------------------------------------------------------

namespace {
bool holds(const Test& t, const Row& row, const Graph& graph, std::span<NodeId> registers) {
    using K = Test::Kind;
    NodeId node = registers[t.reg];
    switch (t.kind) {
    case K::Load: {
        auto operands = graph.operands(registers[t.from]);
        if (operands.size() <= t.operand) return false;
        registers[t.reg] = operands[t.operand];
        return true;
    }
    case K::Count: return graph[node].operands == t.argument;
    case K::Op: return graph.op(node).index == t.argument;
    case K::OneOf:
        return std::ranges::find(row.operations[t.argument], graph.op(node)) != row.operations[t.argument].end();
    case K::Distinct: return node != registers[t.from];
    case K::Same: return node == registers[t.from];
    case K::Class: return belongs(graph.context().types, graph.type(node), static_cast<TypeClass>(t.argument));
    case K::Known: {
        Types& types = graph.context().types;
        const TypeId due = types.lowered(TypeId{t.argument});
        return types.agree(due, graph.type(node)) && types.knows(graph.type(node), due);
    }
    case K::Exact: return graph.type(node).index == t.argument;
    case K::Number: return graph.is_number(node);
    case K::Literal: return graph[node].attrs.index == t.argument;
    case K::Numeral: {
        auto kind = static_cast<std::size_t>(graph.kind(node));
        return kind < Numeral{}.size() && row.numerals[t.argument][kind] == graph[node].attrs;
    }
    case K::Attribute: {
        auto values = graph.attrs(node);
        if (t.operand >= values.size()) return false;
        const AttrTerm& due = row.attributes[t.argument];
        const AttrValue& value = values[t.operand];
        return due.open ? value.kind == AttrValue::Kind::Number && value.bits == due.constant.bits
                        : value == due.constant;
    }
    case K::Callee: return graph.attrs(node)[0].text().index == t.argument;
    case K::Field:
        return graph.context().types.fields(graph.type(graph.operand(node, 0)))[graph.position(node)].name.index ==
               t.argument;
    }
    return false;
}
} // namespace

bool holds(const Row& row, const Graph& graph, std::span<NodeId> registers) {
    for (const Test& test : row.tests)
        if (!holds(test, row, graph, registers)) return false;
    return true;
}

} // namespace irrewrite
