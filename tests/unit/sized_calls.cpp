#include "tests/unit/sized_calls.hpp"

#include "engine/check/verify_rewrites.hpp"
#include "engine/generate/edge_values.hpp"
#include "engine/generate/sized_arguments.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::uint64_t shapes = 3, least_size = 4, most_size = 128, most_work = 200'000;
constexpr std::size_t least_sizes = 5;

// Emitted C++ may copy arguments to results, and reads the bytes of text.
std::uint64_t result_size(const Context& context, const Function& function, const Outcome& outcome) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < outcome.results.size(); ++i)
        sum += value_text(context, function.graph.type(function.results[i]), outcome.results[i]).size();
    return sum;
}
} // namespace

std::vector<Call> sized_calls(const Context& context, Evaluator& evaluator, const Function& function,
                              const Limits& limits) {
    std::vector<Call> calls;
    const auto drawn = [&](const Parameter& parameter) { return can_be_drawn(context.types, parameter.type); };
    if (!std::ranges::all_of(function.params, drawn)) return calls;
    for (std::uint64_t shape = 0; shape < shapes; ++shape) {
        std::vector<Call> found;
        for (std::uint64_t size = least_size; size <= most_size; size *= 2) {
            const auto arguments = sized_arguments(context, function, shape, 0, size);
            if (!arguments) break;
            const Outcome outcome = evaluator.run(function, *arguments, limits);
            if (outcome.kind != Outcome::Kind::Done || outcome.work.all() > most_work) break;
            const std::string call = call_text(context, function, *arguments);
            const std::uint64_t work = outcome.work.all() + call.size() + result_size(context, function, outcome);
            found.push_back({call, std::to_string(size) + " " + std::to_string(work) + "\n"});
        }
        if (found.size() >= least_sizes) calls.insert(calls.end(), found.begin(), found.end());
    }
    return calls;
}

} // namespace irrewrite
