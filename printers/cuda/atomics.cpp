// Updates by key on the device: histogram bins with atomic operations, in any order; scattered elements, by one writer.
#include "printers/cuda/device.hpp"

#include "engine/analysis/regions.hpp"

#include <algorithm>

namespace irrewrite::printers {

bool CppFunction::is_sum(NodeId result) const {
    return types_.bits(g_.type(result)) >= 32 && g_.scalar(result) == Scalar::Add;
}

// The operation on two elements that an operator of rows makes each of the row's elements with: commutative, on what
// both rows have there, and nothing else; none if there is none.
NodeId CppFunction::elementwise(const Generator& generator) const {
    const std::span<const NodeId> results = g_.results(generator.block), rows = g_.params(generator.block);
    if (results.size() != 1 || g_.is_param(results[0]) || g_.is_literal(results[0]) ||
        g_.core(results[0]) != Core::None || module_.shapes[g_.op(results[0]).index] != OpKind::Loop ||
        rows.size() != 2)
        return {};
    const BlockId block = g_.blocks(results[0])[0];
    const NodeId collect = g_.results(block)[0], index = g_.params(block)[0];
    if (g_.results(block).size() != 1 || module_.shapes[g_.op(collect).index] != OpKind::Collect) return {};
    const NodeId emission = g_.operand(collect, 0);
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit ||
        g_.operands(emission).size() != 1)
        return {};
    const NodeId value = g_.operand(emission, 0);
    if (g_.is_param(value) || g_.is_literal(value) || g_.core(value) != Core::None || g_.operands(value).size() != 2 ||
        !g_.operation(value).commutative() || !types_.is_scalar(g_.type(value)))
        return {};
    const auto reads = [&](NodeId at, NodeId row) {
        return !g_.is_param(at) && !g_.is_literal(at) && g_.core(at) == Core::None &&
               module_.shapes[g_.op(at).index] == OpKind::At && g_.operands(at).size() == 2 &&
               g_.operand(at, 0) == row && g_.operand(at, 1) == index;
    };
    const NodeId a = g_.operand(value, 0), b = g_.operand(value, 1);
    const bool both = (reads(a, rows[0]) && reads(b, rows[1])) || (reads(a, rows[1]) && reads(b, rows[0]));
    const NodeId extent = g_.operand(results[0], 0);
    return both && ranges_.is_length(extent, rows[0], g_.type(rows[0]), 0) ? value : NodeId{};
}

// The generator that owns the bins: the histogram itself, or the generator of a bucket's groups.
const Generator& CppFunction::of_bins(const Generator& generator) {
    return generator.shape == OpKind::Bucket ? generator.inner[0] : generator;
}

TypeId CppFunction::bin_type(const Generator& generator) const {
    const TypeId type = of_bins(generator).state[0].type;
    return generator.shape == OpKind::Bucket ? type : types_.element(type);
}

// The region of the operator.
CppFunction::Region CppFunction::bins_region(const ScheduledNode& loop, const Generator& generator) const {
    return generator.shape == OpKind::Bucket ? uses_.nested_region(loop.blocks[0], generator.block) : loop.blocks[0];
}

// Operators of rows are not called: histogram bins are changed element by element.
std::vector<std::uint32_t> CppFunction::without_row_operators(const ScheduledNode& loop,
                                                              std::span<const Generator> generators,
                                                              std::span<const Region> regions) const {
    std::vector<Region> left(regions.begin(), regions.end());
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Histogram || !elementwise(generator)) continue;
        const Region whole = uses_.nested_region(loop.blocks[0], generator.block);
        std::erase(left, whole);
        for (const ScheduledNode& scheduled : schedule_.blocks[whole].nodes)
            for (Region inner : regions_within(schedule_, {scheduled.blocks.begin(), scheduled.blocks.end()}))
                std::erase(left, inner);
    }
    return left;
}

// Starts histogram bins in the memory that kernels change: rows are filled in when their location is known.
void CppFunction::start_bins(std::vector<Generator>& list) {
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
                bins.init = "filled<" + value_type(element) + ">(" + n + ", " + bin_text(generator, k, element) + ")";
        }
    }
}

void CppFunction::place_bins(Kernel& kernel, std::size_t generator, Cell& cell) {
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
        const auto before = captured_;
        capture(std::span(&seed, 1));
        bins.start = "rows_start<" + value_type(element) + ">{" + captured_.at(seed).text.text + "}";
        out_.line("fill_rows(" + bins.view + ", " + bins.start + ");");
        captured_ = before;
    } else {
        bins.start = "each_starts<" + value_type(element) + ">{" +
                     (rows ? "" : stored(binding(seed), element, false, seed)) + "}";
    }
    cell.name = !kernel.in_order ? bins.own : rows ? bins.view + ".data()" : bins.view;
    kernel.bins.push_back(std::move(bins));
}

// Prints how a block's histogram bins join the others; returns the kernel's argument for each histogram.
std::vector<std::string> CppFunction::print_joins(const ScheduledNode& loop, Kernel& kernel) {
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
        print_lambda(join, {{bins.type, place}, {value_type(element), more}}, [&] {
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
void CppFunction::change_bin(Region region, const Generator& generator, const std::string& place,
                             const Binding& value) {
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
        combine(region, generator, std::span(&cell, 1), "", {value});
    }
    out_.close("} while (!" + bin + ".stored());");
}

// The same by an operator of rows, of which `bin` is one element.
void CppFunction::change_element(Region region, const Generator& generator, const std::string& bin,
                                 const Binding& value) {
    const NodeId result = elementwise(generator);
    const Scope scope(*this);
    for (NodeId read : g_.operands(result))
        define(read, g_.operand(read, 0) == g_.params(generator.block)[0] ? Binding{{bin}, value.type} : value);
    const Region rows = uses_.nested_region(region, generator.block);
    for (const ScheduledNode& loop : schedule_.blocks[rows].nodes) {
        if (loop.node != g_.results(generator.block)[0]) continue;
        const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].node == result) print_node(nodes[i], loop.blocks[0], i);
    }
    out_.line(bin + " = " + text(result).text + ";");
}

void CppFunction::step_by_key(Region region, const Generator& generator, std::vector<Binding> values) {
    if (!on_device_->key.empty()) {
        out_.line(on_device_->key + " = " + values[0].text.text + ";");
        return give(generator, std::span(values).subspan(1));
    }
    const std::string target = generator.state[0].name;
    const Binding key = as_variable(values[0], "key");
    const std::string& at = key.text.text;
    const bool guarded = on_device_->in_order && !on_device_->claiming;
    out_.open(std::string("if (") + (guarded ? "writing && " : "") + "0 <= " + at + " && " + at + " < " +
              generator.extent + ") {");
    if (on_device_->claiming) {
        out_.line("atomic_latest(&" + generator.writers + "[" + at + "], " + on_device_->index + ");");
    } else if (generator.shape == OpKind::Scatter) {
        out_.line("if (" + generator.writers + "[" + at + "] == " + on_device_->index + ") " + target + "[" + at +
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
