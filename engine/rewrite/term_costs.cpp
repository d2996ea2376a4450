#include "engine/rewrite/term_costs.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/match/conditions.hpp"
#include "engine/match/rule_index.hpp"

#include <algorithm>
#include <map>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

std::uint64_t product(std::uint64_t a, std::uint64_t b) { return a && b > UINT64_MAX / a ? UINT64_MAX : a * b; }

} // namespace

TermCosts::TermCosts(Graph& graph, const RuleBase& base, const Surroundings& around, SourceId file)
    : graph_(graph), base_(base), around_(around), by_op_(graph.context().operations.size()) {
    bool has_iterations = false;
    for (const bool own : {true, false})
        for (const CostDeclaration& declaration : base.costs) {
            if ((declaration.where.source == file) != own) continue;
            for (OpId op : declaration.rule ? root_operations(base[declaration.rule], base[declaration.rule].left[0])
                                            : declaration.ops)
                by_op_[op.index].push_back(&declaration);
            if (declaration.rule || !declaration.ops.empty() || has_iterations) continue;
            per_iteration_ = declaration.value;
            has_iterations = true;
        }
}

// The right side has to be a literal number; else the next declaration counts.
std::optional<std::uint64_t> TermCosts::declared(const CostDeclaration& declaration, NodeId node) {
    if (!declaration.rule) return declaration.value;
    const Rule& rule = base_[declaration.rule];
    Matcher matcher(graph_, rule);
    Builder builder(graph_);
    Conditions conditions(builder, rule, matcher, around_);
    std::optional<std::uint64_t> cost;
    const auto build = [&] {
        Instantiation terms(builder, rule, matcher.bindings, around_);
        const auto made = terms.build(rule.right[0], graph_.context().types.i64());
        const bool known = made && made->size() == 1 && graph_.is_number((*made)[0]) &&
                           graph_.context().types.is_integer(graph_.type((*made)[0]));
        if (!known) return false;
        const std::uint64_t bits = graph_.bits((*made)[0]);
        const bool negative =
            graph_.context().types.is_signed(graph_.type((*made)[0])) && static_cast<std::int64_t>(bits) < 0;
        cost = negative ? 0 : bits;
        return true;
    };
    const auto conditions_hold = [&] { return conditions.hold(0, build); };
    matcher.root(0, node, conditions_hold);
    return cost;
}

// Without its blocks. What only names, groups or ends a computation costs nothing.
std::uint64_t TermCosts::own(NodeId node) {
    if (graph_.op(node).index < by_op_.size())
        for (const CostDeclaration* declaration : by_op_[graph_.op(node).index])
            if (auto cost = declared(*declaration, node)) return *cost;
    if (graph_.is_param(node) || graph_.is_literal(node) || graph_.is_project(node)) return 0;
    if (graph_.core(node) == Core::Pack) return 0;
    return std::max<std::uint64_t>(graph_.operation(node).scalar_cost(), 1);
}

std::uint64_t TermCosts::iterations(NodeId node, std::size_t block) const {
    const Operation& operation = graph_.operation(node);
    const auto& blocks = operation.signature.blocks;
    if (block >= blocks.size() || blocks[block].frequency != Frequency::Hot) return 1;
    const auto operands = graph_.operands(node);
    if (operation.has(Trait::Counts) && !operands.empty() && graph_.is_number(operands[0])) {
        const auto count = static_cast<std::int64_t>(graph_.bits(operands[0]));
        return count < 0 ? 0 : static_cast<std::uint64_t>(count);
    }
    const Types& types = graph_.context().types;
    for (NodeId operand : operands) {
        if (graph_.kind(operand) != TypeKind::Array) continue;
        const Dim dim = types.dim(graph_.type(operand));
        if (dim.kind == DimKind::Constant) return static_cast<std::uint64_t>(dim.value);
    }
    return per_iteration_;
}

std::uint64_t TermCosts::of(NodeId node) {
    if (!graph_.blocks(node).empty()) return entry(node).cost;
    if (const auto known = plain_.find(node); known != plain_.end()) return known->second;
    const std::uint64_t cost = own(node);
    plain_.insert({node, cost});
    return cost;
}

// Nests of any depth, without recursion: the nodes in blocks first.
const TermCosts::Entry& TermCosts::entry(NodeId node) {
    std::vector<NodeId> stack{node};
    while (!stack.empty()) {
        const NodeId top = stack.back();
        if (entries_.contains(top) || finish(top, stack)) stack.pop_back();
    }
    return entries_.at(node);
}

// False: nodes in its blocks, which have blocks themselves, are to be known first; they are put on the stack.
bool TermCosts::finish(NodeId node, std::vector<NodeId>& unknown) {
    Entry made{own(node), {}};
    tsl::robin_set<NodeId, std::hash<NodeId>> read;
    bool complete = true;
    const std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = graph_[blocks[i]];
        std::vector<NodeId> stack(graph_.results(blocks[i]).begin(), graph_.results(blocks[i]).end());
        if (block.exit) stack.push_back(block.exit);
        tsl::robin_set<NodeId, std::hash<NodeId>> seen;
        std::uint64_t inside = 0;
        while (!stack.empty()) {
            const NodeId here = stack.back();
            stack.pop_back();
            if (!seen.insert(here).second) continue;
            if (!graph_.depends_on_number(here, block.number)) {
                if (!graph_.is_literal(here)) read.insert(here);
                continue;
            }
            if (!graph_.blocks(here).empty() && !entries_.contains(here)) {
                unknown.push_back(here);
                complete = false;
            }
            if (!complete) { // only to find all that are to be known
                for_each_part(graph_, here, [&](NodeId part) { stack.push_back(part); });
                continue;
            }
            inside = sum_of_costs(inside, of(here));
            for_each_input(here, [&](NodeId input) { stack.push_back(input); });
        }
        made.cost = sum_of_costs(made.cost, product(inside, iterations(node, i)));
    }
    if (!complete) return false;
    made.read.assign(read.begin(), read.end());
    std::ranges::sort(made.read, {}, &NodeId::index);
    entries_.emplace(node, std::move(made));
    return true;
}

std::uint64_t TermCosts::total(std::span<const NodeId> terms) {
    std::uint64_t cost = 0;
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    std::vector<NodeId> stack(terms.begin(), terms.end());
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second) continue;
        cost = sum_of_costs(cost, of(node));
        for_each_input(node, [&](NodeId input) { stack.push_back(input); });
    }
    return cost;
}

// Nodes are older than their users, so both terms are walked from the youngest node on, together, until only nodes are left
// that both contain.
bool TermCosts::is_cheaper(NodeId term, NodeId than) {
    enum : std::uint8_t { First = 1, Second = 2, Both = 3 };
    std::map<std::uint32_t, std::uint8_t, std::greater<>> open; // by node: of which term it is a part
    std::size_t single = 0;                                     // of one alone
    const auto add = [&](NodeId node, std::uint8_t side) {
        std::uint8_t& sides = open[node.index];
        single -= sides == First || sides == Second;
        sides |= side;
        single += sides != Both;
    };
    std::uint64_t first = 0, second = 0;
    add(term, First), add(than, Second);
    while (single > 0) {
        const auto [index, sides] = *open.begin();
        open.erase(open.begin());
        const NodeId node{index};
        if (sides != Both) {
            --single;
            std::uint64_t& cost = sides == First ? first : second;
            cost = sum_of_costs(cost, of(node));
        }
        for_each_input(node, [&, sides = sides](NodeId input) { add(input, sides); });
    }
    return first < second;
}

} // namespace irrewrite
