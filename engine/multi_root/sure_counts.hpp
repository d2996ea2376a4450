// Finds loops that fault only where a number is negative that surely is a count.
#pragma once

#include "engine/analysis/faults.hpp"
#include "engine/schedule/schedule.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

// A number that loops of a block surely run to, or have as their number of bins, is not negative, or the block faults. A loop whose counts are
// such numbers, and that else cannot fault, may be computed in the block although only loops inside of it need it.
class SureCounts {
  public:
    SureCounts(const Graph& graph, Faults& faults, const ScheduledBlock& block);
    bool covers(NodeId loop);

  private:
    bool is_count(NodeId number) const;
    bool covers_generator(NodeId generator);
    bool cannot_fault(NodeId node);

    const Graph& graph_;
    Faults& faults_; // of the graph
    tsl::robin_set<NodeId, std::hash<NodeId>> counts_, computed_;
    NodeId loop_{};                                             // the one that is asked about
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> faultless_; // in it
};

} // namespace irrewrite
