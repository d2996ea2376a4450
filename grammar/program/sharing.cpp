#include "grammar/program/sharing.hpp"

#include "engine/analysis/aliasing.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

bool is_mutable(const Graph& graph, NodeId node) {
    return graph.kind(node) == TypeKind::Ref || graph.kind(node) == TypeKind::Mut;
}

class Sharing {
  public:
    Sharing(const Function& function, Diagnostics& diagnostics, const std::function<Span(NodeId)>& place)
        : function_(function), graph_(function.graph), diagnostics_(diagnostics), place_(place) {}

    bool run() {
        const std::vector<NodeId> all = reachable(graph_, roots(function_));
        if (std::ranges::none_of(all, [&](NodeId node) { return stores(node); })) return true;
        count_uses(all);
        bool good = true;
        for (NodeId node : all) good &= check(node);
        return good;
    }

  private:
    // True if the operand becomes part of a mutable object: of the result, or of the object written to.
    bool is_stored(NodeId node, std::size_t k) const {
        const Operation& operation = graph_.operation(node);
        const bool contained = operation.contains >> k & 1 && is_mutable(graph_, node);
        const bool written = operation.writes && !((operation.reads | operation.writes) >> k & 1);
        return (contained || written) && is_mutable(graph_, graph_.operand(node, k));
    }
    bool stores(NodeId node) const {
        if (graph_.is_param(node)) return false;
        for (std::size_t k = 0; k < graph_.operands(node).size() && k < 64; ++k)
            if (is_stored(node, k)) return true;
        return false;
    }

    void count_uses(std::span<const NodeId> all) {
        auto use = [&](NodeId node) {
            if (is_mutable(graph_, node)) ++uses_[node];
        };
        for (NodeId result : function_.results) use(result);
        for (NodeId node : all) {
            if (graph_.is_param(node)) continue;
            for (NodeId operand : graph_.operands(node)) use(operand);
            for (BlockId block : graph_.blocks(node))
                for (NodeId result : graph_.results(block)) use(result);
        }
    }

    bool check(NodeId node) {
        if (graph_.is_param(node)) return true;
        bool good = true;
        for (std::size_t k = 0; k < graph_.operands(node).size() && k < 64; ++k) {
            if (!is_stored(node, k)) continue;
            const NodeId part = graph_.operand(node, k);
            const bool own = graph_.operation(part).has(Trait::Allocates);
            if (own && uses_[part] == 1) continue;
            good = false;
            diagnostics_
                .error(place(node), "a mutable object that is also used by name cannot be stored in another one",
                       "store a copy of its contents, or allocate it where it is stored")
                .notes.push_back({place(part), own ? "allocated here, and also used elsewhere" : "it comes from here"});
        }
        return good;
    }

    Span place(NodeId node) const {
        if (place_) return place_(node);
        if (graph_.is_param(node) && graph_.param_number(node) == number::function) return function_.where;
        const Span at = graph_.context().sources.at(graph_.origin(node).place);
        return at.source ? Span{at.source, at.begin, at.begin + 1} : function_.where;
    }

    const Function& function_;
    const Graph& graph_;
    Diagnostics& diagnostics_;
    const std::function<Span(NodeId)>& place_;
    std::unordered_map<NodeId, std::size_t> uses_;
};

} // namespace

bool check_sharing(const Function& function, Diagnostics& diagnostics, const std::function<Span(NodeId)>& place) {
    return Sharing(function, diagnostics, place).run();
}

} // namespace irrewrite::grammar
