// Ranges of integers in one function: arithmetic that cannot overflow, comparisons that are known near the ends of a
// loop, and indices within arrays. Lengths are bounded by the memory that arrays need, and a loop's index is less than
// its extent.
//
// Knows no text. Its user says which loops and conditions the code stands in.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/scalars.hpp"
#include "printers/plan/loop_range.hpp"
#include "printers/plan/operation_kinds.hpp"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace irrewrite::printers {

struct KnownHere;

class Ranges {
  public:
    Ranges(const OperationKinds& kinds, const Types& types, const Function& function);

    // The loops around the code, the innermost last.
    void enter(const Range& loop) { loops_.push_back(loop); }
    void leave() { loops_.pop_back(); }
    bool in_loop() const { return !loops_.empty(); }
    // The conditions around it, likewise.
    void enter(const Condition& condition);
    void leave_condition();

    // The index is within [0, extent), or any integer where there is none. A parameter stands for another value from here on, so
    // conditions around that are about it are hidden: blocks of one height share their parameters.
    void set_extent(NodeId index, NodeId extent);
    NodeId extent(NodeId index) const;
    std::size_t set_extents() const { return replaced_.size(); } // so far
    void undo_extents(std::size_t begin);                        // to as many as were set

    // Ends the extents that are set while it lives: blocks of one height share their parameters.
    class Extents {
      public:
        explicit Extents(Ranges& ranges) : ranges_(ranges), begin_(ranges.set_extents()) {}
        Extents(const Extents&) = delete;
        ~Extents() { ranges_.undo_extents(begin_); }

      private:
        Ranges& ranges_;
        std::size_t begin_;
    };

    // Gives the values that a `while` carries their bounds, as long as it lives: inside of the loop.
    class Carried {
      public:
        Carried(Ranges& ranges, NodeId loop);
        Carried(const Carried&) = delete;
        ~Carried();

      private:
        bool drop(NodeId loop);

        Ranges& ranges_;
        std::unordered_map<NodeId, CarriedBounds> before_;
    };

    // Says of the arrays that a `for` carries by which parameter it does, as long as it lives: inside of the loop.
    class CarriedArrays {
      public:
        CarriedArrays(Ranges& ranges, NodeId loop);
        CarriedArrays(const CarriedArrays&) = delete;
        ~CarriedArrays() { ranges_.arrays_ = std::move(before_); }

      private:
        Ranges& ranges_;
        std::unordered_map<NodeId, CarriedArray> before_;
    };

    // An array of this length has been made.
    bool learn_length(NodeId length) { return lengths_.insert(length).second; }
    void forget_length(NodeId length) { lengths_.erase(length); }

    // The values of an integer; empty for another type.
    std::optional<Interval> interval(NodeId node) const;
    // True if C++'s own operator or function computes the same: the type is not promoted, and nothing wraps.
    bool is_exact(NodeId node) const;

    // The value of a comparison with a loop's index, or of a condition around it, if it is known there.
    std::optional<bool> known_condition(NodeId node) const;
    // The operand that a minimum or maximum takes there; none if that is not known.
    NodeId chosen(NodeId node) const;
    // Moves the ends of the range inwards until the node's comparison, or its choice, is known; not far.
    void widen(Range& range, NodeId node) const;

    // True if a loop over [0, extent) stays within dimension `level` of the array, of which `type` is the type from
    // there on.
    bool is_length(NodeId extent, NodeId array, TypeId type, std::size_t level) const;
    // True if the index is a number or a loop's index within that dimension.
    bool is_index_of(NodeId index, NodeId array, TypeId type, std::size_t level) const;
    // True if the loops and conditions around it say that the index is one of that dimension.
    bool is_in_range(NodeId index, NodeId array, TypeId type, std::size_t level) const;

  private:
    std::optional<Interval> exact_interval(NodeId node, unsigned depth, unsigned& looked_at) const;
    std::optional<Interval> interval(NodeId node, unsigned depth, unsigned& looked_at) const;
    std::optional<Affine> affine(NodeId node, Range& range, bool widening, unsigned depth) const;
    NodeId chosen(NodeId node, Range& range, bool widening, unsigned depth) const;
    std::optional<bool> known_condition(NodeId node, unsigned depth) const;
    std::optional<bool> known_condition(NodeId node, Range& range, bool widening) const;
    NodeId length_given(NodeId array) const;
    bool is_bounded(NodeId index, NodeId array, TypeId type, std::size_t level) const;
    bool is_clamped(NodeId index, Range range) const;
    bool is_at_least(NodeId a, NodeId b) const;
    bool is_within(NodeId node, const Interval& interval) const;
    KnownHere known() const;

    const OperationKinds& kinds_;
    const Types& types_;
    const Function& function_;
    const Graph& g_;
    std::vector<Range> loops_;
    struct Hidden { // while so many extents are set
        std::size_t extents, condition;
        NodeId node; // that it had; none: it is not hidden, and its loop's parameter is set
    };
    void hide_conditions(NodeId param);
    std::vector<Condition> conditions_;
    std::vector<std::vector<NodeId>> bound_; // by condition: parameters of its loop that are set
    std::vector<Hidden> hidden_;
    std::unordered_map<NodeId, NodeId> extents_;
    std::unordered_map<NodeId, CarriedBounds> carried_;
    std::unordered_map<NodeId, CarriedArray> arrays_;
    mutable std::unordered_set<NodeId> lengths_;      // that are known for a proof, too
    std::vector<std::pair<NodeId, NodeId>> replaced_; // indices and the extents that they had
};

} // namespace irrewrite::printers
