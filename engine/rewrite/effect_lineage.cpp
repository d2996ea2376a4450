#include "engine/rewrite/effect_lineage.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr int most_rounds = 100; // what is replaced may show another; one is the rule
}

void EffectLineage::became(NodeId effect, Replacement by) {
    if (!by.token && graph_.has(by.value, Advances)) by.token = by.value;
    const bool gone = by.token == graph_.token(effect); // what is left of it happens at most once
    if (!by.token || by.token == effect || by.value == effect || gone) return;
    auto [it, fresh] = heirs_.try_emplace(effect);
    if (fresh) order_.push_back(effect);
    auto same = [&](const Replacement& heir) { return heir.value == by.value && heir.token == by.token; };
    if (std::ranges::none_of(it->second, same)) it->second.push_back(by);
}

// The reachable nodes, and those of them that are in the chain of effects of their block. `open`: the free bit of the
// block's parameters; nodes that do not depend on them are left out. 0: of a function. `inside`: the free bits of
// blocks inside it.
struct EffectLineage::Survey {
    Survey(const Graph& graph, const Content& content, std::uint64_t open, std::uint64_t inside)
        : graph(graph), open(open), inside(inside) {
        follow(content.exit);
        std::vector<NodeId> all;
        auto reach = [&](NodeId node) {
            if (present.contains(node) || (open && !(graph.free(node) & open))) return;
            present.set(node, node);
            all.push_back(node);
        };
        for (NodeId node : content.results) reach(node);
        if (content.exit) reach(content.exit);
        for (std::size_t i = 0; i < all.size(); ++i) {
            for_each_part(graph, all[i], reach);
            if (graph.is_param(all[i])) continue;
            for (BlockId block : graph.blocks(all[i])) {
                if (follow(graph[block].exit) != graph[block].entry) any_loose = true; // it goes on outside
                // Its effects look like the outer block's own until that one has a fresh number.
                if (open && graph[block].entry && graph[block].number == content.number) any_loose = true;
            }
        }
        for (NodeId node : all)
            if (graph.has(node, Advances) && !chained.contains(node)) any_loose = true;
    }
    // Returns the begin of the chain that ends with `exit`.
    NodeId follow(NodeId exit) {
        NodeId begin = exit;
        while (begin && !chained.contains(begin) && !graph.is_param(begin)) begin = graph.token(begin);
        if (const NodeId known = begin ? chained.find(begin) : begin) begin = known;
        for (; exit && !chained.contains(exit); exit = graph.token(exit)) chained.set(exit, begin);
        return begin;
    }
    bool loose(NodeId node) const { return present.contains(node) && !chained.contains(node); }
    // An effect of the block itself: it depends on the block's entry, and on no parameter of a block inside.
    bool own(NodeId effect) const {
        const std::uint64_t free = graph.free(effect);
        return present.contains(effect) && (open ? (free & open) && !(free & inside) : !free);
    }

    const Graph& graph;
    const std::uint64_t open, inside;
    NodeMap present; // of nodes to themselves
    NodeMap chained; // of effects to where their chain begins
    bool any_loose = false;
};

// The replacements of an effect, and theirs in turn, that are still reachable; in the order of rewriting.
std::vector<Replacement> EffectLineage::heirs(NodeId effect, const Survey& survey) const {
    std::vector<Replacement> out;
    std::vector<NodeId> line{effect};
    for (std::size_t i = 0; i < line.size(); ++i) {
        auto it = heirs_.find(line[i]);
        if (it == heirs_.end()) continue;
        for (const Replacement& by : it->second) {
            if (std::ranges::find(line, by.token) != line.end()) continue;
            const bool present = survey.present.contains(by.token);
            if (present) out.push_back(by);
            if (present || by.value == by.token) line.push_back(by.token);
        }
    }
    return out;
}

// True if the effect is in the chain: a replacement contains it.
bool EffectLineage::contains(NodeId chain, NodeId effect) const {
    while (chain && chain.index > effect.index && !graph_.is_param(chain)) chain = graph_.token(chain);
    return chain == effect;
}

bool EffectLineage::replace_older(Content& content, const Survey& survey) {
    Substitution substitution(graph_);
    tsl::robin_set<NodeId, std::hash<NodeId>> replaced;
    for (NodeId effect : order_) {
        if (!survey.own(effect)) continue;
        const std::vector<Replacement> all = heirs(effect, survey);
        auto fits = [&](const Replacement& by) {
            return !replaced.contains(by.token) && (survey.loose(effect) || survey.loose(by.token));
        };
        const auto by = std::ranges::find_if(all, fits);
        if (by == all.end()) continue;
        replaced.insert(effect);
        if (contains(by->token, effect)) { // stays in there
            substitution.put(effect, by->value);
            substitution.put_token(effect, by->token);
        } else {
            substitution.put_through(effect, by->value);
            substitution.put_token_through(effect, by->token);
        }
    }
    return !replaced.empty() && replace(substitution, content);
}

// If two strategies rewrote one effect, the first result replaces the other.
bool EffectLineage::unite_siblings(Content& content, const Survey& survey) {
    Substitution substitution(graph_);
    tsl::robin_set<NodeId, std::hash<NodeId>> met;
    bool any = false;
    for (NodeId effect : order_) {
        if (survey.present.contains(effect)) continue;
        std::vector<NodeId> all;
        for (const Replacement& by : heirs(effect, survey))
            if (by.value == by.token && survey.own(by.token)) all.push_back(by.token);
        for (std::size_t i = 1; i < all.size(); ++i) {
            const bool apart = survey.loose(all[0]) || survey.loose(all[i]);
            const bool alike = graph_.context().types.agree(graph_.type(all[0]), graph_.type(all[i]));
            if (!apart || !alike || met.contains(all[0]) || !met.insert(all[i]).second) continue;
            substitution.put(all[i], all[0]);
            any = true;
        }
    }
    return any && replace(substitution, content);
}

bool EffectLineage::replace(Substitution& substitution, Content& content) {
    bool changed = false;
    substitution.rebuilt = [this](NodeId from, NodeId to, bool) {
        if (graph_.has(from, Advances)) became(from, {to, {}});
    };
    auto put = [&](NodeId& place, NodeId made) { changed = changed || made != place, place = made; };
    for (NodeId& result : content.results) put(result, substitution(result));
    if (content.exit) put(content.exit, substitution.token(content.exit));
    return changed;
}

bool EffectLineage::settle(Content& content, std::uint64_t open, std::uint64_t inside) {
    for (int round = 0; round < most_rounds; ++round) {
        const Survey survey(graph_, content, open, inside);
        if (!survey.any_loose) return true;
        if (!replace_older(content, survey) && !unite_siblings(content, survey)) break;
    }
    return false;
}

std::optional<NodeId> EffectLineage::settle(NodeId root) {
    if (empty()) return root;
    Content content{0, {}, {root}, {}, graph_.token(root)};
    if (!settle(content, 0, 0)) return std::nullopt;
    return content.results[0];
}

// While the block is open a block inside it may bind the same number: the content, and what is known about it, takes a
// fresh one first.
void EffectLineage::renumber(Content& block) {
    const std::uint64_t open = Graph::free_bit(block.number);
    block.number = graph_.fresh_number();
    Substitution substitution(graph_);
    auto move = [&](NodeId& param) {
        const NodeId moved = graph_.param(block.number, graph_.param_index(param), graph_.type(param));
        substitution.put(param, moved);
        param = moved;
    };
    for (NodeId& param : block.params) move(param);
    const NodeId entry = block.entry;
    move(block.entry);
    for (NodeId& result : block.results) result = substitution(result);
    block.exit = block.exit == entry ? block.entry : substitution.token(block.exit);
    const std::vector<NodeId> known = order_;
    for (NodeId effect : known) {
        if (!(graph_.free(effect) & open)) continue;
        const std::vector<Replacement> all = heirs_.at(effect);
        for (const Replacement& by : all)
            became(substitution(effect), {substitution(by.value), substitution.token(by.token)});
    }
}

void EffectLineage::settle(Content& block) {
    const std::uint64_t open = Graph::free_bit(block.number), inside = open - 1;
    if (empty() || !Survey(graph_, block, open, inside).any_loose) return;
    renumber(block);
    settle(block, Graph::free_bit(block.number), inside);
}

} // namespace irrewrite
