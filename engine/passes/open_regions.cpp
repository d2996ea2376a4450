#include "engine/passes/open_regions.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/passes/relax_effects.hpp"
#include "engine/schedule/relinearize.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

// In a block of the schedule: the regions to open.
using Opened = std::set<std::pair<std::uint32_t, NodeId>>;

class RegionSearch {
  public:
    RegionSearch(const Function& function, const Schedule& schedule, SymbolId name)
        : graph_(function.graph), schedule_(schedule), name_(name) {}

    Opened run() {
        for (const ScheduledBlock& around : schedule_.blocks) {
            for (const ScheduledNode& owner : around.nodes) {
                if (owner.is_on_demand() || !graph_.operation(owner.node).has(Trait::Pure)) continue;
                for (std::uint32_t block : owner.blocks) search(block);
            }
            for (auto [id, block] : around.nested)
                if (!is_operator(schedule_.blocks[block].owner, id)) search(block);
        }
        return std::move(found_);
    }

  private:
    bool is_operator(NodeId owner, BlockId id) const {
        const std::span<const BlockId> blocks = graph_.blocks(owner);
        const std::vector<BlockSignature>& declared = graph_.operation(owner).signature.blocks;
        for (std::size_t k = 0; k < blocks.size(); ++k)
            if (blocks[k] == id && k < declared.size() && !declared[k].combines) return false;
        return true;
    }
    void search(std::uint32_t block) {
        for (const ScheduledNode& scheduled : schedule_.blocks[block].nodes)
            if (!scheduled.is_on_demand() && is_region(scheduled.node)) found_.emplace(block, scheduled.node);
    }
    bool is_region(NodeId node) const {
        return graph_.core(node) == Core::None && graph_.operation(node).name == name_ &&
               graph_.operands(node).empty() && graph_.blocks(node).size() == 1;
    }

    const Graph& graph_;
    const Schedule& schedule_;
    SymbolId name_;
    Opened found_;
};

void open_regions(Function& function, SymbolId name) {
    const Schedule placed = schedule(function);
    const Opened opened = RegionSearch(function, placed, name).run();
    if (opened.empty() || Relinearize::is_deep(placed)) return;
    Relinearize rebuilt(function, placed, [](std::uint32_t, NodeId) { return Relinearize::Order{}; });
    rebuilt.opens = [&](std::uint32_t block, const ScheduledNode& scheduled) {
        return opened.contains({block, scheduled.node});
    };
    rebuilt.run();
    loosen(function);
}

bool has_operation(const Function& function, SymbolId name) {
    const Graph& graph = function.graph;
    return std::ranges::any_of(reachable(graph, roots(function)),
                               [&](NodeId node) { return graph.operation(node).name == name; });
}

} // namespace

void open_regions(Module& module) {
    for (Function& function : module.functions) {
        if (function.external) continue;
        const SymbolId name = function.graph.context().symbols.add("region");
        if (has_operation(function, name)) open_regions(function, name);
    }
}

} // namespace irrewrite
