// The sea of nodes of one function: immutable, interned, named by 32-bit ids.
//
// A node is an operation with attributes, operands, blocks and, where effects are ordered, a token:
// the node after whose effects it comes. A block is a function of its parameters: it lists its
// results, and what it computes is whatever they reach. Nodes that nothing reaches do not exist.
//
// Equality up to names of block parameters: a parameter is Param(number, index, type), and a block's
// number is its height, one more than the highest block inside it. Equal blocks are then equal as
// they stand. Blocks are opened with a fresh number and renumbered by `close`; above
// `max_height` a block keeps its fresh number (such blocks are not recognized as equal).
// (de Bruijn levels from the inside, after Sato, Pollack, Schwichtenberg, Sakurai, "Viewing
// lambda-terms through maps", section 3.)
//
// Effects: reading operations take the token of the last effect before them, others also become
// the token of what follows. A block whose body has effects starts with an entry token, a hidden
// parameter, and ends with an exit token. A `pure` operation (a loop, a map) may have blocks with
// effects on memory of their own; it takes no token.
#pragma once

#include "engine/ir/attributes.hpp"
#include "engine/ir/operations.hpp"
#include "engine/support/huge_pages.hpp"

#include <functional>
#include <memory>
#include <tsl/robin_map.h>

namespace irrewrite {

// Tables that all functions and rules of one run share.
class Graph;

struct Context {
    Sources sources;
    Symbols symbols;
    Types types;
    Attributes attributes;
    Operations operations{symbols};
    // Functions whose calls are effects. (Purity is known before bodies are built.)
    std::unordered_map<SymbolId, bool> impure_functions;
    // Other functions whose calls may not end: where order counts, they are awaited (Core::Await).
    std::unordered_map<SymbolId, bool> endless_functions;
    std::unordered_map<SymbolId, bool> opaque_types;     // declared by `type Vec` in rule files
    std::unordered_map<SymbolId, Span> opaque_places;    // where they are declared
    std::unordered_map<SymbolId, std::uint16_t> classes; // declared by `class wide = u32 | u64`: bits of scalar types
    // The value of a node that depends on no parameter, as a literal of its graph; none: it has none, or is none of those.
    // `#(…)` of rules computes with it where operations are not scalar (engine/check/evaluate_constant.hpp).
    std::function<std::optional<NodeId>(Graph&, NodeId)> evaluate;
};

namespace number { // of parameters
inline constexpr std::uint32_t max_height = 61;
inline constexpr std::uint32_t first_fresh = 0x80000000u;
inline constexpr std::uint32_t dims = 0xFFFFFFFEu;     // the dimensions of the function, `%n`
inline constexpr std::uint32_t function = 0xFFFFFFFFu; // the parameters of the function
inline constexpr std::uint32_t entry_index = 0xFFFFu;  // the index of an entry token
} // namespace number

enum NodeFlag : std::uint8_t {
    Advances = 1,   // is the token of what follows
    TakesToken = 2, // has a token operand
    MayFault = 4,   // this node itself, or something in its blocks
    DeepFault = 8,  // this node or something it is computed from
    Normal = 16,    // no normalizing rule applies
    Open = 32,      // depends on parameters of blocks around it
};

struct Node {
    OpId op;
    TypeId type;
    AttrId attrs;
    NodeId token; // Param: index
    // The operands, if there are at most two and no blocks; else the offset in the pool, where operands and then blocks
    // lie. Param: number.
    std::array<std::uint32_t, 2> parts{};
    std::uint32_t operands = 0;
    std::uint16_t blocks = 0;
    std::uint8_t flags = 0;
    std::uint8_t height = 0; // of the highest block below, saturated

    bool holds_parts() const { return operands <= 2 && !blocks; }
};
static_assert(sizeof(Node) == 32); // two in a line of the cache

struct Block {
    std::uint32_t first = 0; // into the pool: parameters, then results
    std::uint32_t params = 0, results = 0;
    std::uint32_t names = 0;            // into the names pool: one SymbolId for each parameter
    NodeId entry, exit;                 // tokens; none when the body has no effects
    std::uint32_t number = 0;           // of its parameters
    std::uint8_t height = 0, flags = 0; // flags: DeepFault, Advances (exit differs from entry)
    std::uint64_t free = 0;
};

// Provenance of a node.
struct Origin {
    std::uint32_t place = UINT32_MAX; // of the text (Sources::at), whatever file that is in
    RuleId rule;                      // that built it, or none: it stood in the source
};

struct NodeParts { // what `make` is given; `type` empty: inferred
    OpId op;
    AttrId attrs = Attributes::none();
    std::span<const NodeId> operands{};
    std::span<const BlockId> blocks{};
    NodeId token{};
    TypeId type{};
};

class Graph {
  public:
    explicit Graph(Context& context) : context_(&context) {}

    Context& context() const { return *context_; }

    // Makes room for so many nodes of a few operands each. Address space until they are made.
    void reserve(std::size_t nodes);

    // -- construction ----------------------------------------------------------------------------
    NodeId literal(TypeId type, std::uint64_t bits);
    NodeId text(std::string_view bytes); // a [k]u8
    NodeId param(std::uint32_t number, std::uint32_t index, TypeId type);
    std::uint32_t fresh_number() { return next_fresh_++; }
    // The only way to make any other node: orders commutative operands, folds, applies `normalize`,
    // interns. The type must be given or inferable; types of operands are the caller's
    // responsibility (engine/ir/infer_types.hpp). The result may be any node of the same type.
    NodeId make(const NodeParts& parts);
    // The same without folding and normalizing: for patterns and tests.
    NodeId intern(const NodeParts& parts);
    // The node with these parts, whose type is given; none: there is none.
    NodeId find(const NodeParts& parts) const;
    // `renumbered`: the block under a number that no other has. `close` closes a block whose parameters are Param
    // nodes of one number (fresh or an old block's).
    BlockId renumbered(BlockId block);
    BlockId close(std::uint32_t number, std::span<const NodeId> params, std::span<const SymbolId> names,
                  std::span<const NodeId> results, NodeId entry = {}, NodeId exit = {});

    // Called by `make` with a node that was just interned: another node to stand for it, or the
    // same. Must be a function of the node alone.
    void set_normalizer(std::function<NodeId(Graph&, NodeId)> f);

    // Drops the nodes that are not in `kept` (ascending, closed under operands and blocks), and their blocks. The rest
    // is compacted in place, in the same order, without a second graph. Returns the new id of each old node, or none.
    HugeVector<NodeId> keep(std::span<const NodeId> kept);

    // Has the memory at hand in which a node with this operand, and no younger one, is looked for.
    void expect_use(NodeId operand) const {
        __builtin_prefetch(table_.data() + (operand.index / per_line & (table_.size() / line_size - 1)) * line_size);
    }

    // -- queries ---------------------------------------------------------------------------------
    std::size_t size() const { return nodes_.size(); }
    const Node& operator[](NodeId id) const { return nodes_[id.index]; }
    const Block& operator[](BlockId id) const { return blocks_[id.index]; }
    const Operation& operation(NodeId id) const { return context_->operations[nodes_[id.index].op]; }
    Scalar scalar(NodeId id) const { return operation(id).scalar(); } // None of parameters and literals, too
    OpId op(NodeId id) const { return nodes_[id.index].op; }
    Core core(NodeId id) const { return operation(id).core; }
    TypeId type(NodeId id) const { return nodes_[id.index].type; }
    TypeKind kind(NodeId id) const { return context_->types.kind(type(id)); }
    NodeId token(NodeId id) const { return core_is_param(id) ? NodeId{} : nodes_[id.index].token; }
    // Spans are valid until the next insertion.
    std::span<const NodeId> operands(NodeId id) const {
        const Node& node = nodes_[id.index];
        return ids<NodeId>(node.holds_parts() ? node.parts.data() : pool_.data() + node.parts[0], node.operands);
    }
    NodeId operand(NodeId id, std::size_t i) const { return operands(id)[i]; }
    std::span<const BlockId> blocks(NodeId id) const {
        const Node& node = nodes_[id.index];
        return view<BlockId>(node.blocks ? node.parts[0] + node.operands : 0, node.blocks);
    }
    std::span<const AttrValue> attrs(NodeId id) const { return context_->attributes[nodes_[id.index].attrs]; }
    bool has(NodeId id, NodeFlag flag) const { return nodes_[id.index].flags & flag; }
    // Bit n: depends on a parameter numbered n of an enclosing block; bit 63: on fresh ones.
    std::uint64_t free(NodeId id) const { return has(id, Open) ? free_[id.index] : 0; }

    bool is_literal(NodeId id) const { return nodes_[id.index].op == Operations::core(Core::Literal); }
    bool is_constant(NodeId id) const; // a literal, or an array, tuple or struct of such
    bool is_number(NodeId id) const { return is_literal(id) && attrs(id)[0].kind == AttrValue::Kind::Number; }
    std::uint64_t bits(NodeId id) const { return attrs(id)[0].bits; } // of a number
    bool is_param(NodeId id) const { return core_is_param(id); }
    std::uint32_t param_number(NodeId id) const { return nodes_[id.index].parts[0]; }
    std::uint32_t param_index(NodeId id) const { return nodes_[id.index].token.index; }
    bool is_project(NodeId id) const { return nodes_[id.index].op == Operations::core(Core::Project); }
    std::uint32_t position(NodeId id) const {
        return static_cast<std::uint32_t>(attrs(id)[0].bits);
    } // Project, Element, Field

    std::span<const NodeId> params(BlockId id) const {
        return view<NodeId>(blocks_[id.index].first, blocks_[id.index].params);
    }
    std::span<const NodeId> results(BlockId id) const {
        const Block& block = blocks_[id.index];
        return view<NodeId>(block.first + block.params, block.results);
    }
    std::span<const SymbolId> param_names(BlockId id) const {
        return {name_pool_.data() + blocks_[id.index].names, blocks_[id.index].params};
    }

    // Results of a node: itself when it has one, its projections when it has several, none for unit.
    std::size_t result_count(NodeId id) const;
    NodeId result(NodeId id, std::size_t k);

    // Exactly: does `id` depend on a parameter with this number (of an enclosing block)?
    bool depends_on_number(NodeId id, std::uint32_t number) const;
    bool depends_on_number(BlockId id, std::uint32_t number) const;
    static std::uint64_t free_bit(std::uint32_t number);

    // -- notes about nodes -----------------------------------------------------------------------
    SymbolId name(NodeId id) const { return id.index < names_.size() ? names_[id.index] : SymbolId{}; }
    void set_name(NodeId id, SymbolId name);  // keeps the first name; numbers (`%0`) are none
    void give_name(NodeId id, SymbolId name); // the first, which is no number
    void forget_name(NodeId id) { names_[id.index] = {}; }
    std::vector<NodeId>* newly_named = nullptr; // when set: nodes that got their names
    // When set: called with a node and the node that it was rebuilt as because an input changed.
    std::function<void(NodeId, NodeId)> rebuilt;
    Origin origin(NodeId id) const {
        return {id.index < places_.size() ? places_[id.index] : UINT32_MAX,
                id.index < rules_.size() ? rules_[id.index] : RuleId{}};
    }
    void set_origin(NodeId id, Origin origin); // keeps the first origin
    // Nodes made from now on come from here.
    Origin current_origin;

  private:
    bool core_is_param(NodeId id) const { return nodes_[id.index].op == Operations::core(Core::Param); }
    std::optional<NodeId> fold(const Operation& operation, const NodeParts& parts);
    std::optional<NodeId> fold_literals(const Operation& operation, const NodeParts& parts);
    std::optional<NodeId> part(const Operation& operation, const NodeParts& parts);
    std::optional<std::uint8_t> byte_of_text(const NodeParts& parts) const;
    NodeId make_sorted(const NodeParts& given);
    NodeId make_flat(const Operation& operation, const NodeParts& given);
    NodeId make_ordered(const Operation& operation, const NodeParts& parts);
    NodeId normalized(NodeId id);
    NodeId interned(const NodeParts& parts);
    bool is(NodeId id, const Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks) const;
    NodeId add(Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks);
    void set_free(NodeId id, std::uint64_t free);
    void append_parts(Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks);
    std::uint64_t summarize(Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks) const;
    std::size_t hash(const Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks) const;
    bool may_fault(const Node& node, std::span<const NodeId> operands) const;
    void append(std::span<const std::uint32_t> parts);
    void grow_table();
    void fill_table(); // an empty one
    void grow_block_table();
    void fill_block_table();
    std::size_t hash(const Block& block, std::span<const NodeId> params, std::span<const NodeId> results) const;
    void renumber(std::uint32_t number, std::span<NodeId> params, std::vector<NodeId>& results, NodeId& entry,
                  NodeId& exit);
    BlockId add_block(std::uint32_t number, std::span<const NodeId> params, std::span<const SymbolId> names,
                      std::span<const NodeId> results, NodeId entry, NodeId exit);

    template <class T> static std::span<const T> ids(const std::uint32_t* from, std::size_t count) {
        static_assert(sizeof(T) == sizeof(std::uint32_t));
        return {reinterpret_cast<const T*>(from), count};
    }
    template <class T> std::span<const T> view(std::size_t first, std::size_t count) const {
        return ids<T>(pool_.data() + first, count);
    }

    class Keeping; // engine/ir/graph_compact.cpp
    class Lines;   // engine/ir/graph.cpp

    static constexpr std::size_t line_size = 16, per_line = 8; // of the table: entries; nodes where it is half full
    static constexpr unsigned max_normalizing = 500;           // nested calls of the normalizer

    Context* context_;
    HugeVector<Node> nodes_;
    HugeVector<std::uint64_t> free_; // of open nodes; as long as there was one
    std::vector<Block> blocks_;
    HugeVector<std::uint32_t> pool_;
    HugeVector<SymbolId> names_;
    std::vector<SymbolId> name_pool_;
    HugeVector<std::uint32_t> places_;       // of origins; as long as there was one to note
    HugeVector<RuleId> rules_;               // likewise
    HugeVector<std::uint32_t> table_;        // open addressing: index + 1
    std::vector<std::uint32_t> block_table_; // likewise
    std::function<NodeId(Graph&, NodeId)> normalizer;
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> normal_; // what the normalizer made of a node
    std::uint32_t next_fresh_ = number::first_fresh;
    unsigned normalizing_ = 0;
};

} // namespace irrewrite
