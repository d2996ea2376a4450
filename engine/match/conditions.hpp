// Evaluates the conditions of a rule, its `where` clause.
#pragma once

#include "engine/match/instantiate.hpp"

namespace irrewrite {

class Conditions {
  public:
    Conditions(Builder& builder, const Rule& rule, Matcher& matcher, const Surroundings& around)
        : builder_(builder), graph_(builder.graph()), rule_(rule), matcher_(matcher), around_(around) {}

    // Checks conditions i, i+1, …, binding what they bind, then `rest`.
    bool hold(std::size_t i, Matcher::Rest rest);

  private:
    using Nodes = std::vector<NodeId>;
    bool check(const Condition& condition, Matcher::Rest rest);
    bool check_all(std::span<const Condition> parts, Matcher::Rest rest);
    bool compare(const Condition& condition);
    bool compare_once(const Condition& condition, Instantiation& terms);
    bool predicate(const Condition& condition);
    bool bind(VariableId variable, Nodes nodes, Matcher::Rest rest);
    // The nodes a term stands for, and what is left out when it is a function.
    struct Subject {
        Nodes nodes, holes;
        BlockId block;
    };
    std::optional<Subject> subject(TermId term);
    bool is_memory(NodeId node) const;
    bool are_two_memories(NodeId a, NodeId b) const;
    bool is_length(NodeId node) const;
    bool pure(const Subject& subject) const;
    bool total(const Subject& subject) const;
    bool total(Subject subject, const Subject& other) const;
    bool closed(const Subject& s) const;
    bool always(const Subject& s) const;
    std::size_t cost(const Subject& subject) const;
    std::uint64_t uses_inside(BlockId block, NodeId param) const;
    std::optional<Instantiation::Number> measure(const Term& query); // uses(?x), cost(?f)
    bool compare_types(std::string_view op, const Term& a, const Term& b);

    Builder& builder_;
    Graph& graph_;
    const Rule& rule_;
    Matcher& matcher_;
    const Surroundings& around_;
};

} // namespace irrewrite
