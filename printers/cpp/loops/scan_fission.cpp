// Fission of loops of emitted C++ with running values (scans): block by block of indices, first the running values, one
// after the other, then everything computed from them, in vector lanes.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace irrewrite::printers {

// The running values of one block of indices.
void BlockPrinter::print_running(const ScheduledNode& loop, std::span<const Generator> generators,
                                 const std::map<std::string, std::string>& buffers,
                                 const std::unordered_set<NodeId>& needed, const std::string& index,
                                 const std::string& place) {
    const Region region = loop.blocks[0];
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    const Scope scope(env_, ranges_);
    define(param, {{index}, types_.i64(), Form::Value, false, extent});
    ranges_.enter(Range{param, extent, 0, 0});
    at_.only = &needed;
    f_.print_nodes(region);
    at_.only = nullptr;
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Running || generator.follows) continue;
        std::vector<Binding> values;
        for (NodeId value : g_.operands(generator.emission)) values.push_back(binding(value));
        f_.emissions.combine(region, generator, generator.state, generator.slots, values);
        const std::string& name = generator.state[0].name;
        out_.line(buffers.at(name) + place + " = " + name + ";");
    }
    ranges_.leave();
}

void BlockPrinter::print_running_apart(const ScheduledNode& loop, const Split& split,
                                       std::vector<Generator>& generators, std::string_view begin,
                                       std::string_view end) {
    f_.loops.open_lanes(generators);
    const std::string pragma = f_.loops.simd_pragma(generators);
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop"), size(lane_block);
    out_.line("// In blocks: running values one by one, then what is made of them in vector lanes.");
    std::map<std::string, std::string> buffers; // by what runs
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Running || generator.follows) continue;
        const Cell& cell = generator.state[0];
        out_.line("std::array<" + value_type(cell.type) + ", " + size + "> " +
                  (buffers[cell.name] = out_.fresh("values")) + ";");
    }
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + size + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " +
              std::string(end) + ");");
    const auto in_round = [&](auto&& print) { // print(index, index in buffers)
        out_.open_names();
        const std::string index = index_of(loop);
        out_.open("for (std::int64_t " + index + " = " + block + "; " + index + " < " + stop + "; ++" + index + ") {");
        print(index, "[" + index + " - " + block + "]");
        out_.close();
        out_.close_names();
    };
    in_round([&](const std::string& index, const std::string& place) {
        print_running(loop, generators, buffers, split.running, index, place);
    });
    out_.line(pragma);
    in_round([&](const std::string& index, const std::string& place) {
        std::map<std::string, std::string> now; // the values at this index
        std::vector<Generator> rest = generators;
        for (Generator& generator : rest) {
            if (generator.shape != OpKind::Running) continue;
            std::string& cell = generator.state[0].name;
            std::string& value = now[cell];
            if (value.empty())
                out_.line("const " + value_type(generator.state[0].type) + " " + (value = out_.fresh("value")) + " = " +
                          buffers.at(cell) + place + ";");
            cell = value, generator.made = true;
        }
        at_.only = &split.rest;
        f_.loops.print_round(loop, rest, {g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0}, index,
                             code_.gathers(rest));
        at_.only = nullptr;
    });
    out_.close();
    out_.merge_names();
    f_.loops.close_lanes(generators);
}

} // namespace irrewrite::printers
