#include "engine/rounds.hpp"

#include "engine/conditions.hpp"
#include "engine/reach.hpp"

#include <algorithm>
#include <bit>
#include <tsl/robin_set.h>

namespace irrewrite {

Round::Round(Rewriter& rewriter, std::span<const RuleId> rules) : rewriter_(rewriter), graph_(rewriter.graph_) {
    for (RuleId id : rules) {
        const Rule& rule = rewriter_.base_[id];
        if (rule.left.size() < 2) continue;
        Plan plan{.rule = id, .operations = {}, .keys = {}, .keeps = keeps_all(rule)};
        for (std::size_t i = 0; i < rule.left.size(); ++i) {
            plan.operations.push_back(root_operations(rule, rule.left[i]));
            plan.keys.push_back(i ? key(rule, i) : std::nullopt);
        }
        plans_.push_back(std::move(plan));
    }
}

// What the roots depend on, what stands in for them depends on.
bool Round::keeps_all(const Rule& rule) const {
    auto variables = [&](std::span<const TermId> roots) {
        std::vector<bool> out(rule.variables.size());
        std::vector<TermId> stack(roots.begin(), roots.end());
        while (!stack.empty()) {
            const Term& term = rule[stack.back()];
            stack.pop_back();
            if (term.variable) out[term.variable.index] = true;
            stack.insert(stack.end(), term.operands.begin(), term.operands.end());
            for (const BlockTerm& block : term.blocks) {
                if (block.whole) out[block.whole.index] = true;
                stack.insert(stack.end(), block.results.begin(), block.results.end());
            }
        }
        return out;
    };
    const std::vector<bool> left = variables(rule.left), right = variables(rule.right);
    for (std::size_t v = 0; v < left.size(); ++v) {
        const VariableKind kind = rule.variables[v].kind;
        const bool depends = kind != VariableKind::Literal && kind != VariableKind::Param && kind != VariableKind::Type;
        if (depends && left[v] && !right[v]) return false;
    }
    return true;
}

// -- finding partners -------------------------------------------------------------------------------

void Round::bound_before(const Rule& rule, TermId id, std::vector<VariableId>& out) const {
    const Term& term = rule[id];
    bool node = term.variable && rule[term.variable].kind == VariableKind::Node && !rule[term.variable].sequence;
    if (node && (term.kind == TermKind::Variable || term.kind == TermKind::Named)) out.push_back(term.variable);
    for (TermId operand : term.operands) bound_before(rule, operand, out);
}

std::optional<Round::Key> Round::key(const Rule& rule, std::size_t root) const {
    Key key;
    if (!find_path(rule, rule.left[root], root, key)) return std::nullopt;
    return key;
}

bool Round::find_path(const Rule& rule, TermId id, std::size_t root, Key& key) const {
    const Term& term = rule[id];
    if (term.kind == TermKind::Variable && rule[term.variable].kind == VariableKind::Node) {
        std::vector<VariableId> bound;
        for (std::size_t i = 0; i < root; ++i) bound_before(rule, rule.left[i], bound);
        key.variable = term.variable;
        return std::ranges::find(bound, term.variable) != bound.end();
    }
    if (term.kind == TermKind::Named) return find_path(rule, term.operands[0], root, key);
    if (term.kind == TermKind::Node)
        for (OpId op : term.ops)
            if (graph_.context().operations[op].commutative()) return false;
    if (term.kind != TermKind::Node && term.kind != TermKind::Project) return false;
    std::size_t limit = term.kind == TermKind::Project ? 1 : term.operands.size();
    for (std::size_t i = 0; i < limit && !rule[term.operands[i]].sequence; ++i) {
        key.path.push_back(i);
        if (find_path(rule, term.operands[i], root, key)) return true;
        key.path.pop_back();
    }
    return false;
}

NodeId Round::follow(const Rule& rule, TermId id, const Key& key, NodeId node) const {
    for (std::size_t i : key.path) {
        const Term* term = &rule[id];
        while (term->kind == TermKind::Named) id = term->operands[0], term = &rule[id];
        if (term->kind == TermKind::Project) {
            if (graph_.core(node) == Core::Project || graph_.core(node) == Core::Element) node = graph_.operand(node, 0);
        } else {
            if (std::ranges::find(term->ops, graph_.op(node)) == term->ops.end() || i >= graph_.operands(node).size()) return {};
            node = graph_.operand(node, i);
        }
        id = term->operands[i];
    }
    return node;
}

// Whether the operations below the root are those of the pattern.
bool Round::may_match(const Rule& rule, TermId id, NodeId node) const {
    const Term& term = rule[id];
    if (term.kind != TermKind::Node) return true;
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

Round::Candidates& Round::candidates(const Plan& plan, std::size_t root, const Bindings& bindings) {
    std::size_t slot = static_cast<std::size_t>(&plan - plans_.data()) * 8 + root;
    const Rule& rule = rewriter_.base_[plan.rule];
    const auto& key = plan.keys[root];
    if (!indexed_[slot]) {
        indexed_[slot] = true;
        for (NodeId node : block_) {
            if (std::ranges::find(plan.operations[root], graph_.op(node)) == plan.operations[root].end()) continue;
            NodeId shared = key ? follow(rule, rule.left[root], *key, node) : NodeId{};
            if (key ? static_cast<bool>(shared) : may_match(rule, rule.left[root], node)) index_[{slot, shared}].nodes.push_back(node);
        }
    }
    NodeId shared = key ? bindings[key->variable.index].items[0] : NodeId{};
    Candidates& found = index_[{slot, shared}];
    if (found.numbered.empty()) number(found);
    while (found.first < found.nodes.size() && merged_.contains(found.nodes[found.first])) ++found.first;
    return found;
}

void Round::number(Candidates& found) const {
    if (apart_->words() == 0 || found.nodes.size() < apart_->words()) return; // no more work one by one
    found.numbered.assign(apart_->words(), 0);
    for (NodeId node : found.nodes) found.numbered[apart_->number(node) / 64] |= std::uint64_t{1} << apart_->number(node) % 64;
}

// Calls take(node) for each that is not merged yet and not in `apart`, in order, until it says true.
bool Round::any_candidate(Candidates& found, std::span<const std::uint64_t> apart, FunctionRef<bool(NodeId)> take) const {
    auto is_apart = [&](NodeId node) {
        const std::uint32_t number = apart_->number(node);
        return !apart.empty() && number != Apart::none && apart[number / 64] >> number % 64 & 1;
    };
    if (found.numbered.empty()) {
        for (std::size_t i = found.first; i < found.nodes.size(); ++i)
            if (!merged_.contains(found.nodes[i]) && !is_apart(found.nodes[i]) && take(found.nodes[i])) return true;
        return false;
    }
    for (std::size_t w = 0; w < found.numbered.size(); ++w)
        for (std::uint64_t set = found.numbered[w] & left_[w] & (apart.empty() ? UINT64_MAX : ~apart[w]); set; set &= set - 1)
            if (take(apart_->candidate(w * 64 + static_cast<std::size_t>(std::countr_zero(set))))) return true;
    return false;
}

// -- merging ----------------------------------------------------------------------------------------

// Each node, for every block around its own up to the one that binds what it depends on.
void Round::gather(const Schedule& schedule) {
    inside_.assign(schedule.blocks.size(), {});
    if (plans_.empty()) return;
    auto wanted = [&](NodeId node) {
        return std::ranges::any_of(plans_, [&](const Plan& plan) {
            return std::ranges::find(plan.operations[0], graph_.op(node)) != plan.operations[0].end();
        });
    };
    auto binds = [&](const ScheduledBlock& block, NodeId node) {
        return block.id && (graph_[block.id].params > 0 || graph_[block.id].entry) &&
               graph_.depends_on_number(node, graph_[block.id].number);
    };
    constexpr unsigned levels = 16; // linear in deep nests
    for (std::size_t b = 1; b < schedule.blocks.size(); ++b)
        for (const ScheduledNode& scheduled : schedule.blocks[b].nodes) {
            if (!wanted(scheduled.node) || graph_.has(scheduled.node, TakesToken)) continue;
            std::size_t at = b;
            for (unsigned level = 0; level < levels && at && !binds(schedule.blocks[at], scheduled.node); ++level) {
                at = schedule.blocks[at].parent;
                Nodes& list = inside_[at];
                if (list.empty() || list.back() != scheduled.node) list.push_back(scheduled.node);
            }
        }
}

Apart Round::apart(const ScheduledBlock& block) const {
    Nodes nodes, candidates;
    for (const ScheduledNode& node : block.nodes) nodes.push_back(node.node);
    for (NodeId node : block_) {
        auto one = [&](const std::vector<OpId>& ops) { return std::ranges::find(ops, graph_.op(node)) != ops.end(); };
        if (std::ranges::any_of(plans_, [&](const Plan& plan) { return std::ranges::any_of(plan.operations, one); }))
            candidates.push_back(node);
    }
    return Apart(graph_, nodes, candidates);
}

bool Round::merge_block(const Schedule& schedule, std::size_t b) {
    const ScheduledBlock& block = schedule.blocks[b];
    block_.clear(), inner_.clear();
    merges_.clear(), merged_.clear(), spans_.clear(), index_.clear(), indexed_.clear();
    for (const ScheduledNode& node : block.nodes)
        if (!node.is_on_demand()) block_.push_back(node.node); // what need not run does not join what runs
    apart_ = apart(block);
    left_.assign(apart_->words(), UINT64_MAX);
    if (block.id)
        block_roots_.assign(graph_.results(block.id).begin(), graph_.results(block.id).end());
    else
        block_roots_ = roots(rewriter_.function_);
    Nodes firsts = block_;
    for (NodeId node : inside_[b])
        if (std::ranges::find(block_, node) == block_.end() && inner_.insert({node, true}).second) firsts.push_back(node);
    for (const Plan& plan : plans_)
        for (NodeId node : firsts) {
            if (rewriter_.stopped()) break;
            if (merged_.contains(node)) continue;
            if (std::ranges::find(plan.operations[0], graph_.op(node)) != plan.operations[0].end()) try_rule(plan, node);
        }
    return !merges_.empty();
}

bool Round::read_elsewhere(NodeId inner, NodeId reader) const {
    return !reaches(graph_, {&reader, 1}, inner) || reaches(graph_, block_roots_, inner, {&reader, 1});
}

bool Round::try_rule(const Plan& plan, NodeId first) {
    const Rule& rule = rewriter_.base_[plan.rule];
    if (rule.parameters) return false;
    if (rewriter_.options_.profile) ++rewriter_.log_.profile[plan.rule.index].tried;
    Watch watch(rewriter_.log_.watch, rewriter_.options_.timed ? &rewriter_.log_.profile[plan.rule.index] : nullptr);
    Matcher matcher(graph_, rule);
    Nodes chosen{first};
    auto others = [&] { return try_roots(plan, matcher, 1, chosen); };
    return matcher.root(0, first, others);
}

bool Round::try_roots(const Plan& plan, Matcher& matcher, std::size_t root, Nodes& chosen) {
    const Rule& rule = rewriter_.base_[plan.rule];
    if (root == rule.left.size()) {
        if (inner_.contains(chosen[0]) && read_elsewhere(chosen[0], chosen[1])) return false;
        if (rewriter_.options_.profile) ++rewriter_.log_.profile[plan.rule.index].matched;
        return build(plan, matcher, chosen);
    }
    std::span<const std::uint64_t> apart;
    if (plan.keeps && root == 1 && apart_->number(chosen[0]) != Apart::none) apart = apart_->row(chosen[0]);
    return any_candidate(candidates(plan, root, matcher.bindings), apart, [&](NodeId node) {
        if (std::ranges::find(chosen, node) != chosen.end()) return false;
        chosen.push_back(node);
        auto others = [&] { return try_roots(plan, matcher, root + 1, chosen); };
        if (matcher.root(root, node, others)) return true;
        chosen.pop_back();
        return false;
    });
}

bool Round::build(const Plan& plan, Matcher& matcher, const Nodes& chosen) {
    const Rule& rule = rewriter_.base_[plan.rule];
    Builder builder(graph_);
    Conditions conditions(builder, rule, matcher, rewriter_.around_);
    Merge merge{chosen, {}};
    Origin saved = graph_.current_origin;
    graph_.current_origin = {graph_.origin(chosen[0]).place, plan.rule};
    auto finish = [&] {
        Instantiation terms(builder, rule, matcher.bindings, rewriter_.around_);
        auto nodes = terms.build(rule.right);
        if (!nodes) return false;
        merge.results.clear();
        for (NodeId node : *nodes)
            for (std::size_t k = 0; k < graph_.result_count(node); ++k) merge.results.push_back(graph_.result(node, k));
        return types_fit(merge.results, chosen, rule) && acyclic(merge.results, chosen);
    };
    bool held = conditions.hold(0, finish);
    graph_.current_origin = saved;
    if (!held || !rewriter_.spend(plan.rule)) return false;
    for (NodeId node : chosen) {
        merged_[node] = merges_.size();
        if (const std::uint32_t number = apart_->number(node); number != Apart::none)
            left_[number / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    rewriter_.record(rule, plan.rule, chosen, merge.results.empty() ? chosen[0] : merge.results[0]);
    span(chosen);
    merges_.push_back(std::move(merge));
    return true;
}

bool Round::types_fit(const Nodes& results, const Nodes& roots, const Rule& rule) {
    const Types& types = graph_.context().types;
    std::size_t next = 0;
    for (NodeId root : roots)
        for (std::size_t k = 0; k < graph_.result_count(root); ++k, ++next)
            if (next >= results.size() || !types.agree(graph_.type(results[next]), graph_.type(graph_.result(root, k)))) {
                if (rewriter_.log_.broken.empty())
                    rewriter_.log_.broken = "rule '" + std::string(graph_.context().symbols[rule.full_name]) +
                                            "' built other results than its roots have";
                return false;
            }
    return next == results.size();
}

// note: where a cycle may lead. Parts are older than what they are part of, and what replaces merged nodes
// has parts that are older than the youngest of these. So a way from a node comes to a younger one only
// through a merge with roots on both sides of it. `spans_` are the ranges of ages that merges cover, those
// that overlap as one, by where they begin: below the range that a node is in, nothing leads back to it.
void Round::span(const Nodes& roots) {
    auto [oldest, youngest] = std::ranges::minmax(roots);
    std::uint32_t first = oldest.index, last = youngest.index;
    auto it = spans_.upper_bound(first);
    if (it != spans_.begin() && std::prev(it)->second >= first) --it;
    while (it != spans_.end() && it->first <= last) {
        first = std::min(first, it->first), last = std::max(last, it->second);
        it = spans_.erase(it);
    }
    spans_[first] = last;
}

std::uint32_t Round::least_below(std::uint32_t index) const {
    auto it = spans_.upper_bound(index);
    return it != spans_.begin() && std::prev(it)->second >= index ? std::prev(it)->first : index;
}

// Nothing that stands in for the roots may depend on them, directly or through other merged nodes.
bool Round::acyclic(const Nodes& results, const Nodes& roots) const {
    const std::uint32_t least = least_below(std::ranges::min(roots).index);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    Nodes stack = results;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (node.index < least || !seen.insert(node).second) continue;
        if (std::ranges::find(roots, node) != roots.end()) return false;
        if (auto it = merged_.find(node); it != merged_.end()) {
            const Nodes& others = merges_[it->second].results;
            stack.insert(stack.end(), others.begin(), others.end());
            continue;
        }
        for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
    }
    return true;
}

void Round::replace(Substitution& substitution) const {
    for (const Merge& merge : merges_) {
        std::size_t next = 0;
        for (NodeId root : merge.roots)
            for (std::size_t k = 0; k < graph_.result_count(root); ++k, ++next) {
                NodeId old = graph_.result(root, k);
                graph_.set_name(merge.results[next], graph_.name(old));
                substitution.put_through(old, merge.results[next]);
            }
    }
}

// -- all blocks -------------------------------------------------------------------------------------

bool Round::run() {
    if (plans_.empty() || rewriter_.stopped()) return false;
    rewriter_.refresh_uses();
    Schedule schedule = irrewrite::schedule(rewriter_.function_);
    gather(schedule);
    std::vector<bool> inside(schedule.blocks.size()); // something in the block was merged
    Substitution blocks(graph_);
    tsl::robin_map<BlockId, bool, std::hash<BlockId>> seen;
    bool any = false;
    for (std::size_t b = schedule.blocks.size(); b-- > 0;) {
        const ScheduledBlock& block = schedule.blocks[b];
        auto leave = [&](bool merged) {
            if (b && merged) inside[block.parent] = true;
        };
        if (inside[b]) {
            leave(true);
            continue;
        }
        if (b && !block.id) continue; // a guarded region holds values of the loop around it
        if (block.id && seen.contains(block.id)) {
            leave(seen[block.id]);
            continue;
        }
        bool merged = merge_block(schedule, b);
        if (block.id) seen[block.id] = merged;
        leave(merged);
        if (!merged) continue;
        any = true;
        Substitution substitution(graph_);
        replace(substitution);
        if (block.id)
            blocks.put(block.id, substitution.block(block.id));
        else
            rewriter_.replace_roots(substitution(rewriter_.root()));
    }
    if (any && !blocks.empty()) rewriter_.replace_roots(blocks(rewriter_.root()));
    return any;
}

} // namespace irrewrite
