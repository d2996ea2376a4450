// Proofs that an index is within an array, from linear inequalities: the ranges of loop indices, the conditions under
// which code runs, and the definitions of minima, maxima and quotients. Lengths are symbols, so that `xs[i + j]` is
// within xs if i < n - k + 1 and j < k, where n is the length of xs.
//
// A goal `G >= 0` holds if facts `F >= 0` can be subtracted from G, with positive factors, until what is left has a
// lower bound that is not negative (Fourier-Motzkin elimination, bounded in depth).
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/scalars.hpp"
#include "printers/plan/loop_range.hpp"
#include "printers/plan/operation_kinds.hpp"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace irrewrite::printers {

// Known about nodes where an index is used.
struct KnownHere {
    std::span<const Range> ranges;         // of the loops that are printed
    std::span<const Condition> conditions; // around it
    std::function<NodeId(NodeId)> extent;  // of a loop's index; none of another node
    std::function<std::optional<Interval>(NodeId)> interval;
    std::function<bool(NodeId)> is_exact; // integer arithmetic that does not wrap
    const std::unordered_map<NodeId, CarriedBounds>& carried;
    const std::unordered_map<NodeId, CarriedArray>& arrays;
};

class LinearBounds {
  public:
    LinearBounds(const OperationKinds& kinds, const Types& types, const Function& function, const KnownHere& known);
    // True if the index is one of dimension `level` of the array, of which `type` is the type from there on.
    bool is_element(NodeId index, NodeId array, TypeId type, std::size_t level);
    bool is_at_least(NodeId a, NodeId b);
    bool is_within(NodeId node, const Interval& interval);

  private:
    struct Sum {                             // constant + terms
        std::map<std::uint64_t, Wide> terms; // a node, or the length of one
        Wide constant = 0;
        bool operator==(const Sum&) const = default;
    };
    static std::uint64_t value_of(NodeId node) { return std::uint64_t{node.index} << 1; }
    static std::uint64_t length_of(NodeId array) { return value_of(array) | 1; }
    static NodeId node_of(std::uint64_t atom) { return {static_cast<std::uint32_t>(atom >> 1)}; }
    static void add(Sum& sum, const Sum& other, Wide factor);
    static bool is_small(const Sum& sum); // arithmetic on a few of them cannot overflow
    static Sum number(Wide value) { return {{}, value}; }
    static Sum atom(std::uint64_t atom) { return {{{atom, 1}}, 0}; }
    OpKind shape(NodeId node) const { return kind_of(kinds_, g_, node); }
    Sum linear(NodeId node, unsigned depth);
    std::optional<Sum> length(NodeId array, TypeId type, std::size_t level);
    Sum length_made(NodeId loop, NodeId generator, NodeId array);
    std::optional<Sum> length_carried(const CarriedArray& array, bool inside);
    bool is_same_in(const Sum& sum, BlockId block, NodeId but) const;
    void learn(const Sum& larger, const Sum& smaller, Wide distance);
    void learn_condition(NodeId node, bool holds, unsigned depth);
    void learn_apart(const Sum& a, const Sum& b);
    void learn_choice(NodeId node, bool holds, unsigned depth);
    void learn_atom(std::uint64_t atom);
    void learn_quotient(NodeId node);
    void learn_around();
    void learn_all(const Sum& sum);
    std::optional<Wide> least(const Sum& sum) const;
    bool holds(const Sum& goal, unsigned depth);
    bool holds_for_choices(const Sum& goal, unsigned depth);

    const OperationKinds& kinds_;
    const Types& types_;
    const Function& function_;
    const Graph& g_;
    const KnownHere& known_;
    std::vector<Sum> facts_; // not negative
    std::vector<std::uint64_t> learned_;
    std::unordered_map<NodeId, Sum> assumed_; // lengths of arrays that loops carry, in a proof by induction
    unsigned steps_ = 0;
};

} // namespace irrewrite::printers
