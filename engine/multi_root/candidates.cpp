// Which nodes may match the other roots of a rule, once one is chosen.
#include "engine/match/conditions.hpp"
#include "engine/multi_root/multi_root.hpp"

#include <algorithm>
#include <bit>

namespace irrewrite {

NodeId MultiRootPass::follow(const Rule& rule, TermId id, const Key& key, NodeId node) const {
    for (std::size_t i : key.path) {
        const Term* term = &rule[id];
        while (term->kind == TermKind::Named) id = term->operands[0], term = &rule[id];
        if (term->kind == TermKind::Project) {
            if (graph_.core(node) == Core::Project || graph_.core(node) == Core::Element)
                node = graph_.operand(node, 0);
        } else {
            if (std::ranges::find(term->ops, graph_.op(node)) == term->ops.end() || i >= graph_.operands(node).size())
                return {};
            node = graph_.operand(node, i);
        }
        id = term->operands[i];
    }
    return node;
}

namespace {
bool stands_for(const Term& term, OpId op) { return std::ranges::find(term.ops, op) != term.ops.end(); }

// True if the results of the block may be those of the pattern, by their operations.
bool results_may_match(const Graph& graph, const Rule& rule, const BlockTerm& pattern, BlockId block) {
    if (pattern.whole || graph[block].entry) return true;
    const auto results = graph.results(block);
    std::vector<const Term*> terms;
    bool spells_all = true; // the operation of each
    for (TermId id : pattern.results) {
        const Term* term = &rule[id];
        while (term->kind == TermKind::Named) term = &rule[term->operands[0]];
        spells_all = spells_all && term->kind == TermKind::Node;
        if (term->kind != TermKind::Node) continue;
        terms.push_back(term);
        const auto is_it = [&](NodeId result) { return stands_for(*term, graph.op(result)); };
        if (!rule[id].sequence && std::ranges::none_of(results, is_it)) return false;
    }
    return !spells_all || std::ranges::all_of(results, [&](NodeId result) {
        return std::ranges::any_of(terms, [&](const Term* term) { return stands_for(*term, graph.op(result)); });
    });
}
} // namespace

// True if the operations below the root are those of the pattern.
bool MultiRootPass::may_match(const Rule& rule, TermId id, NodeId node) const {
    const Term& term = rule[id];
    if (term.kind == TermKind::Named) return may_match(rule, term.operands[0], node);
    if (term.kind != TermKind::Node) return true;
    for (std::size_t b = 0; b < term.blocks.size() && b < graph_.blocks(node).size(); ++b)
        if (!results_may_match(graph_, rule, term.blocks[b], graph_.blocks(node)[b])) return false;
    if (graph_.operation(node).commutative()) return true;
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
        const Term& operand = rule[term.operands[i]];
        if (operand.sequence) return true;
        if (i >= graph_.operands(node).size()) return false;
        if (operand.kind == TermKind::Node &&
            std::ranges::find(operand.ops, graph_.op(graph_.operand(node, i))) == operand.ops.end())
            return false;
    }
    return true;
}

// Returns the nodes that a run of the block always computes, and the generators or emissions that it ends with.
MultiRootPass::Nodes MultiRootPass::nodes_of(std::size_t b) {
    if (guarded_->is_guarded(b)) return guarded_->own(b);
    const ScheduledBlock& block = schedule_->blocks[b];
    Nodes nodes;
    for (const ScheduledNode& node : block.nodes)
        if (!node.is_on_demand()) nodes.push_back(node.node); // what need not run does not join what runs
    for (NodeId result : block.id ? graph_.results(block.id) : std::span<const NodeId>())
        if (GraphView(graph_).is_structure(result)) nodes.push_back(result);
    return nodes;
}

MultiRootPass::Nodes MultiRootPass::all_candidates(const Plan& plan, std::size_t root) const {
    const Rule& rule = state_.base[plan.rule];
    const auto fits = [&](NodeId node) {
        return std::ranges::find(plan.operations[root], graph_.op(node)) != plan.operations[root].end() &&
               may_match(rule, rule.left[root], node);
    };
    Nodes found;
    std::ranges::copy_if(block_, std::back_inserter(found), fits);
    return found;
}

// Many candidates of which each reads the first root are found by what they read; else the node that both patterns share is the
// key, or there is none. Returns whether it is the former.
bool MultiRootPass::index(const Plan& plan, std::size_t root, std::size_t slot) {
    constexpr std::size_t many = 8; // fewer are tried sooner than they are looked through
    const Rule& rule = state_.base[plan.rule];
    const auto& key = plan.keys[root];
    const Nodes nodes = all_candidates(plan, root);
    const bool by_reader = plan.reads[root] && nodes.size() > many;
    if (by_reader && !readers_) readers_.emplace(graph_, *schedule_);
    for (NodeId node : nodes) {
        if (by_reader) {
            readers_->for_each_read(node, at_, [&](NodeId read) {
                if (std::ranges::find(plan.operations[0], graph_.op(read)) != plan.operations[0].end())
                    index_[{slot, read}].nodes.push_back(node);
            });
        } else if (NodeId shared = key ? follow(rule, rule.left[root], *key, node) : NodeId{}; !key || shared) {
            index_[{slot, shared}].nodes.push_back(node);
        }
    }
    return by_reader;
}

MultiRootPass::Candidates& MultiRootPass::candidates(const Plan& plan, std::size_t root, const Bindings& bindings,
                                                     NodeId first) {
    const std::size_t slot = static_cast<std::size_t>(&plan - plans_.data()) * 8 + root;
    auto indexed = by_reader_.find(slot);
    if (indexed == by_reader_.end()) indexed = by_reader_.emplace(slot, index(plan, root, slot)).first;
    const auto& key = plan.keys[root];
    Candidates& found = index_[{slot, indexed->second ? first
                                      : key           ? bindings[key->variable.index].items[0]
                                                      : NodeId{}}];
    if (found.numbered.empty()) number(found);
    while (found.first < found.nodes.size() && merged_.contains(found.nodes[found.first])) ++found.first;
    return found;
}

void MultiRootPass::number(Candidates& found) const {
    if (apart_->words() == 0 || found.nodes.size() < apart_->words()) return; // no more work one by one
    if (std::ranges::any_of(found.nodes, [&](NodeId node) { return apart_->number(node) == Independence::none; }))
        return;
    found.numbered.assign(apart_->words(), 0);
    for (NodeId node : found.nodes)
        found.numbered[apart_->number(node) / 64] |= std::uint64_t{1} << apart_->number(node) % 64;
}

// Calls take(node) for each that is not merged yet and not in `apart`, in order, until it says true.
bool MultiRootPass::any_candidate(Candidates& found, std::span<const std::uint64_t> apart,
                                  FunctionRef<bool(NodeId)> take) const {
    auto is_apart = [&](NodeId node) {
        const std::uint32_t number = apart_->number(node);
        return !apart.empty() && number != Independence::none && apart[number / 64] >> number % 64 & 1;
    };
    if (found.numbered.empty()) {
        for (std::size_t i = found.first; i < found.nodes.size(); ++i)
            if (!merged_.contains(found.nodes[i]) && !is_apart(found.nodes[i]) && take(found.nodes[i])) return true;
        return false;
    }
    for (std::size_t w = 0; w < found.numbered.size(); ++w)
        for (std::uint64_t set = found.numbered[w] & left_[w] & (apart.empty() ? UINT64_MAX : ~apart[w]); set;
             set &= set - 1)
            if (take(apart_->candidate(w * 64 + static_cast<std::size_t>(std::countr_zero(set))))) return true;
    return false;
}

// -- nodes that somebody asks about ---------------------------------------------------------------------

bool MultiRootPass::reach(RootsTest test) {
    state_.log.roots_test = std::max(state_.log.roots_test, test);
    return true;
}

std::string MultiRootPass::why_not(RuleId id, std::span<const NodeId> nodes) {
    const auto plan = std::ranges::find(plans_, id, &Plan::rule);
    if (plan == plans_.end() || nodes.size() != plan->operations.size()) return "the rule has another number of roots";
    state_.refresh_uses();
    const Schedule schedule = irrewrite::schedule(state_.function);
    reads_.emplace(graph_, schedule);
    gather(schedule);
    const auto stands_in = [&](std::size_t b) {
        enter_block(schedule, b);
        return std::ranges::all_of(nodes, [&](NodeId n) { return std::ranges::find(block_, n) != block_.end(); });
    };
    std::size_t b = 0;
    while (b < schedule.blocks.size() && !stands_in(b)) ++b;
    if (b == schedule.blocks.size()) return "the nodes are not computed in one block";
    state_.log.roots_test = RootsTest::Match;
    std::string obstacle = "each root matches, but not together: one name would stand for different values";
    const Nodes chosen(nodes.begin(), nodes.end());
    Matcher matcher(graph_, state_.base[id]);
    const bool applies = match_all(*plan, matcher, chosen, 0, obstacle);
    if (applies) return {};
    return state_.log.roots_test <= RootsTest::Conditions ? obstacle : std::string(failure(state_.log.roots_test));
}

// The first condition that does not hold together with those before it.
std::string MultiRootPass::failed_condition(const Rule& rule, Matcher& matcher, const Nodes& chosen) {
    std::size_t held = rule.conditions.size();
    const auto yes = [] { return true; };
    chosen_ = &chosen;
    for (bool holds = false; !holds && held > 0;) {
        Rule shorter = rule;
        shorter.conditions.resize(--held);
        Builder builder(graph_);
        holds = Conditions(builder, shorter, matcher, state_.surroundings).hold(0, yes);
    }
    chosen_ = nullptr;
    const Span where = rule.conditions[held].where;
    return "the condition '" + std::string(graph_.context().sources.text(where)) + "' does not hold";
}

// The roots from `root` on; `obstacle`: to bringing their effects together, in words.
bool MultiRootPass::match_all(const Plan& plan, Matcher& matcher, const Nodes& chosen, std::size_t root,
                              std::string& obstacle) {
    const Rule& rule = state_.base[plan.rule];
    if (root < chosen.size())
        return matcher.root(root, chosen[root], [&] { return match_all(plan, matcher, chosen, root + 1, obstacle); });
    reach(RootsTest::Meet);
    const EffectGathering::Group group = group_of(rule, chosen);
    for (NodeId place : gathering_->places(group.nodes)) {
        if (auto found = place ? gathering_->obstacle(group, place, effects()) : std::nullopt) {
            if (state_.log.roots_test == RootsTest::Meet) obstacle = text_of(graph_, *found);
            continue;
        }
        Merge merge{.roots = chosen, .results = {}, .anchor = place, .range = gathering_->range(group.nodes, place)};
        if (fits(plan, matcher, merge)) return true;
        if (state_.log.roots_test == RootsTest::Conditions) obstacle = failed_condition(rule, matcher, chosen);
    }
    return false;
}

} // namespace irrewrite
