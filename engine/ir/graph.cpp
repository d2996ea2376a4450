#include "engine/ir/graph.hpp"

#include "engine/ir/algebraic_traits.hpp"
#include "engine/ir/builder.hpp"
#include "engine/ir/commutative.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/support/hash.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace irrewrite {

// -- leaves -----------------------------------------------------------------------------------------

NodeId Graph::literal(TypeId type, std::uint64_t bits) {
    AttrValue value{.kind = AttrValue::Kind::Number, .type = type, .bits = bits};
    return intern(
        {.op = Operations::core(Core::Literal), .attrs = context_->attributes.add({&value, 1}), .type = type});
}

NodeId Graph::text(std::string_view bytes) {
    Types& types = context_->types;
    AttrValue value{.kind = AttrValue::Kind::Text, .type = {}, .bits = context_->symbols.add(bytes).index};
    TypeId type = types.array(Dim::constant(static_cast<std::int64_t>(bytes.size())), types.u8());
    return intern(
        {.op = Operations::core(Core::Literal), .attrs = context_->attributes.add({&value, 1}), .type = type});
}

std::uint64_t Graph::free_bit(std::uint32_t number) {
    if (number >= number::dims) return 0;
    return 1ull << (number > number::max_height ? 63 : number);
}

NodeId Graph::param(std::uint32_t number, std::uint32_t index, TypeId type) {
    Node node;
    node.op = Operations::core(Core::Param);
    node.type = type;
    node.attrs = Attributes::none();
    node.token = NodeId{index};
    node.parts[0] = number;
    return add(node, {}, {});
}

// -- making nodes -----------------------------------------------------------------------------------

bool Graph::may_fault(const Node& node, std::span<const NodeId> operands) const {
    const Operation& operation = context_->operations[node.op];
    if (operation.primitive < 0 || operands.empty()) return !operation.blocks_decide();
    if (operands.size() > 3) return true; // `same` of many
    std::optional<std::uint64_t> known[3];
    for (std::size_t i = 0; i < std::min<std::size_t>(3, operands.size()); ++i)
        if (is_number(operands[i])) known[i] = bits(operands[i]);
    return primitive_may_fault(operation.primitive, kind(operands[0]),
                               {known, std::min<std::size_t>(3, operands.size())});
}

// The parameters that it depends on.
[[gnu::always_inline]] inline std::uint64_t Graph::summarize(Node& node, std::span<const NodeId> operands,
                                                             std::span<const BlockId> blocks) const {
    std::uint64_t free = 0;
    std::uint8_t height = 0, deep = 0;
    auto part = [&](NodeId id) {
        const Node& other = nodes_[id.index];
        free |= this->free(id);
        height = std::max(height, other.height);
        deep |= other.flags & DeepFault;
    };
    for (NodeId operand : operands) part(operand);
    const std::uint8_t deep_operands = deep;
    if (node.token) part(node.token), node.flags |= TakesToken;
    if (!context_->operations[node.op].has(Trait::Total) && may_fault(node, operands)) node.flags |= MayFault;
    for (BlockId id : blocks) {
        const Block& block = blocks_[id.index];
        free |= block.free;
        height = std::max(height, block.height);
        if (block.flags & DeepFault) node.flags |= MayFault;
    }
    if (node.token && effect_use(*this, node.op, node.attrs, blocks).advances) node.flags |= Advances;
    if (!(node.flags & Advances)) deep = deep_operands; // effects happen whether or not something reads after them
    if (node.flags & MayFault) deep = DeepFault;
    node.flags |= deep;
    node.height = height;
    return free;
}

void Graph::set_free(NodeId id, std::uint64_t free) {
    free_.resize(id.index);
    free_.push_back(free);
}

inline std::size_t Graph::hash(const Node& node, std::span<const NodeId> operands,
                               std::span<const BlockId> blocks) const {
    std::size_t hash = node.op.index;
    mix_in(hash, node.attrs.index | static_cast<std::size_t>(node.type.index) << 32);
    mix_in(hash, node.token.index);
    if (node.op == Operations::core(Core::Param)) mix_in(hash, node.parts[0]);
    for (NodeId operand : operands) mix_in(hash, operand.index);
    for (BlockId block : blocks) mix_in(hash, block.index);
    return hash;
}

namespace {
// In the table, an entry is a node's index + 1 in the bits of the mask, and above it bits of its hash.
std::uint32_t tag_of(std::size_t hash, std::size_t mask) {
    return static_cast<std::uint32_t>(hash >> 32) & ~static_cast<std::uint32_t>(mask);
}
} // namespace

// Probe sequence over the table, whose lines are cache lines. A node goes into the line of its youngest operand, so
// that nodes made one after the other lie close together. If that line is full, it goes into the first free line from
// one that the hash selects. In a line, the probe starts at a slot that the hash selects and wraps around.
class Graph::Lines {
  public:
    Lines(std::size_t table, std::size_t hash, std::span<const NodeId> operands)
        : mask_(table / line_size - 1), hash_(hash) {
        std::uint32_t youngest = 0;
        for (NodeId operand : operands) youngest = std::max(youngest, operand.index);
        line_ = operands.empty() ? hash_ >> 4 : youngest / per_line;
    }
    std::size_t operator*() const { return (line_ & mask_) * line_size + ((hash_ + passed_) & (line_size - 1)); }
    void operator++() {
        if (++passed_ & (line_size - 1)) return;
        line_ = passed_ == line_size ? hash_ >> 4 : line_ + 1;
    }

  private:
    std::size_t mask_, hash_, line_, passed_ = 0;
};

// `parts` may be a range of the pool itself, which the append may move.
[[gnu::always_inline]] inline void Graph::append(std::span<const std::uint32_t> parts) {
    constexpr std::size_t few = 8;
    const std::size_t old = pool_.size();
    if (parts.size() <= few && parts.size() <= pool_.capacity() - old) { // they stay where they are
        for (const std::uint32_t part : parts) pool_.push_back(part);
        return;
    }
    const std::less<> less; // of any two pointers
    const bool inside = !less(parts.data(), pool_.data()) && less(parts.data(), pool_.data() + old);
    const std::size_t at = inside ? static_cast<std::size_t>(parts.data() - pool_.data()) : 0;
    pool_.resize(old + parts.size());
    const std::uint32_t* from = inside ? pool_.data() + at : parts.data();
    std::copy(from, from + parts.size(), pool_.data() + old);
}

[[gnu::always_inline]] inline void Graph::append_parts(Node& node, std::span<const NodeId> operands,
                                                       std::span<const BlockId> blocks) {
    const auto words = [](auto parts) {
        return std::span(reinterpret_cast<const std::uint32_t*>(parts.data()), parts.size());
    };
    node.operands = static_cast<std::uint32_t>(operands.size());
    node.blocks = static_cast<std::uint16_t>(blocks.size());
    if (node.holds_parts()) {
        for (std::size_t i = 0; i < operands.size(); ++i) node.parts[i] = operands[i].index;
        return;
    }
    node.parts[0] = static_cast<std::uint32_t>(pool_.size());
    if (blocks.empty()) return append(words(operands));
    const std::vector<BlockId> copy(blocks.begin(), blocks.end()); // of what may stand in the pool
    append(words(operands));
    append(words(std::span(copy)));
}

[[gnu::always_inline]] inline bool Graph::is(NodeId id, const Node& node, std::span<const NodeId> operands,
                                             std::span<const BlockId> blocks) const {
    const Node& candidate = nodes_[id.index];
    return candidate.op == node.op && candidate.type == node.type && candidate.attrs == node.attrs &&
           candidate.token == node.token && (!core_is_param(id) || candidate.parts[0] == node.parts[0]) &&
           std::ranges::equal(this->operands(id), operands) && std::ranges::equal(this->blocks(id), blocks);
}

NodeId Graph::find(const NodeParts& parts) const {
    Node node;
    node.op = parts.op, node.attrs = parts.attrs, node.token = parts.token, node.type = parts.type;
    if (table_.empty()) return {};
    const std::size_t mask = table_.size() - 1, h = hash(node, parts.operands, parts.blocks);
    const std::uint32_t tag = tag_of(h, mask);
    Lines lines(table_.size(), h, parts.operands);
    for (std::uint32_t entry; (entry = table_[*lines]); ++lines)
        if (const NodeId other{static_cast<std::uint32_t>(entry & mask) - 1};
            (entry ^ tag) <= mask && is(other, node, parts.operands, parts.blocks))
            return other;
    return {};
}

NodeId Graph::add(Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks) {
    if (5 * table_.size() < 8 * (nodes_.size() + 1)) grow_table();
    std::size_t mask = table_.size() - 1;
    bool leaf = node.op == Operations::core(Core::Param);
    std::size_t h = hash(node, operands, blocks);
    Lines lines(table_.size(), h, operands);
    const std::uint32_t tag = tag_of(h, mask); // most of the others need not be looked at
    std::uint32_t entry;
    for (; (entry = table_[*lines]); ++lines) {
        if ((entry ^ tag) > mask) continue;
        NodeId other{static_cast<std::uint32_t>(entry & mask) - 1};
        if (is(other, node, operands, blocks)) return other;
    }
    const std::uint64_t free = leaf ? free_bit(node.parts[0]) : summarize(node, operands, blocks);
    if (!leaf) append_parts(node, operands, blocks);
    NodeId id{static_cast<std::uint32_t>(nodes_.size())};
    if (free) node.flags |= Open, set_free(id, free);
    nodes_.push_back(node);
    table_[*lines] = tag | (id.index + 1);
    if (places_.size() == id.index && !current_origin.rule && current_origin.place != UINT32_MAX)
        places_.push_back(current_origin.place);
    else
        set_origin(id, current_origin);
    return id;
}

void Graph::reserve(std::size_t nodes) {
    nodes_.reserve(nodes);
    names_.reserve(nodes);
    places_.reserve(nodes);
    // Not for all of them: some will be equal. In one step: it goes on from half that size.
    if (const std::size_t size = std::bit_ceil(nodes + nodes / 4); table_.size() < size)
        table_.resize(size / 2), grow_table();
}

void Graph::grow_table() {
    const std::size_t size = std::max<std::size_t>(16, table_.size() * 2);
    decltype(table_)().swap(table_); // first: both at once would be the greatest need of memory
    table_.assign(size, 0);
    fill_table();
}

void Graph::fill_table() {
    const std::size_t mask = table_.size() - 1;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        NodeId id{i};
        const std::size_t h = hash(nodes_[i], operands(id), blocks(id));
        Lines lines(table_.size(), h, operands(id));
        while (table_[*lines]) ++lines;
        table_[*lines] = tag_of(h, mask) | (i + 1);
    }
}

[[gnu::always_inline]] inline NodeId Graph::interned(const NodeParts& parts) {
    Node node;
    node.op = parts.op, node.attrs = parts.attrs;
    node.token = parts.token, node.type = parts.type;
    if (!node.type) {
        Inferred inferred = infer(*this, parts.op, parts.attrs, parts.operands, parts.blocks);
        assert(inferred.type && "the caller gave an ill-typed node");
        node.type = *inferred.type;
    }
    return add(node, parts.operands, parts.blocks);
}

NodeId Graph::intern(const NodeParts& parts) { return interned(parts); }

namespace {
// One order for the operands of commutative operations: literals last, parameters first, by number
// and index, else the older node first.
bool in_order(const Graph& graph, NodeId a, NodeId b) {
    const auto rank = [&](NodeId id) { return std::uint64_t{graph.is_literal(id)} * 2 + !graph.is_param(id); };
    const std::uint64_t of_a = rank(a), of_b = rank(b);
    if (!(of_a | of_b))
        return std::pair(graph.param_number(a), graph.param_index(a)) <=
               std::pair(graph.param_number(b), graph.param_index(b));
    return (of_a << 32 | a.index) <= (of_b << 32 | b.index);
}
} // namespace

[[gnu::always_inline]] inline std::optional<NodeId> Graph::fold(const Operation& operation, const NodeParts& parts) {
    bool literal = false;
    for (NodeId operand : parts.operands) literal |= is_literal(operand);
    const bool same =
        operation.has(Trait::Idempotent) && !parts.operands.empty() && parts.operands.front() == parts.operands.back();
    if (!literal && !same && operation.primitive >= 0) return std::nullopt; // most often
    if (same || operation.identity)
        if (const auto equal = equal_operand(*this, parts)) return equal;
    return operation.primitive < 0 ? part(operation, parts) : fold_literals(operation, parts);
}

// Many operands of a commutative operation, in order.
NodeId Graph::make_sorted(const NodeParts& given) {
    std::vector<NodeId> sorted(given.operands.begin(), given.operands.end());
    sort_operands(*this, sorted);
    NodeParts parts = given;
    parts.operands = sorted;
    return make(parts);
}

// One operand stands for itself.
NodeId Graph::make_flat(const Operation& operation, const NodeParts& given) {
    const std::vector<NodeId> operands = flat_operands(*this, operation, given);
    if (operands.size() == 1) return operands[0];
    NodeParts parts = given;
    parts.operands = operands;
    return make_ordered(operation, parts);
}

NodeId Graph::make(const NodeParts& given) {
    const Operation& operation = context_->operations[given.op];
    if (!operation.commutative()) return make_ordered(operation, given);
    if (operation.is_flat) return make_flat(operation, given);
    if (given.operands.size() == 2) {
        const std::size_t swap =
            !in_order(*this, given.operands[0], given.operands[1]); // either, as often: no branch on it
        const NodeId pair[2] = {given.operands[swap], given.operands[1 - swap]};
        return make_ordered(operation, {given.op, given.attrs, pair, given.blocks, given.token, given.type});
    }
    const bool sorted =
        std::ranges::is_sorted(given.operands, [&](NodeId a, NodeId b) { return !in_order(*this, b, a); });
    return sorted ? make_ordered(operation, given) : make_sorted(given);
}

[[gnu::always_inline]] inline NodeId Graph::make_ordered(const Operation& operation, const NodeParts& parts) {
    if (auto folded = fold(operation, parts)) return *folded;
    if (parts.token && !parts.blocks.empty() && !effect_use(*this, parts.op, parts.attrs, parts.blocks).takes) {
        NodeParts pure = parts; // its blocks have no effects any more
        pure.token = {};
        return normalized(interned(pure));
    }
    const NodeId id = interned(parts);
    return normalizer ? normalized(id) : id;
}

NodeId Graph::normalized(NodeId id) {
    if (!normalizer || nodes_[id.index].flags & Normal) return id;
    if (auto it = normal_.find(id); it != normal_.end()) return it->second;
    if (normalizing_ >= max_normalizing) return id; // finished by the next pass over the function
    ++normalizing_;
    NodeId normal = normalizer(*this, id);
    --normalizing_;
    if (normal == id)
        nodes_[id.index].flags |= Normal;
    else {
        normal_[id] = normal;
        if (SymbolId name = this->name(id)) set_name(normal, name);
    }
    return normal;
}

void Graph::set_normalizer(std::function<NodeId(Graph&, NodeId)> f) {
    normalizer = std::move(f);
    normal_.clear();
    for (Node& node : nodes_) node.flags &= static_cast<std::uint8_t>(~Normal);
}

// -- queries ----------------------------------------------------------------------------------------

std::size_t Graph::result_count(NodeId id) const {
    switch (kind(id)) {
    case TypeKind::Unit: return 0;
    case TypeKind::Results: return context_->types.elements(type(id)).size();
    default: return 1;
    }
}

NodeId Graph::result(NodeId id, std::size_t k) {
    if (kind(id) != TypeKind::Results) return id;
    AttrValue position{.kind = AttrValue::Kind::Number, .type = context_->types.i64(), .bits = k};
    return make({.op = Operations::core(Core::Project),
                 .attrs = context_->attributes.add({&position, 1}),
                 .operands = {&id, 1},
                 .type = context_->types.elements(type(id))[k]});
}

// -- notes ------------------------------------------------------------------------------------------

namespace {
// `%0`: a printer's number and nobody's name.
bool is_numeral(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}
} // namespace

void Graph::set_name(NodeId id, SymbolId name) {
    if (name && !this->name(id) && !is_numeral(context_->symbols[name])) give_name(id, name);
}

void Graph::give_name(NodeId id, SymbolId name) {
    if (names_.size() == id.index) {
        names_.push_back(name);
    } else {
        if (names_.size() < id.index) names_.resize(std::max<std::size_t>(id.index + 1, nodes_.size()));
        names_[id.index] = name;
    }
    if (newly_named) newly_named->push_back(id);
}
void Graph::set_origin(NodeId id, Origin origin) {
    if (origin.place == UINT32_MAX && !origin.rule) return;
    if (const Origin old = this->origin(id); old.place != UINT32_MAX || old.rule) return;
    const std::size_t size = std::max<std::size_t>(id.index + 1, nodes_.size());
    if (places_.size() <= id.index) places_.resize(size, UINT32_MAX);
    places_[id.index] = origin.place;
    if (!origin.rule) return;
    if (rules_.empty()) rules_.reserve(nodes_.capacity());
    if (rules_.size() <= id.index) rules_.resize(size);
    rules_[id.index] = origin.rule;
}

} // namespace irrewrite
