// An operation ready to be applied on both sides of a law: the types of its operands, the parameters that they are made of,
// its attributes and blocks.
#pragma once

#include "engine/check/trait_laws.hpp"
#include "engine/generate/open_types.hpp"

#include <bit>

namespace irrewrite {

// A cell or a mutable array, now or in a later phase.
bool is_memory(Types& types, const TypeTerm& term);

// Nodes of operations that are known by their names, and of what is in memory.
struct LawNodes {
    Context& context;

    std::optional<NodeId> named(Builder& builder, std::string_view name, std::span<const NodeId> operands) const;
    std::optional<NodeId> named(Builder& builder, std::string_view name, std::initializer_list<NodeId> operands) const {
        return named(builder, name, std::span(operands.begin(), operands.size()));
    }
    static bool holds(const Types& types, TypeId type); // a cell or a mutable array
    bool holds(TypeId type) const { return holds(context.types, type); }
    bool is_cell(TypeId type) const { return context.types.kind(type) == TypeKind::Ref; }
    // The memory that a cell of cells leads to.
    std::optional<NodeId> innermost(Builder& builder, NodeId memory) const;
    std::optional<NodeId> content(Builder& builder, NodeId memory) const;
    // Elements, in lists of lists of three.
    std::optional<NodeId> list(Builder& builder, std::span<const NodeId> contents, TypeId element,
                               unsigned depth) const;
};

class LawOperands {
  public:
    static constexpr std::size_t elements = 3; // of a list that is indexed, and of a mutable array

    LawOperands(Context& context, const Vocabulary& vocabulary, OpId op, const TraitLaw& law, Choices& choices,
                const TermStyle& style, Function& before);

    // Adds parameters and blocks to the first side. False: these choices make no program.
    bool make();
    std::size_t count() const { return types_.size(); }
    TypeId type(std::size_t operand) const { return types_[operand]; }
    // On one side, whose memory is allocated here; behind the operands, the third one of an associative law.
    std::optional<std::vector<NodeId>> on(Builder& builder, bool first) const;
    std::optional<NodeId> apply(Builder& builder, std::span<const NodeId> operands) const {
        return builder.apply(op_, attributes_, operands, blocks_);
    }
    // The content of operand 0 as it was given, and the positions in it that the trait names.
    std::optional<NodeId> content_given(Builder& builder) const;
    std::vector<NodeId> positions() const;
    std::size_t positions_named() const { return static_cast<std::size_t>(std::popcount(operation_.element)); }
    std::span<const NodeId> written() const { return others_; } // Apart: what is put into the results, into each memory

  private:
    using Kind = TraitLaw::Kind;
    bool listed(OpenTypes& types, OpenType type);
    bool whole(OpenTypes& types, OpenType type) { return types.unify(type, types.known(context_.types.i64())); }
    std::size_t operand_count();
    bool restrict(OpenTypes& types, OpenCall& call);
    bool restrict_memory(OpenTypes& types, OpenCall& call);
    bool attributes(OpenTypes& types, OpenCall& call);
    bool may_be_made(TypeId type) const;
    bool add_written(TypeId result);
    bool parameters();
    bool is_listed(std::size_t operand) const;
    bool add_parameters(std::size_t operand, std::vector<NodeId>& out);
    bool fix_operands();
    std::optional<NodeId> position(NodeId number);
    bool blocks(OpenTypes& types, OpenCall& call);
    bool counted_body(NodeId& result, NodeId index);
    std::optional<NodeId> value(Builder& builder, std::size_t operand, TypeId type,
                                std::span<const NodeId> contents) const;
    bool exchange(Builder& builder, std::vector<NodeId>& contents) const;

    Context& context_;
    const LawNodes nodes_;
    const OpId op_;
    const Operation& operation_;
    const TraitLaw& law_;
    Choices& choices_;
    const TermStyle& style_;
    Function& before_;
    Builder builder_;
    TermGenerator terms_;
    std::vector<TypeId> types_;                // of the operands
    std::vector<TypeId> results_;              // Apart
    unsigned depth_ = 1;                       // of the array that positions lead into
    std::vector<std::vector<NodeId>> inputs_;  // of the operands: contents, or the operand itself
    std::vector<NodeId> third_, others_;       // inputs of a third operand; others of one on the second side
    std::optional<std::size_t> changed_;       // that operand
    std::vector<std::optional<NodeId>> fixed_; // operands that are made of their parameter, the same on both sides
    AttrId attributes_ = Attributes::none();
    std::vector<BlockId> blocks_;
};

} // namespace irrewrite
