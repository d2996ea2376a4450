// The left side of a rule with its sequences unrolled and its types solved: the plan of an instance.
//
// A piece is a term at one element of the sequences around it. A metavariable that occurs again is the same piece, so
// the sharing of the pattern is kept. A condition `?x ~ pattern` puts the pattern in place of `?x`.
#pragma once

#include "engine/generate/open_types.hpp"
#include "engine/ir/module.hpp"
#include "engine/rules/rule.hpp"
#include "engine/rules/sequence_lengths.hpp"

#include <map>
#include <set>

namespace irrewrite {

using PieceId = Id<struct PieceTag>;

struct PatternNode {
    enum class Kind : std::uint8_t {
        Leaf,    // any term of its type: ?x, _
        Literal, // #k
        Number,
        Constant, // as the term says
        Param,    // a parameter of a block of the pattern
        Apply,    // ?f(operands…)
        Node,     // op, operands, blocks
        Tuple,
        List,
        Struct,
        Call,
        Project, // result or element `position` of operands[0]; none: operands[0] itself
        Field,
    };
    struct Block {
        VariableId whole; // {?op}
        std::vector<SymbolId> names;
        std::vector<std::pair<VariableId, std::size_t>> params;
        std::vector<PieceId> results;
        OpenList param_types, result_types;
        bool combines = false;
    };
    Kind kind = Kind::Leaf;
    TermId term;
    VariableId variable;
    std::size_t element = 0; // of a sequence variable
    OpId op;
    SymbolId callee; // Call
    std::optional<OpenCall> call;
    std::vector<PieceId> operands;
    std::vector<Block> blocks;
    std::size_t position = 0;
    bool whole = false; // Project: of the only result
    OpenList results;   // their types
};

class UnrolledPattern {
  public:
    UnrolledPattern(const Context& context, const Module& library, const Rule& rule, OpenTypes& types);

    // Unrolls all roots; false when the random lengths and types do not fit together.
    bool unroll();
    const Rule& rule() const { return rule_; }
    const PatternNode& operator[](PieceId id) const { return pieces_[find(id).index]; }
    // The piece that this one was made the same as.
    PieceId find(PieceId id) const {
        for (auto it = same_.find(id); it != same_.end(); it = same_.find(id)) id = it->second;
        return id;
    }
    std::size_t size() const { return pieces_.size(); }
    std::vector<PieceId> roots;

    std::optional<TypeId> type(PieceId id); // of a piece with one result
    OpenTypes& types() { return types_; }
    // The only type variable or annotation of a leaf, for lengths that it must have.
    const TypeTerm* annotation(VariableId variable) const;
    std::optional<TypeId> type_variable(VariableId variable);
    // Number of elements of a sequence; where a literal was chosen as a position, which one.
    std::map<std::pair<VariableId, std::size_t>, std::size_t> positions;
    std::optional<std::size_t> length(VariableId variable) const { return lengths_[variable.index]; }
    // Makes two pieces the same, as unification does (engine/generate/unify.cpp). `orders`: bit i says that the
    // operands of the i-th commutative operation met are taken crosswise; `met`: how many there were. False: they
    // cannot be the same, or it cannot be decided: `undecided` says which.
    struct Unifier {
        std::uint32_t orders = 0;
        std::uint32_t met = 0;
        bool undecided = false;
        std::vector<std::pair<VariableId, PieceId>> literals{}; // a metavariable `#k`, and what it was made the same as
    };
    bool unify(PieceId a, PieceId b, Unifier& unifier);
    // True if another root reads this one.
    bool is_read(PieceId root) const;
    // True if the rule counts the uses of this result of a root: uses(?root.#k).
    bool counts_uses(PieceId root, std::size_t result) const;
    // The least cost of a function that the rule demands: `not cost(?f) < 1000`. 0: none.
    std::int64_t least_cost(VariableId function) const;
    // True if the rule has that condition: total(?f), pure(?f).
    bool asks(std::string_view predicate, VariableId variable) const;
    bool is_shared(PieceId root) const; // as a condition asks
    // Another function that is to be the same, for `?x == ?y` of two terms that are built from them to hold.
    VariableId alike(VariableId function) const {
        auto found = alike_.find(function);
        return found == alike_.end() ? VariableId{} : found->second;
    }
    // The piece that a metavariable is, where it is one.
    std::optional<PieceId> piece_of(VariableId variable, std::size_t element = 0) const;

  private:
    using Pieces = std::vector<PieceId>;
    bool bind(PieceId from, PieceId to);
    bool contains(PieceId whole, PieceId part) const;
    bool unify_lists(std::span<const PieceId> a, std::span<const PieceId> b, Unifier& unifier);
    bool unify_nodes(PieceId a, PieceId b, Unifier& unifier);
    bool unify_blocks(PieceId a, PieceId b, Unifier& unifier);
    bool unify_functions(PieceId a, PieceId b, Unifier& unifier);
    PieceId param(VariableId variable, std::size_t element);
    std::optional<PieceId> piece(TermId term);
    std::optional<PieceId> variable(TermId id);
    std::optional<PieceId> node(TermId id);
    std::optional<PieceId> structure(TermId id, Core core);
    std::optional<PieceId> project(TermId id);
    std::size_t position(VariableId literal, std::size_t count);
    std::optional<std::int64_t> number(TermId id, VariableId literal, std::size_t position);
    bool fits(VariableId literal, std::size_t position);
    bool one_each(VariableId generators) const;
    bool foresee_built(); // engine/generate/emission_arity.cpp
    bool foresee(TermId term);
    std::optional<std::size_t> taken(std::uint32_t sequence, const BlockSignature& signature, const BlockTerm& block);
    bool says_all(TermId closer, TermId pattern) const;
    void find_built_alike();
    void find_alike(TermId a, TermId b);
    bool alike_types();
    bool alike_holes();
    std::optional<PieceId> apply(TermId id);
    std::optional<PieceId> call(TermId id);
    const Function* callee(const Term& term, std::size_t operands);
    bool attributes(const Term& term, const Operation& operation, PatternNode& piece);
    bool block(const BlockTerm& term, const Operation& operation, std::size_t i, std::span<std::size_t> common,
               PatternNode& piece);
    bool is_effect(const PatternNode& piece) const;
    bool params(const BlockTerm& term, const CommonLengths& common, PatternNode::Block& block);
    // `made`: how many pieces came of each term.
    bool list(std::span<const TermId> terms, Pieces& out, const CommonLengths& common = {},
              std::vector<std::size_t>* made = nullptr);
    bool repeat(TermId term, std::size_t count, Pieces& out);
    void sequences_of(TermId term, std::vector<VariableId>& out) const;
    std::optional<std::size_t> known_length(TermId term) const;
    std::size_t random_length(TermId id);
    void ask_lengths(const Condition& condition);
    void expect_match(const Condition& condition);
    std::size_t element(VariableId variable) const;
    bool type_conditions();
    OpenType open(const TypeTerm& term);
    std::size_t rank(std::span<const TypeTerm* const> dims);
    OpenType& type_of(VariableId variable, std::size_t element);
    bool single(PieceId id, OpenType type); // has one result, of that type
    PieceId add(PatternNode piece);
    PieceId leaf(PatternNode::Kind kind, TermId term, TypeClass cls = TypeClass::Any);

    const Context& context_;
    const Module& library_;
    const Rule& rule_;
    OpenTypes& types_;
    std::deque<PatternNode> pieces_;
    std::map<PieceId, PieceId> same_;
    std::vector<std::optional<std::size_t>> lengths_; // by variable
    std::vector<std::int64_t> iteration_;             // by variable: the element of the enclosing `...`, or -1
    std::map<std::pair<VariableId, std::size_t>, OpenType> types_of_;
    std::map<VariableId, std::size_t> ranks_; // the lengths of sequences of dimensions
    std::map<std::pair<VariableId, std::size_t>, PieceId> pieces_of_;
    std::vector<std::size_t> lengths_asked_; // that conditions compare counts with, and their neighbours
    bool counts_ = false;                    // the rule does: count(?vs), results(?gs)
    std::set<VariableId> counted_results_;   // results(?gs)
    std::map<VariableId, TermId> matches_;   // `?x ~ pattern`
    std::map<VariableId, std::pair<OpenList, OpenList>> whole_;
    std::map<VariableId, std::vector<OpenType>> holes_;
    std::map<VariableId, VariableId> alike_;
    std::map<VariableId, const TypeTerm*> annotations_;
};

} // namespace irrewrite
