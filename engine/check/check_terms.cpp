#include "engine/check/check_terms.hpp"

#include "engine/check/check_rule.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/rules/strategy_uses.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace irrewrite {

namespace {

constexpr std::uint64_t most_tried = 240, enough_applied = 60;
constexpr std::uint64_t most_tried_for_few = 4000, few_applied = 10; // conditions may hold seldom
constexpr std::uint64_t fuel_of_terms = 3000, draws_of_terms = 8;
constexpr unsigned most_endless = 4; // instances that are given up; each may grow to thousands of nodes
constexpr std::size_t most_unknowns = 8, most_observers = 4;
constexpr std::size_t few_values = 2;  // that a condition takes, which is unknown
constexpr std::size_t most_shown = 80; // characters of two values
constexpr Limits term_limits{.fuel = 20'000, .depth = 200, .memory = 16u << 20};

class TermJudge {
  public:
    TermJudge(RuleWorld& world, const CheckTools& tools, RuleId rule, std::uint64_t seed)
        : world_(world), tools_(tools), seed_(seed), others_(world.base) {
        for (StrategyNode& node : others_.strategies) std::erase(node.rules, rule);
        for (RuleSet& set : others_.sets) std::erase(set.rules, rule);
        // A rule of an analysis is made for the check alone, and is none of them.
        if (rule.index < others_.rules.size()) others_.rules[rule.index].at = {};
    }

    // Compares what operations ask of results of a type without values, and other results as they are.
    void look(const Function& before, const Function& after, TermJudgement& out) {
        bool valued = false, met = false;
        const bool is_value = std::ranges::all_of(
            before.result_types, [&](TypeId type) { return can_be_drawn(world_.context.types, type); });
        for (OpId op : is_value ? std::vector<OpId>{} : observers(before)) {
            const auto one = asked(before, op), other = asked(after, op);
            if (one && other && out.contradiction.empty()) valued |= compare(*one, *other, out.contradiction);
        }
        if (out.contradiction.empty() && is_value) valued = compare(before, after, out.contradiction);
        if (!valued && out.contradiction.empty()) met = has_one_form(before, after);
        out.values += valued, out.met += met;
    }

  private:
    // Operations from a type without values to one that has some.
    std::vector<OpId> observers(const Function& function) const {
        std::vector<OpId> out;
        if (function.results.size() != 1) return out;
        for (std::uint32_t i = 0; i < world_.context.operations.size() && out.size() < most_observers; ++i) {
            const Operation& operation = world_.context.operations[OpId{i}];
            const bool asks = operation.core == Core::None && operation.primitive < 0 && !operation.takes_token() &&
                              operation.signature.blocks.empty() && operation.attributes.empty() &&
                              operation.signature.results.size() == 1;
            if (asks && asked(function, OpId{i})) out.push_back(OpId{i});
        }
        return out;
    }

    // The operation at the result; its other operands are any values.
    std::optional<Function> asked(const Function& function, OpId op) const {
        Function out = function;
        Builder builder(out.graph);
        std::vector<NodeId> operands;
        bool placed = false;
        const TypeId asked = out.result_types[0];
        for (const TypeTerm& term : world_.context.operations[op].signature.operands) {
            const bool is_known = term.kind == TypeTerm::Kind::Known && !term.sequence;
            if (is_known && can_be_drawn(world_.context.types, term.type)) {
                const SymbolId name = world_.context.symbols.add("asked" + std::to_string(operands.size()));
                const auto index = static_cast<std::uint32_t>(out.params.size());
                operands.push_back(out.graph.param(number::function, index, term.type));
                out.graph.set_name(operands.back(), name);
                out.params.push_back({name, term.type, operands.back()});
                continue;
            }
            const bool same =
                (is_known && world_.context.types.agree(term.type, asked)) || term.kind == TypeTerm::Kind::Opaque;
            if (placed || !same) return std::nullopt;
            operands.push_back(out.results[0]), placed = true;
        }
        const auto made = placed ? builder.apply(op, Attributes::none(), operands) : std::nullopt;
        if (!made || !can_be_drawn(world_.context.types, out.graph.type(*made))) return std::nullopt;
        out.results = {*made}, out.result_types = {out.graph.type(*made)};
        return out;
    }

    bool has_one_form(const Function& before, const Function& after) {
        if (endless_ >= most_endless) return false;
        const auto left = normal_form(before, world_.base), right = normal_form(after, world_.base);
        if (!left || !right) return false;
        Function one = left->functions[0], other = right->functions[0];
        other.name = one.name;
        return tools_.print(world_.context, one) == tools_.print(world_.context, other);
    }

  public:
    // False: nothing can be said of them. By rules that are not the one in question the term is what it is by all, where
    // the same is left unknown.
    bool compare(const Function& before, const Function& after, std::string& contradiction) {
        const auto may_fault = [&](NodeId result) { return before.graph.has(result, DeepFault); };
        if (before.exit || std::ranges::any_of(before.results, may_fault)) return false;
        const bool apart = compare(before, after, others_, contradiction);
        return contradiction.empty() ? compare(before, after, world_.base, contradiction) || apart : true;
    }

  private:
    bool compare(const Function& before, const Function& after, const RuleBase& rules, std::string& contradiction) {
        if (endless_ >= most_endless) return false;
        auto left = normal_form(before, rules), right = normal_form(after, world_.base);
        if (!left || !right || left->functions[0].result_types != right->functions[0].result_types) return false;
        Module module;
        module.structs = left->structs;
        Function& one = module.add(world_.context, world_.context.symbols.add("by_others"));
        one = std::move(left->functions[0]);
        one.name = world_.context.symbols.add("by_others");
        Function& other = module.add(world_.context, world_.context.symbols.add("behind"));
        other = std::move(right->functions[0]);
        other.name = world_.context.symbols.add("behind");
        const std::string shown = indented(tools_.print(world_.context, before)) + "  by other rules it becomes\n" +
                                  indented(tools_.print(world_.context, one)) + "  and behind this rule\n" +
                                  indented(tools_.print(world_.context, other));
        std::map<std::string, std::size_t> unknowns;
        for (Function& function : module.functions) open(function, unknowns);
        if (&rules == &others_ && !same_parameters(module.functions[0], module.functions[1])) return false;
        join_called(module, world_.functions);
        if (expand_for_evaluation(world_.context, world_.base, module, world_.functions)) return false;
        Evaluator evaluator(world_.context, module, Motion::None);
        bool differ = true;
        std::string values;
        for (std::uint64_t i = 0; i < draws_of_terms; ++i) {
            const Outcome a = evaluator.run(module.functions[0], arguments(module.functions[0], i), term_limits);
            const Outcome b = evaluator.run(module.functions[1], arguments(module.functions[1], i), term_limits);
            if (a.kind != Outcome::Kind::Done || b.kind != Outcome::Kind::Done) return false;
            bool same = true;
            for (std::size_t k = 0; k < a.results.size(); ++k) {
                const TypeId type = module.functions[0].result_types[k];
                const bool agree = equal(world_.context.types, type, a.results[k], b.results[k]);
                if (!agree && same) values = both_texts(type, a.results[k], b.results[k]);
                same = same && agree;
            }
            differ = differ && !same;
        }
        // Whatever the unknowns are: some values of them may be none of the terms that they stand for.
        if (differ && !may_be_any(evaluator, module.functions[0], module.functions[1]) &&
            !may_be_any(evaluator, module.functions[1], module.functions[0]))
            contradiction = shown + values;
        return true;
    }

    std::string both_texts(TypeId type, const Value& one, const Value& other) const {
        const std::string a = value_text(world_.context, type, one), b = value_text(world_.context, type, other);
        return a.size() + b.size() > most_shown ? ""
                                                : "  of which one gives " + a + " where the other gives " + b + "\n";
    }

    // A result takes many values by what is unknown in this function alone: it may as well be that of the other one.
    bool may_be_any(Evaluator& evaluator, const Function& function, const Function& other) const {
        const auto is_own = [&](const Parameter& p) {
            return std::ranges::find(other.params, p.name, &Parameter::name) == other.params.end();
        };
        if (std::ranges::none_of(function.params, is_own)) return false;
        std::vector<std::set<std::string>> values(function.results.size());
        for (std::uint64_t i = 0; i < draws_of_terms; ++i) {
            std::vector<Value> given = arguments(function, 0), drawn = arguments(function, i);
            for (std::size_t k = 0; k < given.size(); ++k)
                if (is_own(function.params[k])) given[k] = std::move(drawn[k]);
            const Outcome outcome = evaluator.run(function, std::move(given), term_limits);
            if (outcome.kind != Outcome::Kind::Done) return false;
            for (std::size_t k = 0; k < outcome.results.size(); ++k) {
                values[k].insert(value_text(world_.context, function.result_types[k], outcome.results[k]));
                if (values[k].size() > few_values) return true;
            }
        }
        return false;
    }

    static bool same_parameters(const Function& a, const Function& b) {
        const auto names = [](const Function& function) {
            std::set<SymbolId> out;
            for (const Parameter& parameter : function.params) out.insert(parameter.name);
            return out;
        };
        return names(a) == names(b);
    }

    // By these rules in all phases; none: it was not reached, or not by exact rules.
    std::optional<Module> normal_form(const Function& function, const RuleBase& rules) {
        Module module;
        module.functions.push_back(function);
        module.index.emplace(function.name, 0);
        module.functions[0].local = false;
        RewriteOptions options;
        options.fuel = fuel_of_terms, options.graph_fuel = 8 * fuel_of_terms, options.models = true;
        RewriteLog log;
        const Types::Lowering lowering = world_.context.types.lowering();
        const bool done = rewrite(world_.context, rules, world_.functions, module, options, log);
        world_.context.types.set_lowering(lowering);
        endless_ += !done;
        if (!done || !log.error.empty() || !log.broken.empty() || module.functions.empty()) return std::nullopt;
        for (std::size_t i = 0; i < log.fired.size() && i < world_.base.rules.size(); ++i)
            if (log.fired[i] && world_.base[RuleId{static_cast<std::uint32_t>(i)}].set &&
                world_.base[world_.base[RuleId{static_cast<std::uint32_t>(i)}].set].inexact)
                return std::nullopt;
        return module;
    }

    // A term that no rule reduces, and that has no meaning, may be any value: it becomes a parameter, of the same name
    // wherever the same term stands.
    void open(Function& function, std::map<std::string, std::size_t>& unknowns) {
        Graph& graph = function.graph;
        const std::vector<Parameter> given = function.params;
        std::map<NodeId, NodeId> made;
        const auto stands_for = [&](NodeId node) {
            Function alone = function;
            alone.name = world_.context.symbols.add("term"), alone.params = given;
            alone.results = {node}, alone.result_types = {graph.type(node)};
            const std::string text = tools_.print(world_.context, alone);
            const std::size_t number = unknowns.emplace(text, unknowns.size()).first->second;
            const SymbolId name = world_.context.symbols.add("unknown" + std::to_string(number));
            const auto known = std::ranges::find(function.params, name, &Parameter::name);
            if (known != function.params.end()) return known->node;
            const auto index = static_cast<std::uint32_t>(function.params.size());
            const NodeId param = graph.param(number::function, index, graph.type(node));
            graph.set_name(param, name);
            function.params.push_back({name, graph.type(node), param});
            return param;
        };
        Substitution pass(graph);
        pass.rewrite = [&](NodeId node) -> std::optional<Replacement> {
            const Operation& operation = graph.operation(node);
            const bool known = operation.core != Core::None || has_meaning(world_.context, operation) ||
                               operation.expansion || world_.base.expansions.contains(graph.op(node));
            if (known || operation.takes_token() || graph.has(node, Open) || made.size() >= most_unknowns ||
                !can_be_drawn(world_.context.types, graph.type(node)))
                return std::nullopt;
            const NodeId param = stands_for(node);
            made.emplace(node, param);
            return Replacement{param, {}};
        };
        for (NodeId& result : function.results) result = pass(result);
    }

    // By name, so that both sides get the same. Nothing asks for a value of a type without values.
    std::vector<Value> arguments(const Function& function, std::uint64_t number) const {
        std::vector<Value> out;
        for (const Parameter& p : function.params) {
            Function one(world_.context);
            one.params.push_back(p);
            Choices choices(mix(mix(seed_, world_.context.symbols[p.name]), number + 1));
            out.push_back(can_be_drawn(world_.context.types, p.type)
                              ? draw_arguments(world_.context, one, choices, Temper::Edges)[0]
                              : Value{});
        }
        return out;
    }

    RuleWorld& world_;
    const CheckTools& tools_;
    std::uint64_t seed_;
    RuleBase others_;      // without the rule
    unsigned endless_ = 0; // normal forms that were not reached
};

// A phase that takes the cheapest term gives no normal form.
bool compares_costs(const RuleBase& base) {
    return std::ranges::any_of(base.phases, [&](const Phase& phase) {
        return phase.strategy &&
               std::ranges::any_of(used_strategies(base, phase.strategy),
                                   [](const UsedStrategy& used) { return used.use == StrategyUse::Tries; });
    });
}

} // namespace

std::string TermJudgement::nothing_compared() const {
    return std::string("an operation has no meaning, and ") +
           (ordered ? "rules of an ordered or inexact set are not compared as terms"
                    : "no normal forms of its instances could be compared") +
           ": give it one in a file of '-models'";
}

TermJudgement judge_terms(RuleWorld& world, const RuleBase& alone, const Vocabulary& vocabulary,
                          const CheckTools& tools, const Subject& subject, std::uint64_t seed) {
    TermJudgement out;
    TermJudge judge(world, tools, subject.rule, seed);
    Vocabulary terms = vocabulary;
    terms.add_constructors(world.context, world.base);
    const RuleSetId set = alone[subject.rule].set;
    // Then only the first rule that matches says something, or which term is cheaper.
    out.ordered = (set && (alone[set].ordered || alone[set].inexact)) || compares_costs(world.base);
    const auto due = [&](std::uint64_t i) {
        return i < (out.programs < few_applied ? most_tried_for_few : most_tried);
    };
    for (std::uint64_t i = 0; due(i) && out.programs < enough_applied; ++i) {
        Choices choices(mix(seed, 500000 + i));
        Trial trial(world, alone, i % 4 == 3 ? vocabulary : terms, subject);
        const Level level{.plain = i % 2 == 0};
        if (trial.make_terms(choices, level) != Trial::Made::Applied) continue;
        ++out.programs;
        if (out.ordered) break;
        judge.look(trial.before(), trial.after(), out);
        if (!out.contradiction.empty()) break;
    }
    return out;
}

} // namespace irrewrite
