#include "engine/state/trace.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace irrewrite {

namespace {
std::optional<LineColumn> position(const Context& context, const Step& step) {
    if (!step.place.source) return std::nullopt;
    return line_column(context.sources[step.place.source], step.place.begin);
}
} // namespace

std::string step_line(const Context& context, const RuleBase& base, const Step& step) {
    std::string out;
    if (auto at = position(context, step))
        out = printable(context.sources[step.place.source].name) + ":" + std::to_string(at->line) + ":" +
              std::to_string(at->column) + ": ";
    out += "@" + std::string(context.symbols[step.function]) + ": ";
    if (!step.rule) return out + step.before_text;
    out += std::string(context.symbols[base[step.rule].full_name]) + ": ";
    if (step.name) out += "%" + std::string(context.symbols[step.name]) + " = ";
    return out + step.before_text + "  =>  " + step.after_text;
}

std::vector<std::string> step_lines(const Context& context, const RuleBase& base, std::span<const Step> steps) {
    std::vector<std::string> lines;
    std::vector<std::size_t> times;
    for (const Step& step : steps) {
        std::string line = step_line(context, base, step);
        if (!lines.empty() && lines.back() == line)
            ++times.back();
        else
            lines.push_back(std::move(line)), times.push_back(1);
    }
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (times[i] > 1) lines[i] += " (" + std::to_string(times[i]) + " times)";
    return lines;
}

// As the rule file has it, in one line, without comments.
static std::string strategy_text(const Context& context, const RuleBase& base, StrategyId strategy) {
    const std::string_view written = context.sources.text(base[strategy].where);
    std::string text;
    bool quoted = false;
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (!quoted && written.substr(i, 2) == "//") i = std::min(written.find('\n', i), written.size() - 1);
        const bool blank = !quoted && static_cast<unsigned char>(written[i]) <= ' ';
        if (!blank || !(text.ends_with(' ') || text.ends_with('('))) text += blank ? ' ' : written[i];
        if (written[i] == '"' && (i == 0 || written[i - 1] != '\\')) quoted = !quoted;
    }
    return printable(text);
}

std::string TraceText::lines(const Step& step) {
    std::vector<std::string> levels{"phase " + std::string(context_.symbols[step.phase])};
    for (StrategyId strategy : paths_.strategies(step.strategies))
        levels.push_back(strategy_text(context_, base_, strategy));
    const auto indented = [](std::size_t depth, const std::string& line) {
        return std::string(2 * depth, ' ') + line + "\n";
    };
    std::string out;
    const auto known = std::ranges::mismatch(levels, levels_).in1 - levels.begin();
    for (auto i = static_cast<std::size_t>(known); i < levels.size(); ++i) out += indented(i, levels[i]);
    out += indented(levels.size(), step_line(context_, base_, step));
    levels_ = std::move(levels);
    return out;
}

std::string step_json(const Context& context, const RuleBase& base, const StrategyPaths& paths, const Step& step) {
    nlohmann::ordered_json out;
    out["function"] = context.symbols[step.function];
    out["phase"] = context.symbols[step.phase];
    if (step.rule) out["rule"] = context.symbols[base[step.rule].full_name];
    if (auto at = position(context, step)) {
        out["file"] = context.sources[step.place.source].name;
        out["line"] = at->line, out["column"] = at->column;
    }
    if (step.name) out["name"] = context.symbols[step.name];
    if (step.rule)
        out["before"] = step.before_text, out["after"] = step.after_text;
    else
        out["note"] = step.before_text;
    out["strategies"] = nlohmann::ordered_json::array();
    for (StrategyId strategy : paths.strategies(step.strategies))
        out["strategies"].push_back(strategy_text(context, base, strategy));
    return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<const Step*> chain_behind(std::span<const Step> steps, const Function& function, NodeId node) {
    std::vector<const Step*> chain;
    Origin origin = function.graph.origin(node);
    const SymbolId name = function.graph.name(node);
    std::size_t end = steps.size();
    // The rewrite that made the node itself, or else the last of its rule at its location.
    auto find = [&]() -> std::optional<std::size_t> {
        auto belongs = [&](std::size_t i) {
            return steps[i].function == function.name && steps[i].rule == origin.rule;
        };
        for (std::size_t i = end; i-- > 0;)
            if (belongs(i) && steps[i].after == node) return i;
        for (std::size_t i = end; i-- > 0;)
            if (belongs(i) && steps[i].origin.place == origin.place) return i;
        return std::nullopt;
    };
    while (origin.rule) {
        auto found = find();
        if (!found) break;
        chain.push_back(&steps[*found]);
        end = *found, origin = steps[end].origin, node = steps[end].before;
    }
    for (const Step& step : steps)
        if (name && step.name == name && step.function == function.name) chain.push_back(&step);
    std::ranges::sort(chain);
    chain.erase(std::unique(chain.begin(), chain.end()), chain.end());
    return chain;
}

} // namespace irrewrite
