// Random emissions built from an emission that is given, such as the parameter of the block that handles a group.
#include "engine/generate/terms.hpp"

namespace irrewrite {

// The emission itself, or what an operation makes of what is emitted.
std::optional<NodeId> TermGenerator::of_emission(TypeId type, unsigned depth) {
    std::vector<NodeId> emissions;
    for (NodeId node : locals)
        if (context_.types.kind(graph_.type(node)) == TypeKind::Emission) emissions.push_back(node);
    if (emissions.empty() || !choices_.likely(70)) return std::nullopt;
    const NodeId emission = emissions[choices_.below(static_cast<std::uint32_t>(emissions.size()))];
    if (context_.types.agree(graph_.type(emission), type) && choices_.likely(50)) return emission;
    if (depth == 0) return std::nullopt;
    std::vector<std::pair<OpId, std::size_t>> candidates; // and which operand
    for (OpId op : vocabulary_.operations()) {
        const Operation& operation = context_.operations[op];
        const Signature& signature = operation.signature;
        if (signature.blocks.empty() || !operation.attributes.empty() ||
            signature.results[0].kind != TypeTerm::Kind::Emission)
            continue;
        for (std::size_t k = 0; k < signature.operands.size(); ++k)
            if (signature.operands[k].kind == TypeTerm::Kind::Emission) candidates.emplace_back(op, k);
    }
    for (unsigned tries = 4; tries > 0 && !candidates.empty(); --tries) {
        const auto [op, operand] = candidates[choices_.below(static_cast<std::uint32_t>(candidates.size()))];
        if (auto made = call(op, type, depth - 1, Given{operand, emission})) return made;
    }
    return std::nullopt;
}

} // namespace irrewrite
