#include "printers/c_like/function/text_module.hpp"

#include <algorithm>

namespace irrewrite::printers {

TextModule::TextModule(const Context& context, const Module& module, bool cuda)
    : PlanModule{context, module, ArrayTypes(context.types), operation_kinds(context), cuda} {
    if (!module.functions.empty()) source_ = module.functions.front().where.source; // those of rule files come last
    const std::string_view text = source_ ? std::string_view(context.sources[source_].text) : std::string_view();
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
        lines_.push_back(static_cast<std::uint32_t>(end));
}

std::optional<std::ptrdiff_t> TextModule::line_of(Span where) const {
    if (!where.source || where.source != source_) return std::nullopt;
    return std::lower_bound(lines_.begin(), lines_.end(), where.begin) - lines_.begin() + 1;
}

} // namespace irrewrite::printers
