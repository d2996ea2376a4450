// The order in which a function is written, so that reading it yields the same graph and writing that one the same
// text.
//
// Reading makes nodes in the order of the text, and two orders follow the ids of nodes: that of lines, if nothing else
// decides, and that of the operands of commutative operations. Lines that stood in an earlier block already (equal
// blocks share their nodes) are the oldest when a text is read again; so they come first, in the order in which they
// stood there, and then the others by id.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite::printers {

class TextOrder {
  public:
    // Puts the nodes of the schedule's blocks in that order, each in the outermost of the blocks around
    // it alone: what is needed only under a condition is written beside what is needed anyway. A text
    // does not say what is computed on demand.
    TextOrder(const Function& function, Schedule& schedule);

    // By node: when it was first written, from 1; empty where ids say the same.
    std::span<const std::uint32_t> ranks() const { return ranks_; }
    // The operand to be written at position i: those of a commutative operation may be swapped.
    NodeId operand(NodeId node, std::size_t i) const { return function_.graph.operand(node, swaps(node) ? 1 - i : i); }
    std::vector<NodeId> operands(NodeId node) const;

  private:
    struct Frame { // a region being written, or a line whose blocks are
        std::vector<ScheduledNode> lines;
        std::size_t next = 0, block = 0;
    };
    void open(std::uint32_t region);
    void arrange(std::uint32_t region);
    bool swaps(NodeId node) const;
    std::pair<std::uint64_t, std::uint64_t> age(NodeId value) const;

    const Function& function_;
    Schedule& schedule_;
    std::optional<Effects> effects_; // where there are reads
    std::vector<std::uint32_t> ranks_;
    std::vector<bool> visible_; // by node: a line of this block or of one around it
    std::uint32_t last_ = 0;
    std::vector<Frame> frames_;
};

} // namespace irrewrite::printers
