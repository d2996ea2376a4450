// Decides if several effects of one block can be merged into one, and at which of them.
//
// If some of them change memory, all move to one of those, up or down, past nodes that touch nothing that they touch;
// the first of those for which this is possible is taken. Otherwise they are reads, which move likewise. A node that
// may fault, or may not terminate, never moves past an effect, and an effect visible outside never moves down past a
// node that may not terminate.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

// The reads after each effect, in any block: a read in a branch may take the token of an effect before the branch.
class ReadsBehind {
  public:
    ReadsBehind(const Graph& graph, const Schedule& schedule) : graph_(graph), schedule_(schedule) {}
    std::span<const NodeId> of(NodeId effect);

  private:
    const Graph& graph_;
    const Schedule& schedule_;
    bool filled_ = false;
    tsl::robin_map<NodeId, std::vector<NodeId>, std::hash<NodeId>> reads_;
};

class EffectGathering {
  public:
    // `entry`: the token that the block begins with, or none.
    EffectGathering(const Graph& graph, const Schedule& schedule, ReadsBehind& reads, std::uint32_t region,
                    NodeId entry);

    // The reason why nodes cannot be merged at a program point.
    struct Obstacle {
        enum class Kind : std::uint8_t {
            Elsewhere, // `moved` stands in another block
            Order,     // `moved` stands before `other`, which an earlier root matches
            Far,       // too many nodes are between `moved` and the merge point
            Touches,   // `other`, between them, touches what `moved` touches
            Fault,     // `moved` may fault, and `other` is an effect between them
            Endless,   // likewise, may not end
            Unseen,    // `moved` is seen outside, and would not be if `other` does not end
            Read,      // `other` reads the result of one of them, before they meet
        } kind;
        NodeId moved, other;
    };

    // The nodes that a rule matches, in the order of its left side: its roots, and the reads inside them, each before its
    // root. `gone`: those of them that have no other user.
    struct Group {
        std::vector<NodeId> nodes, gone;
    };

    // The merge points to try, in this order: nodes that change memory, or else the first that reads. A single empty
    // one if no node takes a token.
    std::vector<NodeId> places(std::span<const NodeId> nodes) const;
    // The obstacle to merging them there, if any.
    std::optional<Obstacle> obstacle(const Group& group, NodeId place, const Effects& effects) const;
    bool may_meet(const Group& group, const Effects& effects) const; // at any merge point

    // From the first of the nodes to the last, in the order of effects. `down`: one moves down to the merge point.
    struct Range {
        std::size_t first, last;
        bool down;
        bool overlaps(const Range& other) const { return first <= other.last && other.first <= last; }
    };
    std::optional<Range> range(std::span<const NodeId> nodes, NodeId place) const;

  private:
    static constexpr std::size_t farthest = 256; // nodes that one moves past

    std::optional<Obstacle> out_of_order(const Group& group, const Effects& effects) const;
    std::optional<Obstacle> on_the_way(NodeId node, std::size_t from, std::size_t to, std::span<const NodeId> gone,
                                       const Effects& effects) const;
    NodeId read_before(std::span<const NodeId> nodes, std::size_t to, const Effects& effects) const;
    bool may_not_end(NodeId node) const;

    const Graph& graph_;
    const Schedule& schedule_;
    ReadsBehind& reads_;
    std::uint32_t region_;
    std::vector<NodeId> ordered_; // what has a token, in the order of the schedule
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> positions_;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> scheduled_; // those with blocks
};

std::string text_of(const Graph& graph, const EffectGathering::Obstacle& obstacle); // one sentence

} // namespace irrewrite
