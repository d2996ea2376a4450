// Updates by key on the device: histogram bins with atomic operations, in any order; scattered elements, by one writer.
#include "printers/cuda/device_printer.hpp"

#include <map>
#include <utility>

namespace irrewrite::printers {

// Starts histogram bins in the memory that kernels change: rows are filled in when their location is known.
void KeyPrinter::start_bins(std::vector<Generator>& list) {
    for (Generator& generator : list) {
        if (generator.shape != OpKind::Histogram) continue;
        const std::string n = checked_length(generator.seeds[0], generator.node);
        for (std::size_t k = 0; k < generator.state.size(); ++k) {
            Cell& bins = generator.state[k];
            const NodeId seed = generator.seeds[k + 1];
            const TypeId element = types_.element(bins.type);
            if (module_.types.rank(bins.type) > 1)
                bins.init = value_type(bins.type) + "::like(" + n + ", " + text(seed).text + ")";
            else
                bins.init =
                    "filled<" + value_type(element) + ">(" + n + ", " + f_.loops.bin_text(generator, k, element) + ")";
        }
    }
}

void KeyPrinter::place_bins(Kernel& kernel, std::size_t generator, Cell& cell) {
    const Generator& made = kernel.generators[generator];
    const bool rows = made.shape == OpKind::Histogram && module_.types.rank(cell.type) > 1;
    const TypeId element = rows ? module_.types.element(cell.type, module_.types.rank(cell.type)) : bin_type(made);
    Bins bins{.own = out_.fresh(cell.name + "_bins"),
              .type = value_type(element) + "*",
              .view = out_.fresh("d_" + cell.name),
              .start = {},
              .generator = generator};
    out_.line("const auto " + bins.view + " = " + cell.name + (rows ? ".device_to_fill();" : ".device_to_change();"));
    const NodeId seed = of_bins(made).seeds.back();
    if (rows) {
        const auto before = env_.captured;
        d_.kernels.capture(std::span(&seed, 1));
        bins.start = "rows_start<" + value_type(element) + ">{" + env_.captured.at(seed).text.text + "}";
        out_.line("fill_rows(" + bins.view + ", " + bins.start + ");");
        env_.captured = before;
    } else {
        bins.start = "each_starts<" + value_type(element) + ">{" +
                     (rows ? "" : stored(binding(seed), element, false, seed)) + "}";
    }
    cell.name = !kernel.in_order ? bins.own : rows ? bins.view + ".data()" : bins.view;
    kernel.bins.push_back(std::move(bins));
}

// Prints how a block's histogram bins join the others; returns the kernel's argument for each histogram.
std::vector<std::string> KeyPrinter::print_joins(const ScheduledNode& loop, Kernel& kernel) {
    std::vector<std::string> arguments;
    std::map<std::string, std::string> names; // of each text
    for (const Bins& bins : kernel.bins) {
        if (kernel.in_order) break;
        const std::size_t begin = out_.size();
        const Generator& made = kernel.generators[bins.generator];
        const Generator& generator = of_bins(made);
        const TypeId type = bin_type(made), element = module_.types.is_array(type) ? types_.element(type) : type;
        out_.open_names();
        const std::string join = out_.fresh("join"), place = out_.fresh("bin"), more = out_.fresh("more");
        d_.kernels.print_lambda(join, {{bins.type, place}, {value_type(element), more}}, [&] {
            change_bin(bins_region(loop, made), generator, place, {{more}, element});
        });
        out_.close_names();
        const std::string_view text = out_.since(begin);
        const auto [found, fresh] = names.emplace(std::string(text.substr(text.find('='))), join);
        if (fresh)
            out_.fresh(join);
        else
            out_.cut(begin);
        arguments.push_back("block_bins(all_of(" + bins.view + "), " + bins.start + ", " + found->second + ")");
    }
    return arguments;
}

// Prints the update of `place`, of type T*, by one more value.
void KeyPrinter::change_bin(Region region, const Generator& generator, const std::string& place, const Binding& value) {
    const NodeId element = elementwise(generator);
    if (is_sum(element ? element : g_.results(generator.block)[0]))
        return out_.line("atomic_sum(" + place + ", " + value.text.text + ");");
    const std::string bin = out_.fresh("bin");
    out_.line("atomic_update<" + value_type(value.type) + "> " + bin + "(" + place + ");");
    out_.open("do {");
    if (element) {
        change_element(region, generator, bin + ".value", value);
    } else {
        Cell cell = generator.state[0];
        cell.name = bin + ".value";
        f_.emissions.combine(region, generator, std::span(&cell, 1), "", {value});
    }
    out_.close("} while (!" + bin + ".stored());");
}

// The same by an operator of rows, of which `bin` is one element.
void KeyPrinter::change_element(Region region, const Generator& generator, const std::string& bin,
                                const Binding& value) {
    const NodeId result = elementwise(generator);
    const Scope scope(env_, ranges_);
    for (NodeId read : g_.operands(result))
        define(read, g_.operand(read, 0) == g_.params(generator.block)[0] ? Binding{{bin}, value.type} : value);
    const Region rows = uses_.nested_region(region, generator.block);
    for (const ScheduledNode& loop : schedule_.blocks[rows].nodes) {
        if (loop.node != g_.results(generator.block)[0]) continue;
        const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].node == result) f_.print_node(nodes[i], loop.blocks[0], i);
    }
    out_.line(bin + " = " + text(result).text + ";");
}

void KeyPrinter::step_by_key(Region region, const Generator& generator, std::vector<Binding> values) {
    if (!at_.kernel->key.empty()) {
        out_.line(at_.kernel->key + " = " + values[0].text.text + ";");
        return give(generator, std::span(values).subspan(1));
    }
    const std::string target = generator.state[0].name;
    const Binding key = as_variable(values[0], "key");
    const std::string& at = key.text.text;
    const bool guarded = at_.kernel->in_order && !at_.kernel->claiming;
    out_.open(std::string("if (") + (guarded ? "writing && " : "") + "0 <= " + at + " && " + at + " < " +
              generator.extent + ") {");
    if (at_.kernel->claiming) {
        out_.line("atomic_latest(&" + generator.writers + "[" + at + "], " + at_.kernel->index + ");");
    } else if (generator.shape == OpKind::Scatter) {
        out_.line("if (" + generator.writers + "[" + at + "] == " + at_.kernel->index + ") " + target + "[" + at +
                  "] = " + stored(values[1], types_.element(generator.state[0].type), false, generator.node) + ";");
    } else if (elementwise(generator)) {
        const TypeId row = types_.element(generator.state[0].type);
        const std::string width = extent_text({}, row, 0), j = out_.fresh("j");
        out_.open("for (std::int64_t " + j + " = 0; " + j + " < " + width + "; ++" + j + ") {");
        change_bin(region, generator, "&" + target + "[" + at + " * " + width + " + " + j + "]",
                   {{parenthesized(values[1].text, precedence::primary) + "[" + j + "]"}, types_.element(row)});
        out_.close();
    } else {
        change_bin(region, generator, "&" + target + "[" + at + "]", values[1]);
    }
    out_.close();
}

} // namespace irrewrite::printers
