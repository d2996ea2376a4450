// Loops of emitted C++ whose inner loops are chains, each step of which waits for the one before: scans, folds, `while`,
// searches for a least value. Eight or sixteen indices of the loop around them run side by side, one in each vector lane: outer-loop
// vectorization (Nuzman and Zaks, "Outer-Loop Vectorization: Revisited for Short SIMD Architectures").
//
// A value of each lane stands in an array. Values that are the same in all lanes are computed outside the loops
// over lanes, and elements of arrays are read in each of those that need them. Results are stored index by index at the
// end of a block, so that nothing else about the loop changes; indices that fill no block are gone through as before.
#include "printers/cpp/loops/lane_blocks.hpp"

#include "printers/cpp/cpp_function.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
std::string LaneBlocks::element(NodeId array, const std::string& k) const {
    return arrays.at(array) + "[" + (is_name(k) ? k : "(" + k + ")") + " * " + std::to_string(lanes) + " + " + lane +
           "]";
}

// Of what reads again, what these values need: not through what a loop over lanes or an inner loop has made before.
std::unordered_set<NodeId> LaneWriter::needed_in_lanes(const LaneRoots& roots) const {
    const std::unordered_set<NodeId> here(roots.computed.begin(), roots.computed.end());
    std::unordered_set<NodeId> seen;
    std::vector<NodeId> stack = roots.reads;
    stack.insert(stack.end(), roots.computed.begin(), roots.computed.end());
    while (!stack.empty()) {
        const NodeId node = GraphView(g_).source(stack.back());
        stack.pop_back();
        if (!seen.insert(node).second || g_.is_param(node) || g_.is_literal(node)) continue;
        const bool made = plan_.buffers.contains(node) || plan_.chains.contains(node);
        if (made && !here.contains(node)) continue;
        stack.insert(stack.end(), g_.operands(node).begin(), g_.operands(node).end());
        for (BlockId block : g_.blocks(node))
            stack.insert(stack.end(), g_.results(block).begin(), g_.results(block).end());
    }
    return seen;
}

void LaneWriter::print_read_again(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    const NodeId node = scheduled.node;
    if (types_.is_scalar(g_.type(node))) return f_.print_node(scheduled, region, position);
    const NodeId matrix = g_.operand(node, 0), index = g_.operand(node, 1);
    const Binding value = binding(matrix);
    const auto pointer = pointers().find(matrix);
    const std::string base = pointer != pointers().end() ? pointer->second : value.text.text + ".data()";
    const std::string width = extent_text(value, types_.element(value.type), 1);
    const std::string element = value_type(module_.types.element(value.type, 2)), name = name_of(node, "row");
    out_.line("const " + element + "* const " + name + " = " + base + " + " +
              parenthesized(text(index), precedence::multiplicative) + " * " + width + ";");
    pointers()[node] = name;
    env_.on_leave([&list = pointers(), node] { list.erase(node); });
    define(node, {{name}, g_.type(node), Form::View});
}

// The rows of a block side by side, element by element: what is read several times is gathered once.
void LaneWriter::print_turned(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node, matrix = g_.operand(node, 0);
    const Binding value = binding(matrix);
    const auto pointer = pointers().find(matrix);
    const std::string& name = plan_.arrays.at(node);
    const std::string base = pointer != pointers().end() ? pointer->second : value.text.text + ".data()";
    const Text width{extent_text(value, types_.element(value.type), 1)};
    const std::string columns = parenthesized(width, precedence::multiplicative);
    out_.line(name + " = remade(std::move(" + name + "), " + columns + " * " + lane_count() + ");");
    out_.open_names();
    const std::string k = out_.fresh("k");
    const NodeId index = g_.operand(node, 1);
    out_.open("for (std::int64_t " + k + " = 0; " + k + " < " + width.text + "; ++" + k + ") {");
    print_lane_loop({{index}, {}}, "", [&] {
        out_.line(name + "[" + k + " * " + lane_count() + " + " + plan_.lane + "] = " + base + "[" +
                  parenthesized(text(index), precedence::multiplicative) + " * " + columns + " + " + k + "];");
    });
    out_.close();
    out_.close_names();
    define(node, {{name}, g_.type(node)});
}

// In a variable: compilers take what stands in a loop over lanes for a part of it.
void LaneWriter::print_steady(const ScheduledNode& scheduled, Region region, std::uint32_t position) {
    f_.print_node(scheduled, region, position);
    if (types_.is_scalar(g_.type(scheduled.node)) && !g_.is_project(scheduled.node))
        define(scheduled.node, as_variable(binding(scheduled.node), "v"));
}

// A loop over the lanes of a block.
void LaneWriter::print_lane_loop(const LaneRoots& roots, const std::string& reduction, const std::function<void()>& f) {
    out_.open_names();
    out_.line("#pragma omp simd" + reduction);
    out_.open("for (std::int64_t " + plan_.lane + " = 0; " + plan_.lane + " < " + lane_count() + "; ++" + plan_.lane +
              ") {");
    {
        const Scope scope(env_, ranges_);
        const std::string index = out_.fresh(plan_.index_name);
        out_.line("const std::int64_t " + index + " = " + plan_.first + " + " + plan_.lane + ";");
        define(plan_.index, {{index}, types_.i64(), Form::Value, false, plan_.extent});
        ranges_.enter(Range{plan_.index, plan_.extent, 0, 0});
        const bool straight = std::exchange(at_.straight, true), lanes = std::exchange(at_.lanes, true);
        plan_.inside = true;
        const std::unordered_set<NodeId> needed = needed_in_lanes(roots);
        for (auto [region, position] : plan_.again) {
            const ScheduledNode& scheduled = schedule_.blocks[region].nodes[position];
            if (needed.contains(scheduled.node)) print_read_again(scheduled, region, position);
        }
        f();
        plan_.inside = false;
        at_.straight = straight, at_.lanes = lanes;
        ranges_.leave();
    }
    out_.close();
    out_.close_names();
}

std::string LaneWriter::wanted_name(NodeId node, std::string_view otherwise) const {
    const SymbolId name = node ? g_.name(node) : SymbolId{};
    return std::string(name ? module_.context.symbols[name] : otherwise);
}

std::string LaneWriter::declare_lanes(TypeId type, std::string_view wanted, unsigned width) {
    const std::string name = out_.fresh(wanted);
    const std::string held = width > 0 ? "std::int" + std::to_string(width) + "_t" : value_type(type);
    out_.line(held + " " + name + "[" + lane_count() + "];");
    return name;
}

// Lanes of one width share their masks: conditions are kept in integers as wide as what stands beside them, and so are narrower
// integers where each step has a mask. 0: as it is.
unsigned LaneWriter::lane_width(TypeId type, std::span<const TypeId> beside, bool masked) const {
    const bool condition = types_.kind(type) == TypeKind::Bool;
    if (!condition && (!masked || !types_.is_integer(type))) return 0;
    unsigned widest = 0;
    for (const TypeId other : beside)
        if (types_.is_scalar(other) && types_.kind(other) != TypeKind::Bool)
            widest = std::max(widest, types_.bits(other));
    if (condition) return widest == 0 ? 64 : widest;
    return widest > types_.bits(type) ? widest : 0;
}

std::vector<TypeId> LaneWriter::cells_in_lanes(std::span<const ScheduledNode> nodes,
                                               std::span<const LanePart> parts) const {
    std::vector<TypeId> out;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (parts[i] == LanePart::Lanes && is_cell(nodes[i].node))
            out.push_back(types_.element(g_.type(nodes[i].node)));
    return out;
}

// The values of lanes that stand among these or that they are made of, but not what such a value is made of.
std::unordered_set<NodeId> LaneWriter::read_by(std::span<const NodeId> roots, std::span<const ScheduledNode> nodes,
                                               std::span<const LanePart> parts) const {
    std::unordered_set<NodeId> in_lanes, read, met;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (parts[i] == LanePart::Lanes) in_lanes.insert(nodes[i].node);
    std::vector<NodeId> stack;
    const auto meet = [&](NodeId node) {
        if (in_lanes.contains(node))
            read.insert(node);
        else if (met.insert(node).second)
            stack.push_back(node);
    };
    for (NodeId root : roots) meet(root);
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        for_each_part(g_, node, meet);
    }
    return read;
}

// An element whose index the lanes compute is read in the loop over lanes that computes the index.
void LaneWriter::read_where_computed(const std::vector<ScheduledNode>& nodes, std::vector<LanePart>& parts) const {
    std::unordered_set<NodeId> in_lanes;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        const auto is_made = [&](NodeId operand) { return in_lanes.contains(operand); };
        if (parts[i] == LanePart::Again && types_.is_scalar(g_.type(node)) &&
            std::ranges::any_of(g_.operands(node), is_made))
            parts[i] = LanePart::Lanes;
        if (parts[i] == LanePart::Lanes) in_lanes.insert(node);
    }
}

// Runs a region: arithmetic in loops over lanes, chains between them. What stands behind the last chain runs together with
// `finish`, which needs `roots`; in the loop's own region nothing does.
void LaneWriter::print_lane_region(Region region, std::span<const NodeId> roots, const Finish& finish) {
    const bool top = region == plan_.region;
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    std::vector<LanePart> parts = lanes_.lane_parts(region).value();
    read_where_computed(nodes, parts);
    const std::unordered_set<NodeId> at_end = read_by(roots, nodes, parts);
    std::vector<std::unordered_set<NodeId>> reads;
    for (const ScheduledNode& scheduled : nodes) {
        std::vector<NodeId> list;
        for_each_part(g_, scheduled.node, [&](NodeId part) { list.push_back(part); });
        reads.push_back(read_by(list, nodes, parts));
    }
    // Of the loop over lanes in which it is computed: one ends before a chain, and before a read that needs a value of it.
    std::vector<std::size_t> stage(nodes.size());
    std::size_t last = 0, first = 0; // the first node of the stage
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto needs = [&](std::size_t k) {
            return parts[k] == LanePart::Lanes && reads[i].contains(nodes[k].node);
        };
        bool ends = false;
        for (std::size_t k = first; k < i && parts[i] == LanePart::Again && !ends; ++k) ends = needs(k);
        if (ends) ++last, first = i;
        stage[i] = last;
        if (parts[i] == LanePart::Chain) ++last, first = i + 1;
    }
    const auto is_stored = [&](std::size_t i) {
        for (std::size_t j = i + 1; j < nodes.size(); ++j)
            if ((parts[j] == LanePart::Chain || parts[j] == LanePart::Rest || parts[j] == LanePart::Again ||
                 stage[j] != stage[i]) &&
                reads[j].contains(nodes[i].node))
                return true;
        return at_end.contains(nodes[i].node) && (top || stage[i] < last);
    };
    std::vector<std::uint32_t> run;
    const auto print_run = [&] {
        for (std::uint32_t i : run) {
            const NodeId node = nodes[i].node;
            if (plan_.buffers.contains(node) && is_cell(node)) {
                out_.line(plan_.buffers[node] + "[" + plan_.lane + "] = " + text(g_.operand(node, 0)).text + ";");
                continue;
            }
            f_.print_node(nodes[i], region, i);
            if (const auto found = plan_.buffers.find(node); found != plan_.buffers.end())
                out_.line(found->second + "[" + plan_.lane + "] = " + text(node).text + ";");
        }
    };
    const auto of_run = [&](std::span<const NodeId> reads) {
        LaneRoots list{{reads.begin(), reads.end()}, {}};
        for (std::uint32_t i : run) list.computed.push_back(nodes[i].node);
        return list;
    };
    const auto flush = [&] {
        if (run.empty()) return;
        print_lane_loop(of_run({}), "", print_run);
        for (std::uint32_t i : run)
            if (const auto found = plan_.buffers.find(nodes[i].node);
                found != plan_.buffers.end() && !is_cell(nodes[i].node))
                define(nodes[i].node, {{found->second + "[" + plan_.lane + "]"}, g_.type(nodes[i].node)});
        run.clear();
    };
    const std::size_t again = plan_.again.size();
    const std::vector<TypeId> cells = cells_in_lanes(nodes, parts);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        const bool cell = is_cell(node);
        switch (parts[i]) {
        case LanePart::Steady: print_steady(nodes[i], region, i); break;
        case LanePart::Again: // it stands before the others in a loop over lanes
            if (std::ranges::any_of(run, [&](std::uint32_t k) { return reads[i].contains(nodes[k].node); })) flush();
            plan_.again.emplace_back(region, i);
            break;
        case LanePart::Turned: print_turned(nodes[i]); break;
        case LanePart::Lanes:
            if (cell) {
                const TypeId held = types_.element(g_.type(node));
                const unsigned width = lane_width(held, cells, plan_.uneven);
                plan_.buffers[node] = declare_lanes(held, wanted_name(node, "cell"), width);
                Binding place{{plan_.buffers[node] + "[" + plan_.lane + "]"}, g_.type(node)};
                if (width > 0) place.wide = place.text.text; // which is assigned to
                define(node, place);
            } else if (is_stored(i) && types_.is_scalar(g_.type(node)))
                plan_.buffers[node] = declare_lanes(g_.type(node), wanted_name(node, "values"));
            else
                plan_.buffers.erase(node); // of a region beside this one
            run.push_back(i);
            break;
        case LanePart::Chain:
            flush();
            print_lane_chain(nodes[i]);
            plan_.chains.insert(node);
            break;
        case LanePart::Rest: break;
        }
    }
    if (top)
        flush();
    else
        finish(of_run(roots), print_run);
    plan_.again.resize(again);
    if (!top) lanes_.leave_lanes(region);
}

void LaneWriter::print(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                       std::string_view end) {
    const Region region = loop.blocks[0];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const bool wide = plan_.lanes > 8;
    if (at_.remainder != loop.node)
        module_.notes.push_back(
            {function_.name, "the loop of line " + line_number(loop.node) + ": " +
                                 (wide ? "sixteen indices, then eight," : "eight indices") +
                                 " side by side in vector lanes, since its inner loops are chains"});
    out_.line(std::string("// ") + (wide ? "Sixteen" : "Eight") +
              " indices side by side, in vector lanes: each inner loop is a chain, whose steps wait for one another.");
    plan_.first = out_.fresh("first");
    for (auto& [array, name] : plan_.arrays) {
        name = out_.fresh(g_.name(array) ? module_.context.symbols[g_.name(array)] : "made");
        out_.line("array<" + value_type(types_.element(g_.type(array))) + "> " + name + ";");
    }
    out_.line("std::int64_t " + plan_.first + " = " + std::string(begin) + ";");
    out_.open("for (; " + plan_.first + " + " + lane_count() + " <= " + std::string(end) + "; " + plan_.first +
              " += " + lane_count() + ") {");
    {
        const Scope scope(env_, ranges_);
        plan_.lane = out_.fresh("lane");
        const auto names = g_.param_names(g_.blocks(loop.node)[0]);
        plan_.index_name = !names.empty() && names[0] ? module_.context.symbols[names[0]] : "i";
        at_.lane_blocks = &plan_;
        std::vector<NodeId> roots;
        for (const Generator& generator : generators) {
            roots.push_back(generator.emission);
            if (generator.block)
                roots.insert(roots.end(), g_.results(generator.block).begin(), g_.results(generator.block).end());
        }
        define(plan_.index, {{"i"}, types_.i64(), Form::Value, false, plan_.extent});
        ranges_.enter(Range{plan_.index, plan_.extent, 0, 0});
        print_lane_region(region, roots, [](const LaneRoots&, const std::function<void()>&) {});
        ranges_.leave();
        std::vector<NodeId> done;
        LaneRoots left{std::move(roots), {}};
        for (const ScheduledNode& scheduled : nodes)
            if (plan_.rest.contains(scheduled.node)) left.computed.push_back(scheduled.node);
        const std::unordered_set<NodeId> behind = needed_in_lanes(left);
        for (const ScheduledNode& scheduled : nodes) {
            const bool again = lanes_.is_read_again(scheduled.node) && behind.contains(scheduled.node) &&
                               !plan_.arrays.contains(scheduled.node) && !plan_.buffers.contains(scheduled.node);
            if (!plan_.rest.contains(scheduled.node) && !again && at_.hoisted.insert(scheduled.node).second)
                done.push_back(scheduled.node);
        }
        out_.open_names();
        const std::size_t opened = out_.size();
        out_.open("for (std::int64_t " + plan_.lane + " = 0; " + plan_.lane + " < " + lane_count() + "; ++" +
                  plan_.lane + ") {");
        const std::string index = index_of(loop);
        out_.line("const std::int64_t " + index + " = " + plan_.first + " + " + plan_.lane + ";");
        const std::size_t start = out_.size();
        f_.loops.print_round(loop, generators, {plan_.index, plan_.extent, 0, 0}, index, false);
        const bool empty = out_.size() == start; // inner loops have stored everything
        out_.close();
        if (empty) out_.cut(opened);
        out_.close_names();
        for (NodeId node : done) at_.hoisted.erase(node);
        lanes_.leave_lanes(region);
        at_.lane_blocks = nullptr;
    }
    out_.close();
    const NodeId outer = std::exchange(at_.remainder, loop.node);
    const unsigned outer_lanes = std::exchange(at_.remainder_lanes, wide ? 8 : 0);
    f_.loops.print_body(loop, generators, plan_.first, end);
    at_.remainder = outer, at_.remainder_lanes = outer_lanes;
}

void print_lane_blocks(CppFunction& function, const ScheduledNode& loop, LaneBlocks plan,
                       std::vector<Generator>& generators, std::string_view begin, std::string_view end) {
    LanePlanner planner(function);
    planner.plan = std::move(plan);
    LaneWriter(function, planner).print(loop, generators, begin, end);
}

} // namespace irrewrite::printers
