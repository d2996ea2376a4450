// Rules with several roots, `p & q`: one pass over a function.
//
// The schedule says which nodes stand in one block. In each block, pairs (or more) of nodes that
// match and whose merging makes no cycle are chosen greedily, in the order of the schedule, each node at
// most once; then the block is rebuilt with all of them replaced. Effects match in program order and are merged where they can
// be brought together (engine/multi_root/effect_gathering.hpp); what the right side does is done there, in its order. Partners are looked up by a node
// that both patterns share, or that the second one reads, so ten thousand loops over one range merge in linear time a round, and
// in a logarithmic number of rounds. Inner blocks come first.
#pragma once

#include "engine/analysis/faults.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/match/rule_index.hpp"
#include "engine/multi_root/effect_gathering.hpp"
#include "engine/multi_root/guarded_regions.hpp"
#include "engine/multi_root/independence.hpp"
#include "engine/multi_root/need.hpp"
#include "engine/multi_root/readers.hpp"
#include "engine/multi_root/sure_counts.hpp"
#include "engine/schedule/schedule.hpp"
#include "engine/state/rewrite_state.hpp"

#include <map>
#include <tsl/robin_set.h>

namespace irrewrite {

// The facts about rules with several roots that hold for every function.
struct MultiRootPlans {
    // The path of operands from a candidate for root i to a node that an earlier root has bound.
    struct Key {
        std::vector<std::size_t> path; // operand numbers
        VariableId variable;
    };
    struct Plan { // of one rule
        RuleId rule;
        std::vector<std::vector<OpId>> operations; // by root
        std::vector<std::optional<Key>> keys;      // by root; none for the first
        std::vector<bool> reads;                   // by root: it reads the first one, or does not match
        bool keeps = false;                        // the right side has all that the roots have
    };

    MultiRootPlans(const Context& context, const RuleBase& base, std::span<const RuleId> rules);
    std::vector<Plan> plans;
};

class MultiRootPass {
  public:
    // `plans`: they outlive the pass.
    MultiRootPass(RewriteState& state, const MultiRootPlans& plans);
    ~MultiRootPass() { state_.surroundings.runs = nullptr, state_.surroundings.independent = nullptr; }
    MultiRootPass(const MultiRootPass&) = delete;
    // The test that these nodes, one for each root, fail; empty: the rule applies to them.
    std::string why_not(RuleId rule, std::span<const NodeId> nodes);
    bool run(); // whether anything was merged

  private:
    using Nodes = std::vector<NodeId>;
    using Key = MultiRootPlans::Key;
    using Plan = MultiRootPlans::Plan;
    struct Candidates {
        Nodes nodes;                         // in the order of the schedule
        std::size_t first = 0;               // those before it are merged
        std::vector<std::uint64_t> numbered; // the same by numbers of Independence, where they are many
    };
    struct Merge {
        Nodes roots, results; // results: of all roots, one after the other
        // Of effects: the root at which they are merged; the parameter for the effects before it; the last effect
        // there, or `start`.
        NodeId anchor{}, start{}, exit{};
        std::optional<EffectGathering::Range> range{};
    };

    // -- multi_root_candidates.cpp
    NodeId follow(const Rule& rule, TermId root, const Key& key, NodeId node) const;
    bool may_match(const Rule& rule, TermId root, NodeId node) const;
    Nodes nodes_of(std::size_t block);
    Nodes all_candidates(const Plan& plan, std::size_t root) const;
    bool index(const Plan& plan, std::size_t root, std::size_t slot);
    Candidates& candidates(const Plan& plan, std::size_t root, const Bindings& bindings, NodeId first);
    void number(Candidates& found) const;
    std::string failed_condition(const Rule& rule, Matcher& matcher, const Nodes& chosen);
    bool match_all(const Plan& plan, Matcher& matcher, const Nodes& chosen, std::size_t root, std::string& obstacle);
    bool any_candidate(Candidates& found, std::span<const std::uint64_t> apart, FunctionRef<bool(NodeId)> take) const;

    // -- multi_root_speculation.cpp
    bool runs(NodeId root) const;
    bool begins_without_fault(NodeId loop) const;
    bool never_faults(NodeId root) const;
    bool never_fault(Nodes stack) const;
    bool is_made_outside(NodeId root) const;
    bool computes_in_vain(const Nodes& roots);
    bool computes_again(const Merge& merge);
    std::span<const std::size_t> computed_in(NodeId node);
    bool may_read(NodeId reader, NodeId inner);
    bool read_elsewhere(NodeId inner, NodeId reader) const;
    enum class InLoops : std::uint8_t { Never, UnderConditions, Always };
    InLoops in_loops(NodeId node);
    tsl::robin_set<std::uint32_t> demanded_in_loops() const;
    void add_counting(const ScheduledBlock& block);
    void add_nonempty();
    void add_covered(const ScheduledBlock& block);

    // -- multi_root.cpp
    bool binds(const ScheduledBlock& block, NodeId node) const;
    bool runs_often(const ScheduledBlock& block) const;
    bool is_loop_body(const ScheduledBlock& block) const;
    unsigned outside(NodeId node) const;
    void gather(const Schedule& schedule);
    Independence apart(const ScheduledBlock& block) const;
    void enter_block(const Schedule& schedule, std::size_t block);
    Nodes read_from_around() const;
    bool merge_block(const Schedule& schedule, std::size_t block);
    bool try_rule(const Plan& plan, NodeId first);
    bool try_roots(const Plan& plan, Matcher& matcher, std::size_t root, Nodes& chosen);
    bool build(const Plan& plan, Matcher& matcher, const Nodes& chosen);
    bool reach(RootsTest test);
    bool fits(const Plan& plan, Matcher& matcher, Merge& merge);
    bool accept(const Plan& plan, Merge merge);
    const Merge* merge_of(const Merge& merge, NodeId node) const;
    bool is_kept(const Merge& merge, NodeId root) const;
    bool acyclic(const Merge& merge) const;
    void span(const Nodes& roots);
    std::uint32_t least_below(std::uint32_t index) const;
    bool types_fit(const Nodes& results, const Nodes& roots, const Rule& rule);
    void replace(Substitution& substitution) const;

    // -- multi_root_effects.cpp
    const Effects& effects();
    bool may_meet(const Nodes& chosen);
    EffectGathering::Group group_of(const Rule& rule, const Nodes& chosen);
    bool independent(NodeId a, NodeId b);
    bool collides(const Merge& merge) const;
    bool build_right(const Rule& rule, Builder& builder, Bindings bindings, Merge& merge);
    bool put_in_place(const Merge& merge, Builder& builder, Binding& binding) const;
    TypeId due(const Nodes& roots, std::size_t result);
    bool changes_something(const Merge& merge);
    bool is_alike(const Merge& merge, std::span<const NodeId> made, std::span<const NodeId> old, NodeId a,
                  NodeId b) const;
    bool is_same_place(const Merge& merge, std::span<const NodeId> made, std::span<const NodeId> old, NodeId a,
                       NodeId b) const;
    NodeId before(const Merge& merge) const;

    RewriteState& state_;
    Graph& graph_;
    const std::vector<Plan>& plans_;
    mutable Faults faults_{graph_};
    const Schedule* schedule_ = nullptr;
    std::size_t at_ = 0;   // the present block
    std::size_t home_ = 0; // the same; of a region under the condition of an emission, the block around it
    Nodes block_;          // its nodes
    std::map<NodeId, NodeId>
        covered_; // of these, loops that others need whenever they run, with the one that faults when they do
    tsl::robin_set<NodeId, std::hash<NodeId>>
        nonempty_;                  // likewise, which do little where their conditional does not need them
    const Nodes* chosen_ = nullptr; // the roots that are being made one
    Nodes block_roots_;             // what it results in
    std::vector<Nodes> inside_;     // by block: nodes of blocks in it that need nothing bound there
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> inner_; // of the present block
    std::optional<GuardedRegions> guarded_;                 // of the schedule
    std::optional<Independence> apart_;
    std::optional<BodyCosts> costs_; // of the function at the beginning of the pass; made when they are asked for
    std::optional<Need> need_;       // likewise
    tsl::robin_map<NodeId, std::vector<std::size_t>, std::hash<NodeId>> computed_in_; // likewise
    bool any_dear_ = false;                                                           // some body costs much
    std::optional<ReadsBehind> reads_;
    std::optional<Readers> readers_; // made when a block has many candidates
    std::optional<EffectGathering> gathering_;
    std::uint32_t start_number_ = 0;  // of the parameters that stand for the effects before a merge
    bool moved_down_ = false;         // some merge of the block did
    std::optional<Effects> effects_;  // of the function, where some are to be merged
    std::vector<std::uint64_t> left_; // by number of Independence: not merged yet
    std::vector<Merge> merges_;
    tsl::robin_map<NodeId, std::size_t, std::hash<NodeId>> merged_; // node -> merge
    std::map<std::uint32_t, std::uint32_t> spans_;                  // see note: where a cycle may lead
    std::map<std::pair<std::size_t, NodeId>, Candidates> index_;    // (plan and root, shared node) -> candidates
    std::map<std::size_t, bool> by_reader_; // plan and root -> whether they are indexed by what they read
};

} // namespace irrewrite
