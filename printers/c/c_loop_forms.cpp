// The forms of a loop's iterations in emitted C: in vector lanes, with its ends apart, under a test of the parts that it reads.
// All other forms of a plan are the plain loop.
#include "printers/c/c_function.hpp"

#include "printers/plan/generator_list.hpp"

#include <utility>

namespace irrewrite::printers {

// The pragma for vector lanes; empty: C cannot say what they make.
std::string CLoops::simd(std::span<const Generator> list) {
    std::string clauses;
    for (const Generator& generator : list) {
        if (generator.shape == OpKind::Collect && !generator.index.empty()) continue;
        const std::optional<LaneReduction> reduction = code_.lane_reduction(generator);
        if (!reduction) return {};
        const TypeId type = generator.state[0].type;
        const bool of_bools = types_.kind(type) == TypeKind::Bool;
        std::string name;
        switch (reduction->operation) {
        case Scalar::Add: name = "+"; break;
        case Scalar::Min: name = "min"; break;
        case Scalar::Max: name = "max"; break;
        case Scalar::And: name = of_bools ? "&&" : "&"; break;
        case Scalar::Or: name = of_bools ? "||" : "|"; break;
        default: return {};
        }
        if (types_.is_float(type) && name != "+") return {}; // NaNs and zeros have an order of their own
        clauses += " reduction(" + name + " : " + generator.state[0].name + ")";
    }
    return "#pragma omp simd" + clauses;
}

void CLoops::print_body(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& begin,
                        const std::string& end, const std::string& threads) {
    const Range whole{g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0};
    if (!threads.empty()) return print_plain(loop, list, whole, begin, end, threads);
    const LoopPlan plan = planner_.plan_loop(loop, list, true);
    for (const auto& [region, row] : plan.rows) {
        f_.print_node(schedule_.blocks[region].nodes[row], region, row);
        at_.hoisted.insert(schedule_.blocks[region].nodes[row].node);
    }
    if (const auto* peeled = std::get_if<Peeled>(&plan.form)) {
        print_peeled(loop, list, peeled->range, begin, end, true);
    } else if (const auto* inner = std::get_if<InnerRange>(&plan.form)) {
        print_peeled(loop, list, inner->range, begin, end, false);
    } else if (const auto* parts = std::get_if<IfPartsAreThere>(&plan.form)) {
        print_if_parts_are_there(loop, *parts, list, begin, end);
    } else {
        const auto* plain = std::get_if<PlainLoop>(&plan.form);
        const bool lanes = plain != nullptr && plain->lanes && !plain->decides;
        const std::string pragma = lanes ? simd(list) : std::string();
        const bool few = !pragma.empty() && plain->few; // vector lanes cost more than they save then
        if (few) {
            open("if (" + end + " >= " + std::to_string(few_values) + ") {");
            print_plain(loop, list, whole, begin, end, pragma);
            otherwise();
        }
        print_plain(loop, list, whole, begin, end, few ? std::string() : pragma);
        if (few) close();
    }
    for (const auto& [region, row] : plan.rows) at_.hoisted.erase(schedule_.blocks[region].nodes[row].node);
}

// One index after the other, or as the pragma says.
void CLoops::print_plain(const ScheduledNode& loop, std::vector<Generator>& list, const Range& range,
                         const std::string& begin, const std::string& end, const std::string& pragma) {
    const std::string more = pragma.empty() ? undecided(list) : "";
    if (!pragma.empty()) out_.line(pragma);
    out_.open_names();
    const std::string index = index_of(g_.blocks(loop.node)[0], "i");
    open("for (int64_t " + index + " = " + begin + "; " + index + " < " + end + (more.empty() ? "" : " && " + more) +
         "; ++" + index + ") {");
    {
        const Scope scope(env_, ranges_);
        ranges_.enter(range);
        define(range.index, {{index}, types_.i64(), Form::Value, false, range.extent});
        EmissionsOf fed;
        set_feeds(list);
        for (Generator& generator : list) {
            if (!generator.index.empty())
                generator.index = generator.reversed
                                      ? parenthesized(text(range.extent), precedence::additive) + " - 1 - " + index
                                      : index;
            if (!generator.fed_by) fed.emplace_back(&generator, generator.emission);
        }
        f_.print_nodes(loop.blocks[0]);
        f_.emissions.walk(loop.blocks[0], fed);
        ranges_.leave();
    }
    close();
    out_.close_names();
}

// Three pieces of two bodies: comparisons with the ends are known in the middle one.
void CLoops::print_peeled(const ScheduledNode& loop, std::vector<Generator>& list, const Range& range,
                          const std::string& begin, const std::string& end, bool lanes) {
    const std::string low = out_.fresh("low"), high = out_.fresh("high"), piece = out_.fresh("piece");
    const std::string from = out_.fresh("from"), to = out_.fresh("to"),
                      n = parenthesized(text(range.extent), precedence::additive);
    out_.line("const int64_t " + low + " = ir_clamped(" + std::to_string(range.low) + ", " + begin + ", " + end + ");");
    out_.line("const int64_t " + high + " = ir_clamped(" + n + " - " + std::to_string(range.high) + ", " + low + ", " +
              end + ");");
    open("for (int " + piece + " = 0; " + piece + " < 3; ++" + piece + ") {");
    out_.line("const int64_t " + from + " = " + piece + " == 0 ? " + begin + " : " + piece + " == 1 ? " + low + " : " +
              high + ";");
    out_.line("const int64_t " + to + " = " + piece + " == 0 ? " + low + " : " + piece + " == 1 ? " + high + " : " +
              end + ";");
    open("if (" + piece + " == 1) {");
    print_plain(loop, list, range, from, to, lanes ? simd(list) : std::string());
    otherwise();
    print_plain(loop, list, {range.index, range.extent, 0, 0}, from, to, "");
    close();
    close();
}

// If all of each part is there, no index in it is checked.
void CLoops::print_if_parts_are_there(const ScheduledNode& loop, const IfPartsAreThere& plan,
                                      std::vector<Generator>& list, const std::string& begin, const std::string& end) {
    const std::string n = as_variable({text(g_.operand(loop.node, 0)), types_.i64()}, "n").text.text;
    std::string all;
    for (const auto& [from, array, more] : plan.tests) {
        const Binding whole = as_variable(binding(array), "whole");
        all += (all.empty() ? "" : " && ") + std::string("ir_is_part(") + (from ? text(from).text : "0") + ", " + n +
               ", " + extent_text(whole, whole.type, 0) + (more > 0 ? " - " + std::to_string(more) : "") + ")";
    }
    open("if (" + all + ") {");
    const auto outer = std::exchange(at_.assumed, plan.indices);
    print_body(loop, list, begin, end);
    at_.assumed = {{{}, {}}}; // nothing further
    otherwise();
    print_plain(loop, list, {g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0}, begin, end, "");
    close();
    at_.assumed = outer;
}

} // namespace irrewrite::printers
