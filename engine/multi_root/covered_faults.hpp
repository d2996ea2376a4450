// Finds loops that fault only where another loop faults.
#pragma once

#include "engine/analysis/faults.hpp"
#include "engine/schedule/schedule.hpp"

#include <map>
#include <set>
#include <utility>

namespace irrewrite {

// A loop that is needed only under a condition may be computed always if another loop over the same range, which is
// computed always, faults whenever it would: it computes what may fault, under the same conditions.
class CoveredFaults {
  public:
    // `sure`: a loop that the schedule computes; `other`: a loop over the same range.
    CoveredFaults(const Graph& graph, const Schedule& schedule, Faults& faults, const ScheduledNode& sure, NodeId other)
        : graph_(graph), schedule_(schedule), faults_(faults), sure_(sure), other_(other) {}
    bool covers();

  private:
    bool covers(NodeId generator);
    bool covers(NodeId emission, NodeId by, std::uint32_t region);
    bool covers_each(NodeId emission, NodeId by, std::uint32_t region);
    bool is_covered(NodeId value, NodeId by, std::uint32_t region);
    bool is_within(NodeId value, NodeId computed, int depth);
    bool is_computed(NodeId node, std::uint32_t region) const;
    bool is_same(NodeId node, NodeId by);
    bool pair_params(BlockId a, BlockId b);
    bool is_alike(NodeId node, NodeId by);

    const Graph& graph_;
    const Schedule& schedule_;
    Faults& faults_; // of the graph
    const ScheduledNode& sure_;
    NodeId other_;
    std::map<std::pair<NodeId, NodeId>, bool> compared_;
    std::set<std::pair<NodeId, NodeId>> paired_; // parameters of inner blocks
};

} // namespace irrewrite
