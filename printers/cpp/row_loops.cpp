// Inner loops of emitted C++: rows are made where they are stored, and sums for neighbouring indices
// run side by side when that reads memory in its order.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

// -- rows in place ---------------------------------------------------------------------------------

// The loop in this region that makes `value`, one element for each index; nobody else reads it as a whole or, unless
// they may, its elements.
const ScheduledNode* CppFunction::find_row_loop(Region region, NodeId value, bool may_read) const {
    std::size_t position = 0;
    NodeId loop = value;
    if (g_.is_project(value)) position = g_.position(value), loop = g_.operand(value, 0);
    if (g_.is_param(loop) || g_.is_literal(loop) || g_.core(loop) != Core::None) return nullptr;
    if (module_.shapes[g_.op(loop).index] != OpKind::Loop) return nullptr;
    if (uses_.reads(value) != 1 + (may_read ? reads_of_elements(region, value) : 0)) return nullptr;
    for (NodeId generator : g_.results(g_.blocks(loop)[0])) {
        const std::size_t count = types_.elements(g_.type(generator)).size();
        if (position >= count) {
            position -= count;
            continue;
        }
        const OpKind shape = module_.shapes[g_.op(generator).index];
        const bool makes = shape == OpKind::Collect || (shape == OpKind::Scan && g_.blocks(generator).size() == 1);
        if (!makes || !types_.once(g_.type(g_.operands(generator).back()))) return nullptr;
        break;
    }
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes)
        if (scheduled.node == loop && !scheduled.is_on_demand()) return &scheduled;
    return nullptr;
}

// The number of reads of its elements, or of its length, in the region.
std::uint32_t CppFunction::reads_of_elements(Region region, NodeId array) const {
    std::uint32_t found = 0;
    for (Region r : regions_within(schedule_, {region}))
        for (const ScheduledNode& scheduled : schedule_.blocks[r].nodes) {
            const NodeId node = scheduled.node;
            if (g_.core(node) != Core::None || g_.operands(node).empty() || g_.operand(node, 0) != array) continue;
            const OpKind shape = module_.shapes[g_.op(node).index];
            found += shape == OpKind::At || shape == OpKind::Len ? 1 : 0;
        }
    return found;
}

void CppFunction::place_row(Region region, NodeId value, const Cell& cell, const std::string& index) {
    const TypeId row = g_.type(value);
    if (module_.types.rank(cell.type) != module_.types.rank(row) + 1) return;
    if (find_row_loop(region, value, on_device_ != nullptr) == nullptr) return;
    row_places_[value] = cell.name + (uses_.reads(value) == 1 ? ".row(" + index + ")" : "[" + index + "]");
}

// Makes a loop's collected values in place if they are rows that an inner loop makes.
void CppFunction::place_rows(Region region, std::span<const Generator> generators) {
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Collect || generator.index.empty() || !generator.slots.empty() ||
            g_.is_param(generator.emission) || module_.shapes[g_.op(generator.emission).index] != OpKind::Emit)
            continue;
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            if (module_.types.rank(generator.outputs[k].type) > 1)
                place_row(region, g_.operand(generator.emission, k), generator.outputs[k], generator.index);
    }
}

// True if `array` is read inside the loop alone, each element at its own index: then the loop may write its results
// over it.
bool CppFunction::reads_at_index(NodeId array, const ScheduledNode& loop) const {
    const NodeId index = g_.params(g_.blocks(loop.node)[0])[0];
    std::uint32_t found = 0;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At &&
            g_.operands(node).size() == 2 && g_.operand(node, 0) == array && g_.operand(node, 1) == index)
            ++found;
    }
    return uses_.reads(array) == 0 || uses_.reads(array) == found;
}

// -- sums side by side -----------------------------------------------------------------------------

namespace {
constexpr std::size_t most_after_sum = 16; // operations on a sum before it is collected
}

// True if the index moves with j, one element for one.
bool CppFunction::is_shifted(NodeId index, NodeId j) const {
    if (index == j) return true;
    const Scalar scalar = g_.scalar(index);
    if (scalar != Scalar::Add && scalar != Scalar::Sub) return false;
    const std::uint32_t own = g_.param_number(j);
    const NodeId a = g_.operand(index, 0), b = g_.operand(index, 1);
    if (is_shifted(a, j)) return !g_.depends_on_number(b, own);
    return scalar == Scalar::Add && is_shifted(b, j) && !g_.depends_on_number(a, own);
}

// Of a loop that collects, for each of its indices j, a value made of a reduction over k: that inner loop, where j runs
// along the rows that are read and k across them. Each sum is still made in its order.
const ScheduledNode* CppFunction::sums_side_by_side(const ScheduledNode& loop, std::span<const Generator> generators) {
    const ScheduledBlock& outer = schedule_.blocks[loop.blocks[0]];
    if (module_.options.cuda || generators.size() != 1 || generators[0].shape != OpKind::Collect ||
        generators[0].reversed || generators[0].index.empty() || generators[0].outputs.size() != 1 ||
        outer.nodes.empty() || outer.nodes.size() > most_after_sum || !outer.guarded.empty() || only_ != nullptr)
        return nullptr;
    const auto is_loop = [&](const ScheduledNode& node) {
        return g_.core(node.node) == Core::None && module_.shapes[g_.op(node.node).index] == OpKind::Loop;
    };
    const auto first = std::ranges::find_if(outer.nodes, is_loop);
    const NodeId emission = generators[0].emission;
    if (first == outer.nodes.end() || g_.kind(first->node) == TypeKind::Results || g_.is_param(emission) ||
        module_.shapes[g_.op(emission).index] != OpKind::Emit)
        return nullptr;
    const ScheduledNode& sums = *first;
    const BlockId body = g_.blocks(sums.node)[0];
    const NodeId reduce = g_.results(body)[0];
    const NodeId j = g_.params(g_.blocks(loop.node)[0])[0];
    const std::uint32_t along = g_.param_number(j);
    if (g_.results(body).size() != 1 || module_.shapes[g_.op(reduce).index] != OpKind::Reduce ||
        g_.operands(reduce).size() != 2 || g_.depends_on_number(g_.operand(sums.node, 0), along) ||
        !g_.is_literal(g_.operand(reduce, 0)) || !types_.is_scalar(g_.type(g_.operand(reduce, 0))))
        return nullptr;
    const ScheduledBlock& inner = schedule_.blocks[sums.blocks[0]];
    const NodeId emitted = g_.operand(reduce, 1);
    const Region combined = uses_.nested_region(sums.blocks[0], g_.blocks(reduce)[0]);
    if (g_.is_param(emitted) || module_.shapes[g_.op(emitted).index] != OpKind::Emit || !inner.guarded.empty() ||
        waits(sums.blocks[0]) || waits(loop.blocks[0]) || combined == UINT32_MAX || !is_straight(combined))
        return nullptr;
    const Scope scope(*this);
    define(j, {{"j"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    for (const ScheduledNode& other : outer.nodes) { // they run in lanes after the sums
        if (other.is_on_demand() || (other.node != sums.node && !is_straight(other.node))) return nullptr;
        const auto reads = [&](const ScheduledNode& node) {
            return std::ranges::find(g_.operands(node.node), other.node) != g_.operands(node.node).end();
        };
        if (other.node != sums.node &&
            (std::ranges::any_of(inner.nodes, reads) || g_.operand(sums.node, 0) == other.node))
            return nullptr;
    }
    if (types_.element(generators[0].outputs[0].type) != g_.type(g_.operand(reduce, 0))) return nullptr;
    bool pays = false;
    return reads_along(sums, j, pays) && pays ? &sums : nullptr;
}

// True if all that an inner loop computes may run in lanes for neighbouring j, in the order of its own iterations: elements
// are neighbours, as only their last index moves with j. It pays if the inner loop reads others in each iteration.
bool CppFunction::reads_along(const ScheduledNode& inner, NodeId j, bool& pays) {
    const NodeId k = g_.params(g_.blocks(inner.node)[0])[0];
    const std::uint32_t along = g_.param_number(j), across = g_.param_number(k);
    const Scope scope(*this);
    define(k, {{"k"}, types_.i64(), Form::Value, false, g_.operand(inner.node, 0)});
    for (const ScheduledNode& scheduled : schedule_.blocks[inner.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        if (scheduled.is_on_demand() || !scheduled.blocks.empty()) return false;
        if (!g_.depends_on_number(node, along)) continue;
        if (!is_straight(node)) return false;
        if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At) continue;
        const std::size_t last = g_.operands(node).size() - 1;
        for (std::size_t i = 0; i < last; ++i)
            if (g_.depends_on_number(g_.operand(node, i), along)) return false;
        if (!is_shifted(g_.operand(node, last), j)) return false;
        pays = pays || g_.depends_on_number(node, across);
    }
    return true;
}

// True if the sums read windows of rows, each a few elements on from the one before, and nothing that is computed twice
// costs more than that.
bool CppFunction::reads_windows(const ScheduledNode& loop, const ScheduledNode& sums) const {
    const std::uint32_t along = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]),
                        across = g_.param_number(g_.params(g_.blocks(sums.node)[0])[0]);
    return std::ranges::all_of(schedule_.blocks[sums.blocks[0]].nodes, [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (!g_.depends_on_number(node, along)) return may_be_repeated(node);
        if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At) return true;
        for (std::size_t i = 0; i + 1 < g_.operands(node).size(); ++i)
            if (g_.depends_on_number(g_.operand(node, i), across)) return false;
        return true;
    });
}

void CppFunction::print_side_by_side(const ScheduledNode& loop, const ScheduledNode& sums, const Generator& collect,
                                     std::string_view begin, std::string_view end) {
    const BlockId outer = g_.blocks(loop.node)[0], inner = g_.blocks(sums.node)[0];
    const NodeId reduce = g_.results(inner)[0], j = g_.params(outer)[0], k = g_.params(inner)[0];
    const NodeId collected = g_.operand(collect.emission, 0);
    const Region region = sums.blocks[0];
    auto index_name = [&](BlockId block, std::string_view otherwise) {
        const auto names = g_.param_names(block);
        return out_.fresh(!names.empty() && names[0] ? module_.context.symbols[names[0]] : otherwise);
    };
    const Scope scope(*this);
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
            if (is_along(nodes[i]) == along) print_node(nodes[i], region, i);
    };
    auto print_sum = [&](const std::string& name, const std::string& slots) {
        Generator sum{};
        sum.shape = OpKind::Reduce;
        sum.node = reduce;
        sum.block = g_.blocks(reduce)[0];
        sum.state.push_back({name, type, {}});
        std::vector<Binding> values;
        for (NodeId value : g_.operands(g_.operand(reduce, 1))) values.push_back(binding(value));
        combine(region, sum, sum.state, slots, values);
    };
    auto print_collected = [&](const std::string& sum) { // what is made of a sum
        const Scope inner_scope(*this);
        define(sums.node, {{sum}, type});
        const std::vector<ScheduledNode>& others = schedule_.blocks[loop.blocks[0]].nodes;
        for (std::uint32_t i = 0; i < others.size(); ++i)
            if (others[i].node != sums.node) print_node(others[i], loop.blocks[0], i);
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
    if (reads_windows(loop, sums)) {
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
        nodes, [&](const ScheduledNode& node) { return is_along(node) || may_be_repeated(node.node); });
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

// True if it may be computed anew for each of several sums at no cost: a compiler moves it out of their loop.
bool CppFunction::may_be_repeated(NodeId node) const {
    const bool at = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At;
    return at ? reads_within(node) : is_straight(node) && !g_.operation(node).has(Trait::Approximate);
}

} // namespace irrewrite::printers
