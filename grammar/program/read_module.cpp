#include "grammar/program/read_module.hpp"

#include "engine/passes/relax_effects.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/straight_bodies.hpp"

#include <functional>

namespace irrewrite::grammar {

bool read_module(Context& context, std::string name, std::string_view text, Module& module, Diagnostics& diagnostics) {
    return read_module(context, context.sources.add(std::move(name), text), module, diagnostics);
}

bool read_module(Context& context, SourceId source, Module& module, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.errors();
    const auto is_label = [&](std::string_view word) {
        const auto symbol = context.symbols.find(word);
        return symbol && context.operations.is_label(*symbol);
    };
    StraightFunctions straight;
    StraightBodies bodies(context, source, straight);
    const SyntaxTree tree = parse_ir(context.sources, source, is_label, diagnostics, std::ref(bodies));
    const bool complete = elaborate(context, tree, straight, module, diagnostics);
    if (!complete || diagnostics.errors() != errors) return false;
    loosen(module);
    return true;
}

} // namespace irrewrite::grammar
