#include "engine/schedule/verify.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

class Complaint {
  public:
    explicit Complaint(std::string* why) : why_(why) {}
    bool operator()(bool holds, NodeId node, const char* text) {
        if (holds || broken_) return holds;
        broken_ = true;
        if (why_) *why_ = "node " + std::to_string(node.index) + ": " + text;
        return false;
    }
    bool is_clean() const { return !broken_; }

  private:
    std::string* why_;
    bool broken_ = false;
};

// -- the graph
// --------------------------------------------------------------------------------------

class GraphCheck {
  public:
    GraphCheck(const Function& function, Complaint& complaint)
        : function_(function), g_(function.graph), types_(g_.context().types), expect_(complaint) {}

    bool run() {
        for (std::uint32_t i = 0; i < g_.size() && expect_.is_clean(); ++i) node({i});
        for (NodeId n : reachable(g_, roots(function_))) // what a strategy tried on the way may end otherwise
            for (BlockId b : g_.blocks(n)) chain(n, g_[b].exit, g_[b].entry);
        function();
        return expect_.is_clean();
    }

  private:
    void node(NodeId n) {
        if (!expect_(g_.type(n).index != UINT32_MAX, n, "has no type") || g_.is_param(n)) return;
        for (NodeId operand : g_.operands(n)) {
            if (!expect_(operand < n, n, "an operand does not exist before it")) return;
            expect_(g_.kind(operand) != TypeKind::Results || g_.is_project(n), n, "uses several results as one value");
            expect_(g_.kind(operand) != TypeKind::Token, n, "has a token for an operand");
        }
        if (g_.is_project(n)) projection(n);
        if (NodeId token = g_.token(n)) expect_(token < n && is_token(token), n, "its token is no effect");
        expect_(g_.has(n, TakesToken) == bool(g_.token(n)), n, "its flags do not tell about its token");
        for (BlockId b : g_.blocks(n)) block(n, b);
    }
    void projection(NodeId n) {
        const NodeId whole = g_.operand(n, 0);
        expect_(g_.kind(whole) == TypeKind::Results && g_.position(n) < types_.elements(g_.type(whole)).size(), n,
                "projects from what has no such result");
    }
    bool is_token(NodeId n) const { return g_.is_param(n) ? g_.kind(n) == TypeKind::Token : g_.has(n, Advances); }
    void block(NodeId owner, BlockId id) {
        const Block& block = g_[id];
        std::span<const NodeId> params = g_.params(id);
        for (std::size_t i = 0; i < params.size(); ++i)
            expect_(g_.is_param(params[i]) && g_.param_number(params[i]) == block.number &&
                        g_.param_index(params[i]) == i,
                    owner, "a block does not bind its own parameters");
        for (NodeId result : g_.results(id))
            expect_(result < owner, owner, "a block's result does not exist before it");
        expect_(bool(block.entry) == bool(block.exit), owner, "a block has one token of two");
        if (!block.entry) return;
        expect_(g_.is_param(block.entry) && g_.param_number(block.entry) == block.number &&
                    g_.param_index(block.entry) == number::entry_index,
                owner, "a block's entry is not its own");
    }
    void chain(NodeId owner, NodeId exit, NodeId entry) {
        while (exit && !g_.is_param(exit)) exit = g_.token(exit);
        expect_(exit == entry, owner, "its effects do not begin where its block does");
    }
    void function() {
        if (function_.external || !expect_.is_clean()) return;
        expect_(bool(function_.entry) == bool(function_.exit), {}, "the function has one token of two");
        if (function_.exit) chain({}, function_.exit, function_.entry);
        if (!expect_(function_.results.size() == function_.result_types.size(), {}, "wrong number of results")) return;
        for (std::size_t i = 0; i < function_.results.size(); ++i)
            expect_(types_.agree(g_.type(function_.results[i]), function_.result_types[i]), function_.results[i],
                    "is a result of another type than declared");
    }

    const Function& function_;
    const Graph& g_;
    const Types& types_;
    Complaint& expect_;
};

// -- the schedule
// -----------------------------------------------------------------------------------

class ScopeCheck {
  public:
    ScopeCheck(const Function& function, const Schedule& schedule, Complaint& complaint)
        : function_(function), schedule_(schedule), g_(function.graph), view_(g_), expect_(complaint),
          visible_(g_.size()), waits_(g_.size()), forced_(schedule.on_demand.size()) {}

    bool run() {
        for (const Parameter& parameter : function_.params) visible_[parameter.node.index] = true;
        for (const Dimension& dimension : function_.dims) visible_[dimension.node.index] = true;
        if (function_.entry) visible_[function_.entry.index] = true;
        enter(0);
        while (!stack_.empty() && expect_.is_clean()) step();
        return expect_.is_clean();
    }

  private:
    struct Frame {
        std::uint32_t region;
        std::size_t node = 0, child = 0;
    };
    void use(NodeId user, NodeId value) {
        value = view_.source(value);
        if (g_.is_literal(value) || view_.is_structure(value)) return;
        expect_(visible_[value.index], user,
                g_.is_param(value) ? "uses a parameter that is not bound" : "uses a value before it is computed");
        expect_(!waits_[value.index], user, "uses a value that nobody demanded");
    }
    // An on-demand node may not be used until a region that demands it is entered.
    void wait(std::span<const std::uint32_t> demands, bool waits) {
        for (std::uint32_t demanded : demands) {
            const OnDemand& lazy = schedule_.on_demand[demanded];
            const NodeId n = schedule_.blocks[lazy.region].nodes[lazy.position].node;
            expect_(visible_[n.index], n, "is demanded where it does not stand");
            forced_[demanded] += waits ? -1 : 1;
            waits_[n.index] = forced_[demanded] == 0;
        }
    }
    std::span<const std::uint32_t> demands(const ScheduledNode& scheduled) const {
        if (!scheduled.is_on_demand()) return {};
        return schedule_.on_demand[scheduled.on_demand].demands;
    }
    void bind(std::uint32_t region, bool visible) {
        const BlockId block = schedule_.blocks[region].id;
        if (!block) return;
        for (NodeId param : g_.params(block)) visible_[param.index] = visible;
        if (g_[block].entry) visible_[g_[block].entry.index] = visible;
    }
    void enter(std::uint32_t region) {
        bind(region, true);
        wait(schedule_.blocks[region].demands, false);
        stack_.push_back({region});
    }
    void step() {
        Frame& frame = stack_.back();
        const ScheduledBlock& block = schedule_.blocks[frame.region];
        if (frame.node < block.nodes.size()) return node(frame, block.nodes[frame.node]);
        const std::size_t inner = frame.child++;
        if (inner == 0) results(block, frame.region);
        if (inner < block.guarded.size()) return enter(block.guarded[inner].second);
        if (inner < block.guarded.size() + block.nested.size())
            return enter(block.nested[inner - block.guarded.size()].second);
        wait(block.demands, true);
        for (const ScheduledNode& scheduled : block.nodes)
            visible_[scheduled.node.index] = waits_[scheduled.node.index] = false;
        bind(frame.region, false);
        stack_.pop_back();
    }
    void node(Frame& frame, const ScheduledNode& scheduled) {
        const NodeId n = scheduled.node;
        if (frame.child == 0) {
            wait(demands(scheduled), false);
            for (NodeId operand : g_.operands(n)) use(n, operand);
            if (NodeId token = g_.token(n)) use(n, token);
            for (BlockId block : g_.blocks(n))
                for (NodeId start : view_.generators(block).starts) use(n, start);
            expect_(!visible_[n.index], n, "is computed twice");
        }
        if (frame.child < scheduled.blocks.size()) return enter(scheduled.blocks[frame.child++]);
        wait(demands(scheduled), true);
        visible_[n.index] = true;
        waits_[n.index] = scheduled.is_on_demand();
        frame.child = 0;
        ++frame.node;
    }
    void results(const ScheduledBlock& block, std::uint32_t region) {
        std::span<const NodeId> roots = function_.results;
        if (region != 0 && !block.id) return;
        if (block.id) roots = g_.results(block.id);
        for (NodeId value : view_.structure(roots).values) use(block.owner, value);
    }

    const Function& function_;
    const Schedule& schedule_;
    const Graph& g_;
    GraphView view_;
    Complaint& expect_;
    std::vector<bool> visible_, waits_; // by node
    std::vector<std::uint32_t> forced_; // by what is on demand: the regions open that demand it
    std::vector<Frame> stack_;
};

} // namespace

bool verify(const Function& function, const Schedule& schedule, std::string* why) {
    Complaint complaint(why);
    return ScopeCheck(function, schedule, complaint).run();
}

bool verify(const Function& function, std::string* why) {
    Complaint complaint(why);
    if (!GraphCheck(function, complaint).run()) return false;
    return function.external || verify(function, schedule(function), why);
}

} // namespace irrewrite
