// The plan of a loop's iterations: one of these forms. Made from the graph and what is known at one point of it, before any
// text is written; printed by printers/cpp/loops.
#pragma once

#include "printers/plan/lane_plan.hpp"

#include <variant>

namespace irrewrite::printers {

// One iteration after the other, or `lanes` of them at a time.
struct PlainLoop {
    bool lanes = false;
    bool few = false;     // in lanes only if there are many
    bool decides = false; // stops as soon as the reduction is decided
    bool stops = false;   // likewise, one iteration after the other
    bool fetches = false; // prefetches what later iterations read
};

// Iterations test whether these values are known; as soon as all are, a loop without tests runs.
struct UntilKnown {
    std::vector<std::uint32_t> values; // indices into Schedule::on_demand
};

// Sums of neighbouring indices side by side: of windows, in registers, or of columns, in the cache.
struct SideBySide {
    const ScheduledNode* sums;
    bool windows;
};

// Inner loops for neighbouring indices side by side, stage by stage. `rest`: other results than what is collected of each index
// are made of them, one block of indices at a time.
struct InColumns {
    bool rest = false;
};

// A loop whose iterations make sums for neighbouring indices of an inner loop, of which each iteration reads the same memory: rows and
// columns in tiles, whose sums stay in vector registers; then the columns and the rows that fill no tile.
struct InTiles {
    const ScheduledNode* columns;        // the inner loop
    std::vector<std::uint32_t> repeated; // what the sums read of the loop's other nodes, for each tile anew: positions
    NodeId widest;                       // of the sums: a seed
    // Rows are made of the sums; or these are put by, for several rows, and then all else of these rows is made of them.
    bool put_by = false;
    // Before, these nodes are made for several rows: `stored` are put by as well, and `hoisted` are not computed again.
    std::vector<std::uint32_t> before{};
    std::vector<NodeId> stored{}, hoisted{};
};

// Histogram bins: which ones, in lanes, then what is added. The keys that are floats there are not converted.
struct BinsInLanes {
    std::unordered_set<NodeId> floats;
};

// The ends of the range by themselves.
struct Peeled {
    Range range;
};

// Inner loops for indices that are not near the ends are planned by themselves: their comparisons with these are known.
struct InnerRange {
    Range range;
};

constexpr unsigned most_ranges = 12; // copies of a loop's body

// A condition changes once in the range: the loop runs up to there, and from there on (index-set splitting).
struct TwoRanges {
    NodeId condition, limit; // a comparison of the index with a value from outside
    bool first = true;       // it holds in the first range
    bool next = false;       // which ends behind the limit
};

// Pieces in each of which what is divided, the index and a value from outside, has one quotient: that is computed once for the
// piece, with all that depends on the index by it alone, and the remainder is the index without a base.
struct ByQuotient {
    NodeId dividend, divisor;
    std::vector<NodeId> quotients, remainders;
};

// Reductions in contiguous strips, side by side.
struct InStrips {};

// If all of these parts of arrays are there, their indices are within; otherwise they are checked.
struct IfPartsAreThere {
    struct Part {    // as long as the loop, and some elements more
        NodeId from; // the first index; none for 0
        NodeId array;
        std::int64_t more = 0;
    };
    std::vector<Part> tests;
    std::set<std::pair<NodeId, NodeId>> indices; // and arrays
};

struct LoopPlan {
    // A loop that is fissioned (FissionPlan), of which calls (Levels) or running values (Split) stand by themselves, or of which
    // iterations run side by side (LaneBlocks), or one of those above.
    using Form =
        std::variant<PlainLoop, UntilKnown, SideBySide, InColumns, InTiles, LaneBlocks, BinsInLanes, FissionPlan,
                     Peeled, InnerRange, TwoRanges, ByQuotient, Levels, Split, InStrips, IfPartsAreThere>;
    Form form;
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        rows{}; // looked up before the loop: region, position in its list
};

// The threads that a loop runs on: each takes a chunk, or small pieces dynamically, because iterations take unequal time.
struct ThreadPlan {
    std::string why_one; // the reason why it is one thread; empty: there are several
    bool in_pieces = false;
    bool inside = false;      // one thread, but the loops in its body are on several
    std::uint64_t enough = 0; // indices: threads pay from there on, the sooner, the more is done for each
};

// In words, for `-emit plan` and `-explain`.
std::string described(const LoopPlan& plan);
std::string described(const ThreadPlan& plan);

} // namespace irrewrite::printers
