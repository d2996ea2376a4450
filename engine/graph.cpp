#include "engine/graph.hpp"

#include "engine/builder.hpp"
#include "engine/scalars.hpp"
#include "engine/substitute.hpp"

#include <algorithm>
#include <cassert>

namespace irrewrite {

namespace {
void mix(std::size_t& hash, std::size_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ull;
    hash ^= hash >> 32;
}
} // namespace

AttrId Attributes::add(std::span<const AttrValue> values) {
    std::size_t hash = values.size();
    for (const AttrValue& value : values) {
        mix(hash, static_cast<std::size_t>(value.kind));
        mix(hash, value.type.index);
        mix(hash, value.bits);
    }
    auto [begin, end] = index_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (std::ranges::equal((*this)[it->second], values)) return it->second;
    AttrId id{static_cast<std::uint32_t>(ranges_.size())};
    ranges_.push_back({static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(values.size())});
    pool_.insert(pool_.end(), values.begin(), values.end());
    index_.emplace(hash, id);
    return id;
}
std::span<const AttrValue> Attributes::operator[](AttrId id) const {
    return {pool_.data() + ranges_[id.index].first, ranges_[id.index].second};
}

// -- spans ------------------------------------------------------------------------------------------

namespace {
template <class T> std::span<const T> view(const std::vector<std::uint32_t>& pool, std::size_t first, std::size_t count) {
    static_assert(sizeof(T) == sizeof(std::uint32_t));
    return {reinterpret_cast<const T*>(pool.data() + first), count};
}
} // namespace

std::span<const NodeId> Graph::operands(NodeId id) const {
    const Node& node = nodes_[id.index];
    return view<NodeId>(pool_, node.operands ? node.first : 0, node.operands);
}
std::span<const BlockId> Graph::blocks(NodeId id) const {
    const Node& node = nodes_[id.index];
    return view<BlockId>(pool_, node.blocks ? node.first + node.operands : 0, node.blocks);
}
std::span<const NodeId> Graph::params(BlockId id) const {
    return view<NodeId>(pool_, blocks_[id.index].first, blocks_[id.index].params);
}
std::span<const NodeId> Graph::results(BlockId id) const {
    const Block& block = blocks_[id.index];
    return view<NodeId>(pool_, block.first + block.params, block.results);
}
std::span<const SymbolId> Graph::param_names(BlockId id) const {
    const Block& block = blocks_[id.index];
    return {name_pool_.data() + block.names, block.params};
}

// -- leaves -----------------------------------------------------------------------------------------

NodeId Graph::literal(TypeId type, std::uint64_t bits) {
    AttrValue value{.kind = AttrValue::Kind::Number, .type = type, .bits = bits};
    return intern({.op = Operations::core(Core::Literal), .attrs = context_->attributes.add({&value, 1}), .type = type});
}

NodeId Graph::text(std::string_view bytes) {
    Types& types = context_->types;
    AttrValue value{.kind = AttrValue::Kind::Text, .type = {}, .bits = context_->symbols.add(bytes).index};
    TypeId type = types.array(Dim::constant(static_cast<std::int64_t>(bytes.size())), types.u8());
    return intern({.op = Operations::core(Core::Literal), .attrs = context_->attributes.add({&value, 1}), .type = type});
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
    node.first = number;
    node.free = free_bit(number);
    return add(node, {}, {});
}

// -- making nodes -----------------------------------------------------------------------------------

bool Graph::may_fault(const Node& node, std::span<const NodeId> operands) const {
    const Operation& operation = context_->operations[node.op];
    if (operation.has(Trait::Total)) return false;
    if (operation.primitive < 0 || operands.empty()) return !operation.blocks_decide();
    if (operands.size() > 3) return true; // `same` of many
    std::optional<std::uint64_t> known[3];
    for (std::size_t i = 0; i < std::min<std::size_t>(3, operands.size()); ++i)
        if (is_number(operands[i])) known[i] = bits(operands[i]);
    return primitive_may_fault(operation.primitive, kind(operands[0]),
                               {known, std::min<std::size_t>(3, operands.size())});
}

void Graph::summarize(Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks) const {
    std::uint8_t height = 0, deep = 0;
    auto part = [&](const Node& other) {
        node.free |= other.free;
        height = std::max(height, other.height);
        deep |= other.flags & DeepFault;
    };
    for (NodeId operand : operands) part(nodes_[operand.index]);
    if (node.token) part(nodes_[node.token.index]), node.flags |= TakesToken;
    if (may_fault(node, operands)) node.flags |= MayFault;
    for (BlockId id : blocks) {
        const Block& block = blocks_[id.index];
        node.free |= block.free;
        height = std::max(height, block.height);
        if (block.flags & DeepFault) node.flags |= MayFault;
    }
    if (node.flags & MayFault) deep = DeepFault;
    node.flags |= deep;
    node.height = height;
    if (node.token && effect_use(*this, node.op, node.attrs, blocks).advances) node.flags |= Advances;
}

std::size_t Graph::hash(const Node& node, std::span<const NodeId> operands, std::span<const BlockId> blocks) const {
    std::size_t hash = node.op.index;
    mix(hash, node.attrs.index | static_cast<std::size_t>(node.type.index) << 32);
    mix(hash, node.token.index);
    if (node.op == Operations::core(Core::Param)) mix(hash, node.first);
    for (NodeId operand : operands) mix(hash, operand.index);
    for (BlockId block : blocks) mix(hash, block.index);
    return hash;
}

NodeId Graph::add(Node node, std::span<const NodeId> operands, std::span<const BlockId> blocks) {
    if (table_.size() < 2 * (nodes_.size() + 1)) grow_table();
    std::size_t mask = table_.size() - 1;
    bool leaf = node.op == Operations::core(Core::Param);
    std::size_t h = hash(node, operands, blocks);
    std::size_t slot = h & mask;
    for (; table_[slot]; slot = (slot + 1) & mask) {
        NodeId other{table_[slot] - 1};
        const Node& candidate = nodes_[other.index];
        if (candidate.op == node.op && candidate.type == node.type && candidate.attrs == node.attrs &&
            candidate.token == node.token && (!leaf || candidate.first == node.first) &&
            std::ranges::equal(this->operands(other), operands) && std::ranges::equal(this->blocks(other), blocks))
            return other;
    }
    if (!leaf) {
        summarize(node, operands, blocks);
        node.operands = static_cast<std::uint32_t>(operands.size());
        node.blocks = static_cast<std::uint16_t>(blocks.size());
        node.first = static_cast<std::uint32_t>(pool_.size());
        for (NodeId operand : operands) pool_.push_back(operand.index);
        for (BlockId block : blocks) pool_.push_back(block.index);
    }
    NodeId id{static_cast<std::uint32_t>(nodes_.size())};
    nodes_.push_back(node);
    table_[slot] = id.index + 1;
    set_origin(id, current_origin);
    return id;
}

void Graph::grow_table() {
    std::vector<std::uint32_t> old(std::max<std::size_t>(64, table_.size() * 2), 0);
    table_.swap(old);
    std::size_t mask = table_.size() - 1;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        NodeId id{i};
        Node node = nodes_[i];
        std::size_t slot = hash(node, operands(id), blocks(id)) & mask;
        while (table_[slot]) slot = (slot + 1) & mask;
        table_[slot] = i + 1;
    }
}

NodeId Graph::intern(const NodeParts& parts) {
    Node node;
    node.op = parts.op;
    node.attrs = parts.attrs;
    node.token = parts.token;
    node.type = parts.type;
    if (!node.type) {
        Inferred inferred = infer(*this, parts.op, parts.attrs, parts.operands, parts.blocks);
        assert(inferred.type && "the caller gave an ill-typed node");
        node.type = *inferred.type;
    }
    // The spans may point into the pool, which add() grows.
    std::vector<NodeId> operands(parts.operands.begin(), parts.operands.end());
    std::vector<BlockId> blocks(parts.blocks.begin(), parts.blocks.end());
    return add(node, operands, blocks);
}

namespace {
// One order for the operands of commutative operations: literals last, parameters first, by number
// and index, else the older node first.
bool in_order(const Graph& graph, NodeId a, NodeId b) {
    if (graph.is_literal(a) != graph.is_literal(b)) return graph.is_literal(b);
    if (graph.is_param(a) && graph.is_param(b))
        return std::pair(graph.param_number(a), graph.param_index(a)) <=
               std::pair(graph.param_number(b), graph.param_index(b));
    if (graph.is_param(a) != graph.is_param(b)) return graph.is_param(a);
    return a <= b;
}
} // namespace

std::optional<NodeId> Graph::fold(const NodeParts& parts) {
    const Operation& operation = context_->operations[parts.op];
    if (operation.core == Core::Element && core(parts.operands[0]) == Core::Tuple)
        return operand(parts.operands[0], context_->attributes[parts.attrs][0].bits);
    if (operation.core == Core::Field && core(parts.operands[0]) == Core::Struct)
        return operand(parts.operands[0], context_->attributes[parts.attrs][0].bits);
    if (operation.core == Core::Project && core(parts.operands[0]) == Core::Pack)
        return operand(parts.operands[0], context_->attributes[parts.attrs][0].bits);
    if (operation.primitive < 0 || parts.operands.empty() || operation.has(Trait::Approximate)) return std::nullopt;
    std::uint64_t values[3];
    if (parts.operands.size() > 3) return std::nullopt;
    for (std::size_t i = 0; i < parts.operands.size(); ++i) {
        if (!is_number(parts.operands[i])) return std::nullopt;
        values[i] = bits(parts.operands[i]);
    }
    TypeId result = parts.type;
    if (!result) {
        Inferred inferred = infer(*this, parts.op, parts.attrs, parts.operands, {});
        if (!inferred.type) return std::nullopt;
        result = *inferred.type;
    }
    const Primitive& primitive = primitives()[operation.primitive];
    TypeKind type = kind(parts.operands[primitive.name == "select" ? 1 : 0]);
    auto value = primitive.evaluate(type, context_->types.kind(result), {values, parts.operands.size()});
    if (!value) return std::nullopt;
    return literal(result, *value);
}

NodeId Graph::make(const NodeParts& given) {
    NodeParts parts = given;
    NodeId pair[2];
    if (context_->operations[parts.op].commutative() && parts.operands.size() == 2 &&
        !in_order(*this, parts.operands[0], parts.operands[1])) {
        pair[0] = parts.operands[1], pair[1] = parts.operands[0];
        parts.operands = pair;
    }
    if (auto folded = fold(parts)) return *folded;
    NodeId id = intern(parts);
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

// -- blocks -----------------------------------------------------------------------------------------

BlockId Graph::close(std::uint32_t number, std::span<const NodeId> given_params, std::span<const SymbolId> names,
                     std::span<const NodeId> given_results, NodeId entry, NodeId exit) {
    std::vector<NodeId> params(given_params.begin(), given_params.end());
    std::vector<NodeId> results(given_results.begin(), given_results.end());
    std::uint64_t free = 0;
    std::uint32_t height = 0;
    for (NodeId result : results) free |= nodes_[result.index].free, height = std::max<std::uint32_t>(height, nodes_[result.index].height);
    if (exit) free |= nodes_[exit.index].free, height = std::max<std::uint32_t>(height, nodes_[exit.index].height);
    bool binds = !params.empty() || entry;
    if (!binds) return add_block(0, params, names, results, entry, exit);
    height = std::min<std::uint32_t>(height + 1, number::max_height + 1);
    std::uint32_t wanted = height;
    std::uint64_t below = (2ull << height) - 1; // numbers up to height
    if (height > number::max_height || (number != height && (free & below & ~free_bit(number))))
        wanted = number >= number::first_fresh ? number : fresh_number();
    if (wanted != number) {
        Substitution renumber(*this);
        auto move = [&](NodeId& param) {
            NodeId moved = this->param(wanted, param_index(param), type(param));
            renumber.put(param, moved);
            param = moved;
        };
        for (NodeId& param : params) move(param);
        NodeId old_entry = entry;
        if (entry) move(entry);
        std::vector<NodeId> ends = results; // at once: the effects keep their place among the values
        if (exit && exit != old_entry) ends.push_back(exit);
        renumber.all(ends);
        for (NodeId& result : results) result = renumber(result);
        if (exit) exit = exit == old_entry ? entry : renumber.token(exit);
    }
    return add_block(wanted, params, names, results, entry, exit);
}

BlockId Graph::add_block(std::uint32_t number, std::span<const NodeId> params, std::span<const SymbolId> names,
                         std::span<const NodeId> results, NodeId entry, NodeId exit) {
    auto same = [&](BlockId id) {
        const Block& block = blocks_[id.index];
        return block.number == number && block.entry == entry && block.exit == exit &&
               std::ranges::equal(this->params(id), params) && std::ranges::equal(this->results(id), results);
    };
    std::size_t hash = number;
    mix(hash, entry.index), mix(hash, exit.index), mix(hash, params.size());
    for (NodeId param : params) mix(hash, param.index);
    for (NodeId result : results) mix(hash, result.index);
    auto [begin, end] = block_index_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (same(it->second)) return it->second;

    Block block;
    block.number = number;
    block.entry = entry, block.exit = exit;
    block.first = static_cast<std::uint32_t>(pool_.size());
    block.params = static_cast<std::uint32_t>(params.size());
    block.results = static_cast<std::uint32_t>(results.size());
    block.names = static_cast<std::uint32_t>(name_pool_.size());
    for (std::size_t i = 0; i < params.size(); ++i) name_pool_.push_back(i < names.size() ? names[i] : SymbolId{});
    std::uint32_t height = 0;
    auto part = [&](NodeId id) {
        const Node& node = nodes_[id.index];
        block.free |= node.free;
        height = std::max<std::uint32_t>(height, node.height);
        block.flags |= node.flags & DeepFault;
    };
    for (NodeId result : results) part(result);
    if (exit) part(exit);
    if (exit && exit != entry) block.flags |= Advances;
    bool binds = !params.empty() || entry;
    block.height = static_cast<std::uint8_t>(std::min<std::uint32_t>(height + binds, number::max_height + 1));
    if (binds && number <= number::max_height) block.free &= ~free_bit(number);
    for (NodeId param : params) pool_.push_back(param.index);
    for (NodeId result : results) pool_.push_back(result.index);
    BlockId id{static_cast<std::uint32_t>(blocks_.size())};
    blocks_.push_back(block);
    block_index_.emplace(hash, id);
    return id;
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
    return make({.op = Operations::core(Core::Project), .attrs = context_->attributes.add({&position, 1}),
                 .operands = {&id, 1}, .type = context_->types.elements(type(id))[k]});
}

bool Graph::depends_on_number(NodeId root, std::uint32_t number) const {
    std::uint64_t bit = free_bit(number);
    if (!(nodes_[root.index].free & bit)) return false;
    if (number <= number::max_height) return true;
    std::vector<NodeId> stack{root};
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        NodeId id = stack.back();
        stack.pop_back();
        if (!(nodes_[id.index].free & bit) || !seen.insert({id, true}).second) continue;
        if (is_param(id)) {
            if (param_number(id) == number) return true;
            continue;
        }
        for (NodeId operand : operands(id)) stack.push_back(operand);
        if (NodeId token = this->token(id)) stack.push_back(token);
        for (BlockId block : blocks(id)) {
            for (NodeId result : results(block)) stack.push_back(result);
            if (NodeId exit = blocks_[block.index].exit) stack.push_back(exit);
        }
    }
    return false;
}

bool Graph::depends_on_number(BlockId id, std::uint32_t number) const {
    if (!(blocks_[id.index].free & free_bit(number))) return false;
    for (NodeId result : results(id))
        if (depends_on_number(result, number)) return true;
    NodeId exit = blocks_[id.index].exit;
    return exit && depends_on_number(exit, number);
}

// -- notes ------------------------------------------------------------------------------------------

namespace {
// `%0`: a printer's number and nobody's name.
bool is_numeral(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}
} // namespace

void Graph::set_name(NodeId id, SymbolId name) {
    if (!name || is_numeral(context_->symbols[name])) return;
    if (names_.size() <= id.index) names_.resize(std::max<std::size_t>(id.index + 1, nodes_.size()));
    if (names_[id.index]) return;
    names_[id.index] = name;
    if (newly_named) newly_named->push_back(id);
}
void Graph::set_origin(NodeId id, Origin origin) {
    if (origin.place == UINT32_MAX && !origin.rule) return;
    if (origins_.size() <= id.index) origins_.resize(std::max<std::size_t>(id.index + 1, nodes_.size()));
    Origin& old = origins_[id.index];
    if (old.place == UINT32_MAX && !old.rule) old = origin;
}

} // namespace irrewrite
