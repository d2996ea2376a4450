// The lineage of effects, so that each still happens once.
//
// A strategy that visits only some children of a term (`one`, `child`, a congruence) rewrites an effect where it met
// it. Its other uses, the chain of effects among them, still mean the effect as it was; with both in the graph it would
// happen twice. An effect is one node: its replacement stands for it everywhere.
//
// Effects that are reachable but in no chain show that such uses are left: the chain has the older one and a value the
// newer, or the other way round. Results of branches that failed are in no chain and not reachable, so nothing is taken
// back.
#pragma once

#include "engine/ir/node_map.hpp"
#include "engine/ir/substitute.hpp"

#include <optional>
#include <unordered_map>

namespace irrewrite {

class EffectLineage {
  public:
    explicit EffectLineage(Graph& graph) : graph_(graph) {}

    // `effect` was rewritten or rebuilt.
    void became(NodeId effect, Replacement by);
    void clear() { heirs_.clear(), order_.clear(); }
    bool empty() const { return order_.empty(); }

    // The new content of a block.
    struct Content {
        std::uint32_t number = 0; // of its parameters
        std::vector<NodeId> params, results;
        NodeId entry, exit;
    };

    // One node for each effect: in a whole term, and in a block. None: where a term would keep two.
    std::optional<NodeId> settle(NodeId root);
    void settle(Content& block);

  private:
    struct Survey;
    bool settle(Content& content, std::uint64_t open, std::uint64_t inside);
    void renumber(Content& block);
    bool replace(Substitution& substitution, Content& content);
    std::vector<Replacement> heirs(NodeId effect, const Survey& survey) const;
    bool contains(NodeId chain, NodeId effect) const;
    bool replace_older(Content& content, const Survey& survey);
    bool unite_siblings(Content& content, const Survey& survey);

    Graph& graph_;
    std::unordered_map<NodeId, std::vector<Replacement>> heirs_;
    std::vector<NodeId> order_; // of the keys, as they came
};

} // namespace irrewrite
