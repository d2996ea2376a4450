// Finds loops that are needed only where they have an iteration.
#pragma once

#include "engine/analysis/faults.hpp"
#include "engine/schedule/schedule.hpp"

#include <span>

namespace irrewrite {

// A loop in a branch that is taken if the loop has an iteration, such as the sum in the mean of what passes a test, may be computed around
// the conditional as well: it does nothing where the branch is not taken, or little where that depends on a small number of iterations.
class NonemptyLoops {
  public:
    // `at`: the block of the schedule in which the conditionals stand.
    NonemptyLoops(const Graph& graph, const Schedule& schedule, Faults& faults, std::size_t at)
        : graph_(graph), schedule_(schedule), faults_(faults), at_(at) {}
    // `regions`: the blocks that compute the loop.
    bool covers(NodeId loop, std::span<const std::size_t> regions) const;

  private:
    enum class Guard : std::uint8_t { None, Some, Exact }; // Exact: the branch is taken if there is an iteration
    Guard guard(const ScheduledBlock& branch, NodeId extent) const;
    bool may_leave(NodeId loop, bool may_fault) const;
    bool is_computed(NodeId node) const;

    const Graph& graph_;
    const Schedule& schedule_;
    Faults& faults_; // of the graph
    std::size_t at_;
};

} // namespace irrewrite
