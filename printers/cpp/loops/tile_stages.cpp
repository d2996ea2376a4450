// Loops of emitted C++ in which sums are made in tiles and put by, for several rows at a time, and more than a row is made of them.
//
// A block of rows goes through stages: what the sums need of the rows, which is put by as well; the sums; all else. In the last one
// other sums may be made in tiles, which need what the first ones have become.
#include "printers/cpp/cpp_function.hpp"

#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::string_view most_columns = "65536"; // of which sums are put by

} // namespace

// An array for each value that sums make: of all columns, for the rows of a tile.
TilePrinter::Sums TilePrinter::declare_sums(const ScheduledNode& inner, const std::string& length) {
    Sums sums;
    for (const ScheduledNode& loop : schedule_.blocks[inner.blocks[0]].nodes) {
        if (!is_inner_loop(loop)) continue;
        for (std::size_t k = 0; k < g_.result_count(loop.node); ++k) {
            const NodeId value = g_.result_count(loop.node) == 1 ? loop.node : uses_.find_projection(loop.node, k);
            if (!value) continue; // nobody reads it
            const std::string name = out_.fresh("sums"), type = value_type(g_.type(value));
            out_.line("array<" + type + "> " + name + "(" + length + ");");
            sums.emplace_back(value, name);
        }
    }
    return sums;
}

void TilePrinter::print_in_stages(const ScheduledNode& loop, const InTiles& plan, std::vector<Generator>& generators,
                                  std::string_view begin, std::string_view end) {
    const std::string first(begin), last(end), length = text(g_.operand(plan.columns->node, 0)).text;
    const auto declared = [&](const std::string& size) {
        return plan.put_by ? declare_sums(*plan.columns, size) : Sums();
    };
    if (at_.in_stages == loop.node) { // of one block of rows
        Block block{loop, plan, first, last, declared("tile_rows * " + length)};
        return print_block(block, generators);
    }
    const std::string rows = out_.fresh("tiled"), width = width_of(plan);
    out_.line("// Blocks of rows: sums in tiles of rows and columns stand in vector registers. Then the rows that fill "
              "no block.");
    out_.line("const std::int64_t " + rows + " = " + length + " < " + width +
              (plan.put_by ? " || " + length + " > " + std::string(most_columns) : "") + " ? " + first + " : " + first +
              " + (" + last + " - " + first + ") / tile_rows * tile_rows;");
    out_.open_names();
    Block block{loop, plan, out_.fresh("first_row"), out_.fresh("last_row"),
                declared(first + " < " + rows + " ? tile_rows * " + length + " : 0")};
    out_.open("for (std::int64_t " + block.first_row + " = " + first + "; " + block.first_row + " < " + rows + "; " +
              block.first_row + " += tile_rows) {");
    out_.line("const std::int64_t " + block.last_row + " = " + block.first_row + " + tile_rows;");
    print_block(block, generators);
    out_.close();
    out_.close_names();
    const NodeId outer = std::exchange(at_.not_in_tiles, loop.node);
    f_.loops.print_body(loop, generators, rows, end);
    at_.not_in_tiles = outer;
}

void TilePrinter::print_block(Block& block, std::vector<Generator>& generators) {
    const ScheduledNode& loop = block.loop;
    const NodeId inner = block.plan.columns->node;
    PutBy put_by = state_.put_by;
    if (put_by.loop != loop.node) put_by = {loop.node, true, block.first_row, {}};
    ranges_.enter(Range{row_of(loop), g_.operand(loop.node, 0), 0, 0});
    if (!block.plan.hoisted.empty()) print_before(block, put_by);
    std::vector<NodeId> hoisted;
    for (NodeId node : block.plan.hoisted)
        if (at_.hoisted.insert(node).second) hoisted.push_back(node);
    std::swap(state_.put_by, put_by);
    if (block.plan.put_by) print_sums(block);
    ranges_.leave();
    if (block.plan.put_by) {
        at_.tiled.insert(inner);
        state_.tiled[inner] = {row_of(loop), {}, {}, block.first_row, block.sums};
        const NodeId outer = std::exchange(at_.in_stages, loop.node);
        f_.loops.print_body(loop, generators, block.first_row, block.last_row);
        at_.in_stages = outer;
        state_.tiled.erase(inner);
        at_.tiled.erase(inner);
    } else {
        print_results(loop, block.plan, generators, block.first_row, block.last_row);
    }
    std::swap(state_.put_by, put_by);
    for (NodeId node : hoisted) at_.hoisted.erase(node);
}

// Of each row of the block, what is made before the sums. It is put by if something else reads it.
void TilePrinter::print_before(const Block& block, PutBy& put_by) {
    const ScheduledNode& loop = block.loop;
    const InTiles& plan = block.plan;
    std::vector<std::pair<NodeId, std::string>> made;
    for (NodeId value : plan.stored) {
        const std::string name = out_.fresh("rows");
        out_.line("std::array<" + value_type(g_.type(value)) + ", tile_rows> " + name + ";");
        made.emplace_back(value, name);
        at_.stored.insert(value);
    }
    out_.open_names();
    const std::string index = index_of(loop), place = "[" + index + " - " + block.first_row + "]";
    out_.open("for (std::int64_t " + index + " = " + block.first_row + "; " + index + " < " + block.last_row + "; ++" +
              index + ") {");
    {
        const Scope scope(env_, ranges_);
        define(row_of(loop), {{index}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        const std::unordered_set<NodeId> needed = needed_of_row({}, plan.hoisted);
        define_put_by(loop, place, &needed);
        const std::vector<ScheduledNode>& nodes = schedule_.blocks[loop.blocks[0]].nodes;
        for (std::uint32_t i : plan.before)
            if (needed.contains(nodes[i].node)) f_.print_node(nodes[i], loop.blocks[0], i);
        for (const auto& [value, rows] : made) {
            const std::string text = binding(value).text.text;
            out_.line(rows + place + " = " + (types_.is_scalar(g_.type(value)) ? text : "std::move(" + text + ")") +
                      ";");
        }
    }
    out_.close();
    out_.close_names();
    for (NodeId value : plan.stored) at_.stored.erase(value);
    put_by.buffers.insert(put_by.buffers.end(), made.begin(), made.end());
}

// The sums of the block's rows, a tile of columns at a time. The last tile may be narrow.
void TilePrinter::print_sums(const Block& block) {
    const ScheduledNode& inner = *block.plan.columns;
    const std::string length = text(g_.operand(inner.node, 0)).text, width = width_of(block.plan);
    out_.open_names();
    ColumnStages stages;
    stages.rest = true, stages.row_loop = &block.loop, stages.of_row = block.plan.repeated;
    stages.first_row = block.first_row, stages.width = width;
    stages.first = out_.fresh("first"), stages.last = out_.fresh("last");
    for (const ScheduledNode& sums : schedule_.blocks[inner.blocks[0]].nodes)
        if (is_inner_loop(sums))
            for (NodeId node : needed_of_row(stages, {&sums.node, 1})) stages.read_by_sums.insert(node);
    const std::string tile = out_.fresh("tile"), columns = out_.fresh("columns");
    const unsigned hot = std::exchange(at_.hot, at_.hot + 1);
    out_.open("const auto " + tile + " = [&](std::int64_t " + stages.first + ", auto " + columns + ") {");
    out_.line("const std::int64_t " + stages.last + " = " + stages.first + " + " + columns + ";");
    find_stages(inner, {}, stages);
    print_stages(inner, stages, {}, {});
    print_rows(stages, {}, [&](const std::string& row) {
        const std::string from =
            "(" + text(row_of(block.loop)).text + " - " + block.first_row + ") * " + length + " + ";
        print_lanes(inner, stages, stages.nodes.size(), row, [&](const std::string& index, const std::string&) {
            for (const auto& [value, sums] : block.sums)
                out_.line(sums + "[" + from + index + "] = " + text(value).text + ";");
        });
    });
    out_.close("};");
    out_.line("std::int64_t " + stages.first + " = 0;");
    out_.line("for (; " + stages.first + " + " + width + " <= " + length + "; " + stages.first + " += " + width + ") " +
              tile + "(" + stages.first + ", std::integral_constant<std::int64_t, " + width + ">());");
    out_.line("if (" + stages.first + " < " + length + ") " + tile + "(" + stages.first + ", " + length + " - " +
              stages.first + ");");
    at_.hot = hot;
    out_.merge_names();
}

} // namespace irrewrite::printers
