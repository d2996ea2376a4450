// The effects of a block that a node must come after: those that may change what it reads, or touch what it changes.
#pragma once

#include "engine/analysis/effects.hpp"

#include <map>

namespace irrewrite::printers {

class EffectEdges {
  public:
    struct Edge {
        NodeId from;
        bool anti; // `from` reads what the node then changes
    };

    explicit EffectEdges(const Effects& effects) : effects_(&effects) {}

    // Of the nodes of a block, in their order. Each node once, in the order of ids.
    std::vector<Edge> next(NodeId node);

  private:
    struct Past {
        NodeId wrote{};
        std::vector<NodeId> read{}; // since
    };
    template <class F> void for_each_past(Effects::Place place, F&& f);

    const Effects* effects_;
    std::map<Effects::Place, Past> own_, others_;
    NodeId io_;
};

} // namespace irrewrite::printers
