// Matches the left side of a rule against nodes.
//
// Backtracking in continuation-passing style: each step calls the rest of the match, and undoes its binding when the
// rest fails. The C++ stack grows with the pattern, not with the term. Elements under `...` are matched one after the
// other, each once.
#pragma once

#include "engine/ir/infer_types.hpp"
#include "engine/match/equal_terms.hpp"
#include "engine/rules/rule.hpp"
#include "engine/rules/sequence_lengths.hpp"
#include "engine/support/function_ref.hpp"

namespace irrewrite {

struct Binding {
    bool bound = false;
    std::vector<NodeId> items; // the node, or those of a sequence
    std::vector<NodeId> holes; // of a function, ?f(…): what is replaced when it is applied
    BlockId block;             // of a Block variable
    TypeId type;               // of a Type variable
    Dim dim;                   // of a Dim variable
    std::vector<Dim> dims{};   // of one that is a sequence; `items` is as long
};
using Bindings = std::vector<Binding>;

// `results(?g)` of one node after the other: what a generator or an emission has, or results. Neighbours are often alike.
class ResultCount {
  public:
    explicit ResultCount(const Graph& graph) : graph_(graph) {}
    std::size_t operator()(NodeId node) {
        if (graph_.type(node) == type_) return count_;
        const TypeKind kind = graph_.kind(node);
        if (kind != TypeKind::Generator && kind != TypeKind::Emission) return graph_.result_count(node);
        type_ = graph_.type(node);
        return count_ = graph_.context().types.elements(type_).size();
    }

  private:
    const Graph& graph_;
    TypeId type_{};
    std::size_t count_ = 0;
};
inline Binding bound_to(NodeId node) {
    return {.bound = true, .items = {node}, .holes = {}, .block = {}, .type = {}, .dim = {}};
}

// The effects of a block, none of which has a result: a pattern spells them all out, before the results. None: the block
// has others.
std::optional<std::vector<NodeId>> effects_in_order(const Graph& graph, BlockId block);

class Matcher {
  public:
    using Rest = FunctionRef<bool()>;

    Matcher(Graph& graph, const Rule& rule) : graph_(graph), rule_(rule), bindings(rule.variables.size()) {}

    // Root `i` of the left side at `node`, then `rest`. True: the bindings are those of the match.
    bool root(std::size_t i, NodeId node, Rest rest) { return match(rule_.left[i], node, rest); }
    // Any term of the rule (`?x ~ pattern`).
    bool match(TermId term, NodeId node, Rest rest);
    // Necessary for it, and quick.
    bool may_match(TermId term, NodeId node) const;

    // Matches modulo equality: below the root, a node stands for all of its class, and variables are bound to
    // representatives.
    const EqualTerms* equal = nullptr;
    // Then, the nodes that the operations of the pattern have matched.
    std::vector<NodeId> matched;
    // Root `i` at this node itself.
    bool root_itself(std::size_t i, NodeId node, Rest rest) { return itself(rule_.left[i], node, rest); }

    // Parameters of the pattern stand for those of this block from now on, so many for each.
    void enter(const BlockTerm& term, BlockId block, std::span<const std::size_t> counts);

  private:
    Graph& graph_;
    const Rule& rule_;

  public:
    Bindings bindings;

  private:
    using Nodes = std::vector<NodeId>;
    bool itself(TermId term, NodeId node, Rest rest);
    bool operation(const Term& term, NodeId node, Rest rest);
    bool member(TermId term, NodeId node, Rest rest);
    bool variable(const Term& term, NodeId node, Rest rest);
    bool bind(VariableId variable, NodeId node, Rest rest);
    bool number(const Term& term, NodeId node) const;
    bool node(const Term& term, NodeId node, Rest rest);
    bool is_plain(const Term& term) const;
    bool plain(const Term& term, NodeId node, Rest rest);
    bool operands(const Term& term, NodeId node, const CommonLengths& common, Rest rest);
    bool blocks(const Term& term, NodeId node, std::size_t i, std::span<std::size_t> common, Rest rest);
    // `params`: how many parameters each of the pattern's stands for.
    bool block(const BlockTerm& term, BlockId block, std::span<const std::size_t> params, const CommonLengths& results,
               Rest rest);
    bool attributes(const Term& term, NodeId node, std::size_t i, Rest rest);
    bool project(const Term& term, NodeId node, Rest rest);
    bool position(TermId term, std::size_t k, Rest rest);
    bool list(std::span<const TermId> terms, const Nodes& nodes, std::size_t t, std::size_t n,
              const CommonLengths& common, Rest rest);
    bool uneven(std::span<const TermId> terms, std::span<const std::size_t> lengths, const Nodes& nodes, std::size_t t,
                std::size_t n, Rest rest);
    std::optional<Lengths> lengths(const Term& term, NodeId node) const;
    bool run(std::span<const TermId> terms, const Nodes& nodes, std::size_t t, std::size_t n, std::size_t length,
             std::size_t run_length, Rest rest);
    bool sequence(TermId term, const Nodes& nodes, std::size_t first, std::size_t count, Rest rest);
    bool elements(const Term& term, TermId id, const Nodes& nodes, std::size_t first, std::size_t count, Rest rest);
    // engine/match/match_any_order.cpp: operands of a commutative operation of any number of them
    class AnyOrder;
    bool any_order(const Term& term, NodeId at, Rest rest);
    bool may_match_operands(const Term& term, NodeId at) const;
    bool may_match_number(const Term& term, NodeId at) const; // of them
    // engine/match/match_function.cpp: ?f(…) against one or several bodies.
    bool apply(const Term& term, const Nodes& bodies, Rest rest);
    bool argument(const Term& term, std::size_t i, const Nodes& bodies, std::vector<Nodes>& holes, Rest rest);
    bool finish(const Term& term, const Nodes& bodies, const std::vector<Nodes>& holes, Rest rest);
    bool mentions_param(TermId term) const;
    NodeId newest_bound(TermId term) const;
    Nodes candidates(const Nodes& bodies) const;
    Nodes candidates_behind(NodeId part, const Nodes& bodies) const;
    Nodes within(const Nodes& bodies, FunctionRef<bool(NodeId)> wanted) const;
    void keep_in_scope(Nodes& nodes) const;

    bool annotated(const Term& term, TypeId type, Rest rest);
    bool type(const TypeTerm& term, TypeId type, Rest rest);
    bool of_any_rank(const TypeTerm& term, TypeId given, Rest rest);
    bool nested(const TypeTerm& term, TypeId given, Rest rest);
    bool dimensions(std::span<const TypeTerm* const> terms, std::span<const Dim> given, Rest rest);
    bool type_list(std::span<const TypeTerm> terms, TypeId given, std::size_t i, Rest rest);
    bool in_scope(NodeId node) const; // depends on no parameter of an enclosing pattern block
    std::optional<std::size_t> known_length(TermId term) const;
    std::optional<std::size_t> length_asked(TermId term) const;
    struct Range {
        std::size_t first, last;
    };
    std::optional<Range> places(TermId term, const Nodes& nodes) const;
    void variables_of(TermId term, std::vector<VariableId>& out) const;

    struct ScopedBlock {
        std::uint32_t number;
        std::size_t params;
    };
    std::vector<ScopedBlock> scope_; // the blocks that the enclosing pattern blocks match
    // Terms that are to be matched after the one under way, in other places: they may say no before sequences are copied.
    struct Later {
        TermId term;
        NodeId node;
    };
    std::vector<Later> later_;
    bool may_match_later() const;
    bool is_operation_in_any_order(TermId term, NodeId node) const;
    std::optional<std::size_t> element_; // matching the element with this number of a sequence
};

} // namespace irrewrite
