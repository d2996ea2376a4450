// An e-graph: classes of nodes that are equal, closed under congruence. (Willsey et al., "egg: Fast and Extensible
// Equality Saturation", sections 2 and 3.)
//
// The graph itself is the table of terms: a member of a class is a node whose operands are representatives, and the
// constructor, which folds, normalizes and interns, makes equal what becomes equal. Blocks are compared as they are.
#pragma once

#include "engine/match/equal_terms.hpp"

#include <functional>

namespace irrewrite {

// True if `made` still computes each of these parts that may fault. (The constructor drops parts: `0 * x`, `(x, y).0`.)
bool keeps_faults(const Graph& graph, NodeId made, std::span<const NodeId> parts);

class TermClasses final : public EqualTerms {
  public:
    // `inputs`: what a node is computed from, operands and what its blocks read; none: nothing below it is rewritten.
    using Inputs = std::function<std::vector<NodeId>(NodeId)>;
    TermClasses(Graph& graph, Inputs inputs) : graph_(graph), inputs_(std::move(inputs)) {}

    using ClassId = std::uint32_t;
    static constexpr ClassId none = UINT32_MAX;

    std::vector<NodeId> inputs(NodeId node) const { return inputs_(node); }
    // The node and what it is computed from, each in a class.
    ClassId add(NodeId node);
    ClassId find(NodeId node) const; // none: it is in no class
    // True if the two were not known to be equal; they have one type. `restore` is due before the next question.
    bool unite(NodeId a, NodeId b);
    // Brings back congruence: applications of one operation to equal operands are equal.
    void restore();

    std::span<const NodeId> members(NodeId node, OpId op) const override;
    std::span<const NodeId> all_members(NodeId node) const override;
    bool knows(NodeId node) const override { return find(node) != none; }
    std::span<const NodeId> users(NodeId operand) const override;
    bool is_member(NodeId user, NodeId node) const override { return !is_stale(user) && find(user) == find(node); }
    NodeId representative(NodeId node) const override;

    std::size_t size() const { return nodes_; } // of all classes, in members
    // So many nodes may be looked at from now on, while patterns are matched; then all classes seem to be empty.
    void allow(std::size_t looks) { looks_ = looks; }
    bool is_spent() const { return looks_ == 0; }
    std::size_t looks_left() const { return looks_; }
    std::size_t numbers() const { return classes_.size(); } // classes have smaller ones
    // Calls f(class) for each class, the oldest first.
    template <class F> void for_each(F&& f) const {
        for (ClassId id = 0; id < classes_.size(); ++id)
            if (parents_[id] == id) f(id);
    }
    // Time passes when the caller says so; a class changes when it is made or united with another one.
    void begin(std::uint32_t time) { time_ = time; }
    bool has_changed(ClassId id, std::uint32_t since) const { return classes_[id].changed >= since; }
    bool is_new(NodeId member, std::uint32_t since) const { return born_[member.index] >= since; }
    std::span<const NodeId> users_of(ClassId id) const { return classes_[id].users; }
    std::span<const NodeId> members_of(ClassId id) const { return classes_[id].members; }

  private:
    struct Class {
        NodeId representative;
        std::vector<NodeId> members; // by operation
        std::vector<NodeId> users;   // nodes that have it as an operand
        std::uint32_t changed = 0;   // when
    };
    ClassId root(ClassId id) const;
    bool is_stale(NodeId node) const { return node.index < stale_.size() && stale_[node.index]; }
    void create(NodeId node, bool is_leaf);
    std::vector<NodeId> representatives(NodeId node) const; // of its operands
    NodeId canonical(NodeId node);                          // with the representatives of its operands
    void remember(NodeId node, ClassId id);

    Graph& graph_;
    Inputs inputs_;
    std::vector<ClassId> class_of_; // by node
    mutable std::vector<ClassId> parents_;
    std::vector<Class> classes_;
    std::vector<NodeId> stale_users_; // an operand has got another representative
    std::vector<ClassId> touched_;    // classes that may have members which are no longer canonical
    std::vector<bool> stale_;         // by node
    std::vector<std::uint32_t> born_; // by node: when
    std::uint32_t time_ = 0;
    std::size_t nodes_ = 0;
    mutable std::size_t looks_ = SIZE_MAX;
    std::span<const NodeId> looked_at(std::span<const NodeId> nodes) const;
};

} // namespace irrewrite
