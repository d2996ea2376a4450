// Values that are computed when they are first needed: a loop needs them at some of its indices, they do not change in it, and
// they may fault (engine/schedule, `OnDemand`).
//
// If a loop surely needs such a value as soon as it runs at all, the value is computed before the loop (before_loops.cpp).
// Otherwise a variable and a function are declared at the value's place; each user calls the function, which computes the
// value the first time. Threads of a parallel loop call it through `once`.
#include "engine/analysis/regions.hpp"
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

const ScheduledNode& CppFunction::lazy_node(std::uint32_t lazy) const {
    const OnDemand& entry = schedule_.on_demand[lazy];
    return schedule_.blocks[entry.region].nodes[entry.position];
}

// True if something is left to compute when the region is entered.
bool CppFunction::waits(Region region) const {
    return std::ranges::any_of(schedule_.blocks[region].demands,
                               [&](std::uint32_t demanded) { return !lazy_[demanded].settled; });
}

void CppFunction::settle(std::uint32_t lazy) {
    if (std::exchange(lazy_[lazy].settled, true)) return;
    undo_.push_back({.node = {}, .value = {}, .results = {}, .several = false, .settled = lazy});
}

// Until the scope ends they are known to be there.
void CppFunction::print_demands(std::span<const std::uint32_t> demands) {
    for (std::uint32_t demanded : demands) {
        if (lazy_[demanded].settled) continue;
        const ScheduledNode& scheduled = lazy_node(demanded);
        if (schedule_.on_demand[demanded].kept) {
            const std::string& compute = lazy_[demanded].compute;
            if (compute.empty()) continue; // of another part of the loop
            const std::string question =
                on_device_ != nullptr ? on_device_->question(demanded, lazy_[demanded].known) : "";
            out_.line(question.empty() ? compute + ";" : question);
        } else {
            const bool left_out = only_ != nullptr && !only_->contains(scheduled.node);
            const bool asks = on_device_ != nullptr && !on_device_->asks.empty();
            if (!left_out || asks) print_demands(schedule_.on_demand[demanded].demands);
            if (left_out) continue;
            print_node(scheduled, schedule_.on_demand[demanded].region, no_place);
        }
        settle(demanded);
    }
}

// -- in a loop -------------------------------------------------------------------------------------

// The lazy values that the loop's own iterations may need, not those of loops inside it.
std::vector<std::uint32_t> CppFunction::wanted_in(const ScheduledNode& loop) const {
    std::vector<std::uint32_t> found;
    const auto in_iterations = [&](Region region) {
        for (; region != 0; region = schedule_.blocks[region].parent) {
            if (region == loop.blocks[0]) return true;
            const ScheduledBlock& block = schedule_.blocks[region];
            if (block.id && GraphView(g_).is_computed(block.owner) && !uses_.is_branch(region)) return false;
        }
        return false;
    };
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    for (std::uint32_t lazy = 0; lazy < lazy_.size(); ++lazy)
        if (!lazy_[lazy].settled && !lazy_[lazy].compute.empty() &&
            std::ranges::find(regions, schedule_.on_demand[lazy].region) == regions.end() &&
            std::ranges::any_of(lazy_[lazy].sites, in_iterations))
            found.push_back(lazy);
    return found;
}

// Iterations that test whether a value is known are slow: as soon as all values are known, a loop without tests runs.
bool CppFunction::print_until_known(const ScheduledNode& loop, std::vector<Generator>& generators,
                                    std::string_view begin, std::string_view end) {
    if (lazy_.empty() || asking_ || module_.options.cuda || only_ != nullptr) return false;
    if (std::ranges::any_of(generators, [](const Generator& generator) {
            return generator.shape == OpKind::Scan || generator.shape == OpKind::Running || generator.fed_by;
        }))
        return false;
    const std::vector<std::uint32_t> wanted = wanted_in(loop);
    if (wanted.empty()) return false;
    std::string known;
    for (std::uint32_t lazy : wanted) known += (known.empty() ? "" : " && ") + lazy_[lazy].known;
    out_.open_names();
    const bool blocks = hot_ == 1;
    std::string first(begin), last(end);
    if (blocks) {
        first = out_.fresh("block"), last = out_.fresh("stop");
        out_.open("for (std::int64_t " + first + " = " + std::string(begin) + ", " + last + "; " + first + " < " +
                  std::string(end) + "; " + first + " = " + last + ") {");
        out_.line(last + " = std::min<std::int64_t>(" + first + " + 1024, " + std::string(end) + ");");
    }
    out_.open("if (" + known + ") {");
    {
        const Scope scope(*this);
        for (std::uint32_t lazy : wanted) settle(lazy);
        declare_pointers(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}), loop.blocks[0]);
        print_body(loop, generators, first, last);
    }
    out_.close_names(), out_.outdent();
    out_.open("} else {");
    asking_ = true;
    print_body(loop, generators, first, last);
    asking_ = false;
    out_.close();
    if (blocks) out_.close();
    out_.close_names();
    return true;
}

// -- where it stands -------------------------------------------------------------------------------

// Assigns the results that were just computed to variables from outside.
void CppFunction::store_results(NodeId node, std::span<const std::string> names) {
    const std::vector<TypeId> types = result_types(node);
    const OpKind shape = g_.core(node) == Core::None ? module_.shapes[g_.op(node).index] : OpKind::Plain;
    const bool own = g_.core(node) == Core::Call || (shape == OpKind::Plain && module_.makes_array(g_, node)) ||
                     shape == OpKind::Loop || shape == OpKind::For || shape == OpKind::While || shape == OpKind::If ||
                     shape == OpKind::Update;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const Binding value = g_.kind(node) == TypeKind::Results ? results_.at(node)[k] : binding(node);
        out_.line(names[k] + " = " + stored(value, types[k], own, node) + ";");
    }
    bind_results(node, names, types);
}

// True if several threads may need it: a parallel loop does, and the value does not stand in one itself.
bool CppFunction::is_for_threads(std::uint32_t lazy) const {
    if (hot_ > 0 || module_.options.cuda) return false;
    const Region home = schedule_.on_demand[lazy].region;
    const auto in_loop = [&](Region region) {
        for (Region r = region; r != home && r != 0; r = schedule_.blocks[r].parent)
            if (const NodeId owner = schedule_.blocks[r].owner;
                schedule_.blocks[r].id && GraphView(g_).is_computed(owner) && g_.core(owner) == Core::None &&
                module_.shapes[g_.op(owner).index] == OpKind::Loop)
                return true;
        return false;
    };
    return std::ranges::any_of(lazy_[lazy].regions, in_loop) ||
           std::ranges::any_of(lazy_[lazy].users, [&](std::uint32_t user) {
               return in_loop(schedule_.on_demand[user].region) || is_for_threads(user);
           });
}

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

// Variables, and a function that computes them the first time that it is called.
void CppFunction::print_on_demand(const ScheduledNode& scheduled, Region region) {
    const OnDemand& entry = schedule_.on_demand[scheduled.on_demand];
    Lazy& lazy = lazy_[scheduled.on_demand];
    if (!entry.kept || lazy.loop) return; // where it is needed
    note_on_demand(module_, function_, scheduled.node);
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = result_types(node);
    const bool threads = is_for_threads(scheduled.on_demand);
    const std::vector<std::string> names = declare_results(node, types, module_.options.cuda);
    const std::string known = out_.fresh("known"), compute = out_.fresh("compute");
    out_.line((threads ? "once " : "bool ") + known + (threads ? ";" : " = false;"));
    out_.open("const auto " + compute + " = [&] {");
    {
        const Scope scope(*this);
        if (!threads) out_.line("if (std::exchange(" + known + ", true)) return;");
        // On the device a fault leaves this function, and its callers go on.
        const std::string gives = on_device_ != nullptr ? std::exchange(on_device_->gives, {}) : std::string();
        print_demands(entry.demands);
        print_node(scheduled, region, no_place);
        store_results(node, names);
        if (on_device_ != nullptr) on_device_->gives = gives;
    }
    out_.close("};");
    lazy.known = known;
    lazy.compute = threads ? known + "(" + compute + ")" : compute + "()";
    bind_results(node, names, types);
}

} // namespace irrewrite::printers
