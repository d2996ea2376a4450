// An instance of a rule's left side: a well-typed function that computes it, in a context. A function of its tape of
// choices.
#pragma once

#include "engine/generate/continuations.hpp"
#include "engine/generate/pattern.hpp"
#include "engine/generate/terms.hpp"
#include "engine/match/conditions.hpp"

namespace irrewrite {

enum class Setting : std::uint8_t {
    Alone,
    Shared, // nodes inside the left side are results as well
    Loop,   // computed many times, from the index among other things
};

class Instance {
  public:
    Instance(Context& context, const Module& library, const Rule& rule, const Vocabulary& vocabulary, Choices& choices,
             const TermStyle& style, Function& function);

    // Lengths for the sequences, and types; without it, `build` chooses them. False: they do not fit together, and
    // another instance may be tried on the same function.
    bool unroll() { return unrolled_ = pattern_.unroll(); }
    // Puts the left side into the function. False: this combination of choices makes none.
    bool build(Setting setting);
    // When set: what else is to be true of the pattern once its sequences have their lengths.
    std::function<bool(UnrolledPattern&)> prepare;
    // The bindings of the metavariables in it.
    Bindings bindings();

  protected:
    using Nodes = std::vector<NodeId>;
    // When set: puts other effects before a node of the pattern whose operands are there; knows a node that was made.
    std::function<bool()> before_effect;
    std::function<void(NodeId)> behind_effect;
    std::function<void(std::span<const NodeId>)> inside; // when set: puts effects into a block that is one metavariable
    NodeId entry();                                      // of the function
    bool finish(); // results and tokens; false: it has neither a result nor an effect
    bool roots(Setting setting);
    bool inside_loop(unsigned loops);
    std::optional<NodeId> root(PieceId id);
    bool gives(PieceId root, std::size_t result) const;
    void give(PieceId root, NodeId node, Nodes& out);
    std::optional<NodeId> behind_a_test(NodeId result);
    bool structured_roots();
    bool generate(PieceId root, Nodes& generators);
    void share();
    std::optional<NodeId> piece(PieceId id);
    std::optional<NodeId> make(PieceId id, const PatternNode& piece);
    std::optional<NodeId> leaf(PieceId id, const PatternNode& piece);
    std::optional<NodeId> literal(PieceId id, const PatternNode& piece);
    std::optional<NodeId> continued(PieceId id, const PatternNode& piece);
    std::optional<std::uint64_t> found_literal(VariableId variable);
    std::optional<NodeId> node(const PatternNode& piece);
    std::optional<NodeId> applied(const PatternNode& piece, const Operation& operation);
    bool makes(TypeKind kind, const PatternNode& piece);
    std::optional<NodeId> apply(PieceId id, const PatternNode& piece);
    NodeId turns(std::int64_t few);
    std::optional<NodeId> repeated(TypeId type, NodeId body);
    std::optional<NodeId> symbolic(const PatternNode& piece, std::span<const NodeId> holes, TypeId type);
    std::optional<NodeId> project(const PatternNode& piece);
    // The types of a block's parameters: its pattern says no lengths, the operands may.
    std::optional<std::vector<TypeId>> parameters(const PatternNode& piece, std::size_t block, AttrId attributes,
                                                  std::span<const NodeId> operands);
    std::optional<BlockId> block(const PatternNode::Block& block, std::span<const TypeId> params);
    std::optional<BlockId> whole(const PatternNode::Block& block, std::span<const TypeId> params);
    void print_something(std::span<const NodeId> holes);
    std::optional<Nodes> results(const PatternNode::Block& block);
    bool continued(const PatternNode::Block& block, std::size_t result, std::span<const Vocabulary::Combiner> combiner);
    std::optional<std::vector<TypeId>> chosen(OpenList list);
    void prepare_combiner(const PatternNode& piece);
    void reserve_neutral();
    AttrId attributes(const PatternNode& piece);
    NodeId attribute(VariableId variable, TypeId type);
    NodeId some_text();
    // `?a == term` among the conditions: the term that ?a is then made from.
    void find_definitions();
    void find_asked(std::span<const Condition> conditions);
    NodeId one_of_literals(TypeId type);
    std::optional<NodeId> some_length();
    bool is_leaf(TermId term) const;
    bool bind_variables(TermId term);
    std::optional<NodeId> defined(VariableId variable, TypeId type);
    TypeId annotated(const TypeTerm& term, TypeId type);

    Context& context_;
    const Rule& rule_;
    const Vocabulary& vocabulary_;
    Choices& choices_;
    const TermStyle& style_;
    Function& function_;
    Builder builder_;
    TermGenerator terms_;
    OpenTypes types_;
    UnrolledPattern pattern_;
    Nodes base_locals_; // of the context
    std::map<PieceId, NodeId> built_;
    std::map<std::pair<VariableId, std::size_t>, NodeId> params_;
    struct Body {
        Nodes holes;
        NodeId result;
        TypeId type;
    };
    std::map<std::pair<VariableId, std::size_t>, Body> bodies_;
    std::map<VariableId, BlockId> wholes_;
    std::map<VariableId, std::vector<Vocabulary::Combiner>> combiners_;        // of whole blocks
    std::vector<Vocabulary::Combiner> combiner_;                               // of the node being built
    std::map<const PatternNode*, std::vector<Vocabulary::Combiner>> prepared_; // by node
    std::map<VariableId, TermId> definitions_;
    std::map<VariableId, TermId> built_terms_; // `?y = term`
    std::set<VariableId> asked_;               // of which an analysis is to know something
    bool compares_built_ = false;              // `?x == ?y` of two such
    bool unrolled_ = false;
    bool effects_ = false; // may be seen from here: no pure operation is around
    bool aside_ = false;   // roots that others read are asked for by these alone, mostly behind a test
    std::map<VariableId, SymbolId> dimensions_; // of annotations
    Bindings bindings_;
    Surroundings around_;
    const Continuation* next_ = nullptr; // of the style's, what metavariables are made for; none: for nothing
    NodeId size_;                        // how often loops run, where the style is sized
    std::optional<const LiteralSearch::Tuple*> tuple_; // the literals that were found together; none yet; null: none
};

} // namespace irrewrite
