#include "engine/check/trial.hpp"

#include "engine/check/invariants.hpp"
#include "engine/check/tolerance.hpp"
#include "engine/check/types_of_trial.hpp"
#include "engine/generate/fact_program.hpp"
#include "engine/generate/roots_program.hpp"
#include "engine/generate/some_functions.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/ir/type_parts.hpp"
#include "engine/passes/link_functions.hpp"

#include <algorithm>
#include <cmath>

namespace irrewrite {

namespace {
// A left side that computed so many nodes is compared; the right side may take a hundred times as many before
// it is said not to end.
constexpr Limits left_limits{.fuel = 5'000, .depth = 200, .memory = 4u << 20};
// A model computes more than an operation.
constexpr Limits modelled_limits{.fuel = 200'000, .depth = 200, .memory = 64u << 20};
constexpr Limits right_limits{.fuel = 500'000, .depth = 400, .memory = 256u << 20};
// A run that exceeds these limits is taken not to terminate.
constexpr Limits endless_limits{.fuel = 50'000, .depth = 400, .memory = 64u << 20};
// Limits of runs at sizes that double.
constexpr Limits left_sized{.fuel = 100'000, .depth = 200, .memory = 64u << 20};
constexpr Limits right_sized{.fuel = 1'000'000, .depth = 400, .memory = 256u << 20};
constexpr std::uint64_t runs_of_misfits = 40;
constexpr std::uint64_t runs_of_promises = 100;
constexpr unsigned most_in_part = 6;     // operands of a reduction
constexpr unsigned unrollings = 21;      // of a pattern, until one fits
constexpr unsigned depth_of_sources = 3; // terms that lead to an instance
constexpr std::uint64_t rewrites = 20;   // where the rule is applied again and again

} // namespace

Trial::Trial(RuleWorld& world, const RuleBase& base, const Vocabulary& vocabulary, const Subject& subject)
    : world_(world), base_(base), vocabulary_(vocabulary), subject_(subject) {}

TermStyle random_style(Choices& choices, const Level& level) {
    using K = TypeKind;
    static const std::vector<TypeKind> palettes[] = {{K::I64},
                                                     {K::F64},
                                                     {K::I8},
                                                     {K::U8},
                                                     {K::I64, K::F64},
                                                     {K::I32},
                                                     {K::F32},
                                                     {K::Bool, K::I64},
                                                     {K::U64},
                                                     {K::I16},
                                                     {K::U16},
                                                     {K::U32},
                                                     {K::I64, K::I64, K::F64, K::Bool, K::I8, K::U8}};
    TermStyle style;
    style.plain = level.plain, style.sized = level.sized;
    style.palette.scalars = level.scalar ? std::vector{*level.scalar} : palettes[choices.below(std::size(palettes))];
    style.palette.composite = !level.plain && choices.rarely(30);
    style.calm = choices.likely(70);
    style.depth = level.plain ? 1 : 1 + choices.below(2);
    style.regular = choices.rarely(30);
    return style;
}

TermStyle Trial::style(Choices& choices, const Level& level) const {
    TermStyle style = random_style(choices, level);
    style.literals = subject_.literals;
    style.search = subject_.search.get();
    style.pick = level.literals;
    style.moderate = base_[subject_.rule].inexact;
    if (!level.source) style.continuations = &subject_.continuations;
    return style;
}

bool Trial::instantiate(Choices& choices, const Level& level, Function& before) {
    const Rule& rule = base_[subject_.rule];
    TermStyle style = this->style(choices, level);
    if (subject_.fact)
        return FactProgram(world_.context, world_.functions, base_, *subject_.fact, vocabulary_, choices, style, before,
                           called_)
            .build();
    if (level.source) return reach_instance(choices, level, before);
    const bool is_whole = rule.is_of_functions();
    const bool over_effects =
        !is_whole && (RootsProgram::due(world_.context, rule) ||
                      (!level.plain && RootsProgram::possible(world_.context, rule) && choices.rarely(30)));
    if (over_effects)
        return RootsProgram(world_.context, world_.functions, base_, subject_.rule, vocabulary_, choices, style, before,
                            called_)
            .build();
    auto setting = level.plain || is_whole ? Setting::Alone
                                           : static_cast<Setting>(choices.weighted({5, 2, level.sized ? 7u : 2u}));
    // Most lengths of some patterns do not fit together: others are cheap.
    for (unsigned tries = unrollings; tries > 0; --tries)
        if (Instance instance(world_.context, world_.functions, rule, vocabulary_, choices, style, before);
            instance.unroll())
            return instance.build(setting) && (!is_whole || become_function(before));
    return false;
}

bool Trial::reach_instance(Choices& choices, const Level& level, Function& before) {
    TermStyle style = random_style(choices, level);
    style.literals = subject_.literals, style.built = true, style.depth = depth_of_sources;
    Instance instance(world_.context, world_.functions, base_[*level.source], vocabulary_, choices, style, before);
    return instance.build(Setting::Alone) && reach(world_, *subject_.reaching, choices, before);
}

namespace {
bool combines(const Function& function) {
    return std::ranges::any_of(reachable(function.graph, roots(function)), [&](NodeId node) {
        return combining_block(function.graph.operation(node)).has_value();
    });
}

// Makes results of all values that depend on no block parameter, so that those in a loop without iterations, or in a
// branch that is not taken, are computed as well.
void compute_all(const Types& types, Function& function) {
    const Graph& graph = function.graph;
    for (NodeId node : reachable(graph, roots(function))) {
        const TypeKind kind = graph.kind(node);
        const bool value = types.is_scalar(graph.type(node)) || kind == TypeKind::Array || kind == TypeKind::Tuple ||
                           kind == TypeKind::Struct;
        if (!value || graph.is_param(node) || graph.is_literal(node) || graph.has(node, TakesToken) ||
            graph.free(node) != 0)
            continue;
        function.results.push_back(node);
        function.result_types.push_back(graph.type(node));
    }
}
} // namespace

Trial::Made Trial::make(Choices& choices, const Level& level) {
    Context& context = world_.context;
    const Rule& rule = base_[subject_.rule];
    module_.add(context, context.symbols.add("before"));
    bool often = !level.plain && choices.rarely(25);
    TypesOfTrial lowered{context, base_};
    if (!instantiate(choices, level, module_.functions[0])) {
        // Its patterns may be of what types are by then.
        if (!rule.at || !lowered.until(rule.at)) return Made::NoInstance;
        module_ = {};
        module_.add(context, context.symbols.add("before"));
        if (!instantiate(choices, level, module_.functions[0])) return Made::NoInstance;
    }
    Function& before = module_.functions[0];
    if (left_alone_) compute_all(context.types, before);
    Function& after = module_.add(context, context.symbols.add("after"));
    agreement_ = Agreement(context, module_, before.result_types);
    if (rule.at && !*subject_.early) subject_.early->emplace(context, base_, world_.functions, true);
    if (rule.at && lowered.until(rule.at, module_, **subject_.early)) return Made::NoInstance;
    after = before;
    after.name = context.symbols.add("after");
    RewriteLog log;
    StrategyId how = often ? subject_.often : subject_.once;
    if (!called_.functions.empty() && choices.rarely(60)) how = subject_.inlining;
    if (!left_alone_) {
        rewrite(after, how, log);
        if (!log.broken.empty()) {
            why_ = log.broken;
            return Made::IllTyped;
        }
        if (!log.misfit.empty()) return why_ = log.misfit, misfit(choices.taken(), level);
        if (log.fired[subject_.rule.index] == 0) return Made::NotApplied;
    }
    if (terms_alone_) return Made::Applied;
    join_called(module_, called_);
    join_called(module_, world_.functions);
    Invariants(context).guard(module_);
    std::optional<ExpansionFault> fault;
    if (subject_.meaning)
        fault = subject_.meaning->apply(context, module_, world_.functions, rule.at ? rule.at.index : 0);
    if (!fault) fault = expand_for_evaluation(context, base_, module_, world_.functions);
    if (fault) {
        why_ = fault->what;
        return left_alone_ ? Made::IllTyped : misfit(choices.taken(), level);
    }
    evaluator_ = std::make_unique<Evaluator>(context, module_);
    combines_ = combines(this->after()); // functions have moved, perhaps

    const Graph& graph = this->before().graph;
    bool collective = std::ranges::any_of(reachable(graph, roots(this->before())), [&](NodeId node) {
        return graph.operation(node).primitive < 0 && !graph.is_literal(node) && !graph.is_param(node);
    });
    temper_ = rule.inexact ? Temper::Moderate : collective ? Temper::Lengths : Temper::Edges;
    return Made::Applied;
}

void Trial::rewrite(Function& after, StrategyId how, RewriteLog& log) {
    RewriteOptions options;
    options.max_rewrites = rewrites;
    if (how != subject_.often && !subject_.fact) options.once = subject_.rule;
    Rewriter rewriter(world_.context, base_, after, options, log);
    rewriter.program = &called_;
    rewriter.find_functions([&](SymbolId name) {
        return name == after.name ? &after : called_.find(name) ? called_.find(name) : world_.functions.find(name);
    });
    const SymbolId own_name = after.name;
    if (const SymbolId due = base_[subject_.rule].of_function()) after.name = due;
    // Effects that nothing is computed from are met by whole passes alone.
    if (after.exit && !subject_.fact) how = subject_.often;
    rewriter.run(Phase{own_name, how, {}});
    after.name = own_name;
}

// An expansion does not fit because lengths are known. Decides if this is the rule's fault: not if it happens without
// the rule, or if the left side faults anyway.
Trial::Made Trial::misfit(const Tape& taken, const Level& level) {
    Choices choices(taken);
    Trial left(world_, base_, vocabulary_, subject_);
    left.left_alone_ = true;
    const bool fits = left.make(choices, level) == Made::Applied;
    const Graph& graph = left.before().graph;
    if (std::ranges::none_of(reachable(graph, roots(left.before())),
                             [&](NodeId node) { return knows_a_length(world_.context.types, graph.type(node)); }))
        return Made::IllTyped;
    for (std::uint64_t seed = 0; fits && seed < runs_of_misfits; ++seed) {
        Choices values(mix(seed, taken.size()));
        if (left.compare(draw_arguments(world_.context, left.before(), values, left.temper())) == Result::Same)
            return Made::IllTyped;
    }
    return Made::Misfit;
}

bool Trial::exhaustible() const {
    const Types& types = world_.context.types;
    const auto is_small = [&](const Parameter& p) {
        return (types.is_scalar(p.type) && types.bits(p.type) <= 8) ||
               (types.is_float(p.type) && temper_ == Temper::Edges);
    };
    return before().params.size() <= 2 && std::ranges::all_of(before().params, is_small);
}

std::size_t Trial::operations() const {
    const Graph& graph = before().graph;
    auto counts = [&](NodeId node) {
        return !graph.is_literal(node) && !graph.is_param(node) && !graph.is_project(node);
    };
    return static_cast<std::size_t>(std::ranges::count_if(reachable(graph, roots(before())), counts));
}

// -- comparing --------------------------------------------------------------------------------------

bool Trial::same(TypeId type, const Value& a, const Value& b) const {
    const Types& types = world_.context.types;
    return base_[subject_.rule].inexact ? is_close(types, type, a, b, floats_) : equal(types, type, a, b);
}

bool Trial::same_as_left(const Outcome& right) const {
    const RuleSetId set = base_[subject_.rule].set;
    const bool prints = set && base_[set].prints;
    if (right.kind != Outcome::Kind::Done ||
        !(prints ? prints_more(left_.output, right.output) : left_.output == right.output))
        return false;
    const auto exactly = [&](TypeId type, const Value& a, const Value& b) { return same(type, a, b); };
    for (std::size_t i = 0; i < left_.results.size(); ++i)
        if (!agreement_.same(world_.context.types, *evaluator_, module_, i, before().result_types[i], left_.results[i],
                             right.results[i], exactly))
            return false;
    return true;
}

Trial::Result Trial::compare(std::vector<Value> arguments) {
    using K = Outcome::Kind;
    floats_ = {}, in_parts_ = false;
    bool inexact = base_[subject_.rule].inexact;
    const Limits& limits = has_models(world_.context, base_) ? modelled_limits : left_limits;
    left_ = evaluator_->run(before(), arguments, limits, inexact ? &floats_ : nullptr);
    switch (left_.kind) {
    case K::Done: break;
    case K::Faulted: return Result::LeftFaulted;
    case K::NoMeaning: return why_ = left_.fault.what, Result::NoMeaning;
    case K::OutOfFuel: return compare_endless(std::move(arguments));
    default: return Result::Unknown;
    }
    if (inexact && !is_moderate(floats_)) return Result::LeftFaulted;
    right_ = evaluator_->run(after(), arguments, right_limits);
    if (right_.kind == K::NoMeaning) return why_ = right_.fault.what, Result::NoMeaning;
    if (subject_.of_analysis && right_.kind == K::Faulted && Invariants::is_broken(right_.fault))
        return Result::LeftFaulted;
    if (!same_as_left(right_)) return may_be_long(arguments) ? Result::Unknown : Result::Different;
    return combines_ ? compare_in_parts(std::move(arguments)) : Result::Same;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> Trial::work(std::vector<Value> arguments) {
    const Outcome left = evaluator_->run(before(), arguments, left_sized);
    if (left.kind != Outcome::Kind::Done) return std::nullopt;
    const Outcome right = evaluator_->run(after(), std::move(arguments), right_sized);
    if (right.kind != Outcome::Kind::Done) return std::nullopt;
    return std::pair(left.work.all(), right.work.all());
}

namespace {
// A number that no run counts up to: a cast makes lengths of floats.
bool is_long(const Types& types, TypeId type, std::uint64_t bits) {
    const auto most = static_cast<std::int64_t>(left_limits.fuel);
    if (types.is_float(type)) return !(std::fabs(to_double(types.kind(type), bits)) <= static_cast<double>(most));
    const auto size = static_cast<std::int64_t>(bits);
    return types.is_integer(type) && (size > most || size < -most);
}
bool has_long(const Types& types, TypeId type, const Value& value) {
    if (!value.parts) return is_long(types, type, value.bits);
    const TypeKind kind = types.kind(type);
    auto part = [&](std::size_t i) {
        return kind == TypeKind::Array    ? types.element(type)
               : kind == TypeKind::Struct ? types.fields(type)[i].type
                                          : types.elements(type)[i];
    };
    for (std::size_t i = 0; i < value.parts->size(); ++i)
        if (has_long(types, part(i), (*value.parts)[i])) return true;
    return false;
}
} // namespace

// The right side does not come to an end for the length of something that the left side has as well, and did not need:
// what cannot fault may come out of a branch in a loop.
bool Trial::may_be_long(std::span<const Value> arguments) const {
    using K = Outcome::Kind;
    if (right_.kind != K::OutOfFuel && right_.kind != K::OutOfMemory) return false;
    const Types& types = world_.context.types;
    const Graph& graph = before().graph;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (has_long(types, before().params[i].type, arguments[i])) return true;
    const bool named = std::ranges::any_of(reachable(graph, roots(before())), [&](NodeId node) {
        return graph.is_number(node) && is_long(types, graph.type(node), graph.attrs(node)[0].bits);
    });
    if (named) return true;
    FloatRange floats; // those that primitives make
    evaluator_->run(after(), {arguments.begin(), arguments.end()}, right_limits, &floats);
    return floats.most > static_cast<double>(left_limits.fuel);
}

// Reductions of the right side yield the same in any grouping, if those of the left side do.
Trial::Result Trial::compare_in_parts(std::vector<Value> arguments) {
    Outcome right = evaluator_->run(after(), arguments, right_limits, nullptr, Grouping::InParts);
    if (same_as_left(right) || !left_is_same_in_parts(arguments) || !keeps_promises()) return Result::Same;
    right_ = std::move(right), in_parts_ = true;
    return Result::Different;
}

// True if the left side, with these arguments, has one value however its reductions are grouped, as far as tests show.
bool Trial::left_is_same_in_parts(const std::vector<Value>& arguments) {
    for (unsigned size = 1; size <= most_in_part; ++size)
        for (unsigned first = 1; first <= size + 1; ++first)
            if (!same_as_left(evaluator_->run(before(), arguments, right_limits, nullptr, in_parts(first, size))))
                return false;
    return true;
}

// True if, as far as tests show, the operators of the left side are associative and their start values neutral.
bool Trial::keeps_promises() {
    if (keeps_promises_) return *keeps_promises_;
    keeps_promises_ = true;
    const Outcome left = std::move(left_);
    for (std::uint64_t seed = 0; seed < runs_of_promises && *keeps_promises_; ++seed) {
        Choices values(mix(seed, operations()));
        const auto arguments = draw_arguments(world_.context, before(), values, temper_);
        left_ = evaluator_->run(before(), arguments, left_limits);
        if (left_.kind != Outcome::Kind::Done) continue;
        keeps_promises_ = left_is_same_in_parts(arguments);
    }
    left_ = left;
    return *keeps_promises_;
}

// Of a left side that does not come to an end there is what it prints until then.
Trial::Result Trial::compare_endless(std::vector<Value> arguments) {
    using K = Outcome::Kind;
    auto prints_otherwise = [&] { return right_.kind == K::Done && !right_.output.starts_with(left_.output); };
    if (left_.output.empty()) return Result::Unknown;
    right_ = evaluator_->run(after(), arguments, endless_limits);
    if (!prints_otherwise()) return Result::Unknown;
    left_ = evaluator_->run(before(), std::move(arguments), endless_limits); // is it only long?
    return left_.kind == K::OutOfFuel && prints_otherwise() ? Result::Different : Result::Unknown;
}

std::string Trial::text_of(const Function& function) const {
    const Outcome& outcome = &function == &before() ? left_ : right_;
    switch (outcome.kind) {
    case Outcome::Kind::Done: break;
    case Outcome::Kind::Faulted: return "a fault (" + outcome.fault.what + ")";
    default: {
        constexpr std::size_t most = 20; // of what it prints
        const std::string text = "no value (it does not end)", &printed = outcome.output;
        return printed.empty()
                   ? text
                   : text + ", and prints " + escape(printed.substr(0, most)) + (printed.size() > most ? "…" : "");
    }
    }
    std::string text = "";
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        text += (i ? " | " : "") + value_text(world_.context, function.result_types[i], outcome.results[i]);
    if (!outcome.output.empty()) text += ", and prints " + escape(outcome.output);
    return text;
}

} // namespace irrewrite
