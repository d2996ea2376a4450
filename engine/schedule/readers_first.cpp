#include "engine/schedule/readers_first.hpp"

#include <algorithm>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

class ReadersFirst {
  public:
    ReadersFirst(const GraphView& view, const std::vector<NodeId>& nodes)
        : view_(view), graph_(view.graph()), nodes_(nodes) {}

    // True if something is left to do.
    bool find() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            const std::size_t before = changed_.size();
            for_each_changed(nodes_[i], [&](NodeId array) { changed_.insert({array, {}}); });
            if (changed_.size() > before && first_ == nodes_.size()) first_ = i;
        }
        return first_ + 1 < nodes_.size();
    }

    std::vector<NodeId> run() {
        needs_.resize(nodes_.size()), done_.resize(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) places_[nodes_[i]] = i;
        for (std::uint32_t i = first_; i < nodes_.size(); ++i) look_into(i);
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (i >= first_ && !done_[i])
                for_each_changed(nodes_[i], [&](NodeId array) {
                    for (std::uint32_t reader : changed_.at(array)) pull_forward(reader, i);
                });
            put(i);
        }
        return std::move(order_);
    }

  private:
    template <class F> void for_each_changed(NodeId n, F&& f) const {
        const Operation& operation = graph_.operation(n);
        const bool carries = operation.signature.carrying().has_value();
        if (operation.copies == 0 && !carries) return;
        for (std::size_t k = 0; k < graph_.operands(n).size(); ++k) {
            const NodeId array = graph_.operand(n, k);
            if ((carries || (k < 64 && operation.copies >> k & 1)) && graph_.kind(array) == TypeKind::Array) f(array);
        }
    }

    // Collects what a node reads of the arrays that are changed, and the nodes of the region that it needs.
    void look_into(std::uint32_t place) {
        std::vector<NodeId> stack;
        tsl::robin_set<NodeId, std::hash<NodeId>> seen;
        const auto open = [&](NodeId n) {
            view_.dependences(n, stack);
            for (BlockId block : graph_.blocks(n)) view_.contents(block, stack);
        };
        open(nodes_[place]);
        while (!stack.empty()) {
            const NodeId value = stack.back();
            stack.pop_back();
            if (!seen.insert(value).second) continue;
            if (auto it = changed_.find(value); it != changed_.end()) it.value().push_back(place);
            if (graph_.is_param(value) || graph_.is_literal(value)) continue;
            if (const auto here = places_.find(view_.source(value)); here != places_.end()) {
                if (here->second >= first_) needs_[place].push_back(here->second);
                if (graph_.operation(value).aliases != 0 && !graph_.is_project(value)) // a view reads its array
                    stack.insert(stack.end(), graph_.operands(value).begin(), graph_.operands(value).end());
                continue;
            }
            open(value);
        }
    }

    // A reader, and what it needs, unless that is the change itself, or something whose order is not free.
    void pull_forward(std::uint32_t reader, std::uint32_t change) {
        if (reader <= change || done_[reader]) return;
        std::vector<std::uint32_t> list, stack{reader};
        tsl::robin_set<std::uint32_t> seen;
        while (!stack.empty()) {
            const std::uint32_t n = stack.back();
            stack.pop_back();
            if (done_[n] || !seen.insert(n).second) continue;
            bool changes = false;
            for_each_changed(nodes_[n], [&](NodeId) { changes = true; });
            if (n == change || changes || graph_.has(nodes_[n], TakesToken) || graph_.has(nodes_[n], Advances)) return;
            list.push_back(n);
            stack.insert(stack.end(), needs_[n].begin(), needs_[n].end());
        }
        std::ranges::sort(list);
        for (std::uint32_t n : list) put(n);
    }

    void put(std::uint32_t place) {
        if (done_[place]) return;
        done_[place] = true;
        order_.push_back(nodes_[place]);
    }

    const GraphView& view_;
    const Graph& graph_;
    const std::vector<NodeId>& nodes_;
    std::size_t first_ = nodes_.size();                                             // that changes something
    tsl::robin_map<NodeId, std::vector<std::uint32_t>, std::hash<NodeId>> changed_; // arrays, and who reads them
    tsl::robin_map<NodeId, std::uint32_t, std::hash<NodeId>> places_;
    std::vector<std::vector<std::uint32_t>> needs_;
    std::vector<bool> done_;
    std::vector<NodeId> order_;
};

} // namespace

void put_readers_first(const GraphView& view, std::vector<NodeId>& nodes) {
    ReadersFirst readers(view, nodes);
    if (readers.find()) nodes = readers.run();
}

} // namespace irrewrite
