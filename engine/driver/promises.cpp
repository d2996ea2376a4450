// Keeps the promise of `*` at a parameter in the printed text: rewriting, and linearizing a graph, may move a use past
// the point where its array is consumed. Then the function does not consume that array any more.
#include "engine/driver/tool.hpp"
#include "grammar/program/read_module.hpp"
#include "printers/printers.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

bool promise_less(Context& context, Module& module, std::string_view name) {
    const auto symbol = context.symbols.find(name);
    Function* function = symbol ? module.find(*symbol) : nullptr;
    if (!function || std::ranges::none_of(function->params, &Parameter::consumed)) return false;
    for (Parameter& parameter : function->params) parameter.consumed = false;
    return true;
}

// The function that is called at a location of the text, or that encloses the location.
std::string_view function_at(std::string_view text, std::uint32_t place) {
    const auto name = [&](std::size_t at) {
        std::size_t end = ++at;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_' || text[end] == '.'))
            ++end;
        return text.substr(at, end - at);
    };
    if (place < text.size() && text[place] == '@') return name(place);
    const std::size_t header = text.rfind("func @", place);
    return header == std::string_view::npos ? std::string_view{} : name(header + 5);
}

} // namespace

void keep_promises(Context& context, Module& module) {
    const auto promises = [](const Function& f) { return std::ranges::any_of(f.params, &Parameter::consumed); };
    while (std::ranges::any_of(module.functions, promises)) {
        const std::string text = printers::print_ir(context, module);
        Module again;
        Diagnostics diagnostics;
        if (grammar::read_module(context, "printed", text, again, diagnostics)) return;
        bool less = false;
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            less |= promise_less(context, module, function_at(text, diagnostic.where.begin));
            for (const Note& note : diagnostic.notes)
                if (note.where) less |= promise_less(context, module, function_at(text, note.where->begin));
        }
        if (!less) return;
    }
}

} // namespace irrewrite
