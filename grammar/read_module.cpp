#include "grammar/read_module.hpp"

#include "grammar/elaborate.hpp"

namespace irrewrite::grammar {

bool read_module(Context& context, std::string name, std::string text, Module& module,
                 Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.errors();
    const auto is_label = [&](std::string_view word) {
        const auto symbol = context.symbols.find(word);
        return symbol && context.operations.is_label(*symbol);
    };
    const SourceId source = context.sources.add(std::move(name), std::move(text));
    const SyntaxTree tree = parse_ir(context.sources, source, is_label, diagnostics);
    const bool complete = elaborate(context, tree, module, diagnostics);
    return complete && diagnostics.errors() == errors;
}

} // namespace irrewrite::grammar
