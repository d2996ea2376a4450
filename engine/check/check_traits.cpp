#include "engine/check/check_traits.hpp"

#include "engine/analysis/endings.hpp"
#include "engine/check/agreement.hpp"
#include "engine/check/check_rule.hpp"
#include "engine/check/invariants.hpp"
#include "engine/generate/edge_values.hpp"
#include "engine/interpret/evaluate.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/ir/type_parts.hpp"
#include "engine/passes/link_functions.hpp"
#include "engine/passes/lower_types.hpp"

#include <algorithm>
#include <cctype>

namespace irrewrite {

namespace {
constexpr Limits trait_limits{.fuel = 20'000, .depth = 200, .memory = 16u << 20};
constexpr std::uint64_t draws_of_each = 12; // to a program
constexpr std::uint64_t typed_programs = 40;
// A run with small numbers that is not at its end here does not end.
constexpr Limits ending_limits{.fuel = 300'000, .depth = 1'000, .memory = 256u << 20};
constexpr double greatest_small = 3;

// Opaque types are, while it lives, what they become in the phases to come.
class TypesLowered {
  public:
    TypesLowered(Context& context, const RuleBase& base, bool any = true) : context_(context), base_(base) {
        Module none;
        for (std::size_t i = 0; any && i < base.phases.size(); ++i)
            lower_types(context, base, base.phases[i].name, none);
    }
    ~TypesLowered() { raise_types(context_, base_); }
    TypesLowered(const TypesLowered&) = delete;

  private:
    Context& context_;
    const RuleBase& base_;
};

// Of a loop without effects, nothing shows that it ends.
bool has_open_loop(const Module& module) {
    return std::ranges::any_of(module.functions, [](const Function& function) {
        return std::ranges::any_of(reachable(function.graph, roots(function)), [&](NodeId node) {
            return is_open_loop(function.graph, node) && !surely_ends(function.graph, node, nullptr);
        });
    });
}

bool is_small(const Types& types, TypeId type, const Value& value) {
    if (types.is_float(type)) {
        const double number = to_double(types.kind(type), value.bits);
        return !std::isfinite(number) || std::fabs(number) <= greatest_small;
    }
    if (types.is_scalar(type))
        return std::fabs(static_cast<double>(static_cast<std::int64_t>(value.bits))) <= greatest_small;
    const TypeKind kind = types.kind(type);
    for (std::size_t i = 0; value.parts && i < value.parts->size(); ++i) {
        const TypeId part = kind == TypeKind::Array    ? types.element(type)
                            : kind == TypeKind::Struct ? types.fields(type)[i].type
                                                       : types.elements(type)[i];
        if (!is_small(types, part, (*value.parts)[i])) return false;
    }
    return true;
}
} // namespace

std::vector<OpId> operations_with_laws(RuleWorld& world, const RuleBase& base, std::span<const std::string> files) {
    std::vector<OpId> out;
    for (std::uint32_t i = 0; i < world.context.operations.size(); ++i) {
        const Operation& operation = world.context.operations[OpId{i}];
        if (is_named(world.context, operation.where, files) && !laws_of(base, world.context, OpId{i}).empty())
            out.push_back(OpId{i});
    }
    return out;
}

struct TraitChecker::Sides {
    const TraitLaw& law;
    Module module{}, shown{}; // as evaluated; as written
    std::unique_ptr<Evaluator> evaluator{};
    Temper temper = Temper::Edges;
    Outcome left{}, right{};
    Agreement agreement{};       // of results, then of parameters
    std::vector<Value> others{}; // what the right side gets, where that is not what the left side gets
    const Function& before() const { return module.functions[0]; }
    const Function& after() const { return module.functions[1]; }
};

TraitChecker::TraitChecker(RuleWorld& world, const RuleBase& base, const Vocabulary& vocabulary,
                           const CheckTools& tools, const CheckOptions& options, OpId op)
    : world_(world), base_(base), vocabulary_(vocabulary), tools_(tools), options_(options), op_(op),
      meaning_(world.context, base) {
    const Operation& operation = world.context.operations[op];
    verdict_.name = "op " + std::string(world.context.symbols[operation.name]);
    const Source& source = world.context.sources[operation.where.source];
    verdict_.file = source.name;
    verdict_.where = line_column(source, operation.where.begin);
    seed_ = mix(options.seed, verdict_.name);
}

Verdict TraitChecker::run() {
    const std::vector<TraitLaw> laws = [&] {
        const TypesLowered lowered(world_.context, base_);
        return laws_of(base_, world_.context, op_);
    }();
    const WithoutLaws without(world_.context.operations, op_);
    std::string untested;
    for (const TraitLaw& law : laws) {
        const std::uint64_t instances = verdict_.instances;
        if (!done_) check(law, false);
        if (!done_ && verdict_.instances == instances) check(law, true);
        // Of types, and of results that are memory, the promise needs no declaration.
        const bool declared = law.kind != TraitLaw::Kind::Apart && law.kind != TraitLaw::Kind::Typed;
        if (declared && verdict_.instances == instances && untested.empty()) untested = law.trait;
    }
    if (verdict_.kind != Verdict::Kind::Passed || (verdict_.instances > 0 && untested.empty())) return verdict_;
    verdict_.kind = may_have_meaning() ? Verdict::Kind::Unchecked : Verdict::Kind::AsTerms;
    if (verdict_.text.empty()) verdict_.text = "no program has a value that depends on '" + untested + "'";
    return verdict_;
}

// Values that are emitted have one in a loop alone.
bool TraitChecker::may_have_meaning() const {
    const Operation& operation = world_.context.operations[op_];
    const auto is_emitted = [](const TypeTerm& term) {
        using K = TypeTerm::Kind;
        return term.kind == K::Generator || term.kind == K::Emission || term.kind == K::Once;
    };
    if (std::ranges::any_of(operation.signature.operands, is_emitted) ||
        std::ranges::any_of(operation.signature.results, is_emitted) ||
        std::ranges::any_of(operation.signature.blocks, [&](const BlockSignature& block) {
            return std::ranges::any_of(block.results, is_emitted);
        }))
        return false;
    return has_meaning(world_.context, operation) || operation.expansion || base_.expansions.contains(op_);
}

void TraitChecker::check(const TraitLaw& law, bool lowered) {
    const TypesLowered types(world_.context, base_, lowered);
    static constexpr TypeKind first[] = {TypeKind::I64, TypeKind::F64, TypeKind::I8,  TypeKind::Bool,
                                         TypeKind::U8,  TypeKind::F32, TypeKind::U64, TypeKind::I32};
    const bool typed = law.kind == TraitLaw::Kind::Typed;
    const std::uint64_t programs =
        typed ? typed_programs : std::max<std::uint64_t>(options_.instances / draws_of_each, std::size(first));
    for (std::uint64_t i = 0, made = 0; i < 4 * programs && made < programs && !done_; ++i) {
        Choices choices(mix(mix(seed_, law.trait), i));
        TermStyle style;
        style.palette = {{first[i % std::size(first)]}, i % 3 == 2};
        if (typed) style.palette.scalars.push_back(first[(i + 1) % std::size(first)]); // of two variables, two types
        style.depth = 1;
        ++verdict_.attempts;
        Sides sides{law};
        if (!add_law(world_.context, vocabulary_, op_, law, choices, style, sides.module)) continue;
        sides.shown = sides.module;
        std::vector<TypeId> compared = sides.before().result_types;
        for (const Parameter& p : sides.before().params) compared.push_back(p.type);
        sides.agreement = Agreement(world_.context, sides.module, compared);
        join_called(sides.module, world_.functions);
        Invariants(world_.context).guard(sides.module);
        std::optional<ExpansionFault> fault;
        if (meaning_.any()) fault = meaning_.apply(world_.context, sides.module, world_.functions, 0);
        if (!fault) fault = expand_for_evaluation(world_.context, base_, sides.module, world_.functions);
        if (typed) {
            const bool fits = judge_types(sides, fault);
            made += fits;
            continue;
        }
        const auto drawable = [&](const Parameter& p) { return can_be_drawn(world_.context.types, p.type); };
        if (fault || !std::ranges::all_of(sides.before().params, drawable)) {
            if (fault && verdict_.text.empty()) verdict_.text = fault->what;
            continue;
        }
        ++made, ++verdict_.programs;
        sides.evaluator = std::make_unique<Evaluator>(world_.context, sides.module, Motion::None);
        const Graph& graph = sides.before().graph;
        const bool lengths = std::ranges::any_of(reachable(graph, roots(sides.before())), [&](NodeId node) {
            return graph.operation(node).primitive < 0 && !graph.is_literal(node) && !graph.is_param(node);
        });
        sides.temper = lengths && i % 4 != 3 ? Temper::Lengths : Temper::Edges;
        try_arguments(sides, mix(seed_, i + 1000000007));
    }
}

// True if the expansion took the place of the operation. Lengths that are known may contradict each other: that is no
// fault of the declaration.
bool TraitChecker::judge_types(const Sides& sides, const std::optional<ExpansionFault>& fault) {
    if (!fault) return ++verdict_.programs, ++verdict_.instances, true;
    const Operation& operation = world_.context.operations[op_];
    const Function& shown = sides.shown.functions[0];
    const bool own = fault->what.starts_with(cannot_expand(world_.context, operation));
    if (!own || std::ranges::any_of(shown.params,
                                    [&](const Parameter& p) { return knows_a_length(world_.context.types, p.type); }))
        return false;
    verdict_.kind = Verdict::Kind::Wrong, done_ = true;
    verdict_.name += ": its expansion does not fit all types that it takes";
    verdict_.text = indented(tools_.print(world_.context, shown)) + "  " + fault->what + "\n";
    return false;
}

void TraitChecker::try_arguments(Sides& sides, std::uint64_t seed) {
    const auto& params = sides.before().params;
    const Types& types = world_.context.types;
    if (params.size() == 1 && types.is_scalar(params[0].type) && types.bits(params[0].type) <= 8) {
        for (std::uint64_t v = 0; v < (types.kind(params[0].type) == TypeKind::Bool ? 2 : 256); ++v) {
            std::vector<Value> arguments{{wrap(types.kind(params[0].type), v), nullptr}};
            if (differs(sides, arguments)) return refute(sides, std::move(arguments));
        }
        return;
    }
    const std::uint64_t count = sides.before().params.empty() ? 1 : draws_of_each;
    for (std::uint64_t i = 0; i < count && !done_; ++i) {
        Choices values(mix(seed, i));
        std::vector<Value> arguments = draw_arguments(world_.context, sides.before(), values, sides.temper);
        if (differs(sides, arguments)) return refute(sides, std::move(arguments));
    }
}

bool TraitChecker::differs(Sides& sides, const std::vector<Value>& arguments) {
    using K = Outcome::Kind;
    sides.left = sides.evaluator->run(sides.before(), arguments, trait_limits);
    if (sides.left.kind == K::NoMeaning) {
        verdict_.kind = Verdict::Kind::AsTerms, done_ = true;
        verdict_.text = "'" + sides.left.fault.what + "' has no meaning to evaluate";
        return false;
    }
    const bool faulted = sides.left.kind == K::Faulted;
    if (faulted) ++verdict_.faults;
    if (faulted || sides.left.kind == K::Done) ++verdict_.instances;
    if (sides.law.has_one_side()) {
        const bool wrong = faulted && sides.law.never_faults() && !Invariants::is_broken(sides.left.fault);
        return wrong || never_ends(sides, arguments);
    }
    if (sides.left.kind != K::Done) return false;
    return sides.law.kind == TraitLaw::Kind::Congruent ? differs_for_others(sides, arguments)
                                                       : differs_from_right(sides, arguments);
}

bool TraitChecker::same(Sides& sides, std::size_t number, TypeId type, const Value& a, const Value& b) {
    const Types& types = world_.context.types;
    return sides.agreement.same(
        types, *sides.evaluator, sides.module, number, type, a, b,
        [&](TypeId of, const Value& one, const Value& other) { return equal(types, of, one, other); });
}

bool TraitChecker::differs_from_right(Sides& sides, const std::vector<Value>& arguments) {
    using K = Outcome::Kind;
    sides.right = sides.evaluator->run(sides.after(), arguments, trait_limits);
    if (sides.right.kind == K::Faulted) return true;
    if (sides.right.kind != K::Done) return false;
    if (sides.left.output != sides.right.output) return true;
    for (std::size_t i = 0; i < sides.left.results.size(); ++i)
        if (!same(sides, i, sides.before().result_types[i], sides.left.results[i], sides.right.results[i])) return true;
    return false;
}

// For values in the place of an argument that agree with it.
bool TraitChecker::differs_for_others(Sides& sides, const std::vector<Value>& arguments) {
    const auto& params = sides.before().params;
    for (std::size_t i = 0; i < params.size(); ++i)
        for (const Value& other : relatives(world_.context.types, params[i].type, arguments[i])) {
            if (equal(world_.context.types, params[i].type, arguments[i], other) ||
                !same(sides, sides.before().results.size() + i, params[i].type, arguments[i], other))
                continue;
            sides.others = arguments, sides.others[i] = other;
            if (differs_from_right(sides, sides.others)) return true;
        }
    sides.others.clear();
    return false;
}

// Calls without an end are a fault; a loop that surely ends takes long, perhaps.
bool TraitChecker::never_ends(Sides& sides, const std::vector<Value>& arguments) {
    const auto kind = sides.law.kind == TraitLaw::Kind::Ends ? Outcome::Kind::OutOfFuel : Outcome::Kind::OutOfDepth;
    for (std::size_t i = 0; sides.left.kind == kind && i < arguments.size(); ++i)
        if (!is_small(world_.context.types, sides.before().params[i].type, arguments[i])) return false;
    if (sides.left.kind != kind || (kind == Outcome::Kind::OutOfFuel && !has_open_loop(sides.module))) return false;
    sides.left = sides.evaluator->run(sides.before(), arguments, ending_limits);
    return sides.left.kind == kind;
}

void TraitChecker::refute(Sides& sides, std::vector<Value> arguments) {
    const std::uint64_t instances = verdict_.instances;
    verdict_.kind = Verdict::Kind::Wrong, done_ = true;
    simplify_arguments(
        world_.context, sides.before(), sides.temper, seed_,
        [&](std::vector<Value> some) { return differs(sides, some); }, arguments);
    differs(sides, arguments);
    verdict_.instances = instances;
    place_at(sides.law);
    const auto list = [&](const std::vector<Value>& values) {
        std::string text;
        for (std::size_t i = 0; i < values.size(); ++i)
            text += (i ? ", " : "") + value_text(world_.context, sides.before().params[i].type, values[i]);
        return text;
    };
    const auto line = [&](const Function& function, const std::vector<Value>& values, const Outcome& outcome) {
        std::string text;
        for (std::size_t i = 0; i < outcome.results.size(); ++i)
            text += (i ? " | " : "") + value_text(world_.context, function.result_types[i], outcome.results[i]);
        if (!outcome.output.empty()) text += ", and prints " + escape(outcome.output);
        if (outcome.kind == Outcome::Kind::Faulted) text = "a fault (" + outcome.fault.what + ")";
        if (outcome.kind == Outcome::Kind::OutOfDepth) text = "no value (it calls itself without end)";
        if (outcome.kind == Outcome::Kind::OutOfFuel) text = "no value (it does not end)";
        return "  -run '@" + std::string(world_.context.symbols[function.name]) + "(" + list(values) + ")' gives " +
               text + "\n";
    };
    for (const Function& function : sides.shown.functions) {
        verdict_.text += indented(tools_.print(world_.context, function));
        const auto& graph = function.graph;
        if (verdict_.operations == 0)
            verdict_.operations =
                static_cast<std::uint64_t>(std::ranges::count_if(reachable(graph, roots(function)), [&](NodeId node) {
                    return !graph.is_literal(node) && !graph.is_param(node) && !graph.is_project(node);
                }));
    }
    verdict_.text += line(sides.before(), arguments, sides.left);
    if (!sides.law.has_one_side())
        verdict_.text += line(sides.after(), sides.others.empty() ? arguments : sides.others, sides.right);
    verdict_.text += "  seed " + std::to_string(options_.seed) + ", after " + std::to_string(instances) +
                     " instances; operations: " + std::to_string(verdict_.operations) + "\n";
}

// The verdict stands at the trait: a word behind the operation's name, outside of parentheses.
void TraitChecker::place_at(const TraitLaw& law) {
    verdict_.name += ": " + law.trait;
    const Span where = world_.context.operations[op_].where;
    const Source& source = world_.context.sources[where.source];
    const std::string_view text = source.text;
    const auto is_word = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    int depth = 0;
    for (std::size_t i = where.end; i < text.size() && !(depth == 0 && text[i] == '='); ++i) {
        if (text[i] == '"')
            i = std::min(text.find('"', i + 1), text.size() - 1);
        else if (std::string_view("([{").find(text[i]) != std::string_view::npos)
            ++depth;
        else if (std::string_view(")]}").find(text[i]) != std::string_view::npos)
            --depth;
        else if (depth == 0 && !is_word(i - 1) && text.substr(i).starts_with(law.trait) &&
                 !is_word(i + law.trait.size())) {
            verdict_.where = line_column(source, static_cast<std::uint32_t>(i));
            return;
        }
    }
}

} // namespace irrewrite
