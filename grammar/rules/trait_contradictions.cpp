#include "grammar/rules/trait_contradictions.hpp"

#include <algorithm>

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

bool may_be_number(const Types& types, const TypeTerm& type) {
    if (type.kind == TypeTerm::Kind::Variable) return true;
    return type.kind == TypeTerm::Kind::Known && belongs(types, type.type, TypeClass::Num);
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
    return wrong;
}

} // namespace irrewrite::grammar
