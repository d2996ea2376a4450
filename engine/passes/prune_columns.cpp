// Values that nobody reads of those that are emitted side by side.
#include "engine/passes/prune_results.hpp"

#include "engine/ir/builder.hpp"

#include <algorithm>
#include <tsl/robin_map.h>

namespace irrewrite {

namespace {

using Nodes = std::vector<NodeId>;
using Kept = std::vector<bool>;

bool is_values(const TypeTerm& term, TypeTerm::Kind kind) {
    if (term.kind != kind && !(kind == TypeTerm::Kind::Emission && term.kind == TypeTerm::Kind::Once)) return false;
    return term.parts.size() == 1 && term.parts[0].sequence;
}

// The type variable of a sequence `?V...`, as a value or in an array.
std::optional<std::uint32_t> variable(const TypeTerm& term) {
    if (!term.sequence) return std::nullopt;
    if (term.kind == TypeTerm::Kind::Variable) return term.variable;
    if (term.kind == TypeTerm::Kind::Array && term.parts[0].kind == TypeTerm::Kind::Variable)
        return term.parts[0].variable;
    return std::nullopt;
}

bool mentions(const TypeTerm& term, std::uint32_t wanted) {
    if (term.kind == TypeTerm::Kind::Variable && term.variable == wanted) return true;
    return std::ranges::any_of(term.parts, [&](const TypeTerm& part) { return mentions(part, wanted); });
}

// Rebuilds emissions and generators with some of their values alone. The signatures say where these come from: the
// operands, or the results of blocks, of which the same sequence `?V...` is the type. Where it occurs in any other
// place (the initial values of `gen.reduce`), all values are needed.
class Narrow {
  public:
    Narrow(Graph& graph, const Kept& kept, unsigned depth = 0) : graph_(graph), kept_(kept), depth_(depth) {}

    std::optional<NodeId> operator()(NodeId node) {
        if (auto known = done_.find(node); known != done_.end()) return known->second;
        const auto made =
            graph_.is_param(node) || graph_.has(node, TakesToken) || depth_ > 64 ? std::nullopt : rebuilt(node);
        if (made) done_.emplace(node, *made);
        return made;
    }

  private:
    std::optional<NodeId> rebuilt(NodeId node) {
        const Operation& operation = graph_.operation(node);
        if (operation.attributes.size() == 1 && graph_.operands(node).empty()) return nothing(node);
        if (operation.signature.results.size() != 1 || !operation.attributes.empty()) return std::nullopt;
        const TypeTerm& result = operation.signature.results[0];
        if (!is_values(result, TypeTerm::Kind::Emission) && !is_values(result, TypeTerm::Kind::Generator))
            return std::nullopt;
        const auto values = variable(result.parts[0]);
        if (!values) return std::nullopt;
        ++depth_;
        auto made = parts(node, operation.signature, *values);
        --depth_;
        return made;
    }

    // `none[of: type]`.
    std::optional<NodeId> nothing(NodeId node) {
        Types& types = graph_.context().types;
        const auto attributes = graph_.attrs(node);
        if (attributes[0].kind != AttrValue::Kind::Type || attributes[0].type != graph_.type(node)) return std::nullopt;
        std::vector<TypeId> values;
        const auto all = types.elements(graph_.type(node));
        for (std::size_t k = 0; k < all.size(); ++k)
            if (kept_[k]) values.push_back(all[k]);
        AttrValue of = attributes[0];
        of.type = types.emission(values, types.once(graph_.type(node)));
        return graph_.make({.op = graph_.op(node), .attrs = graph_.context().attributes.add({&of, 1})});
    }

    std::optional<NodeId> parts(NodeId node, const Signature& signature, std::uint32_t values) {
        auto operands = operands_of(node, signature, values);
        if (!operands) return std::nullopt;
        std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
        if (blocks.size() != signature.blocks.size()) return std::nullopt;
        for (std::size_t k = 0; k < blocks.size(); ++k) {
            const BlockSignature& block = signature.blocks[k];
            if (std::ranges::any_of(block.params, [&](const TypeTerm& term) { return mentions(term, values); }))
                return std::nullopt;
            if (std::ranges::none_of(block.results, [&](const TypeTerm& term) { return mentions(term, values); }))
                continue;
            const auto made = block.results.size() == 1 ? narrowed(blocks[k], block.results[0], values) : std::nullopt;
            if (!made) return std::nullopt;
            blocks[k] = *made;
        }
        return graph_.make(
            {.op = graph_.op(node), .attrs = graph_[node].attrs, .operands = *operands, .blocks = blocks});
    }

    // The number of operands of one sequence of other values: those of all that no other term takes.
    std::optional<std::size_t> others(std::size_t all, const Signature& signature, std::uint32_t values) const {
        std::size_t taken = 0, sequences = 0;
        for (const TypeTerm& term : signature.operands) {
            if (!term.sequence)
                ++taken;
            else if (mentions(term, values))
                taken += kept_.size();
            else
                ++sequences;
        }
        if (sequences > 1 || taken > all) return std::nullopt;
        return all - taken;
    }

    std::optional<Nodes> operands_of(NodeId node, const Signature& signature, std::uint32_t values) {
        const Nodes given(graph_.operands(node).begin(), graph_.operands(node).end());
        const auto rest = others(given.size(), signature, values);
        if (!rest) return std::nullopt;
        Nodes out;
        std::size_t next = 0;
        for (const TypeTerm& term : signature.operands) {
            if (!mentions(term, values)) {
                for (std::size_t left = term.sequence ? *rest : 1; left > 0; --left) out.push_back(given[next++]);
            } else if (is_values(term, TypeTerm::Kind::Emission) && variable(term.parts[0]) == values) {
                const auto made = (*this)(given[next++]);
                if (!made) return std::nullopt;
                out.push_back(*made);
            } else if (variable(term) == values && next + kept_.size() <= given.size()) {
                for (bool keep : kept_) {
                    if (keep) out.push_back(given[next]);
                    ++next;
                }
            } else {
                return std::nullopt;
            }
        }
        if (next != given.size()) return std::nullopt;
        return out;
    }

    std::optional<BlockId> narrowed(BlockId id, const TypeTerm& term, std::uint32_t values) {
        const bool inside = (is_values(term, TypeTerm::Kind::Emission) || is_values(term, TypeTerm::Kind::Generator)) &&
                            variable(term.parts[0]) == values;
        if (!inside || (!term.sequence && graph_.results(id).size() != 1)) return std::nullopt;
        const auto made = results_of(id);
        if (!made) return std::nullopt;
        const Block old = graph_[id];
        const Nodes params(graph_.params(id).begin(), graph_.params(id).end());
        const std::vector<SymbolId> names(graph_.param_names(id).begin(), graph_.param_names(id).end());
        return graph_.close(old.number, params, names, *made, old.entry, old.exit);
    }

    // The values of the results of a block follow each other: those that have some of which one is kept, with these alone.
    std::optional<Nodes> results_of(BlockId id) {
        const Nodes results(graph_.results(id).begin(), graph_.results(id).end());
        if (results.size() == 1) {
            const auto made = (*this)(results[0]);
            return made ? std::optional(Nodes{*made}) : std::nullopt;
        }
        Nodes out;
        std::size_t next = 0;
        for (NodeId result : results) {
            const std::size_t count = graph_.context().types.elements(graph_.type(result)).size();
            if (next + count > kept_.size()) return std::nullopt;
            const Kept kept(kept_.begin() + static_cast<std::ptrdiff_t>(next),
                            kept_.begin() + static_cast<std::ptrdiff_t>(next + count));
            next += count;
            if (std::ranges::find(kept, true) == kept.end()) continue;
            const bool whole = std::ranges::find(kept, false) == kept.end();
            const auto made = whole ? std::optional(result) : Narrow(graph_, kept, depth_)(result);
            if (!made) return std::nullopt;
            out.push_back(*made);
        }
        return next == kept_.size() ? std::optional(out) : std::nullopt;
    }

    Graph& graph_;
    const Kept& kept_;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> done_;
    unsigned depth_;
};

} // namespace

std::optional<NodeId> narrow(Graph& graph, NodeId generator, const std::vector<bool>& kept) {
    return Narrow(graph, kept)(generator);
}

} // namespace irrewrite
