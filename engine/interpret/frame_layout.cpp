// Prepares a function to run: slots for its nodes, and the last use of each value, at which an operation may take the
// value over rather than copy it (`update` in a loop is then in place).

#include "engine/interpret/interpreter.hpp"

#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

// Uses of values, by the regions that compute them. A use in an inner region counts where the node
// that owns that region stands, but never as one that may take the value: the region may run again.
class LastUses {
  public:
    explicit LastUses(Plan& plan) : plan_(plan), graph_(plan.function.graph), blocks_(plan.schedule.blocks) {}
    void find();

  private:
    static constexpr std::uint32_t end = UINT32_MAX; // behind all nodes of a region
    static constexpr std::uint32_t nobody = UINT32_MAX;
    static constexpr unsigned greatest_distance = 64; // of a use from its definition, in regions

    struct Use {
        std::uint32_t position = 0; // the node of the region, from 1; or the end
        std::uint32_t operand = nobody;
    };

    // Of a node; what is computed on demand stands anywhere in its region.
    std::uint32_t position(std::uint32_t region, std::uint32_t index) const {
        return blocks_[region].nodes[index].is_on_demand() ? end : index + 1;
    }
    void define(std::uint32_t region);
    void use_operands(std::uint32_t region);
    void use_results(std::uint32_t region);
    void pin_structure();
    void use(NodeId node, std::uint32_t region, Use use);
    Use use_of_region(std::uint32_t region) const;
    void mark(std::uint32_t region, const Use& use);

    Plan& plan_;
    const Graph& graph_;
    const std::vector<ScheduledBlock>& blocks_;
    tsl::robin_map<std::uint64_t, std::uint32_t, PairHash> positions_; // by region and node, where it is computed
    tsl::robin_map<std::uint64_t, Use, PairHash> last_;                // likewise
    tsl::robin_set<std::uint32_t> pinned_;                             // nodes that are never taken
};

void LastUses::find() {
    for (std::uint32_t region = 0; region < blocks_.size(); ++region) define(region);
    pin_structure();
    for (std::uint32_t region = 0; region < blocks_.size(); ++region) {
        use_operands(region);
        use_results(region);
    }
    for (const auto& [key, use] : last_)
        if (use.operand != nobody && !pinned_.contains(static_cast<std::uint32_t>(key)))
            mark(static_cast<std::uint32_t>(key >> 32), use);
}

void LastUses::define(std::uint32_t region) {
    const ScheduledBlock& block = blocks_[region];
    if (region == 0)
        for (const Parameter& parameter : plan_.function.params) positions_[Plan::key(0, parameter.node.index)] = 0;
    if (block.id)
        for (NodeId param : graph_.params(block.id)) positions_[Plan::key(region, param.index)] = 0;
    for (std::uint32_t i = 0; i < block.nodes.size(); ++i)
        positions_[Plan::key(region, block.nodes[i].node.index)] = position(region, i);
    plan_.takes[region].steps.resize(block.nodes.size());
}

void LastUses::use_operands(std::uint32_t region) {
    for (std::uint32_t n = 0; n < blocks_[region].nodes.size(); ++n) {
        const std::uint32_t at = position(region, n);
        std::span<const NodeId> operands = graph_.operands(blocks_[region].nodes[n].node);
        for (std::uint32_t i = 0; i < operands.size(); ++i)
            use(operands[i], region, {at, i < 64 && at != end ? i : nobody});
    }
}

void LastUses::use_results(std::uint32_t region) {
    std::span<const NodeId> results = plan_.function.results;
    if (region > 0) results = blocks_[region].id ? graph_.results(blocks_[region].id) : std::span<const NodeId>();
    for (std::uint32_t i = 0; i < results.size(); ++i) {
        TypeKind kind = graph_.kind(results[i]);
        bool is_value = kind != TypeKind::Generator && kind != TypeKind::Emission;
        if (is_value) use(results[i], region, {end, i < 64 ? i : nobody});
    }
}

// Generators and emissions read values at times that are not worth telling apart.
void LastUses::pin_structure() {
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
        TypeKind kind = graph_.kind({i});
        if (graph_.is_param({i}) || (kind != TypeKind::Generator && kind != TypeKind::Emission)) continue;
        for (NodeId operand : graph_.operands({i})) pinned_.insert(operand.index);
    }
}

void LastUses::use(NodeId node, std::uint32_t region, Use use) {
    if (graph_.is_literal(node)) return;
    // A projection reads one component and leaves the others.
    for (; graph_.is_project(node); node = graph_.operand(node, 0)) use.operand = nobody;
    for (unsigned distance = 0;; ++distance) {
        if (positions_.contains(Plan::key(region, node.index))) break;
        if (region == 0) return;
        if (distance == greatest_distance) {
            pinned_.insert(node.index);
            return;
        }
        use = use_of_region(region);
        region = blocks_[region].parent;
    }
    Use& last = last_[Plan::key(region, node.index)];
    if (use.position == last.position)
        last.operand = nobody; // used twice by one node
    else if (use.position > last.position)
        last = use;
}

LastUses::Use LastUses::use_of_region(std::uint32_t region) const {
    const ScheduledBlock& block = blocks_[region];
    auto owner = positions_.find(Plan::key(block.parent, block.owner.index));
    return {block.id && owner != positions_.end() ? owner->second : end, nobody};
}

void LastUses::mark(std::uint32_t region, const Use& use) {
    Plan::Takes& takes = plan_.takes[region];
    (use.position == end ? takes.results : takes.steps[use.position - 1]) |= 1ull << use.operand;
}

} // namespace

Plan::Plan(const Function& function, Motion motion)
    : function(function), schedule(motion == Motion::None ? schedule_in_place(function) : schedule_by_need(function)),
      slots(function.graph.size(), no_slot), takes(schedule.blocks.size()) {
    auto add = [&](NodeId node) {
        if (slots[node.index] == no_slot) slots[node.index] = size++;
    };
    for (const Parameter& parameter : function.params) add(parameter.node);
    for (const Dimension& dimension : function.dims) add(dimension.node);
    for (std::uint32_t region = 0; region < schedule.blocks.size(); ++region) {
        const ScheduledBlock& block = schedule.blocks[region];
        if (block.id)
            for (NodeId param : function.graph.params(block.id)) add(param);
        for (const ScheduledNode& step : block.nodes) add(step.node);
        for (auto [condition, inner] : block.guarded) guarded[key(region, condition.index)] = inner;
        for (auto [id, inner] : block.nested) nested[key(region, id.index)] = inner;
    }
    LastUses(*this).find();
}

} // namespace irrewrite
