// Values that are computed when they are first needed: a loop needs them at some of its indices, they do not change in it, and
// they may fault (engine/schedule, `OnDemand`).
//
// If a loop surely needs such a value as soon as it runs at all, the value is computed before the loop (before_loops.cpp).
// Otherwise a variable and a function are declared at the value's place; each user calls the function, which computes the
// value the first time. Threads of a parallel loop call it through `once`.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

// For -explain.
void note_on_demand(CppModule& module, const Function& function, NodeId node) {
    if (module.options.cuda) return;
    const SymbolId name = function.graph.name(node);
    const Span where = module.context.sources.at(function.graph.origin(node).place);
    const std::ptrdiff_t line = where.source ? module.line_of(where).value_or(0) : 0;
    std::string text = name ? "'%" + std::string(module.context.symbols[name]) + "'" : "a value";
    if (line) text += (name ? " (line " : " of line ") + std::to_string(line) + (name ? ")" : "");
    module.notes.push_back({function.name, text + ": computed when it is first needed, once"});
}

} // namespace

// Behind the loop nobody knows whether it ran.
void DemandPrinter::forget(std::span<const std::uint32_t> settled) {
    for (std::uint32_t lazy : settled) lazy_[lazy].settled = false;
}

void DemandPrinter::settle(std::uint32_t lazy) {
    if (std::exchange(lazy_[lazy].settled, true)) return;
    env_.on_leave([this, lazy] { lazy_[lazy].settled = false; });
}

// Until the scope ends they are known to be there.
void DemandPrinter::print_demands(std::span<const std::uint32_t> demands) {
    for (std::uint32_t demanded : demands) {
        if (lazy_[demanded].settled) continue;
        const ScheduledNode& scheduled = demands_.lazy_node(demanded);
        if (schedule_.on_demand[demanded].kept) {
            const std::string& compute = lazy_[demanded].compute;
            if (compute.empty()) continue; // of another part of the loop
            const std::string question =
                at_.kernel != nullptr ? at_.kernel->question(demanded, lazy_[demanded].known) : "";
            out_.line(question.empty() ? compute + ";" : question);
        } else {
            const bool left_out = at_.only != nullptr && !at_.only->contains(scheduled.node);
            const bool asks = at_.kernel != nullptr && !at_.kernel->asks.empty();
            if (!left_out || asks) print_demands(schedule_.on_demand[demanded].demands);
            if (left_out) continue;
            f_.print_node(scheduled, schedule_.on_demand[demanded].region, no_place);
        }
        settle(demanded);
    }
}

// Iterations that test whether a value is known are slow: as soon as all values are known, a loop without tests runs.
void DemandPrinter::print_until_known(const ScheduledNode& loop, const UntilKnown& plan,
                                      std::vector<Generator>& generators, std::string_view begin,
                                      std::string_view end) {
    const std::vector<std::uint32_t>& wanted = plan.values;
    std::string known;
    for (std::uint32_t lazy : wanted) known += (known.empty() ? "" : " && ") + lazy_[lazy].known;
    out_.open_names();
    const bool blocks = at_.hot == 1;
    std::string first(begin), last(end);
    if (blocks) {
        first = out_.fresh("block"), last = out_.fresh("stop");
        out_.open("for (std::int64_t " + first + " = " + std::string(begin) + ", " + last + "; " + first + " < " +
                  std::string(end) + "; " + first + " = " + last + ") {");
        out_.line(last + " = std::min<std::int64_t>(" + first + " + 1024, " + std::string(end) + ");");
    }
    out_.open("if (" + known + ") {");
    {
        const Scope scope(env_, ranges_);
        for (std::uint32_t lazy : wanted) settle(lazy);
        f_.loops.declare_pointers(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}), loop.blocks[0]);
        f_.loops.print_body(loop, generators, first, last);
    }
    out_.close_names(), out_.outdent();
    out_.open("} else {");
    at_.asking = true;
    f_.loops.print_body(loop, generators, first, last);
    at_.asking = false;
    out_.close();
    if (blocks) out_.close();
    out_.close_names();
}

// Assigns the results that were just computed to variables from outside.
void DemandPrinter::store_results(NodeId node, std::span<const std::string> names) {
    const std::vector<TypeId> types = code_.result_types(node);
    const OpKind shape = g_.core(node) == Core::None ? module_.shapes[g_.op(node).index] : OpKind::Plain;
    const bool own = g_.core(node) == Core::Call || (shape == OpKind::Plain && module_.makes_array(g_, node)) ||
                     shape == OpKind::Loop || shape == OpKind::For || shape == OpKind::While || shape == OpKind::If ||
                     shape == OpKind::Region || shape == OpKind::Update;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const Binding value = g_.kind(node) == TypeKind::Results ? (*env_.find_results(node))[k] : binding(node);
        out_.line(names[k] + " = " + stored(value, types[k], own, node) + ";");
    }
    bind_results(node, names, types);
}

// Variables, and a function that computes them the first time that it is called.
void DemandPrinter::print_on_demand(const ScheduledNode& scheduled, Region region) {
    const OnDemand& entry = schedule_.on_demand[scheduled.on_demand];
    Lazy& lazy = lazy_[scheduled.on_demand];
    if (!entry.kept || lazy.loop) return; // where it is needed
    note_on_demand(module_, function_, scheduled.node);
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = code_.result_types(node);
    const bool threads = demands_.is_for_threads(scheduled.on_demand);
    const std::vector<std::string> names = declare_results(node, types, module_.options.cuda);
    const std::string known = out_.fresh("known"), compute = out_.fresh("compute");
    out_.line((threads ? "once " : "bool ") + known + (threads ? ";" : " = false;"));
    out_.open("const auto " + compute + " = [&] {");
    {
        const Scope scope(env_, ranges_);
        if (!threads) out_.line("if (std::exchange(" + known + ", true)) return;");
        // On the device a fault leaves this function, and its callers go on.
        const std::string gives = at_.kernel != nullptr ? std::exchange(at_.kernel->gives, {}) : std::string();
        print_demands(entry.demands);
        f_.print_node(scheduled, region, no_place);
        store_results(node, names);
        if (at_.kernel != nullptr) at_.kernel->gives = gives;
    }
    out_.close("};");
    lazy.known = known;
    lazy.compute = threads ? known + "(" + compute + ")" : compute + "()";
    bind_results(node, names, types);
}

} // namespace irrewrite::printers
