// Nodes that were looked at inside loops, each with the extents of the loops around it.
#pragma once

#include "engine/ir/graph.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <vector>

namespace irrewrite {

using Extents = std::vector<NodeId>; // sorted, each once

inline Extents with_extent(Extents extents, NodeId extent) {
    const auto at = std::ranges::lower_bound(extents, extent);
    if (at == extents.end() || *at != extent) extents.insert(at, extent);
    return extents;
}

// A node is reached through as many combinations of loops as there are paths to it. It is looked at once for each
// extent alone, and for few combinations: none that contains another one for which it was looked at.
class Looks {
  public:
    // False if the look would find nothing new.
    bool add(NodeId n, const Extents& extents) {
        std::vector<Extents>& looks = of_node_[n];
        if (extents.size() > 1 && looks.size() >= most) return false;
        if (std::ranges::any_of(looks, [&](const Extents& look) { return std::ranges::includes(extents, look); }))
            return false;
        looks.push_back(extents);
        return true;
    }

  private:
    static constexpr std::size_t most = 4;
    tsl::robin_map<NodeId, std::vector<Extents>, std::hash<NodeId>> of_node_;
};

} // namespace irrewrite
