// Loops of emitted C++ in vector lanes.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <map>

namespace irrewrite::printers {

// Prefetches the elements that every iteration reads at its own index.
void LoopPrinter::print_fetches(const ScheduledNode& loop, const std::string& index) {
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId node = scheduled.node;
        if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At ||
            g_.operands(node).size() != 2 || g_.operand(node, 1) != param || code_.is_small_element(g_.type(node)) ||
            scheduled.is_on_demand() || (at_.only != nullptr && !at_.only->contains(node)))
            continue;
        if (const auto pointer = pointers().find(g_.operand(node, 0)); pointer != pointers().end())
            out_.line("fetch_ahead(&" + pointer->second + "[" + index + "]);");
    }
}

// As further parameters of a step of the loop, each behind its type, and as their arguments.
std::string LoopPrinter::lane_accumulators(std::span<const Generator> generators, bool typed) const {
    std::string text;
    for (const Generator& generator : generators) {
        if (!code_.lane_reduction(generator)) continue;
        if (generator.same_ends) continue;
        const bool extreme = !generator.least.empty();
        const std::string type = extreme                      ? order_type(generator)
                                 : !generator.decided.empty() ? "std::int64_t"
                                                              : value_type(generator.state[0].type);
        const std::string before = typed ? ", " + type + "& " : ", ";
        text += before + (extreme ? generator.least + before + generator.greatest : generator.state[0].name);
    }
    return text;
}

// Names of accumulators in lanes. A condition is an integer there: of a reduction of `bool`, GCC 12 makes one of bytes.
void LoopPrinter::open_lanes(std::span<Generator> generators) {
    open_extremes(generators);
    for (Generator& generator : generators) {
        const std::optional<LaneReduction> reduction = code_.lane_reduction(generator);
        if (!reduction || !reduction->decides) continue;
        std::string& name = generator.state[0].name;
        generator.decided = std::exchange(name, out_.fresh("decided"));
        out_.line("std::int64_t " + name + " = " + generator.decided + ";");
    }
}

void LoopPrinter::close_lanes(std::span<Generator> generators) {
    for (Generator& generator : generators) {
        if (generator.decided.empty()) continue;
        out_.line(generator.decided + " = " + generator.state[0].name + " != 0;");
        generator.state[0].name = std::exchange(generator.decided, {});
    }
    close_extremes(generators);
}

// A minimum or maximum in lanes is that of integers in the order of its values. It takes both ends, since NaNs are
// there; one of the same values has the same.
void LoopPrinter::open_extremes(std::span<Generator> generators) {
    std::map<NodeId, const Generator*> ends; // by what is emitted
    for (Generator& generator : generators) {
        const std::optional<LaneReduction> reduction = code_.lane_reduction(generator);
        const bool extreme = reduction && (reduction->operation == Scalar::Min || reduction->operation == Scalar::Max);
        if (!extreme || !types_.is_float(generator.state[0].type)) continue;
        auto [found, fresh] = ends.try_emplace(generator.emission, &generator);
        generator.least = fresh ? out_.fresh("least") : found->second->least;
        generator.greatest = fresh ? out_.fresh("greatest") : found->second->greatest;
        generator.same_ends = !fresh;
        if (!fresh) continue;
        const std::string infinity = "std::numeric_limits<" + value_type(generator.state[0].type) + ">::infinity()";
        out_.line(order_type(generator) + " " + generator.least + " = order_of(" + infinity + "), " +
                  generator.greatest + " = order_of(-" + infinity + ");");
    }
}

std::string LoopPrinter::order_type(const Generator& generator) const {
    return types_.kind(generator.state[0].type) == TypeKind::F32 ? "std::int32_t" : "std::int64_t";
}

void LoopPrinter::close_extremes(std::span<Generator> generators) {
    for (Generator& generator : generators) {
        if (generator.least.empty()) continue;
        const std::string& name = generator.state[0].name;
        const bool least = code_.lane_reduction(generator)->operation == Scalar::Min;
        const std::string type = value_type(generator.state[0].type),
                          ends = "(" + generator.least + ", " + generator.greatest + ")";
        out_.line(name + " = " + (least ? "minimum(" : "maximum(") + name + ", " +
                  (least ? "least_of<" : "greatest_of<") + type + ">" + ends + ");");
        generator.least.clear(), generator.greatest.clear();
        generator.same_ends = false;
    }
}

std::string LoopPrinter::simd_pragma(std::span<const Generator> generators) const {
    std::map<std::string, std::string> reductions; // by what combines them
    auto add = [&](const std::string& reduction, const std::string& name) {
        std::string& list = reductions[reduction];
        list += (list.empty() ? "" : ", ") + name;
    };
    for (const Generator& generator : generators) {
        const std::optional<LaneReduction> reduction = code_.lane_reduction(generator);
        if (!reduction || generator.same_ends) continue;
        if (generator.least.empty())
            add(reduction->name, generator.state[0].name);
        else
            add("min", generator.least), add("max", generator.greatest);
    }
    std::string pragma = "#pragma omp simd";
    for (const auto& [operation, list] : reductions) pragma += " reduction(" + operation + " : " + list + ")";
    return pragma;
}

void LoopPrinter::print_if_parts_are_there(const ScheduledNode& loop, const IfPartsAreThere& plan,
                                           std::vector<Generator>& generators, std::string_view begin,
                                           std::string_view end, std::string_view stride) {
    const std::string n = text(g_.operand(loop.node, 0)).text;
    std::vector<std::string> tests;
    std::string all;
    for (const auto& [from, array, more] : plan.tests) {
        const std::string test = "is_part(" + (from ? text(from).text : "0") + ", " + n + ", " + length_text(array) +
                                 (more > 0 ? " - " + std::to_string(more) : "") + ")";
        if (std::ranges::find(tests, test) != tests.end()) continue;
        tests.push_back(test);
        all += (all.empty() ? "" : " && ") + test;
    }
    out_.open("if (" + all + ") {");
    at_.assumed = plan.indices;
    print_body(loop, generators, begin, end, stride);
    at_.assumed = {{{}, {}}}; // nothing further
    out_.outdent(), out_.close_names();
    out_.open("} else {");
    print_body(loop, generators, begin, end, stride);
    at_.assumed.clear();
    out_.close();
}

// Vector lanes cost more than they save if there are few values, as inner loops often have.
void LoopPrinter::print_few_or_lanes(std::string_view begin, std::string_view end, const std::string& loop,
                                     const std::string& pragma) {
    out_.open("if (" + std::string(end) + (begin == "0" ? "" : " - " + std::string(begin)) +
              " >= " + std::to_string(few_values) + ") [[unlikely]] {");
    out_.line(pragma);
    out_.line(loop);
    out_.outdent();
    out_.close_names();
    out_.open("} else {");
    out_.line(loop);
    out_.close();
}

} // namespace irrewrite::printers
