// Loops of emitted C++ whose reductions OpenMP has no name for: contiguous strips side by side, joined in order, which
// the promise of `reduce` allows. No strip waits for another, and the compiler may give each a vector lane.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr unsigned stretches = 8;
constexpr std::size_t most_accumulators = 8;  // what vector registers hold
constexpr std::uint64_t most_operations = 64; // of a step, of which there are eight side by side

} // namespace

bool CppFunction::is_straight_reduction(const Generator& generator) {
    if (generator.shape != OpKind::Reduce || !generator.slots.empty() || !generator.through.empty() ||
        module_.shapes[g_.op(generator.emission).index] != OpKind::Emit)
        return false;
    if (!std::ranges::all_of(generator.state,
                             [&](const Cell& cell) { return types_.is_scalar(cell.type) && !cell.init.empty(); }))
        return false;
    const Region inner = nested_region(generator.home, generator.block);
    return inner != UINT32_MAX && schedule_.blocks[inner].guarded.empty() && is_straight(inner);
}

bool CppFunction::runs_in_stretches(const ScheduledNode& loop, std::span<const Generator> generators) {
    const Region region = loop.blocks[0];
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    if (module_.options.cuda || hot_ > 1 || !schedule_.blocks[region].guarded.empty() || cost(region) > most_operations)
        return false;
    std::size_t accumulators = 0;
    for (const Generator& generator : generators) {
        if (!is_straight_reduction(generator) || !g_.depends_on_number(generator.emission, g_.param_number(param)))
            return false;
        accumulators += generator.state.size();
    }
    if (accumulators > most_accumulators) return false;
    const Scope scope(*this);
    define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    return is_straight(region);
}

void CppFunction::print_stretches(const ScheduledNode& loop, std::span<const Generator> generators,
                                  std::string_view begin, std::string_view end) {
    names_.open();
    const std::string count = names_.fresh("stretches"), stretch = names_.fresh("stretch"),
                      length = names_.fresh("length"), step = names_.fresh("step");
    line("// Stretches side by side, joined in order.");
    line("constexpr std::int64_t " + count + " = " + std::to_string(stretches) + ";");
    line("const std::int64_t " + length + " = (" + std::string(end) + " - " + std::string(begin) + ") / " + count +
         ";");
    std::vector<Generator> side(generators.begin(), generators.end());
    for (Generator& generator : side) {
        generator.slots = "[" + stretch + "]";
        for (Cell& cell : generator.state) {
            cell.name = names_.fresh(cell.name + "s");
            line(value_type(cell.type) + " " + cell.name + "[" + count + "];");
        }
    }
    const std::string each =
        "for (std::int64_t " + stretch + " = 0; " + stretch + " < " + count + "; ++" + stretch + ")";
    open(each + " {");
    for (const Generator& generator : side)
        for (const Cell& cell : generator.state) line(cell.name + generator.slots + " = " + cell.init + ";");
    close();
    names_.open();
    const std::string index = index_of(loop);
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    open("const auto " + step + " = [&](std::int64_t " + index + ", std::int64_t " + stretch + ") {");
    print_round(loop, side, {param, g_.operand(loop.node, 0), 0, 0}, index, false);
    close("};");
    auto from = [&](const std::string& first) {
        return "for (std::int64_t " + index + " = " + first + "; " + index + " < ";
    };
    line(from(std::string(begin)) + std::string(begin) + " + " + length + "; ++" + index + ")");
    ++indent_;
    line(each + " " + step + "(" + index + " + " + stretch + " * " + length + ", " + stretch + ");");
    --indent_;
    line(from(std::string(begin) + " + " + count + " * " + length) + std::string(end) + "; ++" + index + ") " + step +
         "(" + index + ", " + count + " - 1);");
    names_.close();
    open(each + " {");
    for (std::size_t k = 0; k < side.size(); ++k) {
        std::vector<Binding> values;
        for (const Cell& cell : side[k].state) values.push_back({{cell.name + side[k].slots}, cell.type, Form::Value});
        combine(generators[k].home, generators[k], generators[k].state, "", values);
    }
    close();
    names_.close();
}

} // namespace irrewrite::printers
