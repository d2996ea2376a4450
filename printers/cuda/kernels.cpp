// Loops on the device: what a kernel reads, what a thread carries from index to index, one step of the loop and how
// what threads carry is put together. Each becomes a lambda that the emitted runtime's kernels call.
//
// A check that fails leaves the step: nothing that depends on it is computed, and the fault is reported behind the
// kernel. A loop that fills arrays up to a length it finds out itself runs each index twice, first only to count
// (`writing` is false), so that every value is written where it belongs.
#include "printers/cuda/device_printer.hpp"

#include "printers/cuda/device.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace irrewrite::printers {
namespace {

std::vector<Generator> scatters(std::span<const Generator> generators) {
    std::vector<Generator> found;
    std::ranges::copy_if(generators, std::back_inserter(found),
                         [](const Generator& g) { return g.shape == OpKind::Scatter; });
    return found;
}

} // namespace

// True if the text of a value reads something with memory of its own: a length, a field beside an array.
bool KernelPrinter::asks_host(NodeId node) {
    const OnDevice device(module_, function_, schedule_);
    const bool known = g_.is_project(node) || env_.contains(node); // otherwise the kernel computes it
    if (g_.is_param(node) || g_.is_literal(node) || !known || is_name(binding(node).text.text)) return false;
    const auto asks = [&](NodeId operand) { return !device.is_plain(g_.type(operand)) || asks_host(operand); };
    return std::ranges::any_of(g_.operands(node), asks);
}

// A lambda that named what has memory of its own would take a copy along: such values are asked for before.
KernelPrinter::HostValues KernelPrinter::host_values(const ScheduledNode& loop,
                                                     std::span<const std::uint32_t> regions) {
    const OnDevice device(module_, function_, schedule_);
    HostValues values;
    for (NodeId node : values_read(schedule_, g_, loop, regions)) {
        if (!device.is_plain(g_.type(node)) || !asks_host(node)) continue;
        const Binding value = binding(node);
        const std::string name =
            out_.fresh(types_.is_scalar(g_.type(node)) && g_.operation(node).has(Trait::Length) ? "length" : "field");
        values.emplace_back(name, "const auto " + name + " = " + value.text.text + ";");
        env_.captured[node] = {{name}, value.type};
    }
    return values;
}

// Of them those that the kernel's text, from there on, mentions.
void KernelPrinter::print_host_values(const HostValues& values, std::size_t begin) {
    std::string lines;
    for (const auto& [name, text] : values)
        if (mentions(out_.since(begin), name)) lines += out_.margin() + text + "\n";
    out_.insert(begin, lines);
}

// Room for all that may be collected.
void KernelPrinter::size_counted(std::vector<Generator>& list, const std::string& length) const {
    for (Generator& generator : list)
        if (generator.index.empty() && code_.emits_at_most_once(generator.emission))
            for (Cell& cell : generator.outputs) cell.init = value_type(cell.type) + "(" + length + ")";
}

// The parameter that an array is a row of, where its rows may differ in length; empty: it is none.
std::string KernelPrinter::rows_of_row(NodeId array) {
    const bool at = !g_.is_param(array) && !g_.is_project(array) && g_.core(array) == Core::None &&
                    module_.shapes[g_.op(array).index] == OpKind::At;
    if (!at || binding(array).form != Form::View) return {};
    const Binding rows = binding(g_.operand(array, 0));
    const auto found = state_.ragged.find(rows.text.text);
    return rows.form == Form::Rows && found != state_.ragged.end() && found->second.name != found->first
               ? found->first
               : std::string();
}

// Views of them in the device's memory, which the lambdas take along.
void KernelPrinter::capture(std::span<const NodeId> arrays) {
    for (NodeId array : arrays) {
        Binding value = binding(array);
        if (value.form == Form::Rows) {
            const std::string name = out_.fresh("d_" + value.text.text);
            FunctionState::Ragged& ragged = state_.ragged.at(value.text.text);
            ragged.used = true;
            out_.line("const auto " + name + " = " + ragged.name + ".device();");
            env_.captured[array] = {{name}, value.type, Form::Rows};
            continue;
        }
        if (const std::string rows = g_.is_literal(array) ? "" : rows_of_row(array); !rows.empty()) {
            const std::string name = out_.fresh("d_" + value.text.text), alone = out_.fresh("row");
            out_.line("device_memory<" + state_.ragged.at(rows).element + "> " + alone + ";");
            out_.line("const auto " + name + " = " + state_.ragged.at(rows).name + ".device(" + value.text.text + ", " +
                      alone + ");");
            state_.ragged.at(rows).used = true;
            env_.captured[array] = {{name}, value.type, Form::View};
            continue;
        }
        if (g_.is_literal(array)) { // memory that the host has
            const std::string copy = out_.fresh("text");
            out_.line("const " + value_type(value.type) + " " + copy + "(" + value.text.text + ");");
            value.text = {copy};
        }
        const std::string name = out_.fresh("d_" + (is_atomic(value.text) ? value.text.text : "t"));
        out_.line("const auto " + name + " = " + parenthesized(value.text, precedence::primary) + ".device();");
        env_.captured[array] = {{name}, value.type, Form::View};
    }
}

// A field of what a thread carries, and what it starts from.
void KernelPrinter::carry(Kernel& kernel, std::string name, const std::string& type, std::string start) {
    kernel.fields += "    " + type + " " + name + ";\n";
    kernel.start += (kernel.start.empty() ? "" : ", ") + start;
}

// Assigns memory to the generators of a kernel: fields of `part`, views of the results.
void KernelPrinter::place_on_device(Kernel& kernel, const std::string& part) {
    for (Generator& generator : kernel.generators) {
        const std::string before = kernel.in_order ? "if (writing) " : "";
        generator.before = before;
        if (generator.shape == OpKind::Bucket) {
            d_.keys.place_bins(kernel, static_cast<std::size_t>(&generator - kernel.generators.data()),
                               generator.inner[0].state[0]);
            generator.inner[0].before = before;
            continue;
        }
        const bool carried = generator.shape == OpKind::Reduce || generator.shape == OpKind::Scan;
        for (Cell& cell : generator.state) {
            if (carried) {
                if (!generator.follows) carry(kernel, cell.name, value_type(cell.type), cell.name);
                cell.name = part + "." + cell.name;
                continue;
            }
            if (generator.shape == OpKind::Histogram) {
                d_.keys.place_bins(kernel, static_cast<std::size_t>(&generator - kernel.generators.data()), cell);
                generator.extent = "std::ssize(" + kernel.bins.back().view + ")";
                continue;
            }
            const std::string view = out_.fresh("d_" + cell.name);
            out_.line("const auto " + view + " = " + cell.name + ".device_to_change();");
            generator.extent = "std::ssize(" + view + ")";
            if (generator.shape == OpKind::Scatter) {
                generator.writers = out_.fresh(cell.name + "_writer");
                out_.line("array<std::int64_t> " + generator.writers + " = filled<std::int64_t>(std::ssize(" +
                          cell.name + "), -1);");
                out_.line("const auto d_" + generator.writers + " = " + generator.writers + ".device_to_change();");
                generator.writers = "d_" + generator.writers;
            }
            cell.name = view;
        }
        const bool counts = generator.index.empty() && !generator.outputs.empty();
        if (counts) {
            const std::string count = generator.outputs[0].name + "_count";
            carry(kernel, count, "std::int64_t", "0");
            generator.count = generator.index = part + "." + count;
        }
        const bool bounded = !counts || code_.emits_at_most_once(generator.emission);
        kernel.counts_first = kernel.counts_first || !bounded;
        for (Cell& cell : generator.outputs) {
            if (bounded) {
                const std::string view = out_.fresh("d_" + cell.name);
                out_.line("const auto " + view + " = " + cell.name + ".device_to_fill();");
                cell.name = view;
            } else {
                carry(kernel, cell.name + "_data", value_type(types_.element(cell.type)) + "*", "nullptr");
                cell.name = part + "." + cell.name + "_data";
            }
        }
    }
}

// A lambda, its parameters without the names that it does not use.
void KernelPrinter::print_lambda(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& params,
                                 const std::function<void()>& body) {
    const std::size_t begin = out_.size();
    out_.indent();
    {
        const Scope scope(env_, ranges_);
        body();
    }
    out_.outdent();
    std::string list;
    for (const auto& [type, param] : params)
        list += (list.empty() ? "" : ", ") + type + (mentions(out_.since(begin), param) ? " " + param : "");
    out_.insert(begin, out_.margin() + "const auto " + name + " = [=] __device__(" + list + ") {\n");
    out_.line("};");
}

// One index: everything that its generators are fed with.
void KernelPrinter::print_step(const ScheduledNode& loop, Kernel& kernel, const std::string& name,
                               const std::string& part) {
    const BlockId block = g_.blocks(loop.node)[0];
    const NodeId param = g_.params(block)[0];
    out_.open_names();
    const SymbolId wanted = g_.param_names(block).empty() ? SymbolId{} : g_.param_names(block)[0];
    const std::string index = out_.fresh(wanted ? module_.context.symbols[wanted] : "i");
    const auto body = [&] {
        define(param, {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        kernel.index = index;
        for (const Column& column : kernel.columns)
            for (NodeId read : column.reads) define(read, {{column.element}, g_.type(read)});
        EmissionsOf list;
        for (Generator& generator : kernel.generators) {
            if (!generator.index.empty() && generator.count.empty()) generator.index = index;
            if (kernel.claiming && generator.shape != OpKind::Scatter) continue;
            list.emplace_back(&generator, generator.emission);
        }
        f_.arrays.place_rows(loop.blocks[0], kernel.generators);
        f_.print_nodes(loop.blocks[0]);
        f_.emissions.walk(loop.blocks[0], list);
    };
    std::vector<std::pair<std::string, std::string>> params{{"std::int64_t", index}};
    if (!kernel.team.empty()) params.emplace_back("const team&", kernel.team);
    if (!kernel.value.empty()) {
        if (!kernel.key.empty()) params.emplace_back("std::int64_t&", kernel.key);
        params.emplace_back(
            (!kernel.key.empty() ? kernel.given : (kernel.many ? "many<" : "maybe<") + kernel.given + ">") + "&",
            kernel.value);
    } else if (!kernel.bin.empty()) {
        params.emplace_back(kernel.given + "&", kernel.bin);
    } else if (!kernel.key.empty()) {
        params.emplace_back("maybe<" + d_.keys.group_key_type(kernel.generators[0]) + ">&", kernel.key);
    } else if (!kernel.claiming) {
        if (!kernel.fields.empty()) params.emplace_back(kernel.type + "&", part);
        if (kernel.in_order) params.emplace_back("bool", "writing");
        for (const Bins& bins : kernel.bins)
            if (!kernel.in_order) params.emplace_back(bins.type, bins.own);
        name_columns(kernel, index, params);
    }
    print_lambda(name, params, body);
    out_.close_names();
}

void KernelPrinter::print_combine(const ScheduledNode& loop, Kernel& kernel, const std::string& name,
                                  const std::string& part) {
    out_.open_names();
    const std::string next = out_.fresh("next");
    const auto of_next = [&](std::string field) { return next + field.substr(part.size()); };
    print_lambda(name, {{kernel.type + "&", part}, {"const " + kernel.type + "&", next}}, [&] {
        for (const Generator& generator : kernel.generators) {
            if (!generator.count.empty()) out_.line(generator.count + " += " + of_next(generator.count) + ";");
            if ((generator.shape != OpKind::Reduce && generator.shape != OpKind::Scan) || generator.follows) continue;
            std::vector<Binding> values;
            for (const Cell& cell : generator.state) values.push_back({{of_next(cell.name)}, cell.type});
            f_.emissions.combine(loop.blocks[0], generator, generator.state, "", values);
        }
    });
    out_.close_names();
}

// Copies the kernel's results to the host's variables.
void KernelPrinter::take_results(const Kernel& kernel, std::span<const Generator> generators,
                                 const std::string& whole) {
    for (std::size_t g = 0; g < generators.size(); ++g) {
        const Generator& made = kernel.generators[g];
        if (made.shape == OpKind::Reduce)
            for (const Cell& cell : generators[g].state) out_.line(cell.name + " = " + whole + "." + cell.name + ";");
        if (!made.count.empty() && code_.emits_at_most_once(made.emission))
            for (const Cell& cell : generators[g].outputs)
                out_.line(cell.name + ".shrink(" + whole + made.count.substr(made.count.find('.')) + ");");
    }
}

// Groups, folds and what is sorted by key have steps of their own; one kernel makes the rest.
void KernelPrinter::print_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                                 std::span<const std::uint32_t> regions, const std::string& n) {
    out_.open("{");
    const std::vector<std::uint32_t> in_lambdas = without_row_operators(loop, generators, regions);
    capture(arrays_read(schedule_, g_, loop, in_lambdas));
    const std::size_t begin = out_.size();
    const HostValues values = host_values(loop, in_lambdas);
    const OnDevice device(module_, function_, schedule_);
    std::vector<Generator> rest(generators.begin(), generators.end());
    Launched launched;
    d_.keys.print_groups(loop, rest, n, launched.may_fault);
    std::vector<Generator> alone;
    std::erase_if(rest, [&](const Generator& generator) {
        const bool is = generator.shape == OpKind::Bucket
                            ? !generator.sorted.empty()
                            : generator.shape == OpKind::Fold || fits_sort(generator, device);
        if (is) alone.push_back(generator);
        return is;
    });
    const bool apart = generators.size() > 1 || generators[0].shape == OpKind::Bucket;
    for (const Generator& generator : alone) {
        Kernel kernel{.generators = {generator}};
        const std::unordered_set<NodeId> wanted = step_needs(kernel.generators);
        if (apart) at_.only = &wanted;
        if (generator.shape == OpKind::Bucket)
            d_.keys.print_sorted_group(loop, kernel, n);
        else if (generator.shape == OpKind::Fold)
            d_.keys.print_fold(loop, kernel, n);
        else
            d_.keys.print_sorted_bins(loop, kernel, n);
        at_.only = nullptr;
        launched = {launched.may_fault || kernel.faults, true};
    }
    const std::unordered_set<NodeId> wanted = step_needs(rest);
    if (!alone.empty() || std::ranges::any_of(generators, [](const Generator& g) { return g.shape == OpKind::Bucket; }))
        at_.only = &wanted;
    if (!rest.empty()) print_one_kernel(loop, rest, regions, n, launched);
    at_.only = nullptr;
    env_.captured.clear();
    print_host_values(values, begin);
    if (launched.may_fault) check_faults(launched);
    out_.close();
}

// In a loop that does not wait, what the host has got from a kernel must be right all the same.
void KernelPrinter::check_faults(const Launched& launched) {
    const bool later = state_.rounds > 0 && !launched.gave;
    state_.noted = state_.noted || later;
    out_.line(later ? "note_faults();" : "check_faults();");
}

void KernelPrinter::print_one_kernel(const ScheduledNode& loop, std::span<const Generator> generators,
                                     std::span<const std::uint32_t> regions, const std::string& n, Launched& launched) {
    Kernel kernel{.generators = {generators.begin(), generators.end()}, .in_order = needs_order(generators)};
    const std::string part = out_.fresh("part"), step = out_.fresh("step");
    place_on_device(kernel, part);
    if (at_.only == nullptr && d_.teams.print_tiles(loop, kernel, n, step)) return;
    const std::string amount = d_.teams.find_shared(loop, kernel);
    if (kernel.team.empty()) find_columns(loop, regions, kernel);
    std::string over = indices(kernel, n);
    if (!kernel.fields.empty()) {
        kernel.type = module_.names.fresh(module_.function_name(function_.name) + "_part");
        state_.parts += "// The values that a thread of `" + std::string(module_.context.symbols[function_.name]) +
                        "` carries, " + origins(regions) + ".\nstruct " + kernel.type + " {\n" + kernel.fields +
                        "};\n\n";
    }
    at_.kernel = &kernel;
    const std::size_t begin_of_kernel = out_.size();
    if (!scatters(generators).empty()) {
        out_.line("// Who writes where: the later of two.");
        const std::string claim = out_.fresh("claim");
        const std::unordered_set<NodeId> wanted = step_needs(scatters(generators));
        const auto all = std::exchange(at_.only, &wanted);
        kernel.claiming = true;
        print_step(loop, kernel, claim, part);
        kernel.claiming = false;
        at_.only = all;
        out_.line("for_each_index(" + n + ", " + claim + ");");
    }
    std::string bins;
    for (const std::string& argument : d_.keys.print_joins(loop, kernel)) bins += ", " + argument;
    const std::size_t begin_of_step = out_.size();
    print_step(loop, kernel, step, part);
    if (kernel.shared_faults && !kernel.team.empty()) { // a thread that leaves would be waited for
        out_.cut(begin_of_step);
        kernel.team.clear(), kernel.shared.clear(), kernel.kept.clear();
        for (Generator& generator : kernel.generators) generator.before.clear();
        print_step(loop, kernel, step, part);
    }
    if (!kernel.kept.empty()) over = d_.teams.print_scratch_rows(kernel, over, amount, begin_of_kernel);
    if (kernel.fields.empty()) {
        at_.kernel = nullptr;
        if (!kernel.team.empty())
            out_.line("for_each_team(" + over + ", " + amount + ", " + step + ");");
        else
            out_.line((bins.empty() ? "for_each_index(" : "bin_indices(") + over + ", " + step + bins + ");");
    } else {
        launched.gave = true;
        const std::string combine = out_.fresh("combine"), start = out_.fresh("start"), whole = out_.fresh("whole");
        print_combine(loop, kernel, combine, part);
        at_.kernel = nullptr;
        out_.line((kernel.counts_first ? "" : "const ") + kernel.type + " " + start + "{" + kernel.start + "};");
        const std::string arguments = "(" + over + ", " + start + ", " + step + ", " + combine + ");";
        if (kernel.counts_first) {
            const std::string sizes = out_.fresh("sizes");
            out_.line("const auto " + sizes + " = count_indices" + arguments);
            if (kernel.faults)
                out_.line("check_faults();"); // a loop that was given up would count otherwise the next time
            for (std::size_t g = 0; g < generators.size(); ++g) {
                const Generator& made = kernel.generators[g];
                if (made.count.empty() || code_.emits_at_most_once(made.emission)) continue;
                for (const Cell& cell : generators[g].outputs) {
                    out_.line(cell.name + " = " + value_type(cell.type) + "(" + sizes +
                              made.count.substr(made.count.find('.')) + ");");
                    out_.line(start + "." + cell.name + "_data = " + cell.name + ".device_to_fill().data();");
                }
            }
        }
        const bool any_order = std::ranges::all_of(generators, [&](const Generator& generator) {
            return generator.shape != OpKind::Reduce || is_commutative(generator);
        });
        const std::string how = kernel.in_order ? "scan_indices"
                                                : std::string(bins.empty() ? "reduce_indices" : "reduce_and_bin") +
                                                      (any_order ? "<any_order>" : "<ordered>");
        const std::size_t begin = out_.size();
        take_results(kernel, generators, whole);
        const std::string called = (out_.size() == begin ? "" : "const auto " + whole + " = ") + how +
                                   arguments.substr(0, arguments.size() - 2) + bins + ");\n";
        out_.insert(begin, out_.margin() + called);
    }
    launched.may_fault = launched.may_fault || kernel.faults;
}

} // namespace irrewrite::printers
