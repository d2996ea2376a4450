// The evaluator's entry, and what the IR's own notation means: tuples, structs, lists, calls.

#include "engine/interpret/interpreter.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>
#include <cmath>

namespace irrewrite {

namespace {

bool collect_operands(Site& site) {
    Buffer parts(site.machine);
    for (std::size_t i = 0; i < site.count(); ++i)
        if (!parts.push(site[i])) return false;
    return site.give(parts);
}

bool pack(Site& site) {
    for (std::size_t i = 0; i < site.count(); ++i) site.give(site[i]);
    return true;
}

bool part(Site& site) { return site.give(site.array(0)[site.graph().position(site.node())]); }

// Externals compute in double, and only doubles have a meaning here.
bool call_external(Site& site, const Function& function) {
    std::string_view name = site.machine.context().symbols[function.name];
    const External* external = find_external(name);
    auto is_double = [&](TypeId type) { return type == site.machine.types().f64(); };
    bool fits = external && external->parameters == site.count() && is_double(site.graph().type(site.node()));
    double arguments[3];
    for (std::size_t i = 0; fits && i < site.count(); ++i) {
        fits = is_double(site.type(i));
        arguments[i] = to_double(TypeKind::F64, site[i].bits);
    }
    if (!fits) return site.machine.no_meaning(site.node(), "@" + std::string(name));
    return site.give({from_double(TypeKind::F64, external->evaluate(arguments)), nullptr});
}

bool call(Site& site) {
    SymbolId name = site.graph().attrs(site.node())[0].text();
    const Function* function = site.machine.module().find(name);
    if (!function) return site.machine.no_meaning(site.node(), "@" + std::string(site.machine.context().symbols[name]));
    if (function->external) return call_external(site, *function);
    std::vector<Value> arguments;
    for (std::size_t i = 0; i < site.count(); ++i) arguments.push_back(site.take(i));
    return site.machine.call(*function, std::move(arguments), site.results);
}

// clang-format off
constexpr External externals[] = {
    {"hypot",     2, [](const double* x) { return std::hypot(x[0], x[1]); }},
    {"atan2",     2, [](const double* x) { return std::atan2(x[0], x[1]); }},
    {"copysign",  2, [](const double* x) { return std::copysign(x[0], x[1]); }},
    {"fmod",      2, [](const double* x) { return std::fmod(x[0], x[1]); }},
    {"remainder", 2, [](const double* x) { return std::remainder(x[0], x[1]); }},
    {"fdim",      2, [](const double* x) { return std::fdim(x[0], x[1]); }},
    {"fmin",      2, [](const double* x) { return std::fmin(x[0], x[1]); }},
    {"fmax",      2, [](const double* x) { return std::fmax(x[0], x[1]); }},
    {"pow",       2, [](const double* x) { return std::pow(x[0], x[1]); }},
    {"fma",       3, [](const double* x) { return std::fma(x[0], x[1], x[2]); }},
    {"acos",      1, [](const double* x) { return std::acos(x[0]); }},
    {"acosh",     1, [](const double* x) { return std::acosh(x[0]); }},
    {"asin",      1, [](const double* x) { return std::asin(x[0]); }},
    {"asinh",     1, [](const double* x) { return std::asinh(x[0]); }},
    {"atan",      1, [](const double* x) { return std::atan(x[0]); }},
    {"atanh",     1, [](const double* x) { return std::atanh(x[0]); }},
    {"cbrt",      1, [](const double* x) { return std::cbrt(x[0]); }},
    {"cosh",      1, [](const double* x) { return std::cosh(x[0]); }},
    {"sinh",      1, [](const double* x) { return std::sinh(x[0]); }},
    {"erf",       1, [](const double* x) { return std::erf(x[0]); }},
    {"erfc",      1, [](const double* x) { return std::erfc(x[0]); }},
    {"exp2",      1, [](const double* x) { return std::exp2(x[0]); }},
    {"expm1",     1, [](const double* x) { return std::expm1(x[0]); }},
    {"log2",      1, [](const double* x) { return std::log2(x[0]); }},
    {"log10",     1, [](const double* x) { return std::log10(x[0]); }},
    {"log1p",     1, [](const double* x) { return std::log1p(x[0]); }},
    {"round",     1, [](const double* x) { return std::round(x[0]); }},
    {"trunc",     1, [](const double* x) { return std::trunc(x[0]); }},
    {"tgamma",    1, [](const double* x) { return std::tgamma(x[0]); }},
    {"sqrt",      1, [](const double* x) { return std::sqrt(x[0]); }},
    {"exp",       1, [](const double* x) { return std::exp(x[0]); }},
    {"log",       1, [](const double* x) { return std::log(x[0]); }},
    {"sin",       1, [](const double* x) { return std::sin(x[0]); }},
    {"cos",       1, [](const double* x) { return std::cos(x[0]); }},
    {"tan",       1, [](const double* x) { return std::tan(x[0]); }},
    {"tanh",      1, [](const double* x) { return std::tanh(x[0]); }},
    {"fabs",      1, [](const double* x) { return std::fabs(x[0]); }},
    {"floor",     1, [](const double* x) { return std::floor(x[0]); }},
    {"ceil",      1, [](const double* x) { return std::ceil(x[0]); }},
};

// In the order of Core.
constexpr bool (*core_table[])(Site&) = {
    nullptr, nullptr, nullptr, // Literal, Param, Project
    collect_operands, part,    // Tuple, Element
    collect_operands, part,    // Struct, Field
    collect_operands, call,    // List, Call
    pack,                      // Pack
};
// clang-format on
static_assert(std::size(core_table) == static_cast<std::size_t>(Core::None));

} // namespace

const External* find_external(std::string_view name) {
    auto found = std::ranges::find(externals, name, &External::name);
    return found == std::end(externals) ? nullptr : found;
}

bool (*core_meaning(Core core))(Site&) { return core_table[static_cast<std::size_t>(core)]; }

Evaluator::Evaluator(const Context& context, const Module& module, Motion motion)
    : interpreter_(std::make_unique<Interpreter>(context, module, Limits{}, motion)) {}
Evaluator::~Evaluator() = default;

Outcome Evaluator::run(const Function& function, std::vector<Value> arguments, const Limits& limits, FloatRange* floats,
                       Grouping grouping) {
    Interpreter& interpreter = *interpreter_;
    interpreter.restart(limits);
    interpreter.floats = floats, interpreter.grouping = grouping;
    if (function.external) {
        Outcome outcome;
        outcome.kind = Outcome::Kind::NoMeaning;
        outcome.fault = {"@" + std::string(interpreter.context().symbols[function.name]), UINT32_MAX, function.name};
        return outcome;
    }
    std::vector<Value> results;
    if (interpreter.call(function, std::move(arguments), results)) interpreter.outcome.results = std::move(results);
    return std::move(interpreter.outcome);
}

Outcome evaluate(const Context& context, const Module& module, const Function& function, std::vector<Value> arguments,
                 const Limits& limits) {
    return Evaluator(context, module).run(function, std::move(arguments), limits);
}

} // namespace irrewrite
