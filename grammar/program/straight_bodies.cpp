#include "grammar/program/straight_bodies.hpp"

#include "grammar/program/function_header.hpp"

#include <algorithm>

namespace irrewrite::grammar {

StraightBodies::StraightBodies(Context& context, SourceId source, StraightFunctions& done)
    : context_(context), reader_(context, source), done_(done),
      structs_(context.sources[source].text.find("struct") != std::string::npos) {}

std::optional<std::uint32_t> StraightBodies::operator()(const SyntaxTree& tree, std::span<const SyntaxId> header,
                                                        std::uint32_t brace) {
    Function& function = done_.functions.emplace_back(context_);
    Diagnostics ignored; // what is wrong is found again then
    std::optional<std::uint32_t> end;
    if (declare_header(context_, tree, header, function, ignored) && !may_change(function))
        end = reader_.read(function, brace);
    if (end)
        done_.begins.push_back(brace);
    else
        done_.functions.pop_back();
    return end;
}

// True if the header may change its meaning: a struct of the text could take the name of an opaque type. A parameter
// that may be consumed needs the text's order (grammar/program/consumption.hpp).
bool StraightBodies::may_change(const Function& function) const {
    if (std::ranges::any_of(function.params, &Parameter::consumed)) return true;
    const auto named = [&](TypeId type) { return !context_.types.is_scalar(type); };
    return structs_ && (std::ranges::any_of(function.params, named, &Parameter::type) ||
                        std::ranges::any_of(function.result_types, named));
}

} // namespace irrewrite::grammar
