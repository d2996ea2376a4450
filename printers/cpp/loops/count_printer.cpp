// Parallel loops of emitted C++ that collect an unknown number of values, in two passes: the first counts, the second
// writes each value to its final index. Counting costs less than moving one chunk's values behind those of the others.
#include "printers/cpp/cpp_function.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace irrewrite::printers {

TwoPassCollect CountPrinter::plan_counted(const ScheduledNode& loop, std::vector<Generator>& generators,
                                          std::span<const std::uint32_t> regions) {
    TwoPassCollect out{.list = planner_.find_counted(loop, generators)};
    if (out.list.empty()) return out;
    out.places = planner_.count_places(out.list);
    out.function = out_.fresh("count"), out.sizes = out_.fresh("sizes"), out.limit = out_.fresh("limit");
    out.bounded = std::ranges::all_of(
        out.list, [&](const Generator* generator) { return code_.emits_at_most_once(generator->emission); });
    out.selects = out.list.size() == generators.size() &&
                  std::ranges::all_of(out.places, [](std::size_t place) { return place == 0; }) &&
                  planner_.is_selection(loop, generators[0]);
    print_counts(loop, out, regions);
    for (Generator* generator : out.list)
        generator->index = generator->count = out_.fresh(generator->outputs[0].name + "_end");
    return out;
}

void CountPrinter::open_counted(const TwoPassCollect& counted, const std::string& n, const std::string& enough,
                                const std::string& begin, const std::string& end, const std::string& ends,
                                const std::string& in_order) {
    const std::string room = out_.fresh("room");
    const auto place_of = [&](std::size_t k) { return "[" + std::to_string(counted.places[k]) + "]"; };
    std::string make;
    for (std::size_t k = 0; k < counted.list.size(); ++k)
        for (const Cell& cell : counted.list[k]->outputs)
            make += " " + cell.name + " = " + value_type(cell.type) + "(" + room + place_of(k) + ");";
    out_.open((counted.bounded ? "const auto " + counted.sizes + " = " : "") + "in_parallel_behind(" + n + ", " +
              enough + ", " + (counted.bounded ? "true" : "false") + ", " + counted.function + ", [&](const auto& " +
              room + ") {" + make + " }, [&](std::int64_t " + begin + ", std::int64_t " + end + ", auto& " + ends +
              ", const auto&" + (counted.selects ? " " + counted.limit : "") + ", auto&&" +
              (in_order.empty() ? "" : " " + in_order) + ") {");
    for (std::size_t k = 0; k < counted.list.size() && (k == 0 || !counted.selects); ++k)
        out_.line("std::int64_t " + counted.list[k]->count + " = " + ends + place_of(k) + ";");
}

void CountPrinter::truncate_counted(const TwoPassCollect& counted) {
    for (std::size_t k = 0; k < counted.list.size() && counted.bounded; ++k)
        for (const Cell& cell : counted.list[k]->outputs)
            out_.line(cell.name + ".truncate(" + counted.sizes + "[" + std::to_string(counted.places[k]) + "]);");
}

// `count(begin, end)`: the number of values that each of them collects in a chunk.
void CountPrinter::print_counts(const ScheduledNode& loop, const TwoPassCollect& counted,
                                std::span<const std::uint32_t> regions) {
    std::vector<NodeId> roots, eaches;
    std::vector<Generator> counts;
    std::string sizes;
    const Scope scope(env_, ranges_);
    out_.open_names();
    const std::string begin = out_.fresh("begin"), end = out_.fresh("end");
    out_.open("const auto " + counted.function + " = [&](std::int64_t " + begin + ", std::int64_t " + end + ") {");
    for_each_place(counted, [&](const Generator& generator, const std::string&) {
        code_.add_counted(generator.emission, roots, eaches);
        Generator& counting = counts.emplace_back(generator);
        counting.count = out_.fresh(generator.outputs[0].name + "_size");
        counting.outputs.clear();
        out_.line("std::int64_t " + counting.count + " = 0;");
        sizes += (sizes.empty() ? "" : ", ") + counting.count;
    });
    const std::vector<NodeId> needed = reachable(g_, roots);
    const std::unordered_set<NodeId> only(needed.begin(), needed.end());
    at_.only = &only;
    f_.loops.declare_pointers(regions, loop.blocks[0]);
    if (std::ranges::all_of(counts, [&](const Generator& generator) { return planner_.is_selection(loop, generator); }))
        print_selected_counts(loop, counts, begin, end);
    else if (!print_straight_counts(loop, counts, begin, end))
        f_.loops.print_body(loop, counts, begin, end);
    at_.only = nullptr;
    out_.line("return std::array{" + sizes + "};");
    out_.close("};");
    out_.close_names();
}

void CountPrinter::print_selected_counts(const ScheduledNode& loop, std::span<const Generator> counts,
                                         const std::string& begin, const std::string& end) {
    std::string list;
    for (const Generator& generator : counts) list += (list.empty() ? "" : ", ") + generator.count;
    out_.line("#pragma omp simd reduction(+ : " + list + ")");
    const bool outer = std::exchange(at_.lanes, true);
    print_each_index(loop, begin, end, {}, [&] {
        for (const Generator& generator : counts)
            out_.line(generator.count + " += " +
                      parenthesized(text(g_.operand(generator.emission, 0)), precedence::logical_or) + " ? 1 : 0;");
    });
    at_.lanes = outer;
}

// Prints the conditions that decide how many values there are.
Text CountPrinter::count_text(NodeId emission, Region region) {
    std::vector<NodeId> list = code_.atoms(emission);
    std::uint64_t known = 0;
    std::string sum;
    const auto add = [&](const Text& text) {
        sum += (sum.empty() ? "" : " + ") + parenthesized(text, precedence::additive);
    };
    for (std::size_t k = 0; k < list.size(); ++k) {
        const OpKind shape = module_.shapes[g_.op(list[k]).index];
        if (shape == OpKind::Emit) ++known;
        if (shape == OpKind::Each) known += g_.bits(g_.operand(list[k], 0));
        if (shape != OpKind::When) continue;
        const NodeId condition = g_.operand(list[k], 0);
        const Region guarded = code_.guarded_by(condition, region);
        if (guarded != region) f_.print_nodes(guarded);
        const Text number = count_text(g_.operand(list[k], 1), guarded);
        if (number.text == "0") continue;
        add({parenthesized(f_.scalars.without_branches(condition), precedence::logical_or) + " ? " +
                 parenthesized(number, precedence::logical_or) + " : 0",
             precedence::ternary, 1});
    }
    if (sum.empty()) return {std::to_string(known), precedence::primary, 0};
    if (known > 0) sum += " + " + std::to_string(known);
    const bool single = known == 0 && sum.front() == '(' && sum.find(" + ") == std::string::npos;
    return {sum, single ? precedence::primary : precedence::additive, 1};
}

// Counts in vector lanes; of elements of at most 16 bits in counters as narrow, block by block.
bool CountPrinter::print_straight_counts(const ScheduledNode& loop, std::span<const Generator> counts,
                                         const std::string& begin, const std::string& end) {
    bool narrow = true;
    {
        const Scope scope(env_, ranges_);
        const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
        define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        if (!code_.is_straight(loop.blocks[0])) return false;
        for (const Generator& generator : counts) {
            std::uint64_t most = 0;
            if (!code_.counts_straight(generator.emission, loop.blocks[0], most)) return false;
            narrow = narrow && most <= most_in_block;
        }
    }
    for (NodeId node : *at_.only) {
        const bool reads = !g_.is_param(node) && !g_.is_literal(node) && g_.core(node) == Core::None &&
                           module_.shapes[g_.op(node).index] == OpKind::At;
        narrow = narrow && (!reads || (types_.is_scalar(g_.type(node)) && types_.bits(g_.type(node)) <= 16));
    }
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop");
    std::string list;
    std::vector<std::string> names;
    if (narrow) {
        out_.open("for (std::int64_t " + block + " = " + begin + ", " + stop + "; " + block + " < " + end + "; " +
                  block + " = " + stop + ") {");
        out_.line(stop + " = std::min<std::int64_t>(" + block + " + 4096, " + end + ");");
    }
    for (const Generator& generator : counts) {
        names.push_back(narrow ? out_.fresh("count") : generator.count);
        if (narrow) out_.line("std::uint16_t " + names.back() + " = 0;");
        list += (list.empty() ? "" : ", ") + names.back();
    }
    out_.line("#pragma omp simd reduction(+ : " + list + ")");
    const bool outer = std::exchange(at_.lanes, true);
    print_each_index(loop, narrow ? block : begin, narrow ? stop : end, {}, [&] {
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const std::string number = count_text(counts[k].emission, loop.blocks[0]).text;
            out_.line(names[k] + (narrow ? " = static_cast<std::uint16_t>(" + names[k] + " + (" + number + "));"
                                         : " += " + number + ";"));
        }
    });
    at_.lanes = outer;
    if (!narrow) return true;
    for (std::size_t k = 0; k < counts.size(); ++k) out_.line(counts[k].count + " += " + names[k] + ";");
    out_.close();
    return true;
}

// Writes every value, without a branch; the next one overwrites a value that is not kept. The next chunk writes from
// `limit` on.
void CountPrinter::print_selection(const ScheduledNode& loop, std::span<const Generator> generators,
                                   const std::string& begin, const std::string& end, const std::string& limit) {
    const std::string& place = generators[0].count;
    const bool tables = std::exchange(at_.tables, true);
    print_each_index(loop, begin, end, " && " + place + " < " + limit, [&] {
        for (auto [condition, region] : schedule_.blocks[loop.blocks[0]].guarded) f_.print_nodes(region);
        for (const Generator& generator : generators) {
            const NodeId emission = g_.operand(generator.emission, 1);
            for (std::size_t k = 0; k < generator.outputs.size(); ++k) {
                const Cell& cell = generator.outputs[k];
                out_.line(cell.name + "[" + place + "] = " +
                          stored(binding(g_.operand(emission, k)), types_.element(cell.type), false, generator.node) +
                          ";");
            }
        }
        out_.line(place + " += " + parenthesized(text(g_.operand(generators[0].emission, 0)), precedence::logical_or) +
                  " ? 1 : 0;");
    });
    at_.tables = tables;
}

// A loop from `begin` to `end` in which the body's values are computed.
template <class F> void CountPrinter::print_each_index(const ScheduledNode& loop, const std::string& begin,
                                                       const std::string& end, const std::string& further, F&& f) {
    out_.open_names();
    const std::string index = index_of(loop);
    const Scope scope(env_, ranges_);
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    define(param, {{index}, types_.i64(), Form::Value, false, extent});
    out_.open("for (std::int64_t " + index + " = " + begin + "; " + index + " < " + end + further + "; ++" + index +
              ") {");
    ranges_.enter(Range{param, extent, 0, 0});
    f_.print_nodes(loop.blocks[0]);
    f();
    ranges_.leave();
    out_.close();
    out_.close_names();
}

} // namespace irrewrite::printers
