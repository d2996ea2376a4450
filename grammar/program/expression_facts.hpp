// Facts about the expressions of one function before type inference: the operation that a name means, if evaluation has
// effects, if the type comes from the context. One pass over the tree's nodes, which are stored children first.
#pragma once

#include "engine/ir/module.hpp"
#include "grammar/syntax/syntax.hpp"

namespace irrewrite::grammar {

// A subtree is a contiguous range of ids that ends with its root: where it begins.
SyntaxId first_of_subtree(const SyntaxTree& tree, SyntaxId root);

// The term of the signature that operand i of n answers to; none when two sequences stand side by
// side.
const TypeTerm* operand_term(const Signature& signature, std::size_t i, std::size_t n);

// `==`, `<` and the like.
bool is_comparison(std::string_view operator_text);

class ExpressionFacts {
  public:
    // Reports operations and functions that do not exist or do not take what they are given.
    ExpressionFacts(Context& context, const SyntaxTree& tree, SyntaxId root, const Module& module,
                    Diagnostics& diagnostics);

    // Of an Op, Infix or Prefix (the first of several); none when it was wrong.
    OpId op(SyntaxId id) const { return ops_[id - first_]; }
    // All operations that are written like an Infix or Prefix, in the order of their declarations.
    std::vector<OpId> overloads(SyntaxId id) const;
    // Its effects can be seen outside it.
    bool effectful(SyntaxId id) const { return flags_[id - first_] & Effectful; }
    // All its effects are reads that cannot fault: it may as well be computed where it is not needed.
    bool only_reads(SyntaxId id) const { return flags_[id - first_] & OnlyReads; }
    // Its type follows from what is expected of it (numerals, `[]`, `add(1, 2)`); has no effects.
    bool flexible(SyntaxId id) const { return flags_[id - first_] & Flexible; }
    // Not an expression of the IR, or an operation that does not exist.
    bool wrong(SyntaxId id) const { return flags_[id - first_] & Wrong; }

  private:
    enum : std::uint8_t { Effectful = 1, Flexible = 2, Wrong = 4, OnlyReads = 8 };
    void visit(SyntaxId id);
    std::uint8_t application(SyntaxId id, std::optional<OpId> op);
    std::uint8_t call(SyntaxId id);
    std::uint8_t operator_block(SyntaxId id);
    std::uint8_t combined(SyntaxId id) const;
    bool only_reads_below(SyntaxId id) const;
    bool takes_type_from_context(SyntaxId id, const Operation& operation) const;
    std::optional<OpId> find_operation(SyntaxId id);
    std::optional<OpId> first_overload(SyntaxId id);
    std::uint8_t report_unknown(SyntaxId id);
    std::uint8_t report_unknown_function(SyntaxId id, std::string_view name);
    void report_shape(SyntaxId id, std::size_t operands, std::span<const SymbolId> labels);

    Context& context_;
    const SyntaxTree& tree_;
    const Module& module_;
    Diagnostics& diagnostics_;
    SyntaxId first_;
    std::vector<OpId> ops_;
    std::unordered_map<std::string_view, std::optional<OpId>> infix_, prefix_; // first of each
    std::vector<std::uint8_t> flags_;
};

inline bool is_block(const SyntaxNode& node) { return node.kind == Kind::Block || node.kind == Kind::OperatorBlock; }

} // namespace irrewrite::grammar
