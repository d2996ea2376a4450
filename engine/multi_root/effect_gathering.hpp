// Effects of one block that are to become one: whether they can be brought together, and where.
//
// Several of them come together at one that changes anything, at the first for which it is possible: the others move to it, up or
// down, past what touches nothing that they touch. What only reads moves likewise. Nothing that may fault, or may not end, moves
// past an effect, and nothing that is seen outside moves down past what may not end.
#pragma once

#include "engine/analysis/effects.hpp"
#include "engine/schedule/schedule.hpp"

namespace irrewrite {

// What reads behind each effect, wherever it stands: a read in a branch may belong to an effect in front of it.
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

    // Why nodes cannot be one at a place.
    struct Obstacle {
        enum class Kind : std::uint8_t {
            Elsewhere, // `moved` stands in another block
            Order,     // `moved` stands before `other`, which an earlier root matches
            Far,       // too much stands between `moved` and the place
            Touches,   // `other`, between them, touches what `moved` touches
            Fault,     // `moved` may fault, and `other` is an effect between them
            Endless,   // likewise, may not end
            Unseen,    // `moved` is seen outside, and would not be if `other` does not end
            Read,      // `other` reads what one of them gives, before they meet
        } kind;
        NodeId moved, other;
    };

    // Where nodes may be one, in this order: those that change anything, or else the first that reads. One without a node: they
    // take no token.
    std::vector<NodeId> places(std::span<const NodeId> nodes) const;
    // What hinders them from being one there.
    std::optional<Obstacle> obstacle(std::span<const NodeId> nodes, NodeId place, const Effects& effects) const;
    bool may_meet(std::span<const NodeId> nodes, const Effects& effects) const; // at any place

    // From the first of the nodes to the last, in the order of effects. `down`: one moves down to the place.
    struct Range {
        std::size_t first, last;
        bool down;
        bool overlaps(const Range& other) const { return first <= other.last && other.first <= last; }
    };
    std::optional<Range> range(std::span<const NodeId> nodes, NodeId place) const;

  private:
    static constexpr std::size_t farthest = 256; // nodes that one moves past

    std::optional<Obstacle> on_the_way(NodeId node, std::size_t from, std::size_t to, std::span<const NodeId> group,
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

} // namespace irrewrite
