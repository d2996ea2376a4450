// Histograms in emitted C++ whose bin numbers are computed in vector lanes, a block of indices at a time, and updated
// one after the other: between writes to unpredictable addresses, a processor waits for each of its reads.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace irrewrite::printers {

void BlockPrinter::print_bins_in_lanes(const ScheduledNode& loop, const BinsInLanes& plan,
                                       std::vector<Generator>& generators, std::string_view begin,
                                       std::string_view end) {
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop");
    std::map<NodeId, std::string> buffers;                      // of values, by index
    std::map<std::pair<NodeId, std::string>, std::string> bins; // by key and number of bins
    const auto declare_buffer = [&](const std::string& name, TypeId type) {
        out_.line("std::array<" + value_type(type) + ", " + std::string(lane_block) + "> " + name + ";");
        return name;
    };
    out_.line("// In blocks: which bins, in vector lanes, then what is added to them.");
    for (const Generator& generator : generators) {
        const auto values = g_.operands(generator.emission);
        std::string& keys = bins[{values[0], generator.extent}];
        if (keys.empty()) keys = declare_buffer(out_.fresh("bins"), types_.i64());
        for (NodeId value : values.subspan(1))
            if (!g_.is_literal(value) && !buffers.contains(value))
                buffers[value] = declare_buffer(out_.fresh("values"), g_.type(value));
    }
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + std::string(lane_block) + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + std::string(lane_block) +
              ", " + std::string(end) + ");");
    const auto in_round = [&](auto&& f) { // f(index, index in buffers)
        out_.open_names();
        const std::string index = index_of(loop);
        const Scope scope(env_, ranges_);
        const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
        define(param, {{index}, types_.i64(), Form::Value, false, extent});
        out_.open("for (std::int64_t " + index + " = " + block + "; " + index + " < " + stop + "; ++" + index + ") {");
        ranges_.enter(Range{param, extent, 0, 0});
        f(index, "[" + index + " - " + block + "]");
        ranges_.leave();
        out_.close();
        out_.close_names();
    };
    out_.line("#pragma omp simd");
    in_round([&](const std::string&, const std::string& place) {
        const auto spare = std::exchange(state_.spare_bins, {});
        std::unordered_set<std::string> found;
        const std::unordered_set<NodeId> list = planner_.without(loop.blocks[0], plan.floats);
        const auto* const only = at_.only;
        if (only == nullptr) at_.only = &list;
        f_.print_nodes(loop.blocks[0]);
        at_.only = only;
        for (const Generator& generator : generators) {
            const NodeId node = g_.operand(generator.emission, 0);
            const std::string& keys = bins[{node, generator.extent}];
            if (!found.insert(keys).second) continue;
            if (only == nullptr && plan.floats.contains(node)) {
                out_.line(keys + place + " = bin_of(" + text(g_.operand(node, 0)).text + ", " + generator.extent +
                          ");");
                continue;
            }
            const std::string key = as_variable(binding(g_.operand(generator.emission, 0)), "key").text.text;
            out_.line(keys + place + " = " +
                      (generator.spare ? f_.emissions.spare_bin(loop.blocks[0], key, generator.extent) : key) + ";");
        }
        for (const auto& [value, name] : buffers) out_.line(name + place + " = " + text(value).text + ";");
        state_.spare_bins = spare;
    });
    out_.line("#pragma GCC unroll 8");
    in_round([&](const std::string& index, const std::string& place) {
        if (planner_.fetches_ahead(loop, generators)) f_.loops.print_fetches(loop, index); // of blocks to come
        std::map<std::string, std::string> found;                                          // bins of this iteration
        for (const Generator& generator : generators) {
            std::vector<Binding> values;
            for (NodeId value : g_.operands(generator.emission).subspan(1))
                values.push_back(g_.is_literal(value) ? binding(value)
                                                      : Binding{{buffers[value] + place}, g_.type(value)});
            std::string& bin = found[bins[{g_.operand(generator.emission, 0), generator.extent}]];
            if (bin.empty()) {
                bin = out_.fresh("bin");
                out_.line("const std::int64_t " + bin + " = " +
                          bins[{g_.operand(generator.emission, 0), generator.extent}] + place + ";");
            }
            f_.emissions.combine(loop.blocks[0], generator, generator.state, generator.slots + "[" + bin + "]", values);
        }
    });
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
