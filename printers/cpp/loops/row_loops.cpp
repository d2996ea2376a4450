// Sums of neighbouring indices in emitted C++, side by side where that reads memory in its order.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>

namespace irrewrite::printers {

void ColumnPrinter::print_side_by_side(const ScheduledNode& loop, const SideBySide& plan, const Generator& collect,
                                       std::string_view begin, std::string_view end) {
    const ScheduledNode& sums = *plan.sums;
    const BlockId outer = g_.blocks(loop.node)[0], inner = g_.blocks(sums.node)[0];
    const NodeId reduce = g_.results(inner)[0], j = g_.params(outer)[0], k = g_.params(inner)[0];
    const NodeId collected = g_.operand(collect.emission, 0);
    const Region region = sums.blocks[0];
    auto index_name = [&](BlockId block, std::string_view otherwise) {
        const auto names = g_.param_names(block);
        return out_.fresh(!names.empty() && names[0] ? module_.context.symbols[names[0]] : otherwise);
    };
    const Scope scope(env_, ranges_);
    const std::string extent = as_variable({text(g_.operand(sums.node, 0)), types_.i64()}, "n").text.text;
    const Cell& cell = collect.outputs[0];
    const TypeId type = g_.type(g_.operand(reduce, 0));
    out_.open_names();
    const std::string first = out_.fresh("first"), last = out_.fresh("last"), row = index_name(inner, "k"),
                      lane = index_name(outer, "j"), element = cell.name + "[" + lane + "]",
                      zero = stored(g_.operand(reduce, 0), type, 0);
    const std::string lanes =
        "for (std::int64_t " + lane + " = " + first + "; " + lane + " < " + last + "; ++" + lane + ") {";
    define(k, {{row}, types_.i64(), Form::Value, false, g_.operand(sums.node, 0)});
    define(j, {{lane}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    auto is_along = [&](const ScheduledNode& scheduled) {
        return g_.depends_on_number(scheduled.node, g_.param_number(j));
    };
    auto print_those = [&](bool along) {
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            if (is_along(nodes[i]) == along) f_.print_node(nodes[i], region, i);
    };
    auto print_sum = [&](const std::string& name, const std::string& slots) {
        Generator sum{};
        sum.shape = OpKind::Reduce;
        sum.node = reduce;
        sum.block = g_.blocks(reduce)[0];
        sum.state.push_back({name, type, {}});
        std::vector<Binding> values;
        for (NodeId value : g_.operands(g_.operand(reduce, 1))) values.push_back(binding(value));
        f_.emissions.combine(region, sum, sum.state, slots, values);
    };
    auto print_collected = [&](const std::string& sum) { // what is made of a sum
        const Scope inner_scope(env_, ranges_);
        define(sums.node, {{sum}, type});
        const std::vector<ScheduledNode>& others = schedule_.blocks[loop.blocks[0]].nodes;
        for (std::uint32_t i = 0; i < others.size(); ++i)
            if (others[i].node != sums.node) f_.print_node(others[i], loop.blocks[0], i);
        out_.line(element + " = " + stored(binding(collected), type, false, collected) + ";");
    };
    const std::string add = out_.fresh("add"), sum = out_.fresh("sum");
    auto print_add = [&] {
        out_.open("const auto " + add + " = [&](std::int64_t " + row + ", std::int64_t " + lane + ", " +
                  value_type(type) + " " + sum + ") {");
        out_.open_names();
        print_those(false);
        print_those(true);
        print_sum(sum, {});
        out_.line("return " + sum + ";");
        out_.close_names();
        out_.close("};");
    };
    const std::string rows = "for (std::int64_t " + row + " = 0; " + row + " < " + extent + "; ++" + row + ")";
    if (plan.windows) {
        const std::string parts = out_.fresh("sums"), part = out_.fresh("lane");
        const std::string each = "for (std::int64_t " + part + " = 0; " + part + " < 32; ++" + part + ") ";
        out_.line("// Neighbouring sums side by side, in registers: each window is the one before moved on.");
        print_add();
        out_.line("std::int64_t " + first + " = " + std::string(begin) + ";");
        out_.open("for (; " + first + " + 32 <= " + std::string(end) + "; " + first + " += 32) {");
        out_.line(value_type(type) + " " + parts + "[32];");
        out_.line(each + parts + "[" + part + "] = " + zero + ";");
        out_.line(rows);
        out_.indent();
        out_.line(each + parts + "[" + part + "] = " + add + "(" + row + ", " + first + " + " + part + ", " + parts +
                  "[" + part + "]);");
        out_.outdent();
        out_.open(each + "{");
        out_.line("const std::int64_t " + lane + " = " + first + " + " + part + ";");
        print_collected(parts + "[" + part + "]");
        out_.close();
        out_.close();
        out_.open("for (std::int64_t " + lane + " = " + first + "; " + lane + " < " + std::string(end) + "; ++" + lane +
                  ") {");
        out_.line(value_type(type) + " " + sum + " = " + zero + ";");
        out_.line(rows + " " + sum + " = " + add + "(" + row + ", " + lane + ", " + sum + ");");
        print_collected(sum);
        out_.close();
        return out_.merge_names();
    }
    out_.line("// Neighbouring sums side by side, in parts that stay in the cache.");
    out_.open("for (std::int64_t " + first + " = " + std::string(begin) + "; " + first + " < " + std::string(end) +
              "; " + first + " += 1024) {");
    out_.line("const std::int64_t " + last + " = std::min<std::int64_t>(" + first + " + 1024, " + std::string(end) +
              ");");
    out_.open(lanes);
    out_.line(element + " = " + zero + ";");
    out_.close();
    const bool repeats = std::ranges::all_of(
        nodes, [&](const ScheduledNode& node) { return is_along(node) || rows_.may_be_repeated(node.node); });
    if (!repeats) { // what is the same for all sums stands outside
        out_.open(rows + " {");
        print_those(false);
        out_.line("#pragma omp simd");
        out_.open(lanes);
        print_those(true);
        print_sum(cell.name, "[" + lane + "]");
        out_.close();
        out_.close();
    } else {
        print_add();
        auto print_rows = [&](const std::string& head, const std::string& value) {
            out_.open(head);
            out_.line("#pragma omp simd");
            out_.open(lanes);
            out_.line(element + " = " + value + ";");
            out_.close();
            out_.close();
        };
        const std::string one = add + "(" + row + ", " + lane + ", " + element + ")";
        std::string four = one;
        for (const char* further : {" + 1, ", " + 2, ", " + 3, "})
            four = add + "(" + row + further + lane + ", " + four + ")";
        out_.line("std::int64_t " + row + " = 0;");
        print_rows("for (; " + row + " + 3 < " + extent + "; " + row +
                       " += 4) { // each sum is loaded and stored once for four",
                   four);
        print_rows("for (; " + row + " < " + extent + "; ++" + row + ") {", one);
    }
    if (collected != sums.node) {
        out_.line("#pragma omp simd");
        out_.open(lanes);
        print_collected(element);
        out_.close();
    }
    out_.close();
    out_.close_names();
}

} // namespace irrewrite::printers
