#include "engine/analysis/effects.hpp"

#include "engine/analysis/endings.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

// Inner nodes are older than those whose blocks they stand in.
Effects::Effects(const Function& function)
    : graph_(function.graph), memory_(function), memories_(2), own_(2), touch_(function.graph.size()) {
    for (NodeId node : reachable(graph_, roots(function))) {
        if (!graph_.has(node, TakesToken) || graph_.core(node) == Core::Pack) continue;
        Touch& touch = this->touch(node);
        own_touch(node, touch);
        for (std::size_t k = 0; k < graph_.blocks(node).size(); ++k) add(touch, inside(graph_.blocks(node)[k]));
        finish(touch);
    }
}

Effects::Touch& Effects::touch(NodeId node) {
    std::uint32_t& index = touch_[node.index];
    if (index == 0) {
        index = static_cast<std::uint32_t>(touches_.size());
        touches_.emplace_back();
    }
    return touches_[index];
}

void Effects::enters(NodeId owner, NodeId read) {
    const Touch reads = of(read);
    Touch& touch = this->touch(owner);
    add(touch, reads);
    finish(touch);
}

Effects::Place Effects::place(NodeId memory) {
    if (auto it = places_.find(memory); it != places_.end()) return it->second;
    const bool own = memory_.is_own(memory);
    if (!own && foreign_count_ == most) return foreign;
    foreign_count_ += !own;
    const auto made = static_cast<Place>(memories_.size());
    memories_.push_back(memory);
    own_.push_back(own);
    places_[memory] = made;
    return made;
}

bool Effects::may_be_one(Place a, Place b) const {
    if (a == b || a == anything || b == anything) return true;
    if (is_own(a) || is_own(b)) return false;
    return a == foreign || b == foreign || memory_.may_be_one(memories_[a], memories_[b]);
}

void Effects::own_touch(NodeId node, Touch& out) {
    const Operation& operation = graph_.operation(node);
    auto operands = graph_.operands(node);
    for (std::size_t i = 0; i < operands.size() && i < 64; ++i)
        if (operation.reads >> i & 1) out.reads.push_back(place(operands[i]));
    auto write = [&](NodeId memory) { out.writes.push_back(place(memory)); };
    for_each_write(graph_, node, write, [&] { out.reads.push_back(foreign), out.writes.push_back(foreign); });
    if (operation.has(Trait::Allocates)) write(node);
    out.endless = operation.core == Core::Await ||
                  (is_open_loop(graph_, node) && graph_.has(node, Advances) && !surely_ends(graph_, node, &memory_));
    out.io = operation.core != Core::Await && (operation.has(Trait::Io) || operation.core == Core::Call);
}

// Returns what a block reads and writes, without the allocations made inside it.
const Effects::Touch& Effects::inside(BlockId block) {
    if (auto it = blocks_.find(block); it != blocks_.end()) return it->second;
    Touch touch;
    for (NodeId effect = graph_[block].exit; effect && !graph_.is_param(effect); effect = graph_.token(effect))
        add(touch, of(effect));
    add_reads(block, touch);
    const std::uint32_t number = graph_[block].number;
    auto made_here = [&](Place place) {
        return is_own(place) && number <= number::max_height && graph_.depends_on_number(memories_[place], number);
    };
    std::erase_if(touch.reads, made_here);
    std::erase_if(touch.writes, made_here);
    finish(touch);
    return blocks_[block] = std::move(touch);
}

// Entries are the same node in blocks of one number, so tokens do not tell whose a read is.
void Effects::add_reads(BlockId block, Touch& touch) {
    const std::uint64_t bit = Graph::free_bit(graph_[block].number);
    if (!graph_[block].entry) return;
    std::vector<NodeId> stack;
    GraphView(graph_).contents(block, stack);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (graph_.is_param(node) || !(graph_.free(node) & bit) || !seen.insert(node).second) continue;
        if (seen.size() > most_searched || graph_[block].number > number::max_height) {
            touch.reads = {anything};
            return;
        }
        if (graph_.has(node, TakesToken) && !graph_.has(node, Advances)) add(touch, of(node));
        for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
    }
}

void Effects::add(Touch& to, const Touch& from) {
    to.reads.insert(to.reads.end(), from.reads.begin(), from.reads.end());
    to.writes.insert(to.writes.end(), from.writes.begin(), from.writes.end());
    to.io = to.io || from.io;
    to.endless = to.endless || from.endless;
}

void Effects::finish(Touch& touch) const {
    for (std::vector<Place>* places : {&touch.reads, &touch.writes}) {
        std::ranges::sort(*places);
        places->erase(std::unique(places->begin(), places->end()), places->end());
        if (places->size() > most) *places = {anything};
    }
}

bool Effects::changes(NodeId effect, NodeId read) const {
    const Touch& touch = of(effect);
    return std::ranges::any_of(of(read).reads, [&](Place place) {
        return std::ranges::any_of(touch.writes, [&](Place written) { return may_be_one(place, written); });
    });
}

bool Effects::independent(NodeId a, NodeId b) const {
    const Touch &one = of(a), &other = of(b);
    auto meet = [&](const std::vector<Place>& written, const std::vector<Place>& touched) {
        return std::ranges::any_of(
            written, [&](Place w) { return std::ranges::any_of(touched, [&](Place t) { return may_be_one(w, t); }); });
    };
    return !(one.is_seen() && other.is_seen()) && !meet(one.writes, other.writes) && !meet(one.writes, other.reads) &&
           !meet(other.writes, one.reads);
}

bool Effects::waits_for_nothing(NodeId node) const {
    return graph_.core(node) == Core::Await && surely_computed(graph_, graph_.operand(node, 0), &memory_);
}

bool Effects::is_silent(NodeId node, bool promised) const {
    const Operation& operation = graph_.operation(node);
    if (graph_.blocks(node).empty() || operation.takes_token() || operation.core == Core::Call) return false;
    return touch_[node.index] && (promised ? of(node).is_inside() : of(node).none());
}

} // namespace irrewrite
