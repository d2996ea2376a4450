// Histograms in emitted C++ whose bin numbers are computed in vector lanes, a block of indices at a time, and updated
// one after the other: between writes to unpredictable addresses, a processor waits for each of its reads.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

// True if all computations for an index, and for the update of a bin, are arithmetic, and every key has a bin, perhaps
// the spare one. It pays if keys are floats converted to integers: with their checks those take long, one at a time.
bool CppFunction::finds_bins_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda || hot_ > 1) return false;
    const Region region = loop.blocks[0];
    const Scope scope(*this);
    define(g_.params(g_.blocks(loop.node)[0])[0], {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    const auto counts = [&](const Generator& generator) {
        const NodeId emission = generator.emission;
        const Region combined =
            generator.shape == OpKind::Histogram ? uses_.nested_region(region, generator.block) : UINT32_MAX;
        return (generator.within || generator.spare) && combined != UINT32_MAX && is_straight(combined) &&
               !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit &&
               std::ranges::all_of(generator.state,
                                   [&](const Cell& cell) { return types_.is_scalar(types_.element(cell.type)); });
    };
    const auto is_rounding = [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        const bool cast = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Cast;
        return cast && types_.is_float(g_.type(g_.operand(node, 0))) && !types_.is_float(g_.type(node)) &&
               (only_ == nullptr || only_->contains(node));
    };
    return std::ranges::all_of(generators, counts) &&
           std::ranges::any_of(schedule_.blocks[region].nodes, is_rounding) && is_straight(region);
}

// Keys that are converted floats, and used only as keys of histograms with a spare bin: the float decides which bin.
std::unordered_set<NodeId> CppFunction::float_keys(std::span<const Generator> generators) const {
    std::unordered_map<NodeId, std::size_t> reads; // as keys
    for (const Generator& generator : generators)
        if (generator.spare) ++reads[g_.operand(generator.emission, 0)];
    std::erase_if(reads, [&](const auto& read) {
        const auto [node, count] = read;
        const bool cast =
            !g_.is_param(node) && g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::Cast;
        return !cast || !types_.is_float(g_.type(g_.operand(node, 0))) || uses_.reads(node) != count;
    });
    std::unordered_set<NodeId> keys;
    for (const auto& [node, count] : reads) keys.insert(node);
    return keys;
}

// The other nodes of the loop's block.
std::unordered_set<NodeId> CppFunction::without(Region region, const std::unordered_set<NodeId>& left_out) const {
    std::unordered_set<NodeId> list;
    add_nodes(region, list);
    for (NodeId node : left_out) list.erase(node);
    return list;
}

void CppFunction::print_bins_in_lanes(const ScheduledNode& loop, std::vector<Generator>& generators,
                                      std::string_view begin, std::string_view end) {
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
        const Scope scope(*this);
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
        const auto spare = std::exchange(spare_bins_, {});
        std::unordered_set<std::string> found;
        const std::unordered_set<NodeId> floats = float_keys(generators);
        const std::unordered_set<NodeId> list = without(loop.blocks[0], floats);
        const auto* const only = only_;
        if (only == nullptr) only_ = &list;
        print_nodes(loop.blocks[0]);
        only_ = only;
        for (const Generator& generator : generators) {
            const NodeId node = g_.operand(generator.emission, 0);
            const std::string& keys = bins[{node, generator.extent}];
            if (!found.insert(keys).second) continue;
            if (only == nullptr && floats.contains(node)) {
                out_.line(keys + place + " = bin_of(" + text(g_.operand(node, 0)).text + ", " + generator.extent +
                          ");");
                continue;
            }
            const std::string key = as_variable(binding(g_.operand(generator.emission, 0)), "key").text.text;
            out_.line(keys + place + " = " +
                      (generator.spare ? spare_bin(loop.blocks[0], key, generator.extent) : key) + ";");
        }
        for (const auto& [value, name] : buffers) out_.line(name + place + " = " + text(value).text + ";");
        spare_bins_ = spare;
    });
    out_.line("#pragma GCC unroll 8");
    in_round([&](const std::string& index, const std::string& place) {
        if (fetches_ahead(loop, generators)) print_fetches(loop, index); // of blocks to come
        std::map<std::string, std::string> found;                        // bins of this iteration
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
            combine(loop.blocks[0], generator, generator.state, generator.slots + "[" + bin + "]", values);
        }
    });
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
