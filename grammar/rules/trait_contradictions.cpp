#include "grammar/rules/trait_contradictions.hpp"

#include <algorithm>
#include <tuple>

namespace irrewrite::grammar {

namespace {

bool is_same(const TypeTerm& a, const TypeTerm& b) {
    return a.kind == b.kind && a.sequence == b.sequence && a.length == b.length && a.type == b.type &&
           a.variable == b.variable && a.dim == b.dim && std::ranges::equal(a.parts, b.parts, is_same);
}

// Whatever their lengths, and whatever types variables stand for.
bool is_alike(const TypeTerm& a, const TypeTerm& b) {
    return a.kind == b.kind && a.type == b.type && std::ranges::equal(a.parts, b.parts, is_alike);
}

bool may_swap(const Signature& signature) {
    const auto& operands = signature.operands;
    const auto other = [&](const TypeTerm& operand) { return !is_alike(operands.front(), operand); };
    return !operands.empty() && signature.blocks.empty() && std::ranges::none_of(operands, other);
}

// (T, T) -> T
bool is_inner(const Signature& signature) {
    const auto& operands = signature.operands;
    return operands.size() == 2 && signature.results.size() == 1 && signature.blocks.empty() && !operands[0].sequence &&
           is_same(operands[0], operands[1]) && is_same(operands[0], signature.results[0]);
}

// (T, T...) -> T
bool stays(const Signature& signature) {
    const auto is_result = [&](const TypeTerm& operand) { return is_alike(operand, signature.results[0]); };
    return signature.results.size() == 1 && !signature.operands.empty() && signature.blocks.empty() &&
           !signature.results[0].sequence && std::ranges::all_of(signature.operands, is_result);
}

bool is_invariant(const Types& types, const Signature& signature) {
    if (signature.operands.size() != 1 || signature.results.size() != 1 || !signature.blocks.empty()) return false;
    const TypeTerm &operand = signature.operands[0], &result = signature.results[0];
    const bool is_opaque = operand.kind == TypeTerm::Kind::Opaque ||
                           (operand.kind == TypeTerm::Kind::Known && types.kind(operand.type) == TypeKind::Opaque);
    return is_opaque && !operand.sequence && result.kind == TypeTerm::Kind::Known && result.type == types.boolean();
}

bool is_agreement(const Types& types, const Signature& signature) {
    Signature one = signature;
    if (signature.operands.size() == 2) one.operands.pop_back();
    return signature.operands.size() == 2 && is_invariant(types, one) && !signature.operands[1].sequence &&
           signature.operands[0].kind == signature.operands[1].kind &&
           types.name(signature.operands[0].type) == types.name(signature.operands[1].type);
}

bool may_be_number(const Types& types, const TypeTerm& type) {
    if (type.kind == TypeTerm::Kind::Variable) return true;
    return type.kind == TypeTerm::Kind::Known && belongs(types, type.type, TypeClass::Num);
}

// True unless the type is known, and another one.
bool may_be(const Types& types, const TypeTerm& type, TypeKind kind) {
    using K = TypeTerm::Kind;
    if (type.kind == K::Known) return types.kind(type.type) == kind || types.kind(type.type) == TypeKind::Opaque;
    return type.kind == K::Variable || type.kind == K::Opaque || type.kind == K::Attribute || type.kind == K::Any;
}

bool is_scalar(const Types& types, const TypeTerm& type) {
    return type.kind == TypeTerm::Kind::Known && types.is_scalar(type.type);
}

// Operands that a trait names.
template <typename Holds> bool all_of(const Operation& operation, std::uint64_t named, Holds holds) {
    const auto& operands = operation.signature.operands;
    for (std::size_t k = 0; k < operands.size() && k < 64; ++k)
        if ((named >> k & 1) && !holds(operands[k])) return false;
    return true;
}

// Traits of operands and results that cannot have them.
void add_misfits(const Types& types, const Operation& operation, std::vector<const char*>& wrong) {
    const auto& [operands, results] = std::tie(operation.signature.operands, operation.signature.results);
    const auto first = [&](TypeKind kind) { return !operands.empty() && may_be(types, operands[0], kind); };
    const auto second = [&](TypeKind kind) { return operands.size() > 1 && may_be(types, operands[1], kind); };
    const bool of_parts = !operands.empty() && !is_scalar(types, operands[0]);
    const auto never = [&](bool holds, const char* message) {
        if (holds) wrong.push_back(message);
    };
    const auto is_no_scalar = [&](const TypeTerm& type) { return !is_scalar(types, type); };
    const auto is_i64 = [&](const TypeTerm& type) { return may_be(types, type, TypeKind::I64); };
    never(!all_of(operation, operation.reads | operation.writes | operation.overwrites, is_no_scalar),
          "an operation reads and writes memory, and a scalar is none");
    never(operation.overwrites & ~operation.writes, "'overwrites' goes with 'writes' of the same operand");
    never(!all_of(operation, operation.element, is_i64), "the operand that 'element' names is a position, an i64");
    never(operation.has(Trait::Counts) && !first(TypeKind::I64), "operand 0 of an operation that 'counts' is an i64");
    never(operation.has(Trait::Indexes) && !(of_parts && second(TypeKind::I64)),
          "an operation that 'indexes' takes an array and a position, an i64");
    never(operation.has(Trait::Length) &&
              !(of_parts && operands.size() == 1 && results.size() == 1 && is_i64(results[0])),
          "an operation with 'length' takes an array, and its result is an i64");
    never(operation.guards >= 0 && !first(TypeKind::Bool), "operand 0 of an operation with 'guards' is a bool");
    never(operation.copies &&
              (results.empty() || is_scalar(types, results[0]) || !all_of(operation, operation.copies, is_no_scalar)),
          "what 'copies' says is of an operand and a result that have parts");
}

} // namespace

bool is_flat(const Operation& operation) {
    return operation.commutative() && operation.has(Trait::Associative) && stays(operation.signature) &&
           operation.signature.operands.back().sequence && !operation.takes_token();
}

std::vector<const char*> contradictions(const Types& types, const Operation& operation) {
    std::vector<const char*> wrong;
    const auto never = [&](bool holds, const char* message) {
        if (holds) wrong.push_back(message);
    };
    const bool of_two = operation.has(Trait::Idempotent) || operation.identity, inner = is_inner(operation.signature);
    never(operation.has(Trait::Total) && operation.has(Trait::Partial),
          "an operation is 'total' or 'partial', not both");
    never(operation.has(Trait::Pure) && operation.takes_token(), "a 'pure' operation has no effects");
    never(operation.element && !operation.reads && !operation.writes,
          "'element' says which element is read or written, so the operation needs 'reads' or 'writes' too");
    never(!operation.infix.empty() && operation.signature.operands.size() != 2, "an infix operation has two operands");
    never(!operation.prefix.empty() && operation.signature.operands.size() != 1, "a prefix operation has one operand");
    const auto is_needed = [](const AttrDecl& attribute) { return attribute.kind != AttrKind::Type; };
    never((!operation.infix.empty() || !operation.prefix.empty()) &&
              std::ranges::any_of(operation.attributes, is_needed),
          "an operation with attributes has no notation: 'a + b' does not say which they are");
    never(operation.commutative() && !may_swap(operation.signature),
          "a 'commutative' operation has operands of one type, and no blocks");
    never((operation.has(Trait::Associative) || operation.associative_int) && !stays(operation.signature),
          "an 'associative' operation has operands and a result of one type");
    never(of_two && !inner && !(is_flat(operation) && !operation.identity),
          "an operation that is 'idempotent' or has an 'identity' has two operands and a result of one type");
    never(operation.identity && inner && !may_be_number(types, operation.signature.results[0]),
          "the 'identity' is a number, but the operands cannot be numbers");
    never(operation.has(Trait::Invariant) && !is_invariant(types, operation.signature),
          "an 'invariant' has one operand, of an opaque type, and its result is a 'bool'");
    never(operation.has(Trait::Agrees) && !is_agreement(types, operation.signature),
          "an operation that 'agrees' has two operands, of one opaque type, and its result is a 'bool'");
    add_misfits(types, operation, wrong);
    return wrong;
}

} // namespace irrewrite::grammar
