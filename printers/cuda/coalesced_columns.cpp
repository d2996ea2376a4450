// Arrays that a loop reads and writes by its own index: where its step is a straight line, the kernel moves their
// elements, several to a word, and the step is given its own.
#include "printers/cuda/device_printer.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

void KernelPrinter::find_columns(const ScheduledNode& loop, std::span<const Region> regions, Kernel& kernel) {
    const auto scatters = [](const Generator& generator) { return generator.shape == OpKind::Scatter; };
    if (kernel.counts_first || std::ranges::any_of(kernel.generators, scatters) || !is_straight_step(regions)) return;
    const NodeId index = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId at = scheduled.node;
        if (scheduled.is_on_demand() || g_.core(at) != Core::None || module_.shapes[g_.op(at).index] != OpKind::At)
            continue;
        const NodeId array = g_.operand(at, 0);
        if (g_.operands(at).size() != 2 || g_.operand(at, 1) != index || !types_.is_scalar(g_.type(at)) ||
            (at_.only != nullptr && !at_.only->contains(at)) || !env_.captured.contains(array) ||
            !ranges_.is_length(extent, array, g_.type(array), 0))
            continue;
        const std::string view = env_.captured.at(array).text.text;
        const auto known = std::ranges::find(kernel.columns, view, &Column::view);
        if (known != kernel.columns.end()) {
            known->reads.push_back(at);
            continue;
        }
        kernel.columns.push_back(
            {.view = view, .element = {}, .type = value_type(g_.type(at)), .name = view.substr(2), .reads = {at}});
    }
    if (kernel.in_order) return; // a step that does not write runs too
    for (std::size_t g = 0; g < kernel.generators.size(); ++g) {
        const Generator& made = kernel.generators[g];
        if (made.shape != OpKind::Collect || made.index.empty()) continue;
        for (std::size_t k = 0; k < made.outputs.size(); ++k) {
            const Cell& cell = made.outputs[k];
            if (module_.types.rank(cell.type) != 1 || !types_.is_scalar(types_.element(cell.type))) continue;
            kernel.columns.push_back({.view = cell.name,
                                      .element = {},
                                      .type = value_type(types_.element(cell.type)),
                                      .name = cell.name.substr(2),
                                      .reads = {},
                                      .generator = g,
                                      .output = k});
        }
    }
}

// Names for the elements, as parameters of the step.
void KernelPrinter::name_columns(Kernel& kernel, const std::string& index,
                                 std::vector<std::pair<std::string, std::string>>& params) {
    for (Column& column : kernel.columns) {
        column.element = out_.fresh(column.name + "_" + index);
        params.emplace_back(column.type + (column.reads.empty() ? "&" : ""), column.element);
        if (column.reads.empty()) kernel.generators[column.generator].outputs[column.output].element = column.element;
    }
}

// The kernel's argument for its indices.
std::string KernelPrinter::indices(const Kernel& kernel, const std::string& n) {
    std::string list = n;
    for (const Column& column : kernel.columns) list += ", " + column.view;
    return kernel.columns.empty() ? n : "columns(" + list + ")";
}

} // namespace irrewrite::printers
