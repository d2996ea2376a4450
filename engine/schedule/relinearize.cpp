#include "engine/schedule/relinearize.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

bool Relinearize::is_deep(const Schedule& schedule) {
    std::vector<std::uint32_t> depth(schedule.blocks.size());
    for (std::size_t i = 1; i < depth.size(); ++i)
        if ((depth[i] = depth[schedule.blocks[i].parent] + 1) > deepest) return true;
    return false;
}

void Relinearize::run() {
    for (Parameter& param : function_.params) param.node = outermost(param.node);
    for (Dimension& dim : function_.dims) dim.node = outermost(dim.node);
    const NodeId entry = new_.param(number::function, number::entry_index, new_.context().types.token());
    if (function_.entry) put(function_.entry, entry);
    builder_.start(entry);
    for (NodeId node : reachable(old_, roots(function_)))
        if (old_.is_project(node)) projections_[old_.operand(node, 0)].push_back(node);
    region(0);
    use_entry(entry);
    std::vector<NodeId> results;
    for (NodeId result : function_.results) results.push_back((*this)(result));
    function_.results = std::move(results);
    function_.entry = builder_.token_used() ? entry : NodeId{};
    function_.exit = builder_.token_used() ? builder_.token() : NodeId{};
    function_.graph = std::move(new_);
}

NodeId Relinearize::outermost(NodeId param) {
    const NodeId made = new_.param(old_.param_number(param), old_.param_index(param), old_.type(param));
    if (SymbolId name = old_.name(param)) new_.set_name(made, name);
    put(param, made);
    return made;
}

void Relinearize::region(std::uint32_t index) {
    for (const ScheduledNode& scheduled : schedule_.blocks[index].nodes) visit(index, scheduled);
    for (auto [condition, inner] : schedule_.blocks[index].guarded) region(inner);
    for (auto [id, inner] : schedule_.blocks[index].nested) blocks_[id] = block(inner);
}

BlockId Relinearize::block(std::uint32_t index) {
    const BlockId id = schedule_.blocks[index].id;
    std::vector<TypeId> types;
    for (NodeId param : old_.params(id)) types.push_back(old_.type(param));
    const std::size_t mark = trail_.size();
    const Builder::Open open = builder_.open(types);
    for (std::size_t i = 0; i < open.params.size(); ++i) put(old_.params(id)[i], open.params[i]);
    if (old_[id].entry) put(old_[id].entry, open.entry);
    region(index);
    use_entry(open.entry);
    std::vector<NodeId> results;
    for (NodeId result : old_.results(id)) results.push_back((*this)(result));
    const BlockId made = builder_.close(open, old_.param_names(id), results);
    undo(mark);
    return made;
}

// The results of the block take the place of the node's.
void Relinearize::open(const ScheduledNode& scheduled) {
    const NodeId old = scheduled.node;
    const BlockId block = schedule_.blocks[scheduled.blocks[0]].id;
    const std::size_t mark = trail_.size();
    if (const NodeId entry = old_[block].entry) put(entry, builder_.token());
    region(scheduled.blocks[0]);
    std::vector<NodeId> results;
    for (NodeId result : old_.results(block)) results.push_back((*this)(result));
    undo(mark); // another block may have the same nodes
    if (old_.kind(old) != TypeKind::Results) return put(old, results[0]);
    if (auto it = projections_.find(old); it != projections_.end())
        for (NodeId projection : it->second) put(projection, results[old_.position(projection)]);
}

void Relinearize::visit(std::uint32_t region, const ScheduledNode& scheduled) {
    if (opens && opens(region, scheduled)) return open(scheduled);
    const NodeId old = scheduled.node;
    std::vector<BlockId> blocks;
    for (std::uint32_t inner : scheduled.blocks) blocks.push_back(block(inner));
    NodeId token;
    const bool ordered =
        std::ranges::any_of(blocks, [&](BlockId block) { return bool(new_[block].entry); }); // reads may have entered
    const bool is_ordered_now =
        old_.core(old) == Core::Call && effect_use(old_, old_.op(old), old_[old].attrs, {}).takes;
    if (ordered || is_ordered_now || old_.has(old, TakesToken)) {
        const Order order = orders_(region, old);
        if (!order.none) token = order.after ? find(order.after) : builder_.token();
    }
    const NodeId made = make(old, blocks, token);
    if (new_.has(made, Advances)) builder_.advance(made);
    if (NodeId after = new_.token(made)) entries_.insert(after);
    put(old, made);
    if (auto it = projections_.find(old); it != projections_.end()) // in the order of ages
        for (NodeId projection : it->second) (*this)(projection);
}

// If the entry token was taken, reads of inner blocks may take the current token, too.
void Relinearize::use_entry(NodeId entry) {
    if (entries_.contains(entry)) builder_.advance(builder_.token());
}

void Relinearize::put(NodeId old, NodeId made) {
    auto [it, fresh] = nodes_.insert({old, made});
    trail_.emplace_back(old, fresh ? NodeId{} : it->second);
    it.value() = made;
}

void Relinearize::undo(std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
        auto [old, before] = trail_.back();
        if (before)
            nodes_[old] = before;
        else
            nodes_.erase(old);
    }
}

NodeId Relinearize::find(NodeId old) const {
    auto it = nodes_.find(old);
    return it == nodes_.end() ? NodeId{} : it->second;
}

NodeId Relinearize::operator()(NodeId old) {
    if (NodeId made = find(old)) return made;
    if (old_.is_literal(old)) return make(old, {}, {});
    if (old_.is_project(old)) {
        std::size_t k = old_.position(old);
        const NodeId made = new_.result((*this)(old_.operand(old, 0)), k);
        if (SymbolId name = old_.name(old); name && !new_.is_literal(made)) new_.set_name(made, name);
        return made;
    }
    return structure(old);
}

// Operands first, without recursion; the blocks were made before.
NodeId Relinearize::structure(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
        const NodeId old = stack.back();
        const std::size_t size = stack.size();
        if (!find(old))
            for (NodeId operand : old_.operands(old))
                if (view_.is_structure(operand) && !find(operand)) stack.push_back(operand);
        if (stack.size() > size) continue;
        stack.pop_back();
        if (find(old)) continue;
        std::vector<BlockId> blocks;
        for (BlockId block : old_.blocks(old)) blocks.push_back(blocks_.at(block));
        put(old, make(old, blocks, {}));
    }
    return find(root);
}

NodeId Relinearize::make(NodeId old, std::span<const BlockId> blocks, NodeId token) {
    std::vector<NodeId> operands;
    for (NodeId operand : old_.operands(old)) operands.push_back((*this)(operand));
    new_.current_origin = old_.origin(old);
    const NodeId made = new_.make({.op = old_.op(old),
                                   .attrs = old_[old].attrs,
                                   .operands = operands,
                                   .blocks = blocks,
                                   .token = token,
                                   .type = old_.type(old)});
    new_.current_origin = {};
    if (SymbolId name = old_.name(old); name && !new_.is_literal(made)) new_.set_name(made, name);
    return made;
}

} // namespace irrewrite
