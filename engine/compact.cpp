#include "engine/compact.hpp"

#include "engine/reach.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

class Compaction {
  public:
    explicit Compaction(Function& function) : function_(function), old_(function.graph), new_(old_.context()) {}

    HugeVector<NodeId> run() {
        const std::vector<NodeId> kept = reachable(old_, all_roots());
        if (2 * kept.size() > old_.size() || !std::ranges::all_of(kept, [&](NodeId node) { return keeps_numbers(node); })) return {};
        new_.reserve(kept.size());
        made_.resize(old_.size());
        for (NodeId node : kept) copy(node);
        for (Parameter& param : function_.params) move(param.node);
        for (Dimension& dimension : function_.dims) move(dimension.node);
        for (NodeId& result : function_.results) move(result);
        move(function_.entry), move(function_.exit);
        new_.current_origin = {};
        function_.graph = std::move(new_);
        return std::move(made_);
    }

  private:
    std::vector<NodeId> all_roots() const {
        std::vector<NodeId> all = roots(function_);
        for (const Parameter& param : function_.params) all.push_back(param.node);
        for (const Dimension& dimension : function_.dims) all.push_back(dimension.node);
        if (function_.entry) all.push_back(function_.entry);
        return all;
    }
    // A fresh number could be given again by the new graph.
    bool keeps_numbers(NodeId node) const {
        return std::ranges::all_of(old_.blocks(node), [&](BlockId block) { return old_[block].number < number::first_fresh; });
    }
    void move(NodeId& node) const {
        if (node) node = made_[node.index];
    }

    void copy(NodeId node) {
        new_.current_origin = old_.origin(node);
        if (old_.is_param(node)) {
            made_[node.index] = param(node);
        } else {
            operands_.assign(old_.operands(node).begin(), old_.operands(node).end());
            for (NodeId& operand : operands_) move(operand);
            blocks_.clear();
            for (BlockId block : old_.blocks(node)) blocks_.push_back(copy(block));
            NodeId token = old_.token(node);
            move(token);
            made_[node.index] = new_.intern({.op = old_.op(node), .attrs = old_[node].attrs, .operands = operands_,
                                             .blocks = blocks_, .token = token, .type = old_.type(node)});
        }
        if (const SymbolId name = old_.name(node)) new_.set_name(made_[node.index], name);
    }

    NodeId param(NodeId node) { return new_.param(old_.param_number(node), old_.param_index(node), old_.type(node)); }

    BlockId copy(BlockId id) {
        const Block& block = old_[id];
        params_.clear(), results_.clear();
        for (NodeId each : old_.params(id)) params_.push_back(param(each));
        for (NodeId result : old_.results(id)) results_.push_back(made_[result.index]);
        const NodeId entry = block.entry ? param(block.entry) : NodeId{};
        const NodeId exit = block.exit == block.entry ? entry : made_[block.exit.index];
        return new_.close(block.number, params_, old_.param_names(id), results_, entry, exit);
    }

    Function& function_;
    const Graph& old_;
    Graph new_;
    HugeVector<NodeId> made_; // by old node
    std::vector<NodeId> operands_, params_, results_;
    std::vector<BlockId> blocks_;
};

} // namespace

HugeVector<NodeId> compact(Function& function, std::size_t least) {
    if (function.external || function.graph.size() < least) return {};
    return Compaction(function).run();
}

} // namespace irrewrite
