// Accumulators of a reduction, fold or scan that nobody reads and that no other needs.
#include "engine/passes/narrow_block.hpp"
#include "engine/passes/prune_results.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using Kept = std::vector<bool>;

// The type variable of `?A...`.
std::optional<std::uint32_t> values(const TypeTerm& term) {
    return term.sequence && term.kind == TypeTerm::Kind::Variable ? std::optional(term.variable) : std::nullopt;
}

bool has_variable(const TypeTerm& term, std::uint32_t wanted) {
    if (term.kind == TypeTerm::Kind::Variable && term.variable == wanted) return true;
    return std::ranges::any_of(term.parts, [&](const TypeTerm& part) { return has_variable(part, wanted); });
}

// A generator with initial values `?A...`, an emission, and an operator with the results `?A...`.
struct Accumulators {
    std::uint32_t variable;   // ?A
    std::size_t first = 0;    // operand
    std::size_t count = 0;    // of the initial values
    bool are_results = false; // of the generator
    bool are_emitted = false; // the emission emits values of these types, behind others
    std::size_t before = 0;   // those others
};

std::optional<Accumulators> accumulators(const Graph& graph, NodeId node) {
    const Signature& signature = graph.operation(node).signature;
    if (signature.blocks.empty() || signature.results.size() != 1 || signature.operands.size() < 2 ||
        signature.blocks[0].results.size() != 1 || graph.has(node, TakesToken))
        return std::nullopt;
    const auto variable = values(signature.blocks[0].results[0]);
    if (!variable) return std::nullopt;
    Accumulators found{.variable = *variable};
    const TypeTerm& emitted = signature.operands.back();
    const std::size_t seeds = signature.operands.size() - 2;
    if (values(signature.operands[seeds]) != variable) return std::nullopt;
    for (std::size_t i = 0; i < seeds; ++i)
        if (signature.operands[i].sequence) return std::nullopt;
    found.first = seeds, found.count = graph.operands(node).size() - seeds - 1;
    found.are_results = has_variable(signature.results[0], *variable);
    if (found.are_results && graph.context().types.elements(graph.type(node)).size() != found.count)
        return std::nullopt;
    found.are_emitted = has_variable(emitted, *variable);
    if (found.are_emitted) found.before = emitted.parts.size() - 1;
    return found.count > 1 ? std::optional(found) : std::nullopt;
}

// By parameter of a block: the accumulator that it is, or none.
std::vector<std::optional<std::size_t>> roles(const Accumulators& of, std::span<const TypeTerm> due,
                                              std::size_t params) {
    std::size_t others = 0, lists = 0;
    for (const TypeTerm& term : due) values(term) == of.variable ? ++lists : ++others;
    std::vector<std::optional<std::size_t>> out;
    for (const TypeTerm& term : due) {
        if (values(term) == of.variable)
            for (std::size_t k = 0; k < of.count; ++k) out.emplace_back(k);
        else
            out.resize(out.size() + (term.sequence ? params - lists * of.count - (others - 1) : 1));
    }
    if (out.size() != params) out.assign(params, std::nullopt);
    return out;
}

// Those that the used results need: accumulators of which others are made, and so on.
Kept needed(Graph& graph, NodeId node, const Accumulators& of, const Kept& used) {
    const Signature& signature = graph.operation(node).signature;
    Kept out(of.count);
    Nodes work;
    const BlockId body = graph.blocks(node)[0];
    const auto ask = [&](std::size_t k) {
        if (!out[k]) work.push_back(graph.results(body)[k]);
        out[k] = true;
    };
    const auto ask_for = [&](std::size_t block, const Nodes& roots) {
        const BlockId id = graph.blocks(node)[block];
        const Nodes params(graph.params(id).begin(), graph.params(id).end());
        const auto role = roles(of, signature.blocks[block].params, params.size());
        for (std::size_t p = 0; p < params.size(); ++p)
            if (role[p] && !out[*role[p]] && reaches(graph, roots, params[p])) ask(*role[p]);
    };
    for (std::size_t k = 0; k < of.count; ++k)
        if (of.are_results && used[k]) ask(k);
    for (std::size_t block = 1; block < graph.blocks(node).size(); ++block) {
        const BlockId id = graph.blocks(node)[block];
        ask_for(block, {graph.results(id).begin(), graph.results(id).end()});
    }
    while (!work.empty()) {
        const NodeId root = work.back();
        work.pop_back();
        ask_for(0, {root});
    }
    return out;
}

} // namespace

std::optional<NodeId> without_accumulators(Graph& graph, NodeId node, std::vector<bool>& used) {
    if (graph.blocks(node).empty()) return std::nullopt;
    const auto of = accumulators(graph, node);
    if (!of) return std::nullopt;
    const Kept kept = needed(graph, node, *of, used);
    if (std::ranges::find(kept, false) == kept.end() || std::ranges::find(kept, true) == kept.end())
        return std::nullopt;
    const Signature& signature = graph.operation(node).signature;
    Nodes operands(graph.operands(node).begin(), graph.operands(node).end());
    if (of->are_emitted) {
        Kept emitted(of->before, true);
        emitted.insert(emitted.end(), kept.begin(), kept.end());
        const auto made = narrow(graph, operands.back(), emitted);
        if (!made) return std::nullopt;
        operands.back() = *made;
    }
    for (std::size_t k = of->count; k-- > 0;)
        if (!kept[k]) operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(of->first + k));
    std::vector<BlockId> blocks(graph.blocks(node).begin(), graph.blocks(node).end());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
        Kept params;
        for (const auto& role : roles(*of, signature.blocks[b].params, graph.params(blocks[b]).size()))
            params.push_back(!role || kept[*role]);
        blocks[b] = narrow_block(graph, blocks[b], params, b == 0 ? kept : Kept(graph.results(blocks[b]).size(), true));
    }
    if (of->are_results) used = kept;
    return graph.make({.op = graph.op(node), .attrs = graph[node].attrs, .operands = operands, .blocks = blocks});
}

} // namespace irrewrite
