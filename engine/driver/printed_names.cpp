#include "engine/driver/printed_names.hpp"

#include "engine/ir/reachability.hpp"
#include "printers/ir/print_ir.hpp"

#include <algorithm>
#include <charconv>

namespace irrewrite {

namespace {

// A value that has the name since the program was read.
NodeId node_with_name(const Function& function, SymbolId name) {
    const std::vector<NodeId> nodes = reachable(function.graph, roots(function));
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it)
        if (function.graph.name(*it) == name) return *it;
    return {};
}

// The node of the function that is `node` of its printed copy, in which the order of effects is settled: itself, or the
// one of the same kind and origin that was made again in another order.
NodeId unsettled(const Function& printed, NodeId node, const Function& function) {
    const Graph &from = printed.graph, &graph = function.graph;
    const auto is_like = [&](NodeId n) { return graph.op(n) == from.op(node) && graph.type(n) == from.type(node); };
    if (node.index < graph.size() && is_like(node)) return node;
    NodeId found;
    for (const NodeId n : reachable(graph, roots(function))) {
        const Origin &a = graph.origin(n), &b = from.origin(node);
        if (!is_like(n) || a.place != b.place || a.rule != b.rule) continue;
        if (found) return {};
        found = n;
    }
    return found;
}

// A value that the printer names.
NodeId node_printed_as(const Context& context, const Function& printed, const Function& function,
                       std::string_view name) {
    std::vector<printers::Mention> mentions;
    const std::string text = printers::print_ir(context, printed, mentions);
    for (const printers::Mention& mention : mentions) {
        if (mention.kind == printers::Mention::Kind::Operation) continue;
        if (std::string_view(text).substr(mention.begin, mention.size) != name) continue;
        return unsettled(printed, mention.node, function);
    }
    return {};
}

} // namespace

QualifiedName qualified_name(std::string_view name) {
    const std::size_t colon = name.find(':');
    if (!name.starts_with('@') || colon == std::string_view::npos) return {std::nullopt, name};
    return {name.substr(1, colon - 1), name.substr(colon + 1)};
}

std::vector<NamedValue> values_named(const Pipeline& pipeline, Module& module, std::string_view name) {
    const Context& context = pipeline.context;
    std::vector<NamedValue> found;
    const QualifiedName qualified = qualified_name(name);
    const std::optional<std::string_view>& of = qualified.function;
    const std::string_view value = qualified.value;
    const bool is_function = value.starts_with('@');
    const auto symbol = context.symbols.find(value.substr(is_function || value.starts_with('%') ? 1 : 0));
    const auto is_meant = [&](const Function& f) { return !f.external && (!of || context.symbols[f.name] == *of); };
    for (Function& function : module.functions) {
        if (!is_meant(function) || !symbol) continue;
        if (is_function && function.name == *symbol && !function.results.empty())
            found.push_back({&function, function.results[0]});
        if (is_function) continue;
        if (const NodeId node = node_with_name(function, *symbol)) found.push_back({&function, node});
    }
    if (!found.empty() || is_function) return found;
    const std::string printed_name = (value.starts_with('%') ? "" : "%") + std::string(value);
    Module printed = module;
    pipeline.settle(printed);
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        if (!is_meant(module.functions[i])) continue;
        if (const NodeId node = node_printed_as(context, printed.functions[i], module.functions[i], printed_name))
            found.push_back({&module.functions[i], node});
    }
    return found;
}

std::optional<NamedValue> value_named(const Pipeline& pipeline, Module& module, const std::string& name) {
    const Context& context = pipeline.context;
    const std::vector<NamedValue> found = values_named(pipeline, module, name);
    if (!found.empty() &&
        (found.size() == 1 || context.symbols.find(name.substr(1)) == found[0].function->graph.name(found[0].node)))
        return found[0];
    if (found.size() > 1) {
        const auto qualified = [&](const NamedValue& value) {
            return "'@" + std::string(context.symbols[value.function->name]) + ":" + name + "'";
        };
        pipeline.diagnostics.error({}, "'" + name + "' is a value of several functions",
                                   "say of which: " + qualified(found[0]) + " or " + qualified(found[1]));
        return std::nullopt;
    }
    pipeline.diagnostics.error({}, "there is no value '" + name + "' in the rewritten program",
                               "give a name that the printed program has, such as '%sum', or a function, such as '@f'");
    return std::nullopt;
}

Span line_of_program(const Context& context, const Module& module, const std::string& input, std::string_view number) {
    const std::string_view name = input == "-" ? "<stdin>" : std::string_view(input);
    const auto is_program = [&](const Function& function) {
        return function.where.source && context.sources[function.where.source].name == name;
    };
    const auto function = std::ranges::find_if(module.functions, is_program);
    std::size_t line = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), line);
    if (function == module.functions.end() || read.ec != std::errc() || line == 0) return {};
    const SourceText& text = context.sources[function->where.source].text;
    std::size_t begin = 0;
    for (std::size_t i = 1; i < line; ++i) {
        const std::size_t end = text.find('\n', begin);
        if (end == SourceText::npos) return {};
        begin = end + 1;
    }
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    return {function->where.source, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

} // namespace irrewrite
