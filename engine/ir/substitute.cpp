#include "engine/ir/substitute.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <array>

namespace irrewrite {

void Substitution::note(NodeId from, NodeId to) {
    if (to && graph_.is_param(from)) {
        introduced_ |= graph_.free(to) & ~graph_.free(from);
        params_ |= graph_.free(from);
    }
    std::uint64_t free = graph_.free(from);
    mask_ |= free;
    maskable_ = maskable_ && free;
    least_ = std::min(least_, from.index);
}

void Substitution::put(NodeId from, NodeId to) { note(from, to), done_.set(from, to); }
void Substitution::put_token(NodeId from, NodeId to) { note(from, to), tokens_[from] = to; }
void Substitution::put(BlockId from, BlockId to) {
    blocks_[from] = to;
    maskable_ = false, least_ = 0; // a block does not say who owns it
}
void Substitution::put_through(BlockId from, BlockId to) {
    block_through_[from] = to;
    maskable_ = false, least_ = 0;
}
// May stand below the blocks whose parameters it depends on: only its age says where it cannot be.
void Substitution::put_through(NodeId from, NodeId to) {
    note(from, to), through_.set(from, to);
    maskable_ = false;
}
void Substitution::put_token_through(NodeId from, NodeId to) {
    note(from, to), token_through_[from] = to;
    maskable_ = false;
}

// Operands are older than their users, and a node depends on all the parameters that its inputs depend on.
bool Substitution::skips(NodeId node) const {
    if (rewrite) return false;
    return is_effect_outside(node) || node.index < least_ || (maskable_ && !(graph_.free(node) & mask_));
}
// An effect depends on the entry of its block. Blocks inside of `within_` have smaller numbers, those around it greater ones.
bool Substitution::is_effect_outside(NodeId node) const {
    if (!within_ || !graph_.has(node, TakesToken)) return false;
    const std::uint64_t own = Graph::free_bit(graph_[within_].number), inside = own | (own - 1);
    return !(graph_.free(node) & (inside | params_)) && !through_.contains(node) && !token_through_.contains(node);
}
bool Substitution::skips(BlockId block) const {
    return !rewrite && maskable_ && !(graph_[block].free & mask_) && !blocks_.contains(block) &&
           !block_through_.contains(block);
}

NodeId Substitution::find(NodeId node) const {
    if (NodeId made = done_.find(node)) return made;
    return skips(node) || graph_.is_param(node) ? node : NodeId{};
}

// A parameter of an outer block may have the number of an inner one, as long as the outer one is still to be closed: the
// inner block gets another number before what depends on the outer one comes into it, in the place of a parameter.
BlockId Substitution::apart(BlockId block) {
    if (block == within_) return block;
    if (auto it = apart_.find(block); it != apart_.end()) return it->second;
    const Block& old = graph_[block];
    const bool binds = old.params || old.entry;
    if (!(old.free & params_)) return block;
    if (!binds || old.number > number::max_height || !(introduced_ & Graph::free_bit(old.number)) ||
        blocks_.contains(block))
        return block;
    const BlockId made = graph_.renumbered(block);
    apart_[block] = made;
    return made;
}

// Follows the replacements of an effect as a token: the effect itself need not be built for what comes after it.
NodeId Substitution::passed(NodeId token) const {
    while (token && !rewrite) {
        auto it = token_through_.find(token);
        if (it == token_through_.end()) break;
        token = it->second;
    }
    return token;
}

BlockId Substitution::contents(BlockId block) {
    auto it = block_through_.find(block);
    return apart(it == block_through_.end() ? block : it->second);
}

template <class F> void Substitution::for_each_dependency(NodeId node, F&& f) {
    if (NodeId to = through_.find(node)) return f(to);
    for (NodeId operand : graph_.operands(node)) f(operand);
    if (NodeId token = passed(graph_.token(node)); token && !tokens_.contains(token)) f(token);
    const std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
    for (BlockId own : blocks) {
        if (skips(own)) continue;
        const BlockId block = contents(own);
        for (NodeId result : graph_.results(block)) f(result);
        if (NodeId exit = passed(graph_[block].exit); exit && !tokens_.contains(exit)) f(exit);
    }
}

// Nothing is forwarded: all that has to be rebuilt, in the order of ages.
void Substitution::run_in_order(std::span<const NodeId> roots) {
    std::vector<NodeId> list;
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    for (NodeId root : roots)
        if (!find(root) && seen.insert(root).second) list.push_back(root);
    for (std::size_t i = 0; i < list.size(); ++i)
        for_each_dependency(list[i], [&](NodeId part) {
            if (!find(part) && seen.insert(part).second) list.push_back(part);
        });
    if (!apart_.empty()) { // ages do not tell what depends on what
        for (NodeId root : roots)
            if (!find(root)) run_on_stack(root);
        return;
    }
    std::ranges::sort(list);
    for (NodeId node : list) {
        const std::size_t before = graph_.size();
        const NodeId made = rebuild(node);
        if (rebuilt && made != node) rebuilt(node, made, made.index >= before);
        done_.set(node, made);
    }
}

void Substitution::run(NodeId root) {
    if (keeps_order()) return run_in_order({&root, 1});
    // Nothing is forwarded yet: inputs before their users, in the order of ids.
    if (rewrite && done_.empty() && through_.empty() && tokens_.empty() && blocks_.empty() && block_through_.empty())
        for (NodeId node : reachable(graph_, {&root, 1}))
            if (!find(node)) run_on_stack(node);
    run_on_stack(root);
}

void Substitution::run_on_stack(NodeId root) {
    std::size_t bottom = stack_.size();
    stack_.push_back(root);
    while (stack_.size() > bottom) {
        NodeId node = stack_.back();
        if (find(node)) {
            stack_.pop_back();
            continue;
        }
        std::size_t size = stack_.size();
        for_each_dependency(node, [&](NodeId part) {
            if (!find(part)) stack_.push_back(part);
        });
        if (stack_.size() > size && through_.contains(node) && !open_.insert(node).second) {
            stack_.resize(size - 1); // what it became contains it
            cycles.push_back(node);
            done_.set(node, node), token_through_.erase(node);
            continue;
        }
        if (stack_.size() > size) { // the oldest first: what is built keeps the order of ages
            std::sort(stack_.begin() + static_cast<std::ptrdiff_t>(size), stack_.end(), std::greater<>{});
            continue;
        }
        bool forwarded = through_.contains(node);
        const std::size_t before = graph_.size();
        NodeId made = rebuild(node);
        if (rebuilt && !forwarded && made != node) rebuilt(node, made, made.index >= before);
        if (rewrite && !forwarded && made != node && is_new(made)) {
            if (forward(made, made)) {
                through_.set(node, made);
                continue;
            }
            if (!done_.find(made)) done_.set(made, made);
        } else if (rewrite && !forwarded && forward(node, made)) {
            continue; // the replacement comes next
        }
        stack_.pop_back();
        // `made` may have been visited before and have become another node; or `rewrite` has put something in its place.
        const NodeId final = rewrite ? done_.find(made) : NodeId{};
        done_.set(node, final ? final : made);
    }
}

// Not asked about before, and nothing below is to become anything else: can be asked about at once.
bool Substitution::is_new(NodeId made) const {
    return !graph_.is_param(made) && !done_.contains(made) && !through_.contains(made) && unchanged(made);
}

// Chooses what is rewritten next for `node`: `made`, which it became, or the replacement of that. False if there is
// nothing.
bool Substitution::forward(NodeId node, NodeId made) {
    if (made != node) {
        if (done_.contains(made)) return false; // asked before
        through_.set(node, made);
        if (graph_.has(node, Advances)) // its own replacement need not be an effect
            token_through_[node] = graph_.has(made, Advances) ? made : graph_.token(node);
        return true;
    }
    auto replacement = rewrite(made);
    if (!replacement || replacement->value == node) return false;
    if (through_.contains(replacement->value) && !done_.contains(replacement->value)) {
        cycles.push_back(node);
        return false;
    }
    through_.set(node, replacement->value);
    if (graph_.has(made, Advances)) token_through_[node] = replacement->token;
    return true;
}

void Substitution::all(std::span<const NodeId> nodes) {
    if (keeps_order()) run_in_order(nodes);
}

NodeId Substitution::operator()(NodeId node) {
    if (NodeId made = find(node)) return made;
    run(node);
    return find(node);
}

NodeId Substitution::token(NodeId token) {
    while ((token = passed(token))) {
        if (auto it = tokens_.find(token); it != tokens_.end()) return it->second;
        const NodeId made = (*this)(token); // first: it says what the effect became
        if (auto it = token_through_.find(token); it != token_through_.end()) {
            token = it->second;
            continue;
        }
        if (graph_.kind(made) == TypeKind::Token || graph_.has(made, Advances)) return made;
        token = graph_.token(token); // the effect is gone: what stood before it
    }
    return {};
}

NodeId Substitution::only(NodeId node) {
    maskable_ = false, least_ = 0; // no skipping: every direct input is replaced or stays, and nothing below is visited
    for_each_dependency(node, [&](NodeId part) {
        if (!done_.contains(part)) done_.set(part, part);
    });
    return rebuild_parts(node);
}

BlockId Substitution::block(BlockId id) {
    if (skips(id)) return id;
    if (auto it = blocks_.find(id); it != blocks_.end()) return it->second;
    const BlockId from = contents(id);
    std::vector<NodeId> results(graph_.results(from).begin(), graph_.results(from).end());
    std::vector<NodeId> ends = results;
    if (NodeId exit = graph_[from].exit; exit && !tokens_.contains(exit)) ends.push_back(exit);
    all(ends);
    for (NodeId result : results) (*this)(result);
    if (graph_[from].exit) token(graph_[from].exit);
    return rebuild(id);
}

BlockId Substitution::rebuild(BlockId id) {
    if (auto it = blocks_.find(id); it != blocks_.end()) return it->second;
    const BlockId from = contents(id);
    const Block old = graph_[from];
    std::vector<NodeId> results(graph_.results(from).begin(), graph_.results(from).end());
    bool same = true;
    for (NodeId& result : results) {
        NodeId made = find(result);
        same = same && made == result;
        result = made;
    }
    NodeId exit = old.exit ? token(old.exit) : old.exit;
    BlockId made = block_through_.contains(id) ? from : id;
    if (!same || exit != old.exit) {
        std::vector<NodeId> params(graph_.params(from).begin(), graph_.params(from).end());
        std::vector<SymbolId> names(graph_.param_names(from).begin(), graph_.param_names(from).end());
        made = graph_.close(old.number, params, names, results, old.entry, exit);
    }
    blocks_[id] = made;
    return made;
}

NodeId Substitution::rebuild(NodeId node) {
    if (NodeId to = through_.find(node)) return find(to);
    return unchanged(node) ? node : rebuild_parts(node);
}

// Quick test that holds for most nodes: no input became another one.
bool Substitution::unchanged(NodeId node) const {
    return graph_.blocks(node).empty() && !graph_.token(node) &&
           std::ranges::all_of(graph_.operands(node), [&](NodeId operand) { return find(operand) == operand; });
}

NodeId Substitution::rebuild_parts(NodeId node) {
    const Node old = graph_[node];
    std::array<NodeId, 4> few; // most nodes have no more operands
    std::vector<NodeId> many(old.operands > few.size() ? old.operands : 0);
    const std::span<NodeId> operands = many.empty() ? std::span(few).first(old.operands) : std::span(many);
    std::ranges::copy(graph_.operands(node), operands.begin());
    std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
    bool same = true, same_types = true;
    for (NodeId& operand : operands) {
        NodeId made = find(operand);
        same = same && made == operand;
        same_types = same_types && infers_alike(graph_, old.type, made, operand);
        operand = made;
    }
    for (BlockId& block : blocks) {
        if (skips(block)) continue;
        BlockId made = rebuild(block);
        same = same && made == block;
        same_types = same_types && made == block;
        block = made;
    }
    NodeId old_token = graph_.token(node);
    NodeId new_token = old_token ? token(old_token) : old_token;
    if (same && new_token == old_token) return node;
    NodeParts parts{
        .op = old.op, .attrs = old.attrs, .operands = operands, .blocks = blocks, .token = new_token, .type = {}};
    Core core = graph_.core(node);
    if (same_types || core == Core::Call || core == Core::Struct || old.op == Operations::core(Core::List))
        parts.type = old.type;
    else if (auto inferred = infer(graph_, old.op, old.attrs, operands, blocks); inferred.type)
        parts.type = *inferred.type;
    else
        parts.type = old.type;
    Origin saved = graph_.current_origin;
    if (Origin origin = graph_.origin(node); origin.place != UINT32_MAX || origin.rule) graph_.current_origin = origin;
    NodeId made = graph_.make(parts);
    graph_.current_origin = saved;
    if (SymbolId name = graph_.name(node); name && !graph_.is_literal(made)) graph_.set_name(made, name);
    if (graph_.rebuilt) graph_.rebuilt(node, made);
    return made;
}

} // namespace irrewrite
