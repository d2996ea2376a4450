// Builds the graph of one function from its syntax. Inner to grammar/program/elaborate.cpp.
//
// A machine with an explicit stack, so that depth of nesting is no limit: `start` returns the value of a leaf at once
// and pushes a frame for everything else; the frame on top is stepped until it ends, leaving its value in `result_` for
// the one below. A value that could not be built, which was reported, is a NodeId that names nothing; what depends on
// it is left out without another report.
//
// Types are propagated in both directions. A `due` type comes down as a hint for numerals and empty arrays; the
// operands that need such a hint (ExpressionFacts::flexible) are built after the others, when Inference knows more.
#pragma once

#include "engine/ir/builder.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/resolve.hpp"
#include "grammar/program/visible_effects.hpp"

#include <variant>

namespace irrewrite::grammar {

class Body {
  public:
    Body(Context& context, const SyntaxTree& tree, const Module& module, Function& function,
         const ExpressionFacts& facts, const Names& names, bool consumes, Diagnostics& diagnostics,
         const ObserveType& observe);

    // `block` stands in `root` (a Func) or is it; `params`: the Param nodes that name the
    // function's.
    bool run(SyntaxId root, SyntaxId block, std::span<const SyntaxId> params);

  private:
    static constexpr std::uint32_t nothing = UINT32_MAX;

    // The blocks of an application while they are built.
    struct Blocks {
        std::vector<OperandInfo> infos;
        std::optional<Inference> inference;
        std::vector<BlockId> built;
        unsigned round = 0;
    };
    struct Application { // Op, Infix, Prefix
        SyntaxId id;
        OpId op;
        TypeId due;
        AttrId attrs;
        std::uint32_t base;             // of its operands on values_ and wanted_
        std::uint32_t first, count;     // operands among the node's children
        std::vector<SyntaxId> places{}; // of the operands; empty: none of them has become several
        std::uint32_t next = 0;
        std::uint32_t awaited = nothing; // operand
        bool inferred = false;           // wanted_ says what the pending operands must be
        std::unique_ptr<Blocks> blocks{};
        std::unique_ptr<Builder::Open> guarded{}; // the right side of `&&` or `||`, while it is built in a block
        std::optional<BlockId> right{};           // that block when it is complete
    };
    struct Group { // Tuple, Array, Struct, Call: children, then one node
        SyntaxId id;
        TypeId due; // of the whole; Array: of an element
        std::uint32_t base;
        std::uint32_t next = 0;
        std::uint32_t awaited = nothing;
        std::uint8_t rank = 0; // Array: children of this rank are being built
    };
    struct Projection {
        SyntaxId id;
        bool started = false;
    };
    struct OpenBlock {
        SyntaxId id;
        std::span<const SyntaxId> order;     // of statements
        std::uint32_t base;                  // of its results on values_
        std::vector<TypeId> due{};           // of results, where known
        std::optional<std::size_t> wanted{}; // how many results, where known
        std::optional<Builder::Open> open{}; // none: the function's body
        std::uint32_t next = 0, result = 0;
        SyntaxId statement = nothing; // whose value is awaited
        SyntaxId returned = nothing;  // the Results
        bool pure = false, failed = false;
        std::uint32_t saved_place = nothing;
    };
    using Frame = std::variant<Application, Group, Projection, OpenBlock>;

    // body.cpp: the machine, leaves
    void check_memory(SyntaxId root, std::span<const SyntaxId> params);
    bool start(SyntaxId id, TypeId due);
    bool give(NodeId value);
    void finish(NodeId value, std::uint32_t base);
    void fail(std::uint32_t base) { finish({}, base); }
    NodeId number(SyntaxId id, TypeId due);
    NodeId value(SyntaxId id) const;
    NodeId text(SyntaxId id);
    NodeId single(NodeId value, SyntaxId where);
    NodeId promised(NodeId value, TypeId declared, Span where, std::string_view what);
    std::optional<TypeId> type(SyntaxId id);
    NodeId apply(SyntaxId where, OpId op, AttrId attrs, std::span<const NodeId> operands,
                 std::span<const BlockId> blocks, TypeId type);
    void await_end(NodeId loop);
    AttrId type_attribute(TypeId type);

    // body_values.cpp: tuples, arrays, structs, calls, projections
    bool start_group(SyntaxId id, TypeId due);
    void step(Group& group);
    static constexpr std::uint8_t last_rank = 3;
    std::uint8_t rank(SyntaxId element) const;
    TypeId due_of_part(const Group& group, std::size_t i);
    NodeId combine(const Group& group, std::vector<NodeId> parts);
    NodeId make_array(SyntaxId id, TypeId due, std::span<const NodeId> parts);
    NodeId make_struct(SyntaxId id, std::span<const NodeId> parts);
    struct FieldUpdate {
        std::string_view path; // `re`, `z.re`
        NodeId value;
        SyntaxId where;
    };
    std::optional<std::size_t> part_named(TypeId type, std::string_view name) const;
    TypeId type_of_part(TypeId type, std::size_t k) const;
    TypeId type_of_path(TypeId type, std::string_view path) const;
    NodeId make_update(SyntaxId id, std::span<const NodeId> parts);
    NodeId updated(SyntaxId id, NodeId whole, std::span<const FieldUpdate> updates);
    NodeId make_call(SyntaxId where, const Function& callee, std::span<const NodeId> operands);
    std::vector<std::pair<SymbolId, Dim>> callee_lengths(const Function& callee, std::span<const NodeId> operands);
    void step(Projection& projection);
    NodeId part_of(SyntaxId id, NodeId whole);
    NodeId field_of(SyntaxId id, NodeId whole);

    // body_apply.cpp: operations
    bool start_application(SyntaxId id, TypeId due);
    std::optional<AttrId> attributes(SyntaxId id, const Operation& operation, TypeId due);
    std::optional<AttrValue> attribute(SyntaxId id, const AttrDecl& declared);
    void step(Application& frame);
    bool build_fixed(Application& frame);
    bool build_flexible(Application& frame);
    void take_operand(Application& frame);
    SyntaxId place_of(const Application& frame, std::size_t i) const;
    void spread(Application& frame);
    std::uint32_t choose_pending(Application& frame);
    void infer_pending(Application& frame);
    Inference infer_operands(Application& frame, std::span<const OperandInfo> infos);
    bool numerals_fit(const Application& frame, Inference& inference) const;
    TypeId hint(const Application& frame, std::size_t operand);
    std::vector<OperandInfo> operand_infos(const Application& frame) const;
    void infer(Application& frame);
    void conclude(Application& frame, Inference& inference, std::span<const BlockId> blocks);

    // body_operator.cpp: `&&` and `||`
    bool compares_wholes(const Application& frame) const;
    void compare_wholes(Application& frame);
    bool may_guard(const Application& frame) const;
    void open_guard(Application& frame);
    void close_guard(Application& frame, NodeId right);
    bool needs_guard(const Application& frame) const;
    NodeId make_guard(Application& frame);

    // body_operator.cpp: blocks of operations
    std::vector<BlockShape> block_shapes(const Application& frame) const;
    BlockShape written_shape(SyntaxId block, unsigned depth = 0) const;
    std::size_t least_results(SyntaxId expression, unsigned depth) const;
    std::optional<std::size_t> operator_arity(SyntaxId block) const;
    SyntaxId find_block(const Application& frame, std::size_t i) const;
    void next_block(Application& frame);
    void block_built(Application& frame, BlockId block);
    void weaken(Application& frame);
    std::optional<std::size_t> result_count(const Application& frame, std::size_t i, std::size_t params) const;
    std::optional<BlockId> operator_block(const Application& frame, SyntaxId id, std::span<const TypeId> types);
    NodeId apply_operator(SyntaxId id, std::span<const NodeId> operands);

    // body_block.cpp: statements
    void open_block(const Application& frame, std::size_t i, SyntaxId id, std::span<const TypeId> types);
    void bind_parameters(const OpenBlock& block, std::span<const TypeId> types, std::uint32_t level);
    void step(OpenBlock& block);
    bool next_result(OpenBlock& block);
    TypeId due_of_all(std::span<const TypeId> due);
    bool gives_all(const OpenBlock& block, NodeId value) const;
    void take_statement(OpenBlock& block);
    TypeId due_of(SyntaxId bind);
    void bind(SyntaxId statement, NodeId value);
    void bind_target(SyntaxId target, NodeId value);
    void close_block(OpenBlock& block);
    void keeps_memory(SyntaxId where, std::span<const NodeId> results);
    void close_function(OpenBlock& block);

    void define(SyntaxId id, NodeId node) {
        defined_[id - first_] = node;
        if (observe_ && node) observe_(tree_.name_span(id), graph_.type(node));
    }
    Diagnostic& error(SyntaxId id, std::string text, std::string help = {}) {
        ok_ = false;
        return diagnostics_.error(tree_.span(id), std::move(text), std::move(help));
    }
    std::string text_of(TypeId type) const { return context_.types.text(type, context_.symbols); }

    Context& context_;
    const SyntaxTree& tree_;
    const Module& module_;
    Function& function_;
    const ExpressionFacts& facts_;
    const Names& names_;
    bool consumes_; // some function of the module consumes a parameter
    Diagnostics& diagnostics_;
    const ObserveType& observe_;
    Graph& graph_;
    Builder builder_;
    MemoryLevels memory_;
    std::vector<SymbolId> dimensions_;
    SyntaxId first_ = 0;
    std::vector<NodeId> defined_; // by id - first_, of Param and Target nodes
    std::vector<Frame> stack_;
    std::vector<NodeId> values_;
    std::vector<TypeId> wanted_;   // parallel to values_
    NodeId result_;                // of the frame that ended last
    std::optional<BlockId> block_; // likewise, when it was a block; none: it could not be built
    // Operand types that a loop was found to need, so that building it again starts with them.
    std::unordered_map<SyntaxId, std::vector<TypeId>> weakened_;
    bool ok_ = true;
    bool awaits_ = false; // loops that may not end are effects; in what is declared pure they end
};

} // namespace irrewrite::grammar
