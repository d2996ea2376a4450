// Functions that kernels call and that read arrays or loop over them: a text of their own, in which arrays are views of
// the device's memory. A check that fails returns from the function, and its caller continues with an arbitrary value:
// later accesses are checked in turn, and the fault is reported after the kernel.
#include "printers/cuda/device_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

std::string CppModule::device_signature(const Function& function, const std::vector<std::string>& names) const {
    std::string list;
    for (std::size_t k = 0; k < function.params.size(); ++k)
        list += (k > 0 ? ", " : "") + types.read(function.params[k].type) + (names[k].empty() ? "" : " " + names[k]);
    return "__device__ static " + types.returned(function.result_types) + " " + device_names.at(function.name) + "(" +
           list + ")";
}

bool CppModule::may_give_up(const Function& function) const {
    const auto [found, fresh] = giving_up.emplace(function.name, false);
    if (!fresh) return found->second;
    const Graph& graph = function.graph;
    bool may = false;
    for (std::uint32_t i = 0; i < graph.size() && !may; ++i) {
        const NodeId node{i};
        if (graph.is_param(node)) continue;
        const Function* callee = graph.core(node) == Core::Call ? module.find(graph.attrs(node)[0].text()) : nullptr;
        may = shapes[graph.op(node).index] == OpKind::While || (callee != nullptr && may_give_up(*callee));
    }
    return giving_up[function.name] = may;
}

// The step, or the function, ends here.
std::string KernelPrinter::leave(NodeId node, std::string_view kind) const {
    const std::string arguments = "(" + line_number(node) + ", fault_kind::" + std::string(kind) + ");";
    return at_.kernel->gives.empty() ? "return refuse" + arguments
                                     : "return refused<" + at_.kernel->gives + ">" + arguments;
}

void KernelPrinter::print_for_device() {
    Kernel kernel{.gives = module_.types.returned(function_.result_types)};
    at_.kernel = &kernel, at_.hot = 1;
    out_.open_names();
    for (const Parameter& parameter : function_.params) {
        state_.param_names.push_back(out_.fresh(module_.context.symbols[parameter.name]));
        const bool array = module_.types.is_array(parameter.type), rows = module_.types.is_rows(parameter.type);
        define(parameter.node, {{state_.param_names.back()},
                                parameter.type,
                                rows    ? Form::Rows
                                : array ? Form::View
                                        : Form::Value});
    }
    for (const Dimension& dimension : function_.dims)
        define(dimension.node, {{out_.fresh(module_.context.symbols[dimension.name])}, types_.i64()});
    f_.print_nodes(0);
    f_.print_return();
    out_.close_names();
    std::string begin;
    f_.check_dimensions(begin);
    for (std::string& name : state_.param_names)
        if (!state_.used_params.contains(name)) name.clear();
    module_.out += module_.device_signature(function_, state_.param_names) + " {\n" + begin + out_.text() + "}\n";
    at_.kernel = nullptr, at_.hot = 0;
}

// True if a fault may only be recorded, before the loop or in it, so that the loop's own condition may never see it.
bool KernelPrinter::goes_on_after_faults() const {
    if (!module_.options.cuda || (at_.kernel == nullptr && module_.on_device(function_) != OnDeviceAs::Shared))
        return false;
    return std::ranges::any_of(schedule_.blocks, [&](const ScheduledBlock& block) {
        return !block.demands.empty() || std::ranges::any_of(block.nodes, [&](const ScheduledNode& scheduled) {
            const NodeId node = scheduled.node;
            if (g_.core(node) != Core::None) return g_.core(node) == Core::Call;
            return module_.shapes[g_.op(node).index] == OpKind::Plain && module_.form(g_, node).names_line;
        });
    });
}

// Begins a loop of the host that need not wait for its kernels' faults. False if it must: an effect of it is
// irreversible.
bool KernelPrinter::begin_rounds(const ScheduledNode& loop) {
    if (!module_.options.cuda || at_.kernel != nullptr) return false;
    const bool waits =
        std::ranges::any_of(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}), [&](Region region) {
            return std::ranges::any_of(schedule_.blocks[region].nodes, [&](const ScheduledNode& scheduled) {
                if (g_.core(scheduled.node) == Core::Await) return false;
                if (g_.core(scheduled.node) != Core::Call) return g_.operation(scheduled.node).has(Trait::Io);
                const Function* callee = module_.module.find(g_.attrs(scheduled.node)[0].text());
                return callee == nullptr || module_.on_device(*callee) == OnDeviceAs::None;
            });
        });
    state_.rounds += waits ? 0 : 1;
    return !waits;
}

void KernelPrinter::end_rounds(bool begun) {
    if (!begun || --state_.rounds > 0) return;
    if (state_.noted) out_.line("settle_faults();");
    state_.noted = false;
}

} // namespace irrewrite::printers
