#include "engine/analysis/endings.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

constexpr std::size_t most_visited = 5000;                   // nodes of a loop; in a larger one anything may happen
constexpr std::int64_t longest_step = std::int64_t{1} << 32; // below 2^63 less the length of any array

// An integer that the loop changes: a carried value, or what is in a cell.
struct Counter {
    NodeId tested, before, after; // in the condition; in the body, before and after one iteration
};

class OpenLoop {
  public:
    OpenLoop(const Graph& graph, NodeId loop, const AliasAnalysis* memory)
        : graph_(graph), test_(graph.blocks(loop)[0]), step_(graph.blocks(loop)[1]), memory_(memory) {
        collect();
    }

    bool ends() {
        if (too_large_) return false;
        std::vector<NodeId> conjuncts{graph_.results(test_)[0]};
        while (!conjuncts.empty()) {
            const NodeId node = conjuncts.back();
            conjuncts.pop_back();
            if (conjuncts.size() > most_visited) return false;
            if (graph_.is_number(node) && !graph_.bits(node)) return true;
            if (graph_.scalar(node) == Scalar::And) {
                conjuncts.push_back(graph_.operand(node, 0)), conjuncts.push_back(graph_.operand(node, 1));
            } else if (is_choice_or_false(node)) {
                conjuncts.push_back(graph_.operand(node, 0));
                conjuncts.push_back(graph_.results(graph_.blocks(node)[0])[0]);
            } else if (comparison_ends(node)) {
                return true;
            }
        }
        return false;
    }

  private:
    enum class Relation : std::uint8_t { Less, LessEqual, Greater, GreaterEqual, Unequal };

    // `if(p) {q} else {false}`
    bool is_choice_or_false(NodeId node) const {
        if (graph_.is_param(node) || graph_.blocks(node).size() != 2) return false;
        if (!GraphView(graph_).is_conditional(node) || graph_.operands(node).size() != 1) return false;
        const BlockId other = graph_.blocks(node)[1];
        if (graph_[other].results != 1 || graph_[graph_.blocks(node)[0]].results != 1) return false;
        const NodeId result = graph_.results(other)[0];
        return graph_.is_number(result) && !graph_.bits(result);
    }

    // Every effect of the loop, nested ones included.
    void collect() {
        const GraphView view(graph_);
        std::vector<NodeId> stack;
        view.contents(test_, stack), view.contents(step_, stack);
        while (!stack.empty() && !too_large_) {
            const NodeId node = stack.back();
            stack.pop_back();
            if (graph_.is_param(node) || !is_inside(node) || !seen_.insert(node).second) continue;
            too_large_ = seen_.size() > most_visited;
            if (graph_.has(node, Advances) && graph_.blocks(node).empty()) effects_.push_back(node);
            view.dependences(node, stack);
            for (BlockId block : graph_.blocks(node)) view.contents(block, stack);
        }
    }

    bool is_inside(NodeId node) const {
        return graph_.depends_on_number(node, graph_[test_].number) ||
               graph_.depends_on_number(node, graph_[step_].number);
    }

    std::optional<Counter> counter(NodeId tested) const {
        const auto params = graph_.params(test_);
        if (const auto at = std::ranges::find(params, tested); at != params.end()) {
            const auto k = static_cast<std::size_t>(at - params.begin());
            return Counter{tested, graph_.params(step_)[k], graph_.results(step_)[k]};
        }
        return cell(tested);
    }

    // A read of a cell in the condition, and the only effect that changes the cell.
    std::optional<Counter> cell(NodeId read) const {
        if (!memory_ || !reads_whole(read) || !is_inside(read)) return std::nullopt;
        const NodeId where = graph_.operand(read, 0);
        if (is_inside(where) || !memory_->is_own(where)) return std::nullopt;
        NodeId found;
        for (NodeId effect : effects_) {
            const Operation& operation = graph_.operation(effect);
            const auto operands = graph_.operands(effect);
            if (std::ranges::find(operands, where) == operands.end()) continue;
            if (found || operands.size() != 2 || operands[0] != where || operation.writes != 1 ||
                operation.overwrites != 1 || operation.element)
                return std::nullopt;
            found = effect;
        }
        if (!found || !runs_each_time(found)) return std::nullopt;
        return Counter{read, where, graph_.operand(found, 1)};
    }

    bool reads_whole(NodeId node) const {
        const Operation& operation = graph_.operation(node);
        return !graph_.is_param(node) && graph_.operands(node).size() == 1 && operation.reads == 1 &&
               operation.extracts == 1 && !operation.element && !operation.writes;
    }

    bool runs_each_time(NodeId effect) const {
        for (NodeId node = graph_[step_].exit; node && !graph_.is_param(node); node = graph_.token(node))
            if (node == effect) return true;
        return false;
    }

    // The value that the counter has before the iteration, in the body.
    bool is_before(const Counter& counter, NodeId node) const {
        if (graph_.is_param(counter.before)) return node == counter.before;
        return reads_whole(node) && graph_.operand(node, 0) == counter.before &&
               graph_.depends_on_number(node, graph_[step_].number);
    }

    bool is_invariant(NodeId node) const {
        if (graph_.is_number(node) || !is_inside(node)) return true;
        const auto params = graph_.params(test_);
        const auto at = std::ranges::find(params, node);
        if (at == params.end()) return false;
        const auto k = static_cast<std::size_t>(at - params.begin());
        return graph_.results(step_)[k] == graph_.params(step_)[k];
    }

    bool comparison_ends(NodeId node) const {
        Relation relation{};
        switch (graph_.scalar(node)) {
        case Scalar::Lt: relation = Relation::Less; break;
        case Scalar::Le: relation = Relation::LessEqual; break;
        case Scalar::Gt: relation = Relation::Greater; break;
        case Scalar::Ge: relation = Relation::GreaterEqual; break;
        case Scalar::Ne: relation = Relation::Unequal; break;
        default: return false;
        }
        static constexpr Relation turned[] = {Relation::Greater, Relation::GreaterEqual, Relation::Less,
                                              Relation::LessEqual, Relation::Unequal};
        const NodeId a = graph_.operand(node, 0), b = graph_.operand(node, 1);
        if (graph_.kind(a) < TypeKind::I8 || graph_.kind(a) > TypeKind::U64) return false;
        return approaches(a, relation, b) || approaches(b, turned[static_cast<std::size_t>(relation)], a);
    }

    bool approaches(NodeId value, Relation relation, NodeId bound) const {
        const auto moving = counter(value);
        if (!moving) return sum_approaches(value, relation, bound);
        if (is_invariant(bound)) return moves(*moving, moving->after, relation, bound);
        const auto other = counter(bound); // both move, towards each other
        return other && relation == Relation::Less && step(*moving, moving->after) == 1 &&
               step(*other, other->after) == -1;
    }

    // `%i + n <= m` where `%i` grows, and neither n nor m is so large that the sum wraps.
    bool sum_approaches(NodeId sum, Relation relation, NodeId bound) const {
        if (graph_.scalar(sum) != Scalar::Add || !is_invariant(bound) || !is_modest(bound)) return false;
        if (relation != Relation::Less && relation != Relation::LessEqual) return false;
        const NodeId a = graph_.operand(sum, 0), b = graph_.operand(sum, 1);
        const auto grows = [&](NodeId value, NodeId beside) {
            const auto moving = counter(value);
            return moving && is_invariant(beside) && is_modest(beside) && step(*moving, moving->after) > 0;
        };
        return grows(a, b) || grows(b, a);
    }

    bool moves(const Counter& counter, NodeId after, Relation relation, NodeId bound) const {
        if (graph_.scalar(after) == Scalar::Select)
            return moves(counter, graph_.operand(after, 1), relation, bound) &&
                   moves(counter, graph_.operand(after, 2), relation, bound);
        if (const std::int64_t by = step(counter, after)) return steps_end(by, relation, bound);
        return shrinks(counter, after, relation, bound);
    }

    // The number that an iteration adds; 0: not known.
    std::int64_t step(const Counter& counter, NodeId after) const {
        const Scalar scalar = graph_.scalar(after);
        if (scalar != Scalar::Add && scalar != Scalar::Sub) return 0;
        NodeId value = graph_.operand(after, 0), by = graph_.operand(after, 1);
        if (scalar == Scalar::Add && graph_.is_number(value)) std::swap(value, by);
        if (!graph_.is_number(by) || !is_before(counter, value)) return 0;
        const std::int64_t number = signed_value(by);
        if (number > longest_step || number < -longest_step) return 0;
        return scalar == Scalar::Add ? number : -number;
    }

    std::int64_t signed_value(NodeId literal) const {
        const unsigned width = width_of(graph_.kind(literal));
        const auto shift = 64 - width;
        return static_cast<std::int64_t>(graph_.bits(literal) << shift) >> shift;
    }

    static unsigned width_of(TypeKind kind) {
        switch (kind) {
        case TypeKind::I8:
        case TypeKind::U8: return 8;
        case TypeKind::I16:
        case TypeKind::U16: return 16;
        case TypeKind::I32:
        case TypeKind::U32: return 32;
        default: return 64;
        }
    }

    bool steps_end(std::int64_t by, Relation relation, NodeId bound) const {
        switch (relation) {
        case Relation::Unequal: return by % 2 != 0; // meets every number
        case Relation::Less: return by == 1 || (by > 0 && is_modest(bound));
        case Relation::LessEqual: return by > 0 && is_modest(bound);
        case Relation::Greater: return by == -1 || (by < 0 && is_modest(bound));
        case Relation::GreaterEqual: return by < 0 && is_modest(bound);
        }
        return false;
    }

    // So far from the ends of its type that no step passes them: a length, or a small literal.
    bool is_modest(NodeId bound) const {
        if (width_of(graph_.kind(bound)) != 64 || !is_signed(graph_.kind(bound))) return false;
        if (graph_.is_number(bound)) {
            const std::int64_t number = signed_value(bound);
            return number < INT64_MAX - longest_step && number > INT64_MIN + longest_step;
        }
        if (graph_.is_param(bound)) return graph_.param_number(bound) == number::dims;
        return graph_.operation(bound).has(Trait::Length);
    }

    // The absolute value gets less, and the loop ends where it is 0.
    bool shrinks(const Counter& counter, NodeId after, Relation relation, NodeId bound) const {
        if (!graph_.is_number(bound)) return false;
        const std::int64_t number = signed_value(bound);
        const bool ends_at_zero = relation == Relation::Unequal        ? number == 0
                                  : relation == Relation::Greater      ? number >= 0
                                  : relation == Relation::GreaterEqual ? number >= 1
                                                                       : false;
        if (!ends_at_zero) return false;
        const bool positive = relation != Relation::Unequal || !is_signed(graph_.kind(bound));
        const auto is_literal_above = [&](NodeId node, std::int64_t least) {
            return graph_.is_number(node) && signed_value(node) >= least;
        };
        const auto is_before_less_one = [&](NodeId node) { return step(counter, node) == -1; };
        switch (graph_.scalar(after)) {
        case Scalar::Div:
            return is_before(counter, graph_.operand(after, 0)) && is_literal_above(graph_.operand(after, 1), 2);
        case Scalar::Shr:
            return positive && is_before(counter, graph_.operand(after, 0)) &&
                   is_literal_above(graph_.operand(after, 1), 1);
        case Scalar::Rem: return is_before(counter, graph_.operand(after, 1));
        case Scalar::And:
            return positive &&
                   ((is_before(counter, graph_.operand(after, 0)) && is_before_less_one(graph_.operand(after, 1))) ||
                    (is_before(counter, graph_.operand(after, 1)) && is_before_less_one(graph_.operand(after, 0))));
        default: return false;
        }
    }

    const Graph& graph_;
    BlockId test_, step_;
    const AliasAnalysis* memory_;
    std::vector<NodeId> effects_; // without blocks
    tsl::robin_set<NodeId, std::hash<NodeId>> seen_;
    bool too_large_ = false;
};

} // namespace

bool surely_ends(const Graph& graph, NodeId loop, const AliasAnalysis* memory) {
    return OpenLoop(graph, loop, memory).ends();
}

bool open_loops(const Graph& graph, NodeId node, const AliasAnalysis* memory, std::vector<NodeId>& out) {
    const GraphView view(graph);
    const Context& context = graph.context();
    const NodeId source = view.source(node);
    if (is_open_loop(graph, source)) {
        if (!surely_ends(graph, source, memory)) out.push_back(source);
        return true;
    }
    std::vector<NodeId> stack{source};
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId next = stack.back();
        stack.pop_back();
        if (graph.is_param(next) || graph.is_literal(next) || !seen.insert(next).second) continue;
        if (seen.size() > most_visited ||
            (graph.core(next) == Core::Call && context.endless_functions.contains(graph.attrs(next)[0].text())))
            return false;
        if (is_open_loop(graph, next) && !surely_ends(graph, next, memory)) out.push_back(next);
        view.dependences(next, stack);
        for (BlockId block : graph.blocks(next)) view.contents(block, stack);
    }
    return true;
}

bool surely_computed(const Graph& graph, NodeId node, const AliasAnalysis* memory) {
    std::vector<NodeId> open;
    return open_loops(graph, node, memory, open) && open.empty();
}

} // namespace irrewrite
