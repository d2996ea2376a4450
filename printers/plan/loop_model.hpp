// The data that loops are planned with: what is known of a module without any text, a loop's generators, and what is
// found out about them.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/schedule/schedule.hpp"
#include "printers/plan/array_types.hpp"
#include "printers/plan/operation_kinds.hpp"

#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace irrewrite::printers {

// A module as planning knows it.
struct PlanModule {
    const Context& context;
    const Module& module;
    const ArrayTypes arrays;
    const OperationKinds shapes;
    const bool cuda;                   // loops become kernels
    std::vector<bool> calls_library{}; // by OpId, two each, for other types and for integers: the text calls a function

    mutable std::unordered_map<SymbolId, bool> returns_memory{}; // of functions, as far as it is known

    // The operation's text, for its operands' type: the index of it among two of each operation.
    std::size_t text_of(const Graph& g, NodeId node, bool exact = false) const {
        const bool integer =
            !exact && !g.operands(node).empty() && context.types.is_integer(g.type(g.operand(node, 0)));
        return 2 * g.op(node).index + (integer ? 1 : 0);
    }
    // An array that the operation's text makes anew.
    bool makes_array(const Graph& g, NodeId node) const {
        return g.core(node) == Core::None && arrays.is_array(g.type(node)) && g.operation(node).aliases == 0;
    }
};

inline constexpr std::string_view lane_block =
    "256"; // of indices that are gone through twice: what is put by stays in the first cache

inline constexpr unsigned block_size = 4096; // of indices in blocks: what vector lanes make, then the rest
inline constexpr unsigned most_in_block = (1u << 16) / block_size - 1; // at each index: 16 bits hold the sum

inline constexpr unsigned few_values = 16; // too few for sums in vector lanes

// A variable that a loop's results are made in, or a group's entry of one.
struct Cell {
    std::string name;
    TypeId type;
    std::string init;        // text of a value of that type
    std::string type_text{}; // where there is no IR type
    std::string place{};     // of memory that is there already: a row of another array
    bool pointer = false;    // `place` is one, to the first element
    std::string element{};   // on the device: what a step is given for its own element
    bool kept = false;       // `place` is the kernel's own memory, of no result
    bool unread = false;     // nobody reads the result: it is not stored
};

struct Generator {
    OpKind shape;
    NodeId node, emission;
    // `feed`s around it, and in a group `gen.running`s: the first one takes what is emitted, the last one feeds it.
    std::vector<NodeId> through{};
    std::vector<std::vector<Cell>> running{}; // the running values of each `gen.running` among them, in order
    std::vector<NodeId> seeds;                // operands that are not emissions
    BlockId block, then;                      // operator or inner generator; what a scan emits
    std::vector<Cell> state;                  // accumulators, histogram bins
    std::vector<Cell> outputs;                // what grows
    std::string slots;                        // `[group]`, behind every name
    std::string index;                        // of the output's element where exactly one is made for each index
    bool takes_start = false;                 // nobody reads what it starts with later: it is changed in place
    bool reversed = false;                    // the last index makes the first element
    bool turned = false; // likewise where the number of elements is known at the end: all are turned round then
    // Of a minimum or maximum in lanes: the ends of its values' order, and whether another one has the same.
    std::string least{}, greatest{};
    bool same_ends = false;
    std::string decided{};        // of a condition in lanes, which an integer stands for meanwhile: its own name
    std::string extent{};         // of bins or elements that are written through a pointer
    std::string bins{};           // of a histogram: how many
    bool within = false;          // every key is in range
    bool reserved = false;        // there is room for a value of each index
    bool spare = false;           // one more bin takes keys that are out of range
    std::vector<Generator> inner; // of a bucket
    bool laid = false;            // what a bucket collects of each group lies in one piece
    std::string entry{},
        fresh_entry{};    // of a bucket: the struct that holds several accumulators of a group; what they start with
    bool packed = false;  // they are fields of one
    bool follows = false; // its keys, or running values, are another one's
    bool made = false;    // its running values stand in its state
    // Fed by a `gen.running`: its position in the loop's list. Of that one, while an iteration is printed: the
    // generators it feeds.
    std::optional<std::size_t> fed_by{};
    std::vector<Generator*> feeds{};
    std::uint32_t home = 0; // the region it stands in
    // On the device: how much was collected; what stands before a result is written; who writes where.
    std::string count{}, before{}, writers{};
    // Of a bucket there: the groups that its keys have, the indices sorted by them. Of what is made of each of them:
    // the group that a value is for.
    std::string groups{}, sorted{}, group{};
    bool numbered = false; // before the loop
};

// True if the value is the first of its group: it is known when the group gets its number, and exists for every group.
inline bool is_first_of_group(const Graph& graph, const Generator& generator) {
    return generator.shape == OpKind::First && generator.through.empty() && graph.is_param(generator.emission);
}

// True if values run from index to index.
inline bool runs(const Generator& generator) {
    return generator.shape == OpKind::Scan || generator.shape == OpKind::Running;
}

// A reduction that vector lanes may make.
struct LaneReduction {
    Scalar operation;
    std::string name;     // in OpenMP
    bool decides = false; // a reduction of truth values by `and` or `or`
};

// A loop of which only some results are vectorized, and the values that are put by for the others.
struct FissionPlan {
    std::vector<Generator> lanes, others;
    std::vector<NodeId> kept{};
    bool finds = false; // `kept` is the condition of all results: lanes find the indices at which it holds
};

// A value of each index that lanes may compute.
struct LaneNode {
    NodeId node;
    std::vector<NodeId> parts;  // what it reads
    std::size_t operations = 0; // its own
    bool gathers = false;       // it reads elements that do not lie side by side
};

// A loop of which only the arithmetic is vectorized: the level of each node.
struct Levels {
    std::unordered_map<NodeId, unsigned> of{};
    unsigned last = 0;
    std::unordered_set<NodeId> stored{}; // needed by calls, or by a later level
};

// A loop whose iterations run side by side, one stage after the other: an inner loop, or arithmetic.
struct ColumnStages {
    std::vector<std::vector<std::uint32_t>> nodes; // by stage: positions in the loop's list of nodes
    std::map<NodeId, std::size_t> stage;
    std::map<NodeId, std::string> buffers; // of what a later stage reads: an array with an element for each index
    std::string first, last;               // of the indices of a block
    bool rest = false;                     // the last one is no list of nodes, but all that is made of the others
    // In a tile of several rows, those of a loop around it; elsewhere `row_loop` is none.
    const ScheduledNode* row_loop = nullptr;
    std::string first_row{}, width{};
    std::unordered_set<NodeId> read_by_sums{};
    std::vector<std::uint32_t> of_row{}; // of that loop's nodes: what is computed anew for each row
};

// Nodes of a block with running values: those that these need, and the others.
struct Split {
    std::unordered_set<NodeId> running{}, rest{};
};

using EmissionsOf = std::vector<std::pair<Generator*, NodeId>>; // by generator

// Emissions that are fed at once: values; and, group by group, what stands under one condition, in one inner loop, or behind
// one `bind`.
struct FedTogether {
    struct Group {
        OpKind shape;
        NodeId by; // the condition, the loop or its extent, the `bind`
        EmissionsOf list{};
    };
    EmissionsOf values{};
    std::vector<Group> groups{};
};

// Values that a loop collects in two passes.
struct TwoPassCollect {
    std::vector<Generator*> list{};    // which generators; their ends are `count`
    std::vector<std::size_t> places{}; // of each, its index in the result of `function`
    std::string function{}, sizes{}, limit{};
    bool bounded = false; // by the number of indices
    bool selects = false; // all of the loop: values that one condition keeps
};

struct EntryTest { // of a region
    NodeId value;
    enum class Kind : std::uint8_t { Positive, True, False } kind;
    auto operator<=>(const EntryTest&) const = default;
};
struct Lazy {                                   // of what is on demand
    std::vector<std::uint32_t> regions;         // that need it
    std::vector<std::uint32_t> users;           // that are on demand themselves
    std::vector<std::uint32_t> sites;           // also those that need what needs it and is not kept
    std::vector<std::uint32_t> askers;          // likewise, of users that are kept
    std::uint32_t place = 0;                    // of the last node in its region that may need it
    NodeId loop{};                              // the one that needs it, surely if it runs at all
    std::vector<std::vector<EntryTest>> ways{}; // for that, one of which holds
    std::string compute{};                      // a call that does so the first time
    std::string known{};                        // whether it has been made
    bool settled = false;                       // it is there
    bool perhaps = false;                       // where it is asked for; elsewhere it need not be
};

inline constexpr std::uint32_t no_place = UINT32_MAX - 1; // where nothing is used for the last time

} // namespace irrewrite::printers
