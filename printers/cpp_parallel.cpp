// Loops of emitted C++ that run in parts, one for each thread, joined in order.
#include "printers/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

void CppFunction::print_parallel(const ScheduledNode& loop, std::vector<Generator>& generators,
                                 std::span<const std::uint32_t> regions) {
    const bool joins = std::any_of(generators.begin(), generators.end(),
                                   [](const Generator& g) { return g.index.empty(); });
    const std::string n = binding(g_.operand(loop.node, 0)).text.text;
    const std::string size = enough(generators, regions);
    names_.open();
    const std::string begin = names_.fresh("begin"), end = names_.fresh("end"),
                      in_order = names_.fresh("in_order"), first = names_.fresh("first");
    open("in_parallel(" + n + ", " + size + ", [&](std::int64_t " + begin + ", std::int64_t " +
         end + ", auto&&" + (joins ? " " + in_order : "") + ") {");
    const Scope scope(*this);
    std::vector<Generator> parts = generators;
    for (Generator& part : parts) {
        if (!part.index.empty()) continue; // written where it belongs
        const std::vector<Cell> bins = part.state;
        for (std::vector<Cell>* cells : {&part.state, &part.outputs})
            for (Cell& cell : *cells)
                cell.name = names_.fresh(cell.name + "_part");
        if (part.shape == Shape::Histogram) // as many bins, the length being checked
            for (std::size_t k = 0; k < part.state.size(); ++k)
                if (module_.types.rank(part.state[k].type) == 1)
                    part.state[k].init =
                        value_type(part.state[k].type) + "(std::ssize(" + bins[k].name + "), " +
                        bin_text(part, k, types_.element(part.state[k].type)) + ")";
        declare(part, 0);
        if (part.shape == Shape::Collect && emits_at_most_once(part.emission))
            for (const Cell& cell : part.outputs)
                if (types_.is_scalar(types_.element(cell.type)))
                    line(cell.name + ".reserve(" + end + " - " + begin + ");");
    }
    declare_pointers(regions, loop.blocks[0]);
    for (Generator& part : parts)
        for (Cell& cell : part.outputs)
            if (!part.index.empty() && types_.is_scalar(types_.element(cell.type))) {
                const std::string pointer = names_.fresh(cell.name + "_data");
                line(value_type(types_.element(cell.type)) + "* const " + pointer + " = " +
                     cell.name + ".data();");
                cell.name = pointer;
            }
    print_body(loop, parts, begin, end);
    if (joins) {
        open(in_order + "([&](bool " + first + ") {");
        open("if (" + first + ") {");
        for (std::size_t g = 0; g < parts.size(); ++g) {
            if (!parts[g].index.empty()) continue;
            auto take = [&](const std::vector<Cell>& whole, const std::vector<Cell>& part) {
                for (std::size_t k = 0; k < whole.size(); ++k)
                    line(whole[k].name + " = " +
                         (types_.is_scalar(whole[k].type) ? part[k].name
                                                          : "std::move(" + part[k].name + ")") +
                         ";");
            };
            take(generators[g].state, parts[g].state);
            take(generators[g].outputs, parts[g].outputs);
        }
        names_.close(), --indent_;
        open("} else {");
        for (std::size_t g = 0; g < parts.size(); ++g)
            if (parts[g].index.empty()) join(loop.blocks[0], generators[g], parts[g]);
        close();
        close("});");
    }
    close("});");
    names_.close();
}

// At each index, as `filter` does: then there is a bound on how many values come.
bool CppFunction::emits_at_most_once(NodeId emission) const {
    while (!g_.is_param(emission) && module_.shapes[g_.op(emission).index] == Shape::When)
        emission = g_.operand(emission, 1);
    return types_.once(g_.type(emission));
}

// Puts a later part's values behind those so far.
void CppFunction::join(Region region, Generator& whole, Generator& part) {
    for (std::size_t k = 0; k < whole.outputs.size(); ++k)
        line(whole.outputs[k].name + ".append(std::move(" + part.outputs[k].name + "));");
    std::vector<Binding> values;
    std::string slots;
    if (whole.shape == Shape::Histogram) {
        const std::string bin = names_.fresh("bin");
        open("for (std::int64_t " + bin + " = 0; " + bin + " < std::ssize(" + whole.state[0].name +
             "); ++" + bin + ") {");
        slots = "[" + bin + "]";
    }
    for (const Cell& cell : part.state) {
        const TypeId type = whole.shape == Shape::Histogram ? types_.element(cell.type) : cell.type;
        const bool row = whole.shape == Shape::Histogram && module_.types.rank(cell.type) > 1;
        values.push_back({{cell.name + slots}, type, row ? Form::View : Form::Value});
    }
    if (!values.empty()) combine(region, whole, whole.state, slots, values);
    if (whole.shape == Shape::Histogram) close();
}

} // namespace irrewrite::printers
