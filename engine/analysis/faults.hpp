// Fault analysis: proves that nodes cannot fault although their operations can. Covers reads at a loop's own index, forwards or
// backwards, of arrays at least as long as the loop runs, reads beside it under conditions that say that the neighbour is there, reads at
// positions that are numbers under conditions on the length, loops over extents that are not negative, and the first value of a
// group.
//
// Two traits carry it. `indexes`: the operation faults only when operand 1 is not a position of operand 0 (`at`).
// `counts`: it faults only when operand 0 is negative, and the first parameter of its block runs over [0, operand 0)
// (`loop`). A partial generator without `counts` faults only when nothing is emitted (`gen.first`); a group is never empty.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

class Faults {
  public:
    explicit Faults(const Graph& graph) : graph_(graph) {}

    // A read of `array` at an enclosing block's index, or at a number; or, without an array, the first value of an enclosing
    // block's emission.
    struct Read {
        NodeId array, index;
        std::int64_t offset = 0; // it reads at index + offset; at the number itself
        NodeId end{};            // if there is one, at end + offset - index: backwards
        bool begun = false;      // that is known not to be negative
        bool ended = false;      // and to be less than the array's length
        NodeId not_last{};       // the index is not this extent - 1
        bool operator==(const Read&) const = default;
    };
    struct Summary {
        bool faults = false;       // whatever encloses it
        std::vector<Read> reads{}; // faults unless these are in range
        // If it faults: true if it does only where one of these does, which its blocks need and which depends on none of them.
        bool outside = false;
        std::vector<NodeId> around{};
    };
    // Of the node itself and what its blocks compute; not of its operands.
    const Summary& of(NodeId node);

    // True if all positions below `extent` are positions of `array`.
    bool in_range(NodeId array, NodeId extent) const;
    // True if `read` does not fault in a block of `owner`, to which its index or emission belongs.
    bool cannot_fault(const Read& read, NodeId owner) const;
    // Takes from the conditional `owner` what it says of a read in its block.
    void learn(Read& read, NodeId owner, BlockId block) const;
    // The extent that `index` stays below when it is the parameter of a block of `owner`, or none.
    NodeId extent(NodeId owner) const;

  private:
    bool is_same_length(NodeId a, NodeId b) const;
    void learn(Read& read, NodeId condition, bool holds) const;
    void learn_length(Read& read, std::pair<NodeId, std::int64_t> length, Scalar comparison,
                      std::pair<NodeId, std::int64_t> other) const;
    void know(NodeId node);
    Summary summarize(NodeId node);
    Summary with_inputs(NodeId node, const Summary& own) const;
    Summary first(NodeId generator) const;
    void body(NodeId owner, BlockId block, Summary& out);
    void add(Summary& out, const Summary& part, NodeId owner, BlockId block) const;
    static void join(Summary& out, const Summary& part);

    const Graph& graph_;
    tsl::robin_map<NodeId, Summary, std::hash<NodeId>> known_, with_inputs_; // with all that the node is computed from
};

// True if the number is a literal that is not negative, or a length.
bool not_negative(const Graph& graph, NodeId number);

// True if a generator may fault when no emission arrives: it takes the first value, feeds such a generator, or has a
// number of histogram bins that may be negative. (Generators of groups do not count: a group is never empty.)
bool faults_when_empty(const Graph& graph, NodeId generator);

} // namespace irrewrite
