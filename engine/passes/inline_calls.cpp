// Calls of local functions become what these compute, where that makes no program larger.
#include "engine/passes/link_functions.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {

SymbolId called_by(const Graph& graph, NodeId call) { return graph.attrs(call)[0].text(); }

std::vector<NodeId> all_calls(const Function& function) {
    const Graph& graph = function.graph;
    const auto is_call = [&](NodeId node) { return graph.op(node) == Operations::core(Core::Call); };
    bool any = false; // quick to tell
    for (std::uint32_t i = 0; i < graph.size() && !any; ++i) any = is_call({i});
    std::vector<NodeId> out;
    if (!any) return out;
    for (NodeId node : reachable(graph, roots(function)))
        if (is_call(node)) out.push_back(node);
    return out;
}

// The callee's body at the call; where it has to stay a call, nothing.
void inline_call(Function& caller, NodeId call, const Function& callee, OwnMemory memory, Substitution& out) {
    auto body = inlined(caller, call, callee, memory);
    if (!body) return;
    for (std::size_t k = 0; k < body->results.size(); ++k)
        out.put_through(caller.graph.result(call, k), body->results[k]);
    if (body->exit) out.put_token_through(call, body->exit);
}

// Somewhere the end of a call counts, and perhaps not its result.
bool has_awaited(const Function& function) {
    const Graph& graph = function.graph;
    return std::ranges::any_of(reachable(graph, roots(function)),
                               [&](NodeId node) { return graph.core(node) == Core::Await; });
}
bool may_not_end(const Function& function) {
    return function.graph.context().endless_functions.contains(function.name);
}

// An array that a call returns can be made in the place that it is for, and one that it takes is computed once.
bool has_scalars_alone(const Function& function) {
    const Types& types = function.graph.context().types;
    return std::ranges::all_of(function.result_types, [&](TypeId type) { return types.is_scalar(type); }) &&
           std::ranges::all_of(function.params, [&](const Parameter& param) { return types.is_scalar(param.type); });
}

std::size_t size_of(const Function& function) {
    std::size_t size = 0;
    for (NodeId node : reachable(function.graph, roots(function)))
        size += !function.graph.is_literal(node) && !function.graph.is_param(node);
    return size;
}

// Functions that can reach a call of themselves: those of one strongly connected component (Tarjan), in linear time.
class Recursion {
  public:
    Recursion(const Module& module, const std::vector<std::vector<NodeId>>& calls)
        : module_(module), calls_(calls), number_(calls.size()), low_(calls.size()) {}

    std::set<SymbolId> run() {
        for (std::size_t i = 0; i < calls_.size(); ++i)
            if (!number_[i]) search(i);
        return std::move(found_);
    }

  private:
    struct Frame {
        std::size_t function, next;
    };

    void enter(std::size_t i) {
        number_[i] = low_[i] = ++last_;
        open_.push_back(i);
        frames_.push_back({i, 0});
    }
    void search(std::size_t start) {
        enter(start);
        while (!frames_.empty()) {
            const std::size_t i = frames_.back().function;
            if (frames_.back().next == calls_[i].size()) {
                frames_.pop_back();
                if (!frames_.empty()) lower(frames_.back().function, low_[i]);
                if (low_[i] == number_[i]) close(i);
                continue;
            }
            const auto target =
                module_.index.find(called_by(module_.functions[i].graph, calls_[i][frames_.back().next++]));
            if (target == module_.index.end()) continue;
            if (target->second == i) found_.insert(module_.functions[i].name);
            if (!number_[target->second])
                enter(target->second);
            else
                lower(i, number_[target->second]); // `closed` if it is in no open component
        }
    }
    void lower(std::size_t i, std::size_t to) { low_[i] = std::min(low_[i], to); }
    void close(std::size_t i) {
        const bool is_alone = open_.back() == i;
        for (bool more = true; more; open_.pop_back()) {
            const std::size_t member = open_.back();
            more = member != i;
            number_[member] = closed;
            if (!is_alone) found_.insert(module_.functions[member].name);
        }
    }

    static constexpr std::size_t closed = SIZE_MAX;
    const Module& module_;
    const std::vector<std::vector<NodeId>>& calls_; // by function
    std::vector<std::size_t> number_, low_;         // 0: not seen yet
    std::vector<std::size_t> open_;
    std::vector<Frame> frames_;
    std::set<SymbolId> found_;
    std::size_t last_ = 0;
};

} // namespace

bool inline_calls(Module& module, std::size_t room, OwnMemory memory) {
    if (std::ranges::none_of(module.functions, [](const Function& f) { return f.local; })) return false;
    std::vector<std::vector<NodeId>> calls;
    std::unordered_map<SymbolId, std::size_t> sites;
    for (const Function& function : module.functions) {
        calls.push_back(all_calls(function));
        for (NodeId call : calls.back()) ++sites[called_by(function.graph, call)];
    }
    std::set<SymbolId> loops = Recursion(module, calls).run();
    bool any = false;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        Function& caller = module.functions[i];
        Substitution substitution(caller.graph);
        const bool awaits = memory == OwnMemory::InRegions && !calls[i].empty() && has_awaited(caller);
        for (NodeId call : calls[i]) {
            Function* target = module.find(called_by(caller.graph, call));
            if (!target || !target->local || target == &caller || loops.contains(target->name)) continue;
            bool nested = !calls[static_cast<std::size_t>(module.index[target->name])].empty();
            if (nested && sites[target->name] > 1) continue; // inner calls first
            const bool opens =
                memory == OwnMemory::InRegions && has_scalars_alone(*target) && !(awaits && may_not_end(*target));
            const bool has_place = !target->entry || (opens && !caller.graph.token(call));
            if (sites[target->name] > 1 && size_of(*target) > 1 + target->params.size() + (has_place ? room : 0))
                continue;
            inline_call(caller, call, *target, opens ? memory : OwnMemory::InCalls, substitution);
        }
        if (substitution.empty()) continue;
        for (NodeId& result : caller.results) result = substitution(result);
        if (caller.exit) caller.exit = substitution.token(caller.exit);
        any = true;
        return true; // what calls what has changed
    }
    return any;
}

} // namespace irrewrite
