// The rules of a set in the form that the term machine compiles: first order, names resolved.
//
// A set is first order when its rules relate terms of plain operations: a fixed number of operands of known types, no
// attributes, blocks or effects, one root on each side. Conditions may compare two terms for equality and compare
// literals; only literals are computed. A set with any other rule is not compiled, and runs on the graph.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite::term {

// The constructor of a cell: 0 is a node of the graph that is opaque to the machine, from 1 on literals by their type,
// then operations.
using Symbol = std::uint32_t;
inline constexpr Symbol leaf = 0, first_literal = 1, first_operation = first_literal + 11;
inline Symbol literal(TypeKind kind) { return first_literal + static_cast<Symbol>(kind); }

struct Scalar {
    TypeKind type = TypeKind::I64;
    std::uint64_t bits = 0;
    bool operator==(const Scalar&) const = default;
};

// A computation with literals, in postfix order.
struct Step {
    enum class Kind : std::uint8_t { Variable, Constant, Primitive } kind = Kind::Constant;
    std::uint32_t variable = 0;
    Scalar constant{};
    std::int32_t primitive = -1;
    std::uint32_t operands = 0;
    TypeKind operand_type = TypeKind::I64, type = TypeKind::I64; // type: of the result
};
struct Computation {
    std::vector<Step> steps;
    TypeKind type() const {
        return steps.back().kind == Step::Kind::Constant ? steps.back().constant.type : steps.back().type;
    }
};

// A pattern, or a term to be built. `symbol`: of a Cell or Literal, and of a Variable that stands for
// literals alone.
struct Shape {
    enum class Kind : std::uint8_t { Any, Variable, Literal, Compute, Cell } kind = Kind::Any;
    std::uint32_t variable = 0;
    Scalar value;
    std::uint32_t computation = 0; // index in Rule::computations
    Symbol symbol = 0;
    std::vector<Shape> parts;
};

struct Test {
    enum class Kind : std::uint8_t { Equal, Compare } kind = Kind::Equal;
    bool negated = false;
    std::uint32_t a = 0, b = 0; // Equal: variables; Compare: a computation of type bool
};

struct Rule {
    RuleId id;
    std::vector<Shape> operands; // of the root of the left side
    Shape right;
    std::uint32_t variables = 0;
    std::vector<Computation> computations; // those of the right side first
    std::uint32_t built = 0;               // how many of them the right side uses
    std::vector<Test> tests;
    bool may_stand_still = false; // some instance builds the very term that it stands at: the rule does not apply there
};

struct Definition { // of an operation: its rules, in order
    Symbol symbol;
    std::vector<Rule> rules;
};

struct Program {
    std::vector<OpId> operations; // by symbol, from first_operation on
    std::vector<std::uint32_t> arities;
    std::vector<Definition> definitions;
    std::unordered_map<OpId, Symbol> symbols;
    std::vector<std::int32_t> defined; // by symbol: the number of its definition, or -1

    Symbol add(const Context& context, OpId op);
    OpId operation(Symbol symbol) const { return operations[symbol - first_operation]; }
    std::uint32_t arity(Symbol symbol) const { return arities[symbol - first_operation]; }
    std::int32_t definition(Symbol symbol) const { return symbol < defined.size() ? defined[symbol] : -1; }
};

inline constexpr std::uint32_t max_arity = 8; // of operations with rules

// True if nodes of the operation become cells: operands of known types, and nothing else.
bool is_plain(const Context& context, OpId op);
// Empty when the rules are not first order.
std::optional<Program> compile(const Context& context, const RuleBase& base, std::span<const RuleId> rules);

} // namespace irrewrite::term
