#include "engine/analysis/overwritten_later.hpp"

#include <algorithm>

namespace irrewrite {

bool OverwrittenLater::covers(NodeId node, NodeId memory) const {
    Location location{memory};
    if (set_.contains(location)) return true;
    for (NodeId position : positions(graph_, node)) {
        location.push_back(position);
        if (set_.contains(location)) return true;
    }
    return false;
}

void OverwrittenLater::pass(NodeId node) {
    if (graph_.is_param(node)) return;
    const Operation& operation = graph_.operation(node);
    const std::vector<NodeId> operands(graph_.operands(node).begin(), graph_.operands(node).end());
    const std::size_t count = std::min<std::size_t>(operands.size(), 64);
    for (std::size_t i = 0; i < count; ++i)
        if ((operation.writes & operation.overwrites) >> i & 1 || (operation.writes >> i & 1 && operation.element))
            write(node, operands[i]);
    for (std::size_t i = 0; i < count; ++i)
        if (operation.reads >> i & 1) read(node, operands[i]);
    if (operation.core == Core::Call)
        std::erase_if(set_, [&](const Location& location) { return !memory_.is_own(location[0]); });
}

void OverwrittenLater::write(NodeId node, NodeId memory) {
    Location location{memory};
    for (NodeId position : positions(graph_, node)) location.push_back(position);
    if (set_.size() == most) set_.clear();
    set_.insert(std::move(location));
}

void OverwrittenLater::read(NodeId node, NodeId memory) {
    const std::vector<NodeId> at = positions(graph_, node);
    std::erase_if(set_, [&](const Location& location) {
        return memory_.may_be_one(location[0], memory) && !are_apart(graph_, at, std::span(location).subspan(1));
    });
}

void OverwrittenLater::leave(BlockId block) {
    const Block& left = graph_[block];
    if (!left.params && !left.entry) return;
    std::erase_if(set_, [&](const Location& location) {
        return std::ranges::any_of(location, [&](NodeId node) { return graph_.depends_on_number(node, left.number); });
    });
}

OverwrittenLater::Set both(const OverwrittenLater::Set& a, const OverwrittenLater::Set& b) {
    OverwrittenLater::Set out;
    std::ranges::set_intersection(a, b, std::inserter(out, out.end()));
    return out;
}

} // namespace irrewrite
