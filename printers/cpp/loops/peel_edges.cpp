// Peels the edges of loops of emitted C++ that read neighbours: iterations near the ends of the range run separately,
// and in the others comparisons with the ends are known. `max(i - 1, 0)` is `i - 1` there, `i > 0` is true, and xs[i -
// 1] is within xs.
//
// Comparisons are between an index, an extent and numbers, each with an offset; a Range holds how far from its ends the
// index is.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <array>

namespace irrewrite::printers {

// Variables for the first index that has all its neighbours, and for the one behind the last.
std::array<std::string, 2> LoopPrinter::print_inner_bounds(const Range& range, std::string_view begin,
                                                           std::string_view end) {
    const std::string low = out_.fresh("low"), high = out_.fresh("high"), n = text(range.extent).text;
    const auto clamped = [&](const std::string& bound, std::string_view least) {
        return "std::clamp<std::int64_t>(" + bound + ", " + std::string(least) + ", " + std::string(end) + ")";
    };
    out_.line("const std::int64_t " + low + " = " +
              (range.low == 0 ? std::string(begin) : clamped(std::to_string(range.low), begin)) + ";");
    out_.line("const std::int64_t " + high + " = " +
              (range.high == 0 ? std::string(end) : clamped(n + " - " + std::to_string(range.high), low)) + ";");
    return {low, high};
}

// Both ends first: what lanes make does not depend on the order.
void LoopPrinter::print_with_edges(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                                   std::string_view begin, std::string_view end) {
    open_lanes(generators);
    out_.line("// Both ends first; in between no neighbour is missing.");
    const auto [low, high] = print_inner_bounds(range, begin, end);
    const std::string from = out_.fresh("from"), to = out_.fresh("to"), pair = "std::array<std::int64_t, 2>";
    out_.open("for (const auto& [" + from + ", " + to + "] : {" + pair + "{" + std::string(begin) + ", " + low + "}, " +
              pair + "{" + high + ", " + std::string(end) + "}}) {");
    print_rounds(loop, generators, {range.index, range.extent, 0, 0}, from, to, code_.gathers(generators));
    out_.close();
    out_.line(simd_pragma(generators));
    print_rounds(loop, generators, range, low, high, code_.gathers(generators));
    close_lanes(generators);
}

// One index after the other, in three loops of two bodies. Not a test in one loop: g++ (12) splits a loop at a test of its
// index, and forgets of the loops inside that they are `omp simd`.
void LoopPrinter::print_inner_range(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                                    std::string_view begin, std::string_view end) {
    const std::string where = origins(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}));
    module_.notes.push_back({function_.name, (where.empty() ? "a loop" : "the loop of " + where) +
                                                 ": inner loops test for no edges, but for the first " +
                                                 std::to_string(range.low) + " and the last " +
                                                 std::to_string(range.high)});
    const auto [low, high] = print_inner_bounds(range, begin, end);
    const std::string from = out_.fresh("from"), to = out_.fresh("to"), inside = out_.fresh("inside");
    const std::string piece = "std::array<std::int64_t, 3>{", first = std::string(begin), last = std::string(end);
    out_.open("for (const auto& [" + from + ", " + to + ", " + inside + "] : {" + piece + first + ", " + low +
              ", 0}, " + piece + low + ", " + high + ", 1}, " + piece + high + ", " + last + ", 0}}) {");
    const bool tables = std::exchange(at_.tables, true);
    out_.open("if (" + inside + ") {");
    print_rounds(loop, generators, range, from, to, false);
    out_.outdent(), out_.close_names();
    out_.open("} else {");
    print_rounds(loop, generators, {range.index, range.extent, 0, 0}, from, to, false);
    out_.close();
    at_.tables = tables;
    out_.close();
}

// In the order of the indices. Each range is planned by itself.
void LoopPrinter::print_ranges(const ScheduledNode& loop, const TwoRanges& plan, std::vector<Generator>& generators,
                               std::string_view begin, std::string_view end) {
    const std::string turn = out_.fresh("turn"), limit = text(plan.limit).text;
    const std::string behind = plan.next ? " - 1" : "", last = plan.next ? " + 1" : "";
    const auto side = [&](std::string_view bound) {
        return bound == "0" && plan.next ? std::string("-1") : std::string(bound) + behind;
    };
    out_.line("const std::int64_t " + turn + " = std::clamp<std::int64_t>(" + limit + ", " + side(begin) + ", " +
              side(end) + ")" + last + ";");
    const bool outermost = at_.ranges == 0;
    at_.ranges += outermost ? 2 : 1;
    for (const bool first : {true, false}) {
        ranges_.enter(Condition{plan.condition, first == plan.first, true});
        print_body(loop, generators, first ? begin : std::string_view(turn), first ? std::string_view(turn) : end);
        ranges_.leave_condition();
    }
    if (outermost) at_.ranges = 0;
}

void LoopPrinter::print_rounds(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                               const std::string& begin, const std::string& end, bool gathers) {
    out_.open_names();
    const std::string index = index_of(loop);
    out_.open("for (std::int64_t " + index + " = " + begin + "; " + index + " < " + end + "; ++" + index + ") {");
    print_round(loop, generators, range, index, gathers);
    out_.close();
    out_.close_names();
}

} // namespace irrewrite::printers
