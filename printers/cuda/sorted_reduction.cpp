// Reductions of values that are sorted by key, or by group: histogram bins that no atomic operation changes, folds,
// rows.
//
// A step yields an index's value. An associative operator combines neighbours by a segmented scan; an operator that
// promises less is folded by one thread for each group. Equal keys keep the order of their indices.
#include "printers/cuda/device_printer.hpp"

#include "printers/cuda/device.hpp"

#include <utility>

namespace irrewrite::printers {

// One of several values that stand side by side.
std::string KeyPrinter::part_of(const std::string& whole, std::size_t k, std::size_t count) {
    return count == 1 ? whole : "std::get<" + std::to_string(k) + ">(" + whole + ")";
}

std::string KeyPrinter::side_by_side(std::span<const TypeId> types) const {
    std::string list;
    for (TypeId type : types) list += (list.empty() ? "" : ", ") + value_type(type);
    return types.size() == 1 ? list : "std::tuple<" + list + ">";
}

void KeyPrinter::give(const Generator& generator, std::span<const Binding> values) {
    const std::vector<TypeId> types = given_types(generator);
    std::string list;
    for (std::size_t k = 0; k < types.size(); ++k)
        list += (k == 0 ? "" : ", ") + stored(values[k], types[k], false, generator.node);
    out_.line(at_.kernel->value + " = " + (types.size() == 1 ? list : at_.kernel->given + "(" + list + ")") + ";");
}

// `put(key, bin)`: stores each field in its array.
std::string KeyPrinter::print_put(const Generator& generator, std::span<const Cell> cells, const std::string& type) {
    std::vector<std::string> views;
    for (const Cell& cell : cells) {
        views.push_back(out_.fresh("d_" + cell.name));
        out_.line("const auto " + views.back() + " = " + cell.name +
                  (generator.shape == OpKind::Histogram ? ".device_to_change();" : ".device_to_fill();"));
    }
    const std::string put = out_.fresh("put");
    out_.open_names();
    const std::string at = out_.fresh("place"), bin = out_.fresh("bin");
    d_.kernels.print_lambda(put, {{"std::int64_t", at}, {"const " + type + "&", bin}}, [&] {
        for (std::size_t k = 0; k < cells.size(); ++k)
            out_.line(views[k] + "[" + at + "] = " + part_of(bin, k, cells.size()) + ";");
    });
    out_.close_names();
    return put;
}

// `combine(bin, next)`: the operator on neighbours.
std::string KeyPrinter::print_bin_operator(const ScheduledNode& loop, const Generator& made, const std::string& type) {
    const Generator& bins = of_bins(made);
    const std::vector<TypeId> parts = part_types(bins, bins.state),
                              given = made.shape == OpKind::Fold ? given_types(bins) : parts;
    const std::string combined = out_.fresh("combine");
    out_.open_names();
    const std::string bin = out_.fresh("bin"), next = out_.fresh("next");
    std::vector<Cell> cells = bins.state;
    std::vector<Binding> values;
    for (std::size_t k = 0; k < cells.size(); ++k) cells[k].name = part_of(bin, k, cells.size());
    for (std::size_t k = 0; k < given.size(); ++k) values.push_back({{part_of(next, k, given.size())}, given[k]});
    d_.kernels.print_lambda(combined, {{type + "&", bin}, {"const " + side_by_side(given) + "&", next}},
                            [&] { f_.emissions.combine(bins_region(loop, made), bins, cells, "", values); });
    out_.close_names();
    return combined;
}

// `start`: the start value of histogram bins.
std::string KeyPrinter::print_start(std::span<const Cell> cells, const std::string& type) {
    std::string list;
    for (const Cell& cell : cells)
        list += (list.empty() ? "" : ", ") + (cell.init.empty() ? value_type(cell.type) + "{}" : cell.init);
    const std::string start = out_.fresh("start");
    out_.line("const " + type + " " + start + (cells.size() == 1 ? " = " + list : "(" + list + ")") + ";");
    return start;
}

// All that the kernel makes is one generator's.
void KeyPrinter::print_sorted_bins(const ScheduledNode& loop, Kernel& kernel, const std::string& n) {
    const Generator& made = kernel.generators[0];
    const std::vector<TypeId> types = part_types(made, made.state);
    kernel.given = side_by_side(types);
    std::vector<Cell> starts = made.state;
    for (std::size_t k = 0; k < starts.size(); ++k) {
        starts[k].type = types[k];
        starts[k].init = f_.loops.bin_text(made, k, starts[k].type);
    }
    const std::string start = print_start(starts, kernel.given), put = print_put(made, made.state, kernel.given),
                      step = out_.fresh("step");
    at_.kernel = &kernel;
    out_.open_names();
    kernel.key = out_.fresh("key"), kernel.value = out_.fresh("value");
    d_.kernels.print_step(loop, kernel, step, "");
    out_.close_names();
    const std::string combined = print_bin_operator(loop, made, kernel.given);
    at_.kernel = nullptr;
    out_.line("bins_by_sort(" + n + ", std::ssize(" + made.state[0].name + "), " + start + ", " + step + ", " +
              combined + ", " + put + ");");
}

// Prints the results of the groups of one bucket.
void KeyPrinter::print_sorted_group(const ScheduledNode& loop, Kernel& kernel, const std::string& n) {
    const OnDevice device(module_, function_, schedule_);
    const Generator& bucket = kernel.generators[0];
    Generator& made = kernel.generators[0].inner[0];
    const DeviceGrouping how = grouping(bucket, device);
    if (how == DeviceGrouping::Many) return print_many_rows(loop, kernel);
    if (how == DeviceGrouping::Rows) return print_group_rows(loop, kernel, n);
    std::vector<Cell> cells = made.state;
    cells.insert(cells.end(), made.outputs.begin(), made.outputs.end());
    kernel.given = side_by_side(part_types(made, cells));
    const std::string start = print_start(cells, kernel.given), step = out_.fresh("step");
    if (how == DeviceGrouping::Turns)
        for (const Cell& cell : cells)
            out_.line(cell.name + " = array<" + value_type(cell.type) + ">(" + bucket.state[0].name + ".size());");
    const std::string put = print_put(made, cells, kernel.given);
    at_.kernel = &kernel;
    out_.open_names();
    if (how == DeviceGrouping::Runs) {
        kernel.value = out_.fresh("value");
    } else {
        kernel.bin = out_.fresh("bin");
        for (std::size_t k = 0; k < cells.size(); ++k)
            (k < made.state.size() ? made.state[k] : made.outputs[k - made.state.size()]).name =
                part_of(kernel.bin, k, cells.size());
    }
    d_.kernels.print_step(loop, kernel, step, "");
    out_.close_names();
    const std::string combined =
        how == DeviceGrouping::Runs ? print_bin_operator(loop, bucket, kernel.given) + ", " : "";
    at_.kernel = nullptr;
    out_.line((how == DeviceGrouping::Runs ? "reduce_groups(" : "fold_groups(") + bucket.sorted + ".device(), " +
              start + ", " + step + ", " + combined + put + ");");
}

// Groups that keep any number of values of each of theirs: what they hold is counted first.
void KeyPrinter::print_many_rows(const ScheduledNode& loop, Kernel& kernel) {
    const Generator& bucket = kernel.generators[0];
    const std::vector<Cell>& results = kernel.generators[0].inner[0].outputs;
    kernel.given = side_by_side(part_types(kernel.generators[0].inner[0], results));
    kernel.many = true;
    const std::string step = out_.fresh("step"), values = out_.fresh(results[0].name + "_values"),
                      begins = out_.fresh("begins");
    at_.kernel = &kernel;
    out_.open_names();
    kernel.value = out_.fresh("values");
    d_.kernels.print_step(loop, kernel, step, "");
    out_.close_names();
    at_.kernel = nullptr;
    out_.line("array<" + kernel.given + "> " + values + ";");
    out_.line("const auto " + begins + " = collect_many(" + bucket.sorted + ".device(), " + step + ", " + values +
              ");");
    for (std::size_t k = 0; k < results.size(); ++k)
        out_.line(results[k].name + " = {" +
                  (results.size() == 1 ? "std::move(" + values + ")"
                                       : "part_of_each<" + std::to_string(k) + ">(" + values + ")") +
                  ", " + begins + "};");
}

// Groups that are kept: what they hold lies in one piece, group by group.
void KeyPrinter::print_group_rows(const ScheduledNode& loop, Kernel& kernel, const std::string& n) {
    const Generator& bucket = kernel.generators[0];
    Generator& made = kernel.generators[0].inner[0];
    kernel.given = side_by_side(part_types(made, made.outputs));
    const std::vector<Cell> results = made.outputs;
    std::vector<Cell> cells = results;
    for (Cell& cell : cells) {
        cell.name = out_.fresh(cell.name + "_values");
        out_.line("array<" + value_type(types_.element(cell.type)) + "> " + cell.name + "(" + n + ");");
    }
    const std::string put = print_put(made, cells, kernel.given), step = out_.fresh("step"),
                      begins = out_.fresh("begins");
    at_.kernel = &kernel;
    out_.open_names();
    kernel.value = out_.fresh("value");
    d_.kernels.print_step(loop, kernel, step, "");
    out_.close_names();
    at_.kernel = nullptr;
    out_.line("const auto " + begins + " = collect_groups<" + kernel.given + ">(" + bucket.sorted + ".device(), " +
              step + ", " + put + ");");
    for (std::size_t k = 0; k < cells.size(); ++k)
        out_.line(results[k].name + " = {std::move(" + cells[k].name + "), " + begins + "};");
}

} // namespace irrewrite::printers
