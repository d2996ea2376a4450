// The rules of a set compiled into one index: which of them may apply at a node, in order.
//
// Rows (engine/match/pattern_rows.hpp) of one root operation are numbered in the order of the rules. For each register
// that a guard tests there is, for each operation (or literal) that some row asks for, the set of rows that can hold; a
// match looks up each register once, intersects the sets, and tries the remaining rows in order. The cost of a register
// does not depend on the number of rules that test it, rules for other operations cost nothing, and the size grows with
// the number of rows alone, whereas a decision tree would copy rows that test different registers, such as those for
// two orders of operands. (Lakshman and Stiliadis, "High-Speed Policy-based Packet Forwarding Using Efficient
// Multi-dimensional Range Matching".)
#pragma once

#include "engine/match/bag_plan.hpp"
#include "engine/match/pattern_rows.hpp"
#include "engine/match/triggers.hpp"
#include "engine/rules/strategy_uses.hpp"

#include <bit>
#include <map>

namespace irrewrite {

namespace term {
class Machines;
}
struct MultiRootPlans;

// The operations that a pattern's root can stand at.
std::vector<OpId> root_operations(const Rule& rule, TermId root);
// True if the node is one of them, or the pattern stands for any.
bool can_be_root(const Rule& rule, std::size_t root, const Graph& graph, NodeId node);

class RuleIndex {
  public:
    RuleIndex() = default;
    // Rules with several roots and of sets with parameters are left out: they are not tried alone.
    RuleIndex(Context& context, const RuleBase& base, std::span<const RuleId> rules);

    bool empty() const { return groups_.empty(); }
    // True if the set has a rule for this root operation.
    bool at(OpId op) const { return op.index < by_op_.size() && by_op_[op.index] != none; }

    // Calls f(row, registers) for each row that may apply at `node`, in order, until it says true. Of a rule
    // with whole rows, those whose tests hold; of another rule, one row.
    template <class F> bool any(const Graph& graph, NodeId node, F&& f) const;

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr std::size_t most_words = 16;
    using Words = std::array<std::uint64_t, most_words>; // a set of rows

    // The tests of rows on one register: the rows that can hold with keys[i], and, last, with any other value.
    struct Column {
        Register reg, parent;
        std::uint16_t operand;
        bool literal;                     // of the attributes, else of the operation
        std::vector<std::uint32_t> keys;  // AttrId or OpId, ascending
        std::vector<std::uint64_t> sets;  // `words` for each key
        std::vector<std::uint16_t> dense; // where keys lie close together: from keys[0] on, the index of each
        std::size_t find(std::uint32_t value) const; // keys.size() if it is none
    };
    // Rows of one root operation, as many as a set holds.
    struct Group {
        Places places;
        std::vector<Row> rows;
        std::vector<Column> columns; // parents before what is below them
        std::size_t words = 0;
        std::uint32_t next = none; // the group of later rows
    };

    Group& group_for(OpId root);
    static void compile(Group& group);
    static void fill(Column& column, const Group& group);
    // The rows all of whose guards hold; false: none. Loads registers.
    static bool select(const Group& group, const Graph& graph, std::span<NodeId> registers, Words& rows);

    std::vector<std::uint32_t> by_op_, last_; // into groups_
    std::vector<Group> groups_;
};

template <class F> bool RuleIndex::any(const Graph& graph, NodeId node, F&& f) const {
    OpId op = graph.op(node);
    if (!at(op)) return false;
    NodeId registers[max_registers];
    RuleId tried;
    for (std::uint32_t g = by_op_[op.index]; g != none; g = groups_[g].next) {
        const Group& group = groups_[g];
        Words selected;
        registers[0] = node;
        if (!select(group, graph, registers, selected)) continue;
        for (std::size_t w = 0; w < group.words; ++w)
            for (std::uint64_t rest = selected[w]; rest; rest &= rest - 1) {
                const Row& row = group.rows[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))];
                if (row.whole ? !holds(row, graph, registers) : row.rule == tried) continue;
                tried = row.rule;
                if (f(row, std::span<const NodeId>(registers))) return true;
            }
    }
    return false;
}

// True if the rule may apply later to a node to which it does not apply now: it asks for uses of nodes, or runs a
// strategy.
bool asks_around(const Context& context, const Rule& rule);

// The rules registered for a phase.
std::vector<RuleId> delayed_rules(const RuleBase& base, SymbolId phase);

// The indices of one rule base, built when they are first needed; for all functions of a run.
class RuleIndices {
  public:
    RuleIndices(Context& context, const RuleBase& base) : context_(context), base_(base) {}

    const RuleIndex& normalizing(); // all normalizing sets
    // The rules that a strategy tries in order, if it does nothing else: sets without arguments, choices of such,
    // definitions that name one. Null: it does something else.
    const std::vector<RuleId>* choice(StrategyId strategy);
    const RuleIndex& of(StrategyId choice);
    const RuleIndex& asking(StrategyId choice); // those of them that ask around
    BagPlans& bags(StrategyId choice);
    // The rules that the strategy of a phase applies, those among them that wait for the phase if it says `delayed`.
    const std::vector<RuleId>& applied(const Phase& phase);
    const Triggers& triggers(const Phase& phase);
    const RuleIndex& at(SymbolId phase);                                       // registered for that phase
    std::shared_ptr<term::Machines> machines;                                  // engine/rewrite/jit_bridge.cpp
    std::unordered_map<SymbolId, std::shared_ptr<const MultiRootPlans>> plans; // by phase: engine/rewrite/phases.cpp
    std::map<std::vector<RuleId>, std::shared_ptr<const MultiRootPlans>> plans_of_rules; // whole_functions.cpp
    std::vector<UsedStrategy> uses(StrategyId strategy);
    // The parameters of the definition around it that a strategy names.
    std::vector<std::uint32_t> arguments(StrategyId strategy);

  private:
    Context& context_;
    const RuleBase& base_;
    bool collect(StrategyId strategy, unsigned depth, std::vector<RuleId>& rules) const;

    std::optional<RuleIndex> normalizing_;
    std::unordered_map<StrategyId, std::optional<std::vector<RuleId>>> choices_;
    std::unordered_map<StrategyId, RuleIndex> strategies_, asking_;
    std::unordered_map<StrategyId, BagPlans> bags_;
    std::unordered_map<StrategyId, std::vector<RuleId>> applied_;
    std::unordered_map<SymbolId, RuleIndex> phases_;
    std::unordered_map<SymbolId, Triggers> triggers_;
    std::optional<StrategyUses> uses_;
};

} // namespace irrewrite
