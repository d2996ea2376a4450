#include "engine/lint/rule_groups.hpp"

#include "engine/generate/some_functions.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {

// The rules of a strategy, in the order in which they are tried, and those that it applies again and again.
class RulesOf {
  public:
    RulesOf(const RuleBase& base, const Phase& phase, Group& group) : base_(base), phase_(phase), group_(group) {
        visit(phase.strategy, false, false);
    }

  private:
    static void add(std::vector<RuleId>& list, RuleId rule) {
        if (std::ranges::find(list, rule) == list.end()) list.push_back(rule);
    }
    bool repeats(StrategyId id) const { // a definition that is recursive
        if (!id) return false;
        const StrategyNode& s = base_[id];
        return s.kind == StrategyNode::Kind::Recursion || repeats(s.first) || repeats(s.second) || repeats(s.third);
    }
    static bool compares(const StrategyNode& s) {
        using K = StrategyNode::Kind;
        return s.kind == K::Choose || s.kind == K::Speculate || s.kind == K::Saturate;
    }
    bool compares(StrategyId id) const { // a definition that compares what its arguments give
        if (!id) return false;
        const StrategyNode& s = base_[id];
        return compares(s) || compares(s.first) || compares(s.second) || compares(s.third);
    }
    void visit(StrategyId id, bool again, bool compared) {
        if (!id || !seen_.insert(id.index * 4u + again * 2u + compared).second) return;
        const StrategyNode& s = base_[id];
        using K = StrategyNode::Kind;
        again =
            again || s.kind == K::Innermost || s.kind == K::Outermost || s.kind == K::Recursion || s.kind == K::Flow;
        if (s.kind == K::Speculate || s.kind == K::Saturate) again = false; // cheaper each time; up to a limit
        compared = compared || compares(s);
        const auto delayed = s.kind == K::Delayed ? delayed_rules(base_, phase_.name) : std::vector<RuleId>();
        for (RuleId rule : s.kind == K::Delayed ? delayed : s.rules) {
            add(group_.rules, rule);
            if (compared) add(group_.compared, rule);
            if (again || base_[rule].left.size() > 1) add(group_.again, rule); // of several roots: repeated passes
        }
        bool called = again, judged = compared;
        if (s.kind == K::Call) {
            visit(base_.definitions[s.definition].body, again, compared);
            called = again || repeats(base_.definitions[s.definition].body);
            judged = compared || compares(base_.definitions[s.definition].body);
        }
        for (StrategyId part : {s.first, s.second, s.third}) visit(part, again, compared);
        for (StrategyId arg : s.args) visit(arg, called, judged);
    }

    const RuleBase& base_;
    const Phase& phase_;
    Group& group_;
    tsl::robin_set<std::uint32_t> seen_;
};

// It is applied everywhere below a node.
bool is_traversal(const RuleBase& base, StrategyId id) {
    using K = StrategyNode::Kind;
    const K kind = base[id].kind;
    return kind == K::Innermost || kind == K::Outermost || kind == K::TopDown || kind == K::BottomUp ||
           kind == K::AllTopDown || kind == K::Flow;
}

StrategyNode node(StrategyNode::Kind kind, StrategyId first = {}) {
    StrategyNode made;
    made.kind = kind, made.first = first;
    return made;
}

} // namespace

Lint::Lint(const CheckTools& checks, std::span<const std::string> names)
    : tools(checks), files(names), world(tools.load()), vocabulary(world->context),
      terms(world->context, &world->base, Vocabulary::Expansions::OfDelayedTypes) {
    terms.add_constructors(world->context, world->base, true);
    add_some_functions(world->context, world->base, world->functions);
    find_groups();
    alone = world->base;
    alone.normalize.clear();
    indices = std::make_shared<RuleIndices>(world->context, world->base);
}

void Lint::find_groups() {
    RuleBase& base = world->base;
    auto name = [&](SymbolId symbol) { return std::string(world->context.symbols[symbol]); };
    for (RuleSetId set : base.normalize)
        for (RuleId rule : base.sets[set.index].rules)
            if (std::ranges::find(normalizing, rule) == normalizing.end()) normalizing.push_back(rule);
    std::vector<bool> used(base.rules.size());
    for (const StrategyNode& s : base.strategies)
        for (RuleId rule : s.rules) used[rule.index] = true;
    if (!normalizing.empty()) {
        StrategyId id = base.add(node(StrategyNode::Kind::Id));
        groups.push_back({"normalize",
                          {world->context.symbols.add("normalize"), id, {}},
                          normalizing,
                          normalizing,
                          true,
                          true,
                          false,
                          {}});
    }
    for (const Phase& phase : base.phases) {
        Group group{"phase " + name(phase.name), phase, {}, {}, is_named(phase.where), false, false, phase.where};
        if (phase.strategy)
            RulesOf(base, phase, group);
        else
            for (std::uint32_t i = 0; i < base.rules.size(); ++i)
                if (RuleId rule{i}; base[rule].at && base.phases[base[rule].at.index].name == phase.name)
                    group.rules.push_back(rule);
        if (!phase.strategy) group.again = group.rules;
        std::erase_if(group.rules, [&](RuleId r) { return std::ranges::find(normalizing, r) != normalizing.end(); });
        std::erase_if(group.again, [&](RuleId r) { return std::ranges::find(normalizing, r) != normalizing.end(); });
        groups.push_back(std::move(group));
    }
    find_unused_strategies();
    // A set that nothing runs is looked at by itself.
    for (const RuleSet& set : base.sets) {
        auto runs = [&](const Group& g) {
            return !set.rules.empty() && std::ranges::find(g.rules, set.rules[0]) != g.rules.end();
        };
        if (!is_named(set.where) || set.rules.empty() || set.at || set.parameters || std::ranges::any_of(groups, runs))
            continue;
        StrategyNode all = node(StrategyNode::Kind::Rules);
        all.rules = set.rules;
        StrategyId strategy = base.add(node(StrategyNode::Kind::Innermost, base.add(std::move(all))));
        groups.push_back(
            {"rules " + name(set.name), {set.name, strategy, set.where}, set.rules, {}, true, false, true, set.where});
        bool library = std::ranges::none_of(
            base.phases, [&](const Phase& p) { return p.where.source.index == set.where.source.index; });
        if (!library && std::ranges::none_of(set.rules, [&](RuleId r) { return used[r.index]; }))
            find(set.where, "no phase uses the set '" + name(set.name) + "'",
                 {"help: 'phase done = innermost(" + name(set.name) + ")' runs it; 'strategy " + name(set.name) +
                  "-everywhere = innermost(" + name(set.name) + ")' offers it to other files"});
    }
}

// A strategy that no phase uses is for other files: what it runs is looked at as if it were a phase.
void Lint::find_unused_strategies() {
    const RuleBase& base = world->base;
    std::vector<bool> used(base.definitions.size());
    std::vector<StrategyId> stack;
    tsl::robin_set<std::uint32_t> seen;
    const auto reach = [&](StrategyId from) {
        stack.push_back(from);
        while (!stack.empty()) {
            const StrategyId id = stack.back();
            stack.pop_back();
            if (!id || !seen.insert(id.index).second) continue;
            const StrategyNode& s = base[id];
            if (s.kind == StrategyNode::Kind::Call) {
                used[s.definition] = true;
                stack.push_back(base.definitions[s.definition].body);
            }
            stack.insert(stack.end(), {s.first, s.second, s.third});
            stack.insert(stack.end(), s.args.begin(), s.args.end());
        }
    };
    for (const Phase& phase : base.phases) reach(phase.strategy);
    for (const StrategyDefinition& definition : base.definitions)
        if (!definition.parameters.empty() || !definition.is_term.empty()) reach(definition.body);
    for (std::size_t i = base.definitions.size(); i-- > 0;) { // those that use others stand behind them
        const StrategyDefinition& definition = base.definitions[i];
        if (used[i] || !is_named(definition.where) || !definition.is_term.empty() || !definition.parameters.empty())
            continue;
        reach(definition.body);
        if (!is_traversal(base, definition.body)) continue; // else who uses it says where it is applied
        Group group{"strategy " + std::string(world->context.symbols[definition.name]),
                    {definition.name, definition.body, definition.where},
                    {},
                    {},
                    true,
                    false,
                    false,
                    definition.where};
        RulesOf(base, group.phase, group);
        std::erase_if(group.rules, [&](RuleId r) { return std::ranges::find(normalizing, r) != normalizing.end(); });
        std::erase_if(group.again, [&](RuleId r) { return std::ranges::find(normalizing, r) != normalizing.end(); });
        if (!group.rules.empty()) groups.push_back(std::move(group));
    }
}

std::string Lint::place(Span where) const {
    if (!where.source) return "?";
    const Source& source = world->context.sources[where.source];
    LineColumn at = line_column(source, where.begin);
    return source.name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string Lint::of(RuleId id) const { return name(id) + " (" + place((*this)[id].where) + ")"; }

void Lint::find(Span where, std::string text, std::vector<std::string> lines) {
    findings.push_back({where, std::move(text), std::move(lines)});
}

std::string Lint::show(const Function& function) const {
    std::string text = tools.print(world->context, function);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

RewriteLog Lint::run(const Group& group, Function& function, std::uint64_t fuel, bool trace) {
    RewriteOptions options;
    options.fuel = options.graph_fuel = fuel, options.trace = trace;
    RewriteLog log;
    Rewriter rewriter(world->context, world->base, function, options, log, indices);
    const Functions functions(*this, rewriter);
    rewriter.normalize();
    if (log.error.empty()) rewriter.run(group.phase);
    return log;
}

} // namespace irrewrite
