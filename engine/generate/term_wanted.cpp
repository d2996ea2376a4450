// Terms that use what a pattern looks for inside of a function, `?f(at(?xs, %i))`: as it is, or through an operation
// where another type is due, and now and then only where a test holds, so that what faults elsewhere has values.
#include "engine/generate/terms.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
bool is_bool(const Context& context, const TypeTerm& term) {
    return term.kind == TypeTerm::Kind::Known && term.type == context.types.boolean();
}
// `==`, `<` and so on.
bool compares(const Context& context, const Operation& operation) {
    const Signature& s = operation.signature;
    return operation.primitive >= 0 && s.operands.size() == 2 && s.operands[0].kind == TypeTerm::Kind::Variable &&
           s.operands[1].kind == TypeTerm::Kind::Variable && s.results.size() == 1 && is_bool(context, s.results[0]) &&
           belongs(context.types, context.types.i64(), s.type_variables[0]);
}
// An emission under a condition.
bool guards(const Context& context, const Operation& operation) {
    const Signature& s = operation.signature;
    return s.blocks.empty() && s.operands.size() == 2 && is_bool(context, s.operands[0]) &&
           s.operands[1].kind == TypeTerm::Kind::Emission && s.results[0].kind == TypeTerm::Kind::Emission;
}
} // namespace

std::vector<NodeId> TermGenerator::wanted_here() const {
    std::vector<NodeId> here;
    for (NodeId node : wanted_)
        if (std::ranges::find(locals, node) != locals.end()) here.push_back(node);
    return here;
}

std::optional<NodeId> TermGenerator::wanted_one(TypeId type) {
    const std::vector<NodeId> here = wanted_here();
    if (here.empty() || !choices_.likely(60)) return std::nullopt;
    if (auto found = existing(type, here)) return found;
    if (converting_ || !context_.types.is_scalar(type)) return std::nullopt;
    converting_ = true; // what stands beside it is as it comes
    const NodeId node = here[choices_.below(static_cast<std::uint32_t>(here.size()))];
    auto made = through(type, node);
    if (!made && !context_.types.is_scalar(graph_.type(node))) // what is known of an array is a number
        if (auto number = through(context_.types.i64(), node)) made = through(type, *number);
    converting_ = false;
    return made;
}

std::optional<NodeId> TermGenerator::through(TypeId type, NodeId node) {
    std::vector<std::pair<OpId, std::size_t>> places;
    for (OpId op : vocabulary_.operations()) {
        const Operation& operation = context_.operations[op];
        if (!operation.signature.blocks.empty() || !operation.has(Trait::Total) || !suits(operation, type, 1)) continue;
        for (std::size_t i = 0; i < operation.signature.operands.size(); ++i) places.emplace_back(op, i);
    }
    const std::size_t first = places.empty() ? 0 : choices_.below(static_cast<std::uint32_t>(places.size()));
    for (std::size_t k = 0; k < places.size(); ++k) {
        auto [op, operand] = places[(first + k) % places.size()];
        if (auto made = call(op, type, 0, Given{operand, node})) return made;
    }
    return std::nullopt;
}

// Emits a wanted node that may fault only under a test: in most functions, and then everywhere.
std::optional<NodeId> TermGenerator::guarded(TypeId emission, unsigned depth) {
    auto faults = [&](NodeId node) { return !graph_.is_param(node) && !graph_.operation(node).has(Trait::Total); };
    if (guarded_ || !std::ranges::any_of(wanted_here(), faults)) return std::nullopt;
    if (!guards_) guards_ = choices_.rarely(reluctant ? 95 : 70);
    auto condition = *guards_ ? test() : std::nullopt;
    if (!condition) return std::nullopt;
    guarded_ = true;
    std::optional<NodeId> made;
    for (OpId op : vocabulary_.operations())
        if (!made && guards(context_, context_.operations[op]))
            made = call(op, emission, depth > 0 ? depth - 1 : 0, Given{0, *condition});
    guarded_ = false;
    return made;
}

// A test for guards: a comparison of an index with a small number, mostly of one at which a wanted node reads; or a
// boolean parameter.
std::optional<NodeId> TermGenerator::test() {
    if (test_) return test_;
    if (reluctant && choices_.rarely(50)) return test_ = param(context_.types.boolean());
    std::vector<NodeId> indices, places;
    auto is_index = [&](NodeId node) { return graph_.type(node) == context_.types.i64() && !graph_.is_literal(node); };
    for (NodeId node : locals)
        if (graph_.is_param(node) && is_index(node)) indices.push_back(node);
    // Parameters that are hidden by what is wanted (`?f(at(?xs, %i))` alone) stay hidden.
    auto seen = [&](NodeId node) {
        return !graph_.is_param(node) || graph_.free(node) == 0 || std::ranges::find(locals, node) != locals.end();
    };
    for (NodeId node : wanted_here())
        if (!graph_.is_param(node))
            for (NodeId operand : graph_.operands(node))
                if (is_index(operand) && std::ranges::all_of(reachable(graph_, {&operand, 1}), seen))
                    places.push_back(operand);
    const bool place = !places.empty() && choices_.likely(70);
    std::vector<OpId> comparisons;
    for (OpId op : vocabulary_.operations())
        if (compares(context_, context_.operations[op])) comparisons.push_back(op);
    const std::vector<NodeId>& among = place ? places : indices;
    if (among.empty() || comparisons.empty()) return std::nullopt;
    const NodeId operands[] = {among[choices_.below(static_cast<std::uint32_t>(among.size()))],
                               builder_.i64(choices_.weighted({2, 4, 2, 1}))};
    auto made = builder_.apply(comparisons[choices_.below(static_cast<std::uint32_t>(comparisons.size()))],
                               Attributes::none(), operands);
    if (place) test_ = made; // what a function is to depend on is known all over it
    return made;
}

void TermGenerator::want(std::span<const NodeId> nodes) {
    wanted_.assign(nodes.begin(), nodes.end());
    test_.reset(), guards_.reset();
}

// Rules can go on with it, where they stop at a parameter.
std::optional<NodeId> TermGenerator::built(TypeId type, unsigned depth) {
    if (context_.types.is_scalar(type)) return literal(type);
    std::vector<OpId> makers;
    for (const OpId op : vocabulary_.operations()) {
        const auto& results = context_.operations[op].signature.results;
        const bool is_opaque = results.size() == 1 && results[0].kind == TypeTerm::Kind::Known &&
                               context_.types.kind(results[0].type) == TypeKind::Opaque;
        if (is_opaque && context_.types.lowered(results[0].type) == context_.types.lowered(type)) makers.push_back(op);
    }
    if (makers.empty()) return constant(type);
    constexpr unsigned most_tries = 4;
    for (unsigned tries = depth > 0 ? most_tries : 0; tries > 0; --tries)
        if (auto made = call(makers[choices_.below(static_cast<std::uint32_t>(makers.size()))], type, depth - 1))
            return made;
    return std::nullopt;
}

} // namespace irrewrite
