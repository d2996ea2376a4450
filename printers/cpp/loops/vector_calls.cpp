// Fission of loops of emitted C++ that call scalar functions, such as `std::exp`: block by block of indices, each level
// of arithmetic in vector lanes, then the calls that need only that level.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace irrewrite::printers {

void BlockPrinter::print_calls_apart(const ScheduledNode& loop, const Levels& levels,
                                     std::vector<Generator>& generators, std::string_view begin, std::string_view end) {
    const Region region = loop.blocks[0];
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    std::vector<std::pair<NodeId, std::string>> buffers; // known behind the loop, too
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
        if (levels.stored.contains(scheduled.node)) buffers.emplace_back(scheduled.node, out_.fresh("values"));
    out_.open_names();
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop"), size(lane_block);
    out_.line("// In blocks: arithmetic in vector lanes, calls one by one.");
    for (const auto& [node, buffer] : buffers)
        out_.line("std::array<" + value_type(g_.type(node)) + ", " + size + "> " + buffer + ";");
    out_.open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) +
              "; " + block + " += " + size + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " +
              std::string(end) + ");");
    const auto print_level = [&](unsigned level, bool calls) {
        const std::unordered_set<NodeId> list = planner_.of_level(loop, generators, levels, level, calls);
        if (level < levels.last && std::ranges::all_of(list, [&](NodeId node) { return code_.is_read(node); })) return;
        out_.open_names();
        const std::string index = index_of(loop), place = "[" + index + " - " + block + "]";
        if (!calls) out_.line("#pragma omp simd");
        out_.open("for (std::int64_t " + index + " = " + block + "; " + index + " < " + stop + "; ++" + index + ") {");
        const Scope scope(env_, ranges_);
        for (const auto& [node, buffer] : buffers)
            if (!list.contains(node)) define(node, {{buffer + place}, g_.type(node)});
        at_.only = &list;
        if (level == levels.last) {
            f_.loops.print_round(loop, generators, {param, extent, 0, 0}, index, false);
        } else {
            define(param, {{index}, types_.i64(), Form::Value, false, extent});
            ranges_.enter(Range{param, extent, 0, 0});
            f_.print_nodes(region);
            for (const auto& [node, buffer] : buffers)
                if (list.contains(node)) out_.line(buffer + place + " = " + text(node).text + ";");
            ranges_.leave();
        }
        at_.only = nullptr;
        out_.close();
        out_.close_names();
    };
    for (unsigned level = 0; level < levels.last; ++level) print_level(level, false), print_level(level, true);
    print_level(levels.last, false);
    out_.close();
    out_.merge_names();
}

} // namespace irrewrite::printers
