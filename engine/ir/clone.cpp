#include "engine/ir/clone.hpp"

#include "engine/ir/reachability.hpp"

namespace irrewrite {

void Clone::run(std::span<const NodeId> roots) {
    for (NodeId node : reachable(from_, roots)) copy(node);
}

AttrId Clone::attributes(NodeId node) {
    std::vector<AttrValue> values(from_.attrs(node).begin(), from_.attrs(node).end());
    for (AttrValue& value : values)
        if (value.type) value.type = type_(value.type);
    return to_.context().attributes.add(values);
}

void Clone::copy(NodeId node) {
    if (done_.contains(node)) return;
    if (from_.is_param(node)) {
        NodeId made = to_.param(number(from_.param_number(node)), from_.param_index(node), type_(from_.type(node)));
        to_.set_name(made, from_.name(node));
        done_[node] = made;
        return;
    }
    std::vector<NodeId> operands;
    for (NodeId operand : from_.operands(node)) operands.push_back(done_.at(operand));
    std::vector<BlockId> blocks;
    for (std::size_t i = 0; i < from_.blocks(node).size(); ++i) blocks.push_back(copy(from_.blocks(node)[i]));
    NodeId token = from_.token(node);
    Origin saved = to_.current_origin;
    to_.current_origin = origin_.value_or(from_.origin(node));
    SymbolId name = from_.name(node);
    NodeId made = to_.make({.op = from_.op(node),
                            .attrs = attributes(node),
                            .operands = operands,
                            .blocks = blocks,
                            .token = token ? done_.at(token) : token,
                            .type = type_(from_.type(node))});
    to_.current_origin = saved;
    if (!to_.is_literal(made)) to_.set_name(made, name);
    done_[node] = made;
}

// A copied block may have the number of one around it: it gets another one before what depends on the outer one comes
// into it.
std::uint32_t Clone::number(std::uint32_t of_block) {
    if (!(introduced_ & Graph::free_bit(of_block))) return of_block;
    auto [it, fresh] = numbers_.try_emplace(of_block);
    if (fresh) it->second = to_.fresh_number();
    return it->second;
}

BlockId Clone::copy(BlockId id) {
    const Block block = from_[id];
    std::vector<NodeId> old(from_.params(id).begin(), from_.params(id).end()), params, results;
    for (NodeId param : old) copy(param), params.push_back(done_.at(param));
    if (block.entry) copy(block.entry);
    for (NodeId result : from_.results(id)) results.push_back(done_.at(result));
    std::vector<SymbolId> names(from_.param_names(id).begin(), from_.param_names(id).end());
    return to_.close(number(block.number), params, names, results, (*this)(block.entry), (*this)(block.exit));
}

} // namespace irrewrite
