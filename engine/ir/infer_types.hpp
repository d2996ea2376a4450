// Type inference for one application of an operation: its signature is unified with the types of the operands and
// blocks. Parser, rule builder and graph constructor all use it.
//
// Use: operands(…), then for each block i block_params(i), its parameter types, and block(i, …), then result(). A type
// variable met twice keeps the lengths that both types know; a dimension variable keeps a length that either knows, and
// two different known lengths are an error.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

struct OperandInfo {
    TypeId type; // none: a numeral whose type the context decides
    Dim value;   // what is known of its value when it is an i64 (a literal, or `%n`)
};
OperandInfo operand_info(const Graph& graph, NodeId node);
// True if inference cannot distinguish the two operands of a node of that type.
// A term for an opaque type with dimensions as a term for what the type is lowered to, if it is; else the term.
TypeTerm lowered_term(Types& types, const TypeTerm& term);
// The dimensions of a term of an opaque type: its first parts.
std::size_t dim_count(const Types& types, const TypeTerm& opaque);
// `[?n...][?k]?T`: a sequence among the dimensions of an array.
bool has_any_rank(const TypeTerm& array);
// The dimensions of an array, outermost first, and its elements.
const TypeTerm& dimensions_of(const TypeTerm& array, std::vector<const TypeTerm*>& dims);
bool infers_alike(const Graph& graph, TypeId type, NodeId operand, NodeId other);

// The shape of a block before it is built: the number of parameters, if known, and bounds of the number of results.
struct BlockShape {
    std::optional<std::size_t> params;
    std::size_t least_results = 0, most_results = SIZE_MAX;
};
BlockShape block_shape(const Graph& graph, BlockId block);

class Inference {
  public:
    Inference(Context& context, OpId op, AttrId attrs = Attributes::none());

    // False: `error()` says why.
    bool operands(std::span<const OperandInfo> operands, std::span<const BlockShape> blocks);
    // The type that operand i must have (for numerals); none while not determined.
    TypeId operand(std::size_t i);
    // Parameter types of block i; empty when one of them is not determined.
    std::optional<std::vector<TypeId>> block_params(std::size_t i);
    // Result types that block i is known to need so far (for numerals standing as results), where
    // determined; may be shorter than the block's results.
    std::vector<TypeId> expected_results(std::size_t i, std::size_t count);
    bool block(std::size_t i, std::span<const TypeId> results);
    // After all blocks: whether block_params(i) is what it was before them. If not (a carried array
    // whose length is known less after the body than before), the blocks must be built again.
    bool settled() const { return settled_; }
    // The node's type. None when something is not determined.
    std::optional<TypeId> result();
    const std::string& error() const { return error_; }
    // Returns the number of operands, or parameters, that a term of the signature stands for. Requires that operands(…)
    // held.
    std::size_t length(const TypeTerm& term) const;

  private:
    using Sequence = std::vector<TypeId>;
    bool fail(std::string text);
    bool choose_lengths(std::size_t operands, std::span<const BlockShape> blocks);
    bool lacks_arrays() const;
    bool fits(std::span<const TypeTerm> terms, std::size_t least, std::size_t most) const;
    bool try_operands(std::span<const OperandInfo> operands);
    bool unify(const TypeTerm& term, TypeId type, std::size_t position, bool append);
    bool unify_list(std::span<const TypeTerm> terms, std::span<const TypeId> types, bool append);
    bool bind(std::uint32_t variable, TypeId type);
    bool bind_sequence(std::uint32_t variable, TypeId type, std::size_t position, bool append);
    bool bind_dim(const TypeTerm& term, Dim dim);
    bool bind_length(Dim& bound, Dim dim);
    bool bind_dims(std::span<const TypeTerm* const> terms, std::span<const Dim> dims);
    bool unify_dims(const TypeTerm& opaque, TypeId type);
    bool unify_nested(const TypeTerm& term, TypeId type, std::size_t position, bool append);
    bool unify_operands(std::span<const OperandInfo> operands);
    std::optional<TypeId> build(const TypeTerm& term, std::size_t position);
    bool build_list(std::span<const TypeTerm> terms, std::vector<TypeId>& out);
    std::optional<Dim> build_dim(const TypeTerm& term) const;
    std::optional<std::vector<Dim>> build_dims(std::span<const TypeTerm* const> terms) const;
    std::optional<TypeId> build_nested(const TypeTerm& term, std::size_t position);
    std::optional<TypeId> build_opaque(const TypeTerm& term, std::size_t position);
    bool runs_once() const;
    std::string text(TypeId type) const;

    Context& context_;
    OpId op_;
    AttrId attrs_;
    const Signature& signature_;
    std::vector<bool> is_sequence_;                   // by type variable
    std::vector<TypeId> bound_;                       // by type variable
    std::vector<Sequence> sequences_;                 // by type variable
    std::vector<std::optional<std::size_t>> lengths_; // by type variable, then by operand term without one
    std::vector<std::optional<Dim>> dims_;
    std::vector<std::optional<std::vector<Dim>>> ranks_; // by dimension variable: those that are sequences
    std::vector<OperandInfo> operands_;
    bool postponed_ = false; // of a type with several sequences of dimensions, more than one is not known yet
    bool each_once_ = true;
    bool settled_ = true;
    std::string error_;
};

// The type of an operation applied to existing nodes and blocks, or why it has none.
struct Inferred {
    std::optional<TypeId> type;
    std::string error;
};
Inferred infer(const Graph& graph, OpId op, AttrId attrs, std::span<const NodeId> operands,
               std::span<const BlockId> blocks);

// The number of operands and parameters that each term of the signature stands for at a node of an operation with
// sequences of two lengths side by side (`foldl(xs…, zs…)`); none if all are equally long.
struct Lengths {
    std::vector<std::size_t> operands;            // by operand term
    std::vector<std::vector<std::size_t>> params; // by block, by parameter term
};
std::optional<Lengths> uneven_lengths(const Graph& graph, NodeId node);

// The number of parameters of a block that goes with so many operands; none if that is open.
std::optional<std::size_t> parameters_due(const Signature& signature, std::size_t block, std::size_t operands);

// Which type variables of a signature are sequences: those that stand under `...` everywhere.
std::vector<bool> sequence_variables(const Signature& signature);
// The first of them in a term, if it has one.
std::optional<std::uint32_t> sequence_of(const TypeTerm& term, const std::vector<bool>& is_sequence);

} // namespace irrewrite
