// Compaction of a graph in place.
#include "engine/ir/graph.hpp"

#include <algorithm>

namespace irrewrite {

// Inputs lie in the pool in the order in which nodes and blocks were made: none is overwritten before it was read.
class Graph::Keeping {
  public:
    Keeping(Graph& graph, std::span<const NodeId> kept)
        : g_(graph), nodes_(g_.nodes_.size()), blocks_(g_.blocks_.size()) {
        for (NodeId node : kept) {
            nodes_[node.index] = node;
            for (BlockId block : g_.blocks(node)) mark(block);
        }
        number(nodes_), number(blocks_);
    }

    HugeVector<NodeId> run() {
        const auto is_param = [&](std::size_t i) { return g_.core_is_param({static_cast<std::uint32_t>(i)}); };
        std::size_t block = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (!nodes_[i]) continue;
            if (is_param(i)) {
                notes(i);
                g_.nodes_[nodes_[i].index] = g_.nodes_[i];
                continue;
            }
            if (const Node& node = g_.nodes_[i]; !node.holds_parts())
                for (; block < blocks_.size() && g_.blocks_[block].first < node.parts[0]; ++block) move_block(block);
            notes(i);
            move_node(i);
        }
        for (; block < blocks_.size(); ++block) move_block(block);
        shorten();
        return std::move(nodes_);
    }

  private:
    void mark(BlockId id) {
        blocks_[id.index] = id;
        for (NodeId param : g_.params(id)) nodes_[param.index] = param; // whether or not the body depends on it
        if (NodeId entry = g_[id].entry) nodes_[entry.index] = entry;
    }
    template <class Ids> void number(Ids& ids) {
        std::uint32_t count = 0;
        for (auto& id : ids)
            if (id) id.index = count++;
    }
    void move(NodeId& node) const {
        if (node) node = nodes_[node.index];
    }
    // Moves the next `count` inputs; returns their new offset.
    template <class Map> std::uint32_t parts(std::size_t first, std::size_t count, const Map& map) {
        const auto begin = static_cast<std::uint32_t>(pool_);
        for (std::size_t i = first; i < first + count; ++i) g_.pool_[pool_++] = map[g_.pool_[i]].index;
        return begin;
    }

    void move_node(std::size_t i) {
        Node node = g_.nodes_[i];
        if (node.holds_parts()) {
            for (std::size_t k = 0; k < node.operands; ++k) node.parts[k] = nodes_[node.parts[k]].index;
        } else {
            const std::uint32_t first = node.parts[0];
            node.parts[0] = parts(first, node.operands, nodes_);
            parts(first + node.operands, node.blocks, blocks_);
        }
        move(node.token);
        g_.nodes_[nodes_[i].index] = node;
    }
    void move_block(std::size_t i) {
        if (!blocks_[i]) return;
        Block block = g_.blocks_[i];
        block.first = parts(block.first, block.params + block.results, nodes_);
        move(block.entry), move(block.exit);
        g_.blocks_[blocks_[i].index] = block;
        block_count_ = blocks_[i].index + 1;
    }
    // Moves the notes about a node (free bits, name, location, rule), as far as each table reaches.
    void notes(std::size_t i) {
        const std::size_t to = nodes_[i].index;
        if (i < g_.free_.size()) g_.free_[to] = g_.free_[i], free_ = to + 1;
        if (i < g_.names_.size()) g_.names_[to] = g_.names_[i], names_ = to + 1;
        if (i < g_.places_.size()) g_.places_[to] = g_.places_[i], places_ = to + 1;
        if (i < g_.rules_.size()) g_.rules_[to] = g_.rules_[i], rules_ = to + 1;
        node_count_ = to + 1;
    }

    void shorten() {
        irrewrite::shorten(g_.nodes_, node_count_), irrewrite::shorten(g_.pool_, pool_),
            g_.blocks_.resize(block_count_);
        irrewrite::shorten(g_.free_, free_), irrewrite::shorten(g_.names_, names_);
        irrewrite::shorten(g_.places_, places_), irrewrite::shorten(g_.rules_, rules_);
        g_.normal_.clear();
        std::ranges::fill(g_.table_, 0);
        g_.fill_table();
        std::ranges::fill(g_.block_table_, 0);
        g_.fill_block_table();
    }

    Graph& g_;
    HugeVector<NodeId> nodes_;    // by old number; none: dropped
    std::vector<BlockId> blocks_; // likewise
    std::size_t pool_ = 0, node_count_ = 0, block_count_ = 0, free_ = 0, names_ = 0, places_ = 0, rules_ = 0;
};

HugeVector<NodeId> Graph::keep(std::span<const NodeId> kept) { return Keeping(*this, kept).run(); }

} // namespace irrewrite
