// The evaluator's entry, and what the IR's own notation means: tuples, structs, lists, calls.

#include "engine/interpret/interpreter.hpp"
#include "engine/ir/externals.hpp"
#include "engine/ir/scalars.hpp"

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

bool await(Site&) { return true; } // its operand is there

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
// In the order of Core.
constexpr bool (*core_table[])(Site&) = {
    nullptr, nullptr, nullptr, // Literal, Param, Project
    collect_operands, part,    // Tuple, Element
    collect_operands, part,    // Struct, Field
    collect_operands, call,    // List, Call
    pack, await,               // Pack, Await
};
// clang-format on
static_assert(std::size(core_table) == static_cast<std::size_t>(Core::None));

} // namespace

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
