// `-j`: the functions of one text on several processes; those of a long text a part at a time, whatever `-j`, so that
// there is never more than the graphs of some megabytes of text.
#include "engine/main_tool.hpp"
#include "engine/loosen.hpp"
#include "engine/parts.hpp"
#include "grammar/read_module.hpp"
#include "printers/printers.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t part_size = std::size_t{8} << 20;
}

// A text of independent functions, its parts rewritten and printed at the same time. Nothing: it is to
// be treated as a whole, because it has to or because something is to be said about it.
std::optional<int> Tool::run_parts(const RewriteOptions& how) {
    bool plain = options_.emit == "ir" && options_.run.empty() && options_.stats.empty() && !how.trace &&
                 options_.why_not.first.empty() && !options_.verify && !options_.verify_each &&
                 how.max_rewrites == UINT64_MAX && !options_.input.ends_with(".json");
    if (!plain) return std::nullopt;
    if (!read_text()) return report(Wrong);
    const auto parts = independent_parts(*text_, std::max<std::size_t>(options_.jobs, text_->size() / part_size));
    if (parts.size() < 2) return std::nullopt;
    const auto work = [&](std::size_t i) { return rewrite_part(parts[i], how); };
    auto printed = in_processes(parts.size(), options_.jobs, work);
    if (!printed) return std::nullopt;
    std::string whole;
    std::uint64_t rewrites = 0;
    for (std::string& part : *printed) {
        std::size_t digits = 0;
        rewrites += std::stoull(part, &digits);
        if (!whole.empty()) whole += '\n';
        whole.append(part, digits + 1);
        std::string().swap(part);
    }
    if (rewrites > how.fuel) return std::nullopt;
    return write(whole) ? report(Done) : report(Wrong);
}

// How many rewrites it took, and what came of them; nothing where there is more to say.
std::optional<std::string> Tool::rewrite_part(std::string_view part, const RewriteOptions& how) {
    if (!grammar::read_module(context_, "part", std::string(part), module_, diagnostics_)) return std::nullopt;
    const std::size_t functions = module_.functions.size();
    const bool finished = rewrite(context_, rules_.base, rules_.functions, module_, how, log_);
    const bool silent = log_.broken.empty() && log_.pending.empty() && log_.steps.empty() && diagnostics_.all().empty();
    if (!finished || !silent || module_.functions.size() != functions) return std::nullopt;
    loosen(module_);
    keep_promises(context_, module_);
    return std::to_string(log_.rewrites) + '\n' + printers::print_ir(context_, module_);
}

} // namespace irrewrite
