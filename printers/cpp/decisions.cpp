// Reductions by `and` and `or` in emitted C++, which stop when they are decided.
#include "printers/cpp/cpp_printer.hpp"

namespace irrewrite::printers {

// A reduction by `and` or `or` alone, which may be decided early.
bool CppFunction::is_decision(std::span<const Generator> generators, const std::string& reduction) {
    return generators.size() == 1 && (reduction == "&&" || reduction == "||");
}

// First a few iterations one by one, then blocks of them in lanes.
void CppFunction::print_until_decided(const std::string& index, const std::string& step, const Generator& generator,
                                      const std::string& pragma, std::string_view begin, std::string_view end) {
    const std::string& name = generator.state[0].name;
    const std::string open_still = lane_reduction(generator) == "&&" ? name : "!" + name;
    const std::string next = names_.fresh("next"), stop = names_.fresh("stop");
    line("std::int64_t " + next + " = " + std::string(begin) + ";");
    line("for (const std::int64_t " + stop + " = std::min<std::int64_t>(" + next + " + 16, " + std::string(end) +
         "); " + next + " < " + stop + " && " + open_still + "; ++" + next + ") " + step + "(" + next + ", " + name +
         ");");
    open("while (" + next + " < " + std::string(end) + " && " + open_still + ") {");
    line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + next + " + 1024, " + std::string(end) + ");");
    line(pragma);
    line("for (std::int64_t " + index + " = " + next + "; " + index + " < " + stop + "; ++" + index + ") " + step +
         "(" + index + ", " + name + ");");
    line(next + " = " + stop + ";");
    close();
}

// The first few values, which decide most often: no thread is started for them, and no test asks for all of the parts that are
// read. Where they are printed, the rest runs if they have not decided, in a block that is left open.
bool CppFunction::print_first_values(const ScheduledNode& loop, std::span<const Generator> generators,
                                     const std::string& end) {
    constexpr std::uint64_t most = 16; // operations: the body stands there twice
    const std::string reduction = lane_reduction(generators[0]).value_or("");
    const Region body = loop.blocks[0];
    if (!is_decision(generators, reduction) || waits(body) || has_loop(body) || cost(body) > most) return false;
    const NodeId extent = g_.operand(loop.node, 0);
    const std::string& name = generators[0].state[0].name;
    const std::string undecided = reduction == "&&" ? name : "!" + name, first = std::to_string(few_values);
    names_.open();
    const std::string index = index_of(loop);
    open("for (std::int64_t " + index + " = 0; " + index + " < std::min<std::int64_t>(" + first + ", " + end + ") && " +
         undecided + "; ++" + index + ") {");
    std::vector<Generator> one(generators.begin(), generators.end());
    print_round(loop, one, {g_.params(g_.blocks(loop.node)[0])[0], extent, 0, 0}, index, false);
    close();
    names_.close();
    open("if (" + end + " > " + first + " && " + undecided + ") {");
    return true;
}

} // namespace irrewrite::printers
