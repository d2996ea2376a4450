// Loops of emitted C++ that run in parts, one for each thread, joined in order.
#include "printers/cpp_printer.hpp"

#include <algorithm>
#include <bit>

namespace irrewrite::printers {

bool CppFunction::is_parallel(const ScheduledNode& loop, std::span<const Generator> generators,
                              std::span<const std::uint32_t> regions) const {
    if (hot_ > 0 || module_.options.cuda) return false;
    const NodeId extent = g_.operand(loop.node, 0);
    if (g_.is_number(extent) && g_.bits(extent) < 1024) return false;
    for (const Generator& generator : generators)
        if (generator.shape != Shape::Collect && generator.shape != Shape::Reduce &&
            generator.shape != Shape::Histogram)
            return false;
    // Reading a variable of the surroundings is harmless; nothing in a loop writes one, but for what is
    // computed on demand.
    auto writes = [&](Region region) {
        const std::vector<std::uint32_t>& demands = schedule_.blocks[region].demands;
        return std::any_of(demands.begin(), demands.end(), [&](std::uint32_t demanded) {
            const Region home = schedule_.on_demand[demanded].region;
            return std::find(regions.begin(), regions.end(), home) == regions.end();
        });
    };
    return !regions.empty() && std::none_of(regions.begin(), regions.end(), writes);
}

// Scalar operations, about, of one run of a region; inner loops of unknown length count as 32 rounds.
std::uint64_t CppFunction::cost(Region region) const {
    constexpr std::uint64_t most = 1u << 20;
    const ScheduledBlock& block = schedule_.blocks[region];
    std::uint64_t sum = 1;
    for (const ScheduledNode& scheduled : block.nodes) {
        const NodeId node = scheduled.node;
        const bool approximate = g_.operation(node).has(Trait::Approximate);
        sum += g_.core(node) == Core::Call ? 64 : approximate ? 16 : 1;
        std::uint64_t rounds = 32;
        if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == Shape::If) rounds = 1;
        if (!g_.operands(node).empty() && g_.is_number(g_.operand(node, 0)))
            rounds = std::min(g_.bits(g_.operand(node, 0)), most);
        for (Region inner : scheduled.blocks)
            sum += std::min(rounds * cost(inner), most);
    }
    for (auto [condition, inner] : block.guarded)
        sum += cost(inner);
    for (auto [nested, inner] : block.nested)
        sum += cost(inner);
    return std::min(sum, most);
}

// How many indices pay for threads: fewer, the more is done for each.
std::string CppFunction::enough(std::span<const Generator> generators, Region body) const {
    const std::uint64_t least = std::bit_floor(std::max<std::uint64_t>((1u << 17) / cost(body), 2));
    std::string text = std::to_string(least);
    // Every thread has bins of its own, which are added up at the end.
    for (const Generator& generator : generators)
        if (generator.shape == Shape::Histogram)
            text = "std::max<std::int64_t>(" + text + ", 4 * std::ssize(" +
                   generator.state[0].name + "))";
    return text;
}

void CppFunction::print_parallel(const ScheduledNode& loop, std::vector<Generator>& generators,
                                 std::span<const std::uint32_t> regions) {
    const bool joins = std::any_of(generators.begin(), generators.end(),
                                   [](const Generator& g) { return g.index.empty(); });
    const std::string n = binding(g_.operand(loop.node, 0)).text.text;
    const std::string size = enough(generators, loop.blocks[0]);
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
                part.state[k].init = bins_text(part, k, part.state[k].type,
                                               "std::ssize(" + bins[k].name + ")");
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
        // A copy of each scalar: what others may refer to does not stay in a register.
        std::string captures = "&";
        for (const Generator& part : parts)
            for (const Cell& cell : part.state)
                if (types_.is_scalar(cell.type)) captures += ", " + cell.name;
        open(in_order + "([" + captures + "](bool " + first + ") {");
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
