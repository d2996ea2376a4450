// The operands of an application of a flat operation (Operation::is_flat) while rules rewrite it: a multiset that changes in place.
// Equal operands are one entry with a number; entries lie by operation, each kind in the order that `Graph::make` gives to operands.
//
// Invariant: no entry is an application of the operation itself, unless together they would have too many operands; of an
// `idempotent` operation each is there at most once.
#pragma once

#include "engine/ir/graph.hpp"

#include <optional>

namespace irrewrite {

class Bag {
  public:
    // The order of operands (engine/ir/commutative.hpp). Of two nodes the places differ.
    struct Place {
        std::uint32_t rank = 0;
        std::uint64_t position = 0;
        NodeId node;
        auto operator<=>(const Place&) const = default;
    };
    struct Entry {
        Place place;
        std::uint32_t count = 0; // 0: not there any more
        std::uint32_t taken = 0; // of them, by the match under way
        std::uint32_t free() const { return count - taken; }
    };

    Bag(const Graph& graph, NodeId application);

    void add(NodeId operand, std::uint32_t count = 1); // those of an application of the operation, where it is one
    void remove(NodeId operand, std::uint32_t count = 1);
    std::size_t size() const { return size_; }
    // True if an operand has an application of the operation as an operand.
    bool has_nested() const { return nested_ > 0; }
    std::vector<NodeId> operands() const; // in order
    // The same for equal bags, and most often only for them.
    std::uint64_t fingerprint() const { return fingerprint_; }
    // Everything that was added since the bag was made, in that order.
    std::span<const NodeId> added() const { return added_; }

    // Null: it is not there. Entries stay where they are until the next change.
    Entry* find(NodeId operand);
    Place place(NodeId operand) const;
    // The operands of an application of the operation; of any other node, none.
    std::span<const NodeId> parts_of(NodeId node) const;

  private:
    struct Kind {
        OpId op;
        std::vector<Entry> entries; // ascending
        std::size_t begin = 0;      // those before are gone
        std::size_t gone = 0;       // from `begin` on
    };
    Kind* kind(OpId op);
    Kind& kind_for(OpId op);
    void insert(NodeId operand, std::uint32_t count);
    static std::vector<Entry>::iterator lower_bound(Kind& kind, const Place& place);
    static void tidy(Kind& kind);
    bool is_nested(NodeId operand) const;
    void note(NodeId operand, std::int64_t change);

  public:
    // The entries that are there, in order, from a place on; of these operations, or, if there are none, of any.
    class Walk {
      public:
        Walk(Bag& bag, std::span<const OpId> operations, const Place* from);
        Entry* next(); // null: no more

      private:
        struct Cursor {
            Kind* kind;
            std::size_t at;
        };
        void start(Kind& kind, const Place* from);
        static Entry* at(Cursor& cursor);

        Cursor only_{};
        std::vector<Cursor> more_;
    };

  private:
    const Graph& graph_;
    OpId op_;
    bool is_set_;
    std::vector<Kind> kinds_;
    std::vector<NodeId> added_;
    std::size_t size_ = 0, nested_ = 0;
    std::uint64_t fingerprint_ = 0;
};

} // namespace irrewrite
