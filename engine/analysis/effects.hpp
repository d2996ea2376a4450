// The effects of nodes, per allocation site: they decide which nodes must keep their order.
//
// A Place is an allocation of the function's own or some foreign memory (engine/analysis/aliasing.hpp decides which of
// those may alias). A node touches what it reads and writes itself and what the effects in its blocks touch, except own
// allocations made in those blocks, which are invisible outside. Above a limit all foreign memory counts as one Place,
// and so does the memory of a node that touches too many.
#pragma once

#include "engine/analysis/aliasing.hpp"
#include "engine/analysis/regions.hpp"

#include <deque>
#include <tsl/robin_map.h>

namespace irrewrite {

class Effects {
  public:
    using Place = std::uint32_t;
    static constexpr Place foreign = 0;  // any foreign memory
    static constexpr Place anything = 1; // own memory, too
    struct Touch {                       // places in ascending order
        std::vector<Place> reads, writes;
        bool io = false, endless = false; // endless: it may not end
        bool none() const { return is_inside() && !endless; }
        bool is_inside() const { return reads.empty() && writes.empty() && !io; } // nobody outside sees what it does
        bool is_seen() const { return io || endless; }
    };

    explicit Effects(const Function& function);

    // Of a node that has a token, and was there when this was made.
    const Touch& of(NodeId node) const { return touches_[node.index < touch_.size() ? touch_[node.index] : 0]; }
    void enters(NodeId owner, NodeId read); // a block of `owner` reads, too
    // An own allocation: it aliases no other Place.
    bool is_own(Place place) const { return place > anything && own_[place]; }
    bool may_be_one(Place a, Place b) const;
    bool may_be_one(NodeId a, NodeId b) const { return memory_.may_be_one(a, b); } // memory
    // May the effect change what the other node reads?
    bool changes(NodeId effect, NodeId read) const;
    // May the two be exchanged: neither changes what the other touches, and not both are seen outside (`print`, or a loop
    // that may not end).
    bool independent(NodeId a, NodeId b) const;
    // A node whose blocks have effects that nobody outside can see. `promised`: its loops end.
    bool is_silent(NodeId node, bool promised = false) const;
    // The node waits for what surely is computed (Core::Await).
    bool waits_for_nothing(NodeId node) const;

  private:
    static constexpr std::size_t most_searched = 2000; // nodes of a block: in a larger one anything may be read
    static constexpr std::size_t most = 64;            // limit of distinct foreign Places, and of Places of one node

    Place place(NodeId memory);
    void own_touch(NodeId node, Touch& out);
    Touch& touch(NodeId node);
    const Touch& inside(BlockId block);
    void add_reads(BlockId block, Touch& touch);
    static void add(Touch& to, const Touch& from);
    void finish(Touch& touch) const;

    const Graph& graph_;
    AliasAnalysis memory_;
    std::vector<NodeId> memories_; // by Place
    std::vector<bool> own_;        // by Place
    std::size_t foreign_count_ = 0;
    tsl::robin_map<NodeId, Place, std::hash<NodeId>> places_;
    std::vector<std::uint32_t> touch_; // by node: which of the touches; 0: none
    std::deque<Touch> touches_{1};
    tsl::robin_map<BlockId, Touch, std::hash<BlockId>> blocks_;
};

} // namespace irrewrite
