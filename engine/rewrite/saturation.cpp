#include "engine/rewrite/saturation.hpp"

#include "engine/ir/builder.hpp"
#include "engine/match/conditions.hpp"
#include "engine/rewrite/extraction.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// A rule with more matches than this in one iteration, or one that looks at more nodes, rests for some iterations. The
// numbers double each time (egg, `BackoffScheduler`), and at last the rule rests for good.
constexpr std::size_t most_matches = 4000, most_looks = 1 << 20, first_rest = 5, most_bans = 5;
// All rules together look at so many nodes for each one that may be made: a class that grows slowly, and is searched again
// each time, would take the square of its size.
constexpr std::size_t most_looks_for_each = 2000;

// Operations of fixed types on variables: such a right side is built without inferring types.
bool is_plain(const Context& context, const Rule& rule, TermId id) {
    const Term& term = rule[id];
    if (term.sequence) return false;
    if (term.kind == TermKind::Variable)
        return rule[term.variable].kind == VariableKind::Node && !rule[term.variable].sequence;
    const bool is_operation =
        term.kind == TermKind::Node && term.ops.size() == 1 && term.attrs.empty() && term.blocks.empty();
    if (!is_operation) return false;
    const Operation& operation = context.operations[term.ops[0]];
    const auto& results = operation.signature.results;
    const auto is_fixed = [](const TypeTerm& type) { return type.kind == TypeTerm::Kind::Known && !type.sequence; };
    return !operation.takes_token() && results.size() == 1 && is_fixed(results[0]) &&
           std::ranges::all_of(operation.signature.operands, is_fixed) &&
           std::ranges::all_of(term.operands, [&](TermId operand) { return is_plain(context, rule, operand); });
}

// A comparison of literals, or a computed one: it does not hold later if it does not hold now.
bool is_settled(const Rule& rule, const Condition& condition) {
    const auto is_number = [&](TermId id) {
        const Term& term = rule[id];
        if (term.kind == TermKind::Variable) return rule[term.variable].kind == VariableKind::Literal;
        return term.kind == TermKind::Number || term.kind == TermKind::Constant || term.kind == TermKind::Compute ||
               term.kind == TermKind::Count;
    };
    const bool joins = condition.kind == Condition::Kind::Not || condition.kind == Condition::Kind::Or ||
                       condition.kind == Condition::Kind::All;
    if (joins)
        return std::ranges::all_of(condition.parts, [&](const Condition& part) { return is_settled(rule, part); });
    if (condition.kind == Condition::Kind::Build) return is_number(condition.a);
    return condition.kind == Condition::Kind::Compare && is_number(condition.a) && is_number(condition.b);
}

// Of operations within each other.
std::size_t depth_of(const Rule& rule, TermId id) {
    const Term& term = rule[id];
    std::size_t deepest = 0;
    for (TermId operand : term.operands) {
        const TermKind kind = rule[operand].kind;
        const bool is_leaf = kind == TermKind::Variable || kind == TermKind::Number || kind == TermKind::Constant;
        if (!is_leaf) deepest = std::max(deepest, depth_of(rule, operand));
    }
    return deepest + 1;
}

} // namespace

Saturation::Saturation(Rewriter& rewriter, std::span<const RuleId> rules, TermCosts& costs, std::size_t limit)
    : rewriter_(rewriter), state_(rewriter.state()), graph_(state_.graph), costs_(costs), limit_(limit) {
    for (RuleId id : rules) {
        const Rule& rule = state_.base[id];
        const auto settled = [&](const Condition& condition) { return is_settled(rule, condition); };
        const std::size_t depth = std::ranges::all_of(rule.conditions, settled) ? depth_of(rule, rule.left[0]) : 0;
        equations_.push_back({id, depth, rule.right.size() == 1 && is_plain(state_.context, rule, rule.right[0])});
    }
}

NodeId Saturation::operator()(NodeId term) {
    Substitution blocks(graph_);
    blocks.rewrite = [&](NodeId node) -> std::optional<Replacement> {
        if (graph_.blocks(node).empty() || state_.stopped() || !done_.insert(node).second) return std::nullopt;
        const NodeId made = with_cheapest_blocks(node);
        done_.insert(made);
        if (made == node) return std::nullopt;
        return Replacement{made, graph_.has(made, Advances) ? made : graph_.token(made)};
    };
    const NodeId inside = blocks(term);
    Region region{{inside}, {}};
    const NodeId made = cheapest(region)(inside);
    const NodeId better = costs_.is_cheaper(made, inside) ? made : inside;
    return costs_.is_cheaper(better, term) ? better : term;
}

// -- regions ----------------------------------------------------------------------------------------

NodeId Saturation::with_cheapest_blocks(NodeId node) {
    Substitution parts(graph_);
    const std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
    for (BlockId block : blocks)
        if (auto made = cheapest(block)) parts.put(block, *made);
    if (parts.empty()) return node;
    const NodeId made = parts.only(node);
    return costs_.is_cheaper(made, node) ? made : node;
}

std::optional<BlockId> Saturation::cheapest(BlockId id) {
    const Block block = graph_[id];
    Region region{{graph_.results(id).begin(), graph_.results(id).end()}, block.number};
    if (block.exit) region.roots.push_back(block.exit);
    const std::vector<NodeId> params(graph_.params(id).begin(), graph_.params(id).end());
    const std::vector<SymbolId> names(graph_.param_names(id).begin(), graph_.param_names(id).end());
    Substitution parts = cheapest(region);
    if (parts.empty()) return std::nullopt;
    std::vector<NodeId> results(graph_.results(id).begin(), graph_.results(id).end());
    for (NodeId& result : results) result = parts(result);
    const NodeId exit = block.exit ? parts.token(block.exit) : NodeId{};
    const BlockId made = graph_.close(block.number, params, names, results, block.entry, exit);
    return made == id ? std::nullopt : std::optional(made);
}

// In a block: what its parameters have a part in. Everything else is computed once, around it.
bool Saturation::is_rewritten(NodeId node, const Region& region) const {
    const bool fixed = graph_.is_param(node) || graph_.is_literal(node) || graph_.has(node, TakesToken) ||
                       graph_.has(node, Advances) || graph_.core(node) == Core::Pack;
    return !fixed && (!region.number || graph_.depends_on_number(node, *region.number));
}

// The nodes that may be replaced and are a result of the region, or read by a node that stays.
std::vector<NodeId> Saturation::demanded(const Region& region) {
    std::vector<NodeId> found, stack(region.roots);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen, wanted(region.roots.begin(), region.roots.end());
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second || (region.number && !graph_.depends_on_number(node, *region.number))) continue;
        const bool stays = !is_rewritten(node, region);
        costs_.for_each_input(node, [&](NodeId input) {
            if (stays) wanted.insert(input);
            stack.push_back(input);
        });
    }
    for (NodeId node : wanted)
        if (is_rewritten(node, region)) found.push_back(node);
    std::ranges::sort(found, {}, &NodeId::index);
    return found;
}

// The replacements of the nodes of a region.
Substitution Saturation::cheapest(const Region& region) {
    Substitution result(graph_);
    const std::vector<NodeId> nodes = demanded(region);
    TermClasses classes(graph_, [&](NodeId node) {
        std::vector<NodeId> inputs;
        if (!is_rewritten(node, region)) return inputs;
        const NodeId token = graph_.token(node);
        costs_.for_each_input(node, [&](NodeId input) {
            if (input != token) inputs.push_back(input);
        });
        return inputs;
    });
    for (NodeId node : nodes) classes.add(node);
    if (!saturate(classes)) return result;
    const auto cost = [&](NodeId node) { return is_rewritten(node, region) ? costs_.of(node) : std::uint64_t{0}; };
    Extraction extraction(graph_, classes, cost);
    const auto terms = [&] {
        std::vector<NodeId> made;
        for (NodeId node : nodes) {
            const auto term = extraction.term(node);
            if (!term) return std::vector<NodeId>();
            made.push_back(*term);
        }
        return made;
    };
    extraction.choose_as_trees();
    std::vector<NodeId> best = terms();
    if (extraction.choose_shared()) {
        std::vector<NodeId> shared = terms();
        if (!shared.empty() && (best.empty() || costs_.total(shared) < costs_.total(best))) best = std::move(shared);
    }
    for (std::size_t i = 0; i < best.size(); ++i)
        if (best[i] != nodes[i]) result.put_through(nodes[i], best[i]);
    return result;
}

// -- rules ------------------------------------------------------------------------------------------

// Until the rules show no more, or the limit is reached. False: nothing was shown to be equal.
bool Saturation::saturate(TermClasses& classes) {
    for (Equation& equation : equations_) equation.schedule = {};
    found_.clear();
    looks_left_ = std::size_t{limit_} * most_looks_for_each;
    bool any = false;
    if (classes.size() > limit_)
        state_.warn("'saturate' has a limit of " + std::to_string(limit_) + " nodes, and a term of '@" +
                    std::string(state_.context.symbols[state_.function.name]) + "' has more: it stays as it is");
    for (std::uint32_t iteration = 1; classes.size() <= limit_ && looks_left_ && !state_.stopped(); ++iteration) {
        bool rests = false, changed = false;
        classes.begin(iteration);
        for (const Match& match : find(classes, iteration, rests)) {
            if (classes.size() > limit_ || state_.stopped()) break;
            changed |= unite(classes, match);
        }
        classes.restore();
        any |= changed;
        if (!changed && !rests) break;
    }
    return any;
}

// Everything that was made or united in the iteration before changes the matches of a pattern at new nodes, and at nodes
// that have it below them, as deep as the pattern goes.
Saturation::Places Saturation::places(const TermClasses& classes, std::uint32_t iteration) const {
    Places result;
    const auto may_match = [&](NodeId node) { return !graph_.has(node, TakesToken) && !graph_.has(node, Advances); };
    std::vector<TermClasses::ClassId> changed;
    std::vector<NodeId> fresh;
    std::size_t deepest = 0;
    bool everywhere = false;
    for (const Equation& equation : equations_) {
        deepest = std::max(deepest, equation.depth);
        everywhere |= !equation.looks_only_where_fresh(iteration);
    }
    classes.for_each([&](TermClasses::ClassId id) {
        const bool has_changed = classes.has_changed(id, iteration - 1);
        if (has_changed) changed.push_back(id);
        for (NodeId node : classes.members_of(id)) {
            if (!may_match(node)) continue;
            if (everywhere) result.all[graph_.op(node)].push_back(node);
            if (has_changed && classes.is_new(node, iteration - 1)) fresh.push_back(node);
        }
    });
    tsl::robin_set<NodeId, std::hash<NodeId>> seen(fresh.begin(), fresh.end());
    for (std::size_t depth = 1; depth <= deepest; ++depth) {
        ByOperation& by_operation = result.fresh.emplace_back();
        for (NodeId node : fresh) by_operation[graph_.op(node)].push_back(node);
        std::vector<TermClasses::ClassId> above;
        for (TermClasses::ClassId id : changed)
            for (NodeId user : classes.users_of(id)) {
                if (!classes.is_member(user, user) || !may_match(user) || !seen.insert(user).second) continue;
                fresh.push_back(user);
                above.push_back(classes.find(user));
            }
        changed = std::move(above);
    }
    return result;
}

std::vector<Saturation::Match> Saturation::find(TermClasses& classes, std::uint32_t iteration, bool& rests) {
    const Places places = this->places(classes, iteration);
    std::vector<Match> found;
    for (std::size_t i = 0; i < equations_.size(); ++i) {
        const Equation& equation = equations_[i];
        Schedule& schedule = equations_[i].schedule;
        if (schedule.bans > most_bans) continue;
        if (iteration < schedule.until) {
            rests = true;
            continue;
        }
        const std::size_t before = found.size(), most = most_matches << schedule.bans;
        const std::size_t allowed = std::min(looks_left_, most_looks << schedule.bans);
        classes.allow(allowed);
        const ByOperation& nodes =
            equation.looks_only_where_fresh(iteration) ? places.fresh[equation.depth - 1] : places.all;
        const bool complete = find(i, classes, nodes, before + most, found) && !classes.is_spent();
        looks_left_ -= allowed - classes.looks_left();
        classes.allow(SIZE_MAX);
        if (complete) {
            schedule.searched = iteration;
            continue;
        }
        for (std::size_t k = before; k < found.size(); ++k) found_.erase(found[k].key);
        found.resize(before);
        schedule.until = iteration + 1 + (first_rest << schedule.bans);
        schedule.searched = 0;
        ++schedule.bans;
        rests = true;
    }
    return found;
}

// The same rule at the same class, with the same terms, makes the same equation.
std::uint64_t Saturation::key_of(const TermClasses& classes, RuleId rule, NodeId node, const Bindings& bindings) {
    std::uint64_t key = rule.index;
    const auto mix = [&](std::uint64_t part) { key = (key ^ part) * 0x9E3779B97F4A7C15ull, key ^= key >> 29; };
    mix(classes.find(node));
    for (const Binding& binding : bindings) {
        mix(binding.block.index);
        for (NodeId item : binding.items) mix(item.index);
    }
    return key;
}

// False: there are more matches than `most`.
bool Saturation::find(std::size_t equation, const TermClasses& classes, const ByOperation& nodes, std::size_t most,
                      std::vector<Match>& found) {
    const RuleId id = equations_[equation].id;
    const Rule& rule = state_.base[id];
    Matcher matcher(graph_, rule); // matching all leaves nothing bound
    matcher.equal = &classes;
    Builder builder(graph_);
    Conditions conditions(builder, rule, matcher, state_.surroundings);
    const auto may_fault = [&](NodeId node) { return graph_.has(node, MayFault); };
    for (OpId op : root_operations(rule, rule.left[0])) {
        const auto of_operation = nodes.find(op);
        if (of_operation == nodes.end()) continue;
        for (NodeId node : of_operation->second) {
            const auto keep = [&] {
                const std::uint64_t key = key_of(classes, id, node, matcher.bindings);
                if (std::ranges::none_of(matcher.matched, may_fault) && found_.insert(key).second)
                    found.push_back({equation, node, matcher.bindings, key});
                if (state_.options.profile) ++state_.log.profile[id.index].matched;
                return found.size() > most;
            };
            const auto conditions_hold = [&] { return rule.conditions.empty() ? keep() : conditions.hold(0, keep); };
            std::optional<Journal::Scope> scope;
            if (rule.applies_strategies) scope.emplace(state_.journal);
            const Journal::Mark mark = scope ? state_.journal.mark() : Journal::Mark{};
            if (state_.options.profile) ++state_.log.profile[id.index].tried;
            const bool too_many = matcher.root_itself(0, node, conditions_hold);
            if (scope) state_.journal.roll_back(mark);
            if (too_many) return false;
        }
    }
    return true;
}

// An equation, and not only a refinement: the left side has a value wherever the right side has one. (Else a term that
// faults could take the place of one that does not.) No operation of the left side may fault; now nothing that may fault is
// missing on the right.
bool Saturation::holds_both_ways(const Match& match, NodeId made) const {
    std::vector<NodeId> parts;
    for (const Binding& binding : match.bindings) parts.insert(parts.end(), binding.items.begin(), binding.items.end());
    return keeps_faults(graph_, made, parts);
}

NodeId Saturation::built(const Rule& rule, TermId id, const Bindings& bindings) {
    const Term& term = rule[id];
    if (term.kind == TermKind::Variable) return bindings[term.variable.index].items[0];
    std::vector<NodeId> operands;
    for (TermId operand : term.operands) operands.push_back(built(rule, operand, bindings));
    const Signature& signature = graph_.context().operations[term.ops[0]].signature;
    return graph_.make(
        {.op = term.ops[0], .operands = operands, .type = graph_.context().types.lowered(signature.results[0].type)});
}

bool Saturation::unite(TermClasses& classes, const Match& match) {
    const RuleId id = equations_[match.equation].id;
    const Rule& rule = state_.base[id];
    std::optional<NodeId> made;
    if (equations_[match.equation].is_plain) {
        const Origin saved = std::exchange(graph_.current_origin, state_.origin(match.node, id));
        made = built(rule, rule.right[0], match.bindings);
        graph_.current_origin = saved;
    } else {
        made = rewriter_.instance(id, match.node, match.bindings);
    }
    if (!made || graph_.type(*made) != graph_.type(match.node) || !holds_both_ways(match, *made)) return false;
    classes.add(*made);
    if (classes.find(*made) == classes.find(match.node)) return false;
    if (!state_.spend(id)) return false;
    state_.record(rule, id, {&match.node, 1}, *made);
    return classes.unite(match.node, *made);
}

} // namespace irrewrite
