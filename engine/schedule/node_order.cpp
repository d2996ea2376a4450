#include "engine/schedule/node_order.hpp"

#include "engine/schedule/readers_first.hpp"

#include <algorithm>
#include <bit>
#include <tsl/robin_set.h>

// See note: why ids are an order.
// Operands, tokens and blocks exist before the node that has them, so ascending ids are operands
// first. Only a read that was built after the effect that it must precede has to be pulled forward.

namespace irrewrite {

namespace {

// Limit of nested conditionals that are searched: it keeps time linear in the depth.
constexpr unsigned branch_levels = 4;

using Nodes = tsl::robin_set<NodeId, std::hash<NodeId>>;

struct Branches {
    const GraphView& view;
    const Graph& graph;
    std::span<const std::uint32_t> placed;

    bool is_open(NodeId n) const { return view.is_computed(n) && placed[n.index] == 0; }
    std::vector<NodeId> needed(NodeId owner, unsigned levels) const;
    std::vector<NodeId> needed_by_all(NodeId conditional, unsigned levels) const;
    std::vector<NodeId> surely_needed(BlockId block, unsigned levels) const;
};

// Of a conditional, by all its blocks; of another node, by one that surely runs.
std::vector<NodeId> Branches::needed(NodeId owner, unsigned levels) const {
    if (view.is_conditional(owner)) return needed_by_all(owner, levels);
    std::vector<NodeId> list;
    for (std::size_t k = 0; k < graph.blocks(owner).size(); ++k) {
        if (!view.runs_surely(owner, k)) continue;
        const std::vector<NodeId> inner = surely_needed(graph.blocks(owner)[k], levels);
        list.insert(list.end(), inner.begin(), inner.end());
    }
    return list;
}

std::vector<NodeId> Branches::needed_by_all(NodeId conditional, unsigned levels) const {
    std::span<const BlockId> blocks = graph.blocks(conditional);
    auto nothing = [&](BlockId block) {
        return !graph[block].exit &&
               std::ranges::none_of(graph.results(block), [&](NodeId n) { return is_open(view.source(n)); });
    };
    if (std::ranges::any_of(blocks, nothing)) return {};
    std::vector<NodeId> common = surely_needed(blocks[0], levels);
    for (std::size_t k = 1; k < blocks.size() && !common.empty(); ++k) {
        std::vector<NodeId> other = surely_needed(blocks[k], levels), both;
        std::ranges::set_intersection(common, other, std::back_inserter(both));
        common = std::move(both);
    }
    return common;
}

// Sorted: what runs whenever the block does and is not bound to it. What stands in blocks of what was found is found with
// one level less, so that a nest of loops that depend on nothing takes time linear in its depth.
std::vector<NodeId> Branches::surely_needed(BlockId block, unsigned levels) const {
    std::vector<NodeId> list, stack(graph.results(block).begin(), graph.results(block).end()), inside;
    Nodes seen;
    if (graph[block].exit) stack.push_back(graph[block].exit);
    for (;; --levels, stack.swap(inside)) {
        while (!stack.empty()) {
            NodeId n = view.source(stack.back());
            stack.pop_back();
            if (!is_open(n) || !seen.insert(n).second) continue;
            stack.insert(stack.end(), graph.operands(n).begin(), graph.operands(n).end());
            if (NodeId token = graph.token(n))
                stack.push_back(token);
            else if (!view.binds(block) || !(graph.free(n) & Graph::free_bit(graph[block].number)))
                list.push_back(n);
            if (levels == 0 || graph.blocks(n).empty()) continue;
            const std::vector<NodeId> inner = needed(n, levels - 1);
            inside.insert(inside.end(), inner.begin(), inner.end());
        }
        if (levels == 0 || inside.empty()) break;
    }
    std::ranges::sort(list);
    return list;
}

class Order {
  public:
    Order(const GraphView& view, const Effects& effects, std::span<const std::uint32_t> ranks,
          const std::vector<NodeId>& nodes)
        : view_(view), graph_(view.graph()), effects_(effects), ranks_(ranks), nodes_(nodes) {}

    std::vector<NodeId> run();

  private:
    void open(NodeId read);
    void close_before(NodeId effect);
    void pull_forward(NodeId read, NodeId before);
    std::uint64_t key(NodeId n) const { return age(graph_, n, ranks_); }

    const GraphView& view_;
    const Graph& graph_;
    const Effects& effects_;
    std::span<const std::uint32_t> ranks_;
    const std::vector<NodeId>& nodes_; // sorted
    Nodes seen_;
    std::vector<NodeId> list_;
    tsl::robin_map<Effects::Place, std::vector<NodeId>> own_, others_; // reads that may stand here, by Place
};

std::vector<NodeId> Order::run() {
    std::vector<std::pair<NodeId, NodeId>> reads; // token, read
    Nodes here;
    for (NodeId n : nodes_)
        if (graph_.has(n, Advances)) here.insert(n);
    for (NodeId n : nodes_) {
        if (!graph_.has(n, TakesToken) || graph_.has(n, Advances)) continue;
        if (here.contains(graph_.token(n)))
            reads.emplace_back(graph_.token(n), n);
        else
            open(n);
    }
    std::ranges::stable_sort(reads, {}, [](const auto& pair) { return pair.first; });
    for (NodeId n : nodes_) {
        const bool effect = graph_.has(n, Advances);
        if (effect) close_before(n);
        if (seen_.insert(n).second) list_.push_back(n);
        if (!effect) continue;
        auto first = std::ranges::lower_bound(reads, n, {}, [](const auto& pair) { return pair.first; });
        for (; first != reads.end() && first->first == n; ++first) open(first->second);
    }
    return std::move(list_);
}

void Order::open(NodeId read) {
    for (Effects::Place place : effects_.of(read).reads)
        (effects_.is_own(place) ? own_ : others_)[place].push_back(read);
}

// Emits the pending reads of memory that the effect may change.
void Order::close_before(NodeId effect) {
    std::vector<NodeId> changed;
    auto take = [&](auto it) {
        changed.insert(changed.end(), it->second.begin(), it->second.end());
        it.value().clear();
    };
    for (Effects::Place written : effects_.of(effect).writes) {
        const bool own = effects_.is_own(written);
        if (auto it = own_.find(written); own && it != own_.end()) take(it);
        for (auto it = others_.begin(); it != others_.end(); ++it)
            if (effects_.may_be_one(it->first, written)) take(it);
        if (written == Effects::anything)
            for (auto it = own_.begin(); it != own_.end(); ++it) take(it);
    }
    std::ranges::sort(changed, {}, [&](NodeId n) { return key(n); });
    for (NodeId read : changed)
        if (!seen_.contains(read)) pull_forward(read, effect);
}

// Appends `read`, and before it what it needs of this region, all of which is younger.
void Order::pull_forward(NodeId read, NodeId before) {
    std::vector<NodeId> stack{read};
    const auto first = static_cast<std::ptrdiff_t>(list_.size());
    auto in_region = [&](NodeId n) {
        return std::ranges::binary_search(nodes_, key(n), {}, [&](NodeId m) { return key(m); });
    };
    while (!stack.empty()) {
        const NodeId n = stack.back();
        stack.pop_back();
        if (key(n) <= key(before) || graph_.has(n, Advances) || !seen_.insert(n).second) continue;
        if (in_region(n)) list_.push_back(n);
        view_.dependences(n, stack);
        for (BlockId block : graph_.blocks(n)) view_.contents(block, stack);
    }
    std::sort(list_.begin() + first, list_.end(), [&](NodeId a, NodeId b) { return key(a) < key(b); });
}

} // namespace

std::vector<NodeId> needed_in_blocks(const GraphView& view, std::span<const std::uint32_t> placed, NodeId owner) {
    return Branches{view, view.graph(), placed}.needed(owner, branch_levels);
}

// Parameters of outer blocks have larger numbers, and closing a block makes anew what depends on it.
std::uint64_t age(const Graph& graph, NodeId n, std::span<const std::uint32_t> ranks) {
    const auto depth = static_cast<std::uint64_t>(std::bit_width(graph.free(n)));
    const std::uint32_t rank = ranks.empty() ? 0 : ranks[n.index];
    return depth << 40 | (rank ? rank : (std::uint64_t{1} << 32) + n.index);
}

namespace {
// By age; where that is nothing but the index, by marking.
void sort_by_age(const Graph& graph, std::vector<NodeId>& nodes, std::span<const std::uint32_t> ranks) {
    const auto [least, most] = std::ranges::minmax(nodes, {}, &NodeId::index);
    const std::size_t span = std::size_t{most.index} - least.index + 1;
    auto depth = [&](NodeId n) { return std::bit_width(graph.free(n)); };
    const bool level = std::ranges::all_of(nodes, [&](NodeId n) { return depth(n) == depth(nodes[0]); });
    if (!ranks.empty() || !level || span / 16 > nodes.size())
        return (void)std::ranges::sort(nodes, {}, [&](NodeId n) { return age(graph, n, ranks); });
    std::vector<bool> marked(span);
    for (NodeId n : nodes) marked[n.index - least.index] = true;
    nodes.clear();
    for (std::uint32_t i = 0; i < span; ++i)
        if (marked[i]) nodes.push_back({least.index + i});
}
} // namespace

void put_in_order(const GraphView& view, const Effects* effects, std::vector<NodeId>& nodes,
                  std::span<const std::uint32_t> ranks) {
    const Graph& graph = view.graph();
    if (nodes.empty()) return;
    sort_by_age(graph, nodes, ranks);
    bool reads = false, changes = false;
    for (NodeId n : nodes) {
        changes = changes || graph.has(n, Advances);
        reads = reads || (graph.has(n, TakesToken) && !graph.has(n, Advances));
    }
    if (reads && changes && effects) nodes = Order(view, *effects, ranks, nodes).run();
    put_readers_first(view, nodes);
}

std::optional<Effects> effects_on_reads(const Function& function) {
    bool reads = false, changes = false;
    for (std::uint32_t i = 0; i < function.graph.size() && !(reads && changes); ++i) {
        const bool advances = function.graph.has({i}, Advances);
        changes = changes || advances;
        reads = reads || (!advances && function.graph.has({i}, TakesToken));
    }
    return reads && changes ? std::optional<Effects>(std::in_place, function) : std::nullopt;
}

} // namespace irrewrite
