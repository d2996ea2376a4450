// Chooses the number of operands that each `...` of a signature takes.
#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

BlockShape block_shape(const Graph& graph, BlockId block) {
    std::size_t results = graph.results(block).size();
    return {graph.params(block).size(), results, results};
}

std::size_t Inference::length(const TypeTerm& term) const {
    if (!term.sequence) return 1;
    if (auto v = sequence_of(term, is_sequence_)) return lengths_[*v].value_or(0);
    return lengths_[is_sequence_.size() + static_cast<std::size_t>(&term - signature_.operands.data())].value_or(0);
}

// True if as many values as the terms stand for lie between the bounds, as far as that is known.
bool Inference::fits(std::span<const TypeTerm> terms, std::size_t least, std::size_t most) const {
    std::size_t count = 0;
    for (const TypeTerm& term : terms) {
        auto v = sequence_of(term, is_sequence_);
        if (term.sequence && !(v && lengths_[*v])) return true;
        count += term.sequence ? *lengths_[*v] : 1;
    }
    return least <= count && count <= most;
}

bool Inference::choose_lengths(std::size_t operands, std::span<const BlockShape> blocks) {
    // The unknowns: one for each sequence among the operands.
    std::vector<std::size_t> unknowns, weights;
    std::size_t fixed = 0;
    for (std::size_t i = 0; i < signature_.operands.size(); ++i) {
        const TypeTerm& term = signature_.operands[i];
        auto inner = sequence_of(term, is_sequence_);
        if (!term.sequence) {
            ++fixed; // `emission(?V...)`, `(?A...)`: its own length comes with its type
            continue;
        }
        std::size_t unknown = inner ? *inner : is_sequence_.size() + i;
        auto it = std::ranges::find(unknowns, unknown);
        if (it == unknowns.end())
            unknowns.push_back(unknown), weights.push_back(1);
        else
            ++weights[static_cast<std::size_t>(it - unknowns.begin())];
    }
    if (operands < fixed) return false;
    std::size_t rest = operands - fixed;
    auto blocks_fit = [&] {
        for (std::size_t b = 0; b < std::min(blocks.size(), signature_.blocks.size()); ++b) {
            const BlockSignature& due = signature_.blocks[b];
            const BlockShape& given = blocks[b];
            if (given.params && !fits(due.params, *given.params, *given.params)) return false;
            if (!fits(due.results, given.least_results, given.most_results)) return false;
        }
        return true;
    };
    if (unknowns.empty()) return rest == 0;
    if (unknowns.size() == 1) {
        if (rest % weights[0]) return false;
        lengths_[unknowns[0]] = rest / weights[0];
        return true;
    }
    if (unknowns.size() > 2) return false;
    // Two kinds of sequences side by side: as the blocks say, else as the types allow.
    for (std::size_t second = 0; second * weights[1] <= rest; ++second) {
        if ((rest - second * weights[1]) % weights[0]) continue;
        lengths_[unknowns[0]] = (rest - second * weights[1]) / weights[0];
        lengths_[unknowns[1]] = second;
        if (lacks_arrays() || !blocks_fit()) continue;
        Inference trial = *this;
        if (trial.try_operands(operands_)) return true;
        fail(trial.error_);
    }
    return false;
}

namespace {
bool side_by_side(const Signature& signature) {
    auto is_sequence = sequence_variables(signature);
    std::optional<std::uint32_t> first;
    for (const TypeTerm& term : signature.operands) {
        auto v = term.sequence ? sequence_of(term, is_sequence) : std::nullopt;
        if (v && first && *v != *first) return true;
        if (v) first = v;
    }
    return false;
}
} // namespace

std::optional<Lengths> uneven_lengths(const Graph& graph, NodeId node) {
    Context& context = graph.context();
    const Signature& signature = context.operations[graph.op(node)].signature;
    if (!side_by_side(signature)) return std::nullopt;
    std::vector<OperandInfo> infos;
    for (NodeId operand : graph.operands(node)) infos.push_back(operand_info(graph, operand));
    std::vector<BlockShape> shapes;
    for (BlockId block : graph.blocks(node)) shapes.push_back(block_shape(graph, block));
    Inference inference(context, graph.op(node), graph[node].attrs);
    if (!inference.operands(infos, shapes)) return std::nullopt;
    Lengths found;
    for (const TypeTerm& term : signature.operands) found.operands.push_back(inference.length(term));
    for (const BlockSignature& block : signature.blocks) {
        found.params.emplace_back();
        for (const TypeTerm& term : block.params) found.params.back().push_back(inference.length(term));
    }
    return found;
}

} // namespace irrewrite
