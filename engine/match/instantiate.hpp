// Builds the right side of a rule from the bindings of its left side.
#pragma once

#include "engine/ir/builder.hpp"
#include "engine/match/matcher.hpp"

namespace irrewrite {

// Queries of rules about the program around them, and the strategies of `<s> t`.
struct Surroundings {
    // The number of uses of a node; SIZE_MAX if it is not known. A use in a block that runs many times counts as many.
    std::function<std::size_t(NodeId)> uses;
    std::function<bool(NodeId)> once;   // consumed at most once on every path
    std::function<bool(NodeId)> varies; // no block that runs many times reads it from outside
    std::function<bool(NodeId)> shared; // known to be consumed more often
    std::function<bool(NodeId)>
        runs; // of a root of a rule with several: computed wherever the others are, or it cannot fault
    // Of two effects: they could as well stand the other way round. Of two pieces of memory: they are never one.
    std::function<bool(NodeId, NodeId)> independent;
    std::function<std::optional<NodeId>(StrategyId, const Rule&, const Bindings&, NodeId)> apply;
    std::function<NodeId(Dim)> dimension;                  // `%n`, or none
    std::function<bool(NodeId)> is_dimension;              // `%n` of a type in the function
    std::function<NodeId(std::uint32_t, NodeId)> analysis; // what one says of a node: a literal, or none
    // The types of the results of a function for these operands, none if it does not take them.
    std::function<TypeId(SymbolId, std::span<const TypeId>)> results_of;
    // A call of a new function, the block, with these operands, of that type; none: there can be none. Null: nobody makes any.
    std::function<NodeId(Builder&, SymbolId, std::span<const NodeId>, BlockId, TypeId)> call_of_new;
};

class Instantiation {
  public:
    // The bindings outlive it, and stay as they are.
    Instantiation(Builder& builder, const Rule& rule, const Bindings& bindings, const Surroundings& around);

    // The nodes of a term: one, or those of a sequence. Empty: it could not be built (a fault in
    // `#(…)`, a strategy that fails, types that do not fit). `expected`: the type that is due, or none.
    std::optional<std::vector<NodeId>> build(TermId term, TypeId expected = {});
    // Of several terms, one after the other; `expected` for each result where known.
    std::optional<std::vector<NodeId>> build(std::span<const TermId> terms, std::span<const TypeId> expected = {});
    // Before the results: lines with effects, each once.
    bool lines(std::span<const TermId> terms);
    // The reason why building failed, for messages; empty when a rule merely does not apply.
    const std::string& error() const { return error_; }
    TermId failed() const { return failed_; } // the innermost term that could not be built, or none
    // Set where the rule would build what no program can have, whatever it was applied to; else empty.
    const std::string& invalid() const { return invalid_; }
    // Effects need a place in the order of effects: the builder's token.
    bool in_order = false;

    // A literal computation in a condition: `#k + 1`, `count(?xs)`.
    struct Number {
        std::optional<TypeKind> type; // none: numerals alone, which take the type that is due
        TermId open;                  // the term they stand in
        std::uint64_t bits = 0;
    };
    // `due`: the type that numerals alone have there.
    std::optional<Number> number(TermId term, std::optional<TypeKind> due = {});
    // Brings two numbers to one type; false when they have none in common.
    bool unify(Number& a, Number& b);
    // Sequence variables that `term` depends on outside inner `...`; iterates them for `each`.
    std::optional<std::size_t> sequence_length(TermId term);
    bool for_each_element(TermId term, FunctionRef<bool()> body);

  private:
    using Nodes = std::vector<NodeId>;
    struct Item { // a node, or a numeral that waits for its type
        NodeId node;
        TermId numeral;
    };
    using Items = std::vector<Item>;
    bool term(TermId id, TypeId expected, Items& out, bool unrolled = false); // unrolled: one element of `t...`
    bool term_anew(TermId id, TypeId expected, Items& out);                   // without a look at lines and `...`
    bool sequence(TermId id, TypeId expected, Items& out);
    bool spread(TermId id, TypeId expected, Items& out);
    bool is_whole(const Items& operands) const;
    bool compare_wholes(OpId op, const Items& operands, Items& out);
    bool spread_results(OpId op, const Items& items, std::span<const std::size_t> counts,
                        FunctionRef<bool(const Items&, std::span<const std::size_t>)> build);
    bool batch(const Term& term, Items& out);
    bool variable(const Term& term, Items& out);
    bool constant(const Term& term, Items& out);
    bool node(const Term& term, TypeId expected, Items& out);
    // `made`: how many operands came of each term, as `counts` below.
    bool operands_of(const Term& term, TypeId expected, Items& operands, std::vector<std::size_t>& made);
    // Operations on numerals alone are of any type, that which is due or that of the other operands.
    bool is_of_numerals(TermId id) const;
    bool is_empty_list(TermId id) const;
    // Of operand `operand` of the term, which is item `at`.
    TypeId due_type(const Term& term, std::size_t operand, std::size_t at, TypeId expected, const Items& others) const;
    TypeId due_by(const Signature& signature, std::size_t at, TypeId expected, const Items& others) const;
    // `counts`: how many operands came of each term.
    bool node(const Term& term, OpId op, TypeId expected, const Items& operands, std::span<const std::size_t> counts,
              Items& out);
    std::optional<NodeId> flat(const Operation& operation, OpId op, const Items& operands);
    bool structural(const Term& term, OpId op, TypeId expected, const Items& operands, Items& out);
    bool attributes(const Term& term, OpId op, TypeId expected, AttrId& out);
    bool call(const Term& term, TypeId expected, Items& out);
    bool makes_function(const Term& term) const;
    bool block(const BlockTerm& term, Inference& inference, std::size_t i, const CommonLengths& params,
               std::vector<BlockId>& out);
    bool node_blocks(const Term& t, Inference& inference, const Correspondence* corresponding,
                     std::vector<std::size_t>& lengths, std::vector<BlockId>& out);
    bool weaken(Inference& inference, std::vector<OperandInfo>& infos);
    BlockShape shape(const BlockTerm& t) const;
    BlockId same_block(const BlockTerm& term, std::span<const TypeId> types) const;
    bool open_block(const BlockTerm& term, Inference& inference, std::size_t i, const CommonLengths& params,
                    std::vector<BlockId>& out);
    bool project(const Term& term, Items& out);
    std::size_t part_count(NodeId whole) const; // engine/match/instantiate_records.cpp
    NodeId part(NodeId whole, std::size_t k);
    bool is_whole_sequence(const Term& term) const;
    bool computed_sequence(const Term& term, Items& out);
    bool range(const Term& term, Items& out);
    bool parts(const Term& term, Items& out);
    bool record(const Term& term, Items& out);
    struct NamedPart {
        std::string_view path; // `re`, `at.x`
        TermId value;
    };
    std::optional<std::size_t> part_named(TypeId type, std::string_view name) const;
    NodeId with_parts(NodeId whole, std::span<const NamedPart> named);
    bool apply(const Term& term, Items& out);
    bool inline_block(const Term& term, const Binding& binding, Items& out);
    bool arguments(const Term& term, Nodes& out);
    bool settle(const Items& items, std::span<const TypeId> types, Nodes& out);
    NodeId literal(TermId numeral, TypeId type);
    NodeId evaluated(const Term& computed); // none: it has no value
    std::optional<Number> compute_operation(TermId id, std::optional<TypeKind> due);
    bool is_float(TermId numeral) const;
    // (T, T) -> T, from operand `first` on: numerals alone are of whatever type is due.
    static bool keeps_type(const Signature& signature, std::size_t first);
    bool adapt(Number& number, TypeKind type);
    void sequences_of(TermId id, std::vector<VariableId>& out) const;
    const Bindings& bindings() const { return own_ ? *own_ : given_; }
    const Binding& binding(VariableId v) const { return bindings()[v.index]; }
    NodeId item(VariableId v) const; // of the present iteration
    bool fail(std::string why);
    bool is_one_value(NodeId node) const; // and no several results, nor none
    bool invalid(NodeId operand);
    Nodes values_of(std::span<const NodeId> nodes);
    bool fit(std::span<const NodeId> holes, std::span<const NodeId> args);

    Builder& builder_;
    Graph& graph_;
    const Rule& rule_;
    const Bindings& given_;
    std::optional<Bindings> own_; // with parameters of the blocks that are being built, where there were any
    const Surroundings& around_;
    std::vector<std::int64_t> iteration_;     // by variable: the element of the enclosing `...`, or -1
    std::unordered_map<TermId, Items> lines_; // of the open blocks: what came of each
    std::string error_, invalid_;
    TermId failed_;
};

// True if two functions yield the same bodies when applied to the same holes.
bool same_function(Graph& graph, const Binding& function, std::span<const NodeId> holes,
                   std::span<const NodeId> bodies);

} // namespace irrewrite
