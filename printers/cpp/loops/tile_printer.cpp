// Rows and columns of emitted C++ in tiles, as in products of matrices: each element of memory that is read is used for several
// rows, and sums stay in vector registers.
#include "printers/cpp/cpp_function.hpp"

#include <utility>

namespace irrewrite::printers {

void TilePrinter::print_in_tiles(const ScheduledNode& loop, const InTiles& plan, std::vector<Generator>& generators,
                                 std::string_view begin, std::string_view end) {
    if (!plan.put_by && plan.hoisted.empty()) return print_results(loop, plan, generators, begin, end);
    print_in_stages(loop, plan, generators, begin, end);
}

std::string TilePrinter::width_of(const InTiles& plan) const {
    return "tile_columns<" + value_type(g_.type(plan.widest)) + ">";
}

void TilePrinter::print_results(const ScheduledNode& loop, const InTiles& plan, std::vector<Generator>& generators,
                                std::string_view begin, std::string_view end) {
    const ScheduledNode& inner = *plan.columns;
    const std::string first(begin), last(end);
    const std::string rows = out_.fresh("tiled"), wide = out_.fresh("wide");
    ColumnStages stages;
    stages.width = width_of(plan);
    stages.row_loop = &loop, stages.of_row = plan.repeated;
    out_.line(
        "// Tiles of rows and columns: sums stand in vector registers. Then the columns and rows that fill no tile.");
    out_.line("const std::int64_t " + rows + " = " + first + " + (" + last + " - " + first +
              ") / tile_rows * tile_rows;");
    out_.line("const std::int64_t " + wide + " = " + text(g_.operand(inner.node, 0)).text + " / " + stages.width +
              " * " + stages.width + ";");
    out_.open_names();
    stages.first_row = out_.fresh("first_row"), stages.first = out_.fresh("first"), stages.last = out_.fresh("last");
    out_.open("for (std::int64_t " + stages.first_row + " = " + first + "; " + stages.first_row + " < " + rows + "; " +
              stages.first_row + " += tile_rows) {");
    out_.open("for (std::int64_t " + stages.first + " = 0; " + stages.first + " < " + wide + "; " + stages.first +
              " += " + stages.width + ") {");
    out_.line("const std::int64_t " + stages.last + " = " + stages.first + " + " + stages.width + ";");
    std::vector<std::string> results;
    std::vector<Generator> collects;
    const unsigned hot = std::exchange(at_.hot, at_.hot + 1);
    const NodeId row = row_of(loop);
    ranges_.enter(Range{row, g_.operand(loop.node, 0), 0, 0});
    const auto emits = [&](const Generator& made) {
        return made.shape == OpKind::Collect && kind_of(module_.shapes, g_, made.emission) == OpKind::Emit;
    };
    for (NodeId collect : g_.results(g_.blocks(inner.node)[0])) {
        Generator& made = collects.emplace_back();
        made.shape = OpKind::Collect, made.node = collect, made.emission = g_.operands(collect).back();
        for (std::size_t k = 0; k < g_.operands(made.emission).size(); ++k) {
            const std::size_t result = results.size();
            const NodeId value =
                g_.result_count(inner.node) == 1 ? inner.node : uses_.find_projection(inner.node, result);
            made.outputs.push_back({"", g_.type(value), {}});
            for (const Generator& generator : generators)
                for (std::size_t place = 0; place < generator.outputs.size() && emits(generator); ++place)
                    if (results.size() == result && g_.operand(generator.emission, place) == value)
                        results.push_back(generator.outputs[place].name);
        }
    }
    find_stages(inner, collects, stages);
    print_stages(inner, stages, collects, results);
    ranges_.leave();
    at_.hot = hot;
    out_.close();
    out_.close();
    out_.close_names();
    at_.tiled.insert(inner.node);
    state_.tiled[inner.node] = {row, rows, wide};
    const NodeId outer = std::exchange(at_.in_stages, loop.node);
    f_.loops.print_body(loop, generators, begin, end);
    at_.in_stages = outer;
    state_.tiled.erase(inner.node);
    at_.tiled.erase(inner.node);
}

bool TilePrinter::print_tiled(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view end) {
    const auto found = state_.tiled.find(loop.node);
    if (found == state_.tiled.end()) return false;
    const Tiled& tiled = found->second;
    const std::string row = text(tiled.row).text;
    if (tiled.sums.empty()) { // from the first column that is not made yet
        const std::string from = out_.fresh("from");
        out_.line("const std::int64_t " + from + " = " + row + " < " + tiled.rows + " ? " + tiled.columns + " : 0;");
        f_.loops.print_body(loop, generators, from, end);
        return true;
    }
    PutBy put_by{loop.node, true, {}, {}};
    std::vector<NodeId> hoisted;
    for (const auto& [value, sums] : tiled.sums) {
        const std::string name = out_.fresh("sums_of_row");
        out_.line("const " + value_type(g_.type(value)) + "* const " + name + " = " + sums + ".data() + (" + row +
                  " - " + tiled.first_row + ") * " + std::string(end) + ";");
        put_by.buffers.emplace_back(value, name);
        const NodeId source = g_.is_project(value) ? g_.operand(value, 0) : value;
        if (at_.hoisted.insert(source).second) hoisted.push_back(source);
    }
    std::swap(state_.put_by, put_by);
    const bool outer = std::exchange(at_.puts_by, true);
    f_.loops.print_body(loop, generators, "0", end);
    at_.puts_by = outer;
    std::swap(state_.put_by, put_by);
    for (NodeId node : hoisted) at_.hoisted.erase(node);
    return true;
}

} // namespace irrewrite::printers
