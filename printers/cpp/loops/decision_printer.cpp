// Reductions by `and` and `or` in emitted C++, which stop as soon as they are decided.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>

namespace irrewrite::printers {

// The value that holds until then.
std::string DecisionPrinter::undecided(const Generator& generator) const {
    const bool all = code_.lane_reduction(generator)->operation == Scalar::And;
    return (all ? "" : "!") + generator.state[0].name;
}

// First a few iterations one by one, then blocks of them in lanes.
void DecisionPrinter::print_until_decided(const std::string& index, const std::string& next, const std::string& step,
                                          const Generator& generator, std::string_view begin, std::string_view end) {
    const std::string& name = generator.state[0].name;
    const std::string open_still = undecided(generator);
    const std::string stop = out_.fresh("stop");
    out_.line("std::int64_t " + next + " = " + std::string(begin) + ";");
    out_.line("for (const std::int64_t " + stop + " = std::min<std::int64_t>(" + next + " + 16, " + std::string(end) +
              "); " + next + " < " + stop + " && " + open_still + "; ++" + next + ") " + step + "(" + next + ", " +
              name + ");");
    out_.open("while (" + next + " < " + std::string(end) + " && " + open_still + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + next + " + 1024, " + std::string(end) +
              ");");
    out_.line(f_.loops.simd_pragma({&generator, 1}));
    out_.line("for (std::int64_t " + index + " = " + next + "; " + index + " < " + stop + "; ++" + index + ") " + step +
              "(" + index + ", " + name + ");");
    out_.line(next + " = " + stop + ";");
    out_.close();
}

// The first value decides most often: it comes by itself. Then come a few more, without threads, and without a test for all of
// the parts that are read; then the rest. What follows the first value is a function with copies of the values that it reads: a
// value whose address is known does not stay in a register, and loops around this one are as short as what they mostly do.
bool DecisionPrinter::print_decision(const ScheduledNode& loop, const ThreadPlan& threads,
                                     std::span<const Generator> generators, std::span<const Region> regions,
                                     const std::string& end) {
    constexpr std::uint64_t most = 16; // operations: the body stands there three times
    const Region body = loop.blocks[0];
    if (!code_.is_decision(generators) || code_.waits(body) || code_.has_loop(body) || code_.cost(body) > most)
        return false;
    const Range whole{g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0};
    const bool all = code_.lane_reduction(generators[0])->operation == Scalar::And;
    const auto undecided = [&](const std::string& name) { return (all ? "" : "!") + name; };
    const std::string& name = generators[0].state[0].name;
    std::vector<Generator> one(generators.begin(), generators.end());
    out_.open("if (0 < " + end + " && " + undecided(name) + ") {");
    const std::string first = index_of(loop);
    out_.line("const std::int64_t " + first + " = 0;");
    f_.loops.print_round(loop, one, whole, first, false);
    out_.close();

    out_.open("if (1 < " + end + " && " + undecided(name) + ") {");
    const std::size_t begin = out_.size();
    const std::string rest = out_.fresh("rest"), decided = one[0].state[0].name = out_.fresh(name);
    out_.indent(), out_.open_names();
    const std::string index = index_of(loop), few = std::to_string(few_values);
    out_.open("for (std::int64_t " + index + " = 1; " + index + " < std::min<std::int64_t>(" + few + ", " + end +
              ") && " + undecided(decided) + "; ++" + index + ") {");
    f_.loops.print_round(loop, one, whole, index, false);
    out_.close();
    out_.open("if (" + end + " > " + few + " && " + undecided(decided) + ") {");
    f_.chunks.print_parallel(loop, threads, one, regions);
    out_.close();
    out_.line("return " + decided + ";");
    out_.close_names(), out_.outdent();
    out_.insert(begin, out_.margin() + "const auto " + rest + " = [&" + copies_for(loop, regions, out_.since(begin)) +
                           "](bool " + decided + ") {\n");
    out_.line("};");
    out_.line(name + " = " + rest + "(" + name + ");");
    out_.close();
    return true;
}

// The scalars and views from outside that the text of a loop names, as captures of a function.
std::string DecisionPrinter::copies_for(const ScheduledNode& loop, std::span<const Region> regions,
                                        std::string_view body) {
    std::vector<std::string> names;
    std::string list;
    for (const auto& [node, name] : read_from_outside(loop, regions)) {
        if (!mentions(body, name) || std::ranges::find(names, name) != names.end()) continue;
        names.push_back(name);
        list += ", " + name;
    }
    return list;
}

} // namespace irrewrite::printers
