#include "grammar/rules/load_core.hpp"

#include "grammar/rules/declare.hpp"

#include <fstream>
#include <sstream>

namespace irrewrite::grammar {

bool load_core(Context& context, const std::filesystem::path& core_rules, Diagnostics& diagnostics) {
    std::ifstream file(core_rules, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        diagnostics.error({}, "cannot read '" + core_rules.string() + "'");
        return false;
    }
    const std::size_t errors = diagnostics.errors();
    const SourceId source = context.sources.add(core_rules.string(), text.str());
    const auto no_labels = [](std::string_view) { return false; }; // they are being declared
    const SyntaxTree tree = parse_rules(context.sources, source, no_labels, diagnostics);
    Module functions;
    declare(context, tree, functions, diagnostics);
    return diagnostics.errors() == errors;
}

} // namespace irrewrite::grammar
