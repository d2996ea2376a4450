#include "engine/transplant.hpp"

#include "engine/reach.hpp"

namespace irrewrite {

void Transplant::run(std::span<const NodeId> roots) {
    for (NodeId node : reachable(from_, roots)) copy(node);
}

AttrId Transplant::attributes(NodeId node) {
    std::vector<AttrValue> values(from_.attrs(node).begin(), from_.attrs(node).end());
    for (AttrValue& value : values)
        if (value.type) value.type = type_(value.type);
    return to_.context().attributes.add(values);
}

void Transplant::copy(NodeId node) {
    if (done_.contains(node)) return;
    if (from_.is_param(node)) {
        NodeId made = to_.param(from_.param_number(node), from_.param_index(node), type_(from_.type(node)));
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
    if (&from_ == &to_) to_.current_origin = from_.origin(node);
    SymbolId name = from_.name(node);
    NodeId made = to_.make({.op = from_.op(node), .attrs = attributes(node), .operands = operands, .blocks = blocks,
                            .token = token ? done_.at(token) : token, .type = type_(from_.type(node))});
    to_.current_origin = saved;
    if (!to_.is_literal(made)) to_.set_name(made, name);
    done_[node] = made;
}

BlockId Transplant::copy(BlockId id) {
    const Block block = from_[id];
    std::vector<NodeId> old(from_.params(id).begin(), from_.params(id).end()), params, results;
    for (NodeId param : old) copy(param), params.push_back(done_.at(param));
    if (block.entry) copy(block.entry);
    for (NodeId result : from_.results(id)) results.push_back(done_.at(result));
    std::vector<SymbolId> names(from_.param_names(id).begin(), from_.param_names(id).end());
    return to_.close(block.number, params, names, results, (*this)(block.entry), (*this)(block.exit));
}

} // namespace irrewrite
