// Loops of emitted C++ that divide their index, and values from outside, by another one: pieces in which the quotient is one. So is
// written by hand what an index `y * width + x` stands for, or what begins anew at the end of a ring.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

// The text of a sum, where the index has a value.
std::string PiecePrinter::at_index(NodeId node, NodeId index, const std::string& value) {
    if (node == index) return value;
    if (!g_.depends_on_number(node, g_.param_number(index))) return text(node).text;
    return (g_.scalar(node) == Scalar::Add ? "wrap_add(" : "wrap_sub(") + at_index(g_.operand(node, 0), index, value) +
           ", " + at_index(g_.operand(node, 1), index, value) + ")";
}

// Computes before a piece what depends on the index by its quotient alone, and at each index is needed. Those nodes.
std::vector<NodeId> PiecePrinter::print_steady(const ScheduledNode& loop) {
    const Region region = loop.blocks[0];
    const std::uint32_t own = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    const auto is_here = [&](NodeId value) {
        return g_.is_literal(value) || env_.contains(value) ||
               (g_.is_project(value) && env_.has_results(g_.operand(value, 0)));
    };
    std::vector<NodeId> done;
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        const bool simple = !nodes[i].is_on_demand() && g_.blocks(node).empty() && g_.core(node) == Core::None &&
                            !g_.has(node, TakesToken) && !g_.has(node, Advances);
        if (!simple || !g_.depends_on_number(node, own) || at_.hoisted.contains(node) ||
            !std::ranges::all_of(g_.operands(node), is_here))
            continue;
        f_.print_node(nodes[i], region, i);
        at_.hoisted.insert(node), done.push_back(node);
    }
    return done;
}

void PiecePrinter::print_by_quotient(const ScheduledNode& loop, const ByQuotient& plan,
                                     std::vector<Generator>& generators, std::string_view begin, std::string_view end) {
    const NodeId index = g_.params(g_.blocks(loop.node)[0])[0];
    const std::string by = text(plan.divisor).text, first(begin), last(end);
    const bool outermost = at_.ranges == 0;
    const unsigned ranges = at_.ranges;
    at_.ranges += outermost ? 2 : 1;
    out_.open("if (divides_rarely(" + at_index(plan.dividend, index, first) + ", " +
              (first == "0" ? last : last + " - " + first) + ", " + by + ")) {");
    {
        const Scope scope(env_, ranges_);
        const std::string piece = out_.fresh("piece"), stop = out_.fresh("stop"), divided = out_.fresh("divided"),
                          base = out_.fresh("base");
        out_.open("for (std::int64_t " + piece + " = " + first + ", " + stop + "; " + piece + " < " + last + "; " +
                  piece + " = " + stop + ") {");
        out_.line("const std::int64_t " + divided + " = " + at_index(plan.dividend, index, piece) + ";");
        out_.line("const std::int64_t " + base + " = " + piece + " - " + divided + " % " + by + ";");
        out_.line(stop + " = " + by + " < " + last + " - " + base + " ? " + base + " + " + by + " : " + last + ";");
        std::vector<NodeId> done = plan.quotients;
        if (!done.empty()) {
            const std::string quotient = out_.fresh("quotient");
            out_.line("const std::int64_t " + quotient + " = " + divided + " / " + by + ";");
            for (NodeId node : done) define(node, {{quotient}, types_.i64()});
        }
        done.insert(done.end(), plan.remainders.begin(), plan.remainders.end());
        for (NodeId node : plan.remainders) {
            state_.remainders.push_back({node, plan.divisor, base});
            ranges_.set_extent(node, plan.divisor);
        }
        for (NodeId node : done) at_.hoisted.insert(node);
        const std::vector<NodeId> steady = print_steady(loop);
        done.insert(done.end(), steady.begin(), steady.end());
        f_.loops.print_body(loop, generators, piece, stop);
        for (NodeId node : done) at_.hoisted.erase(node);
        state_.remainders.resize(state_.remainders.size() - plan.remainders.size());
        out_.close();
    }
    out_.outdent(), out_.close_names();
    out_.open("} else {");
    const unsigned inside = std::exchange(at_.ranges, most_ranges);
    f_.loops.print_body(loop, generators, begin, end);
    at_.ranges = inside;
    out_.close();
    at_.ranges = ranges;
}

} // namespace irrewrite::printers
