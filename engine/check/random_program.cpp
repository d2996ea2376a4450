#include "engine/check/random_program.hpp"

namespace irrewrite {

namespace {
constexpr unsigned most_results = 3;
constexpr unsigned depth = 4; // of nested operations
} // namespace

bool random_function(Context& context, const Vocabulary& vocabulary, Choices& choices, Function& function) {
    TermStyle style = random_style(choices, {});
    style.depth = depth;
    Builder builder(function.graph);
    TermGenerator terms(vocabulary, function, builder, choices, style);
    OpenTypes types(context.types, choices, style.palette);
    for (unsigned i = 1 + choices.below(most_results); i > 0; --i) {
        auto type = types.choose(types.fresh());
        if (!type) continue;
        if (auto result = terms.term(*type)) function.results.push_back(*result);
    }
    for (NodeId result : function.results) function.result_types.push_back(function.graph.type(result));
    return !function.results.empty();
}

} // namespace irrewrite
