#include "engine/driver/statistics.hpp"

#include "printers/html/print_html.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace irrewrite {

namespace {
// Rules that were tried, by name.
std::map<std::string, RuleProfile> profiles(const Context& context, const RuleBase& base, const RewriteLog& log) {
    std::map<std::string, RuleProfile> out;
    for (std::size_t i = 0; i < log.profile.size(); ++i)
        if (log.profile[i].tried) out[std::string(context.symbols[base.rules[i].full_name])] = log.profile[i];
    return out;
}

std::map<std::string, std::uint64_t> fired(const Context& context, const RuleBase& base, const RewriteLog& log) {
    std::map<std::string, std::uint64_t> out;
    for (std::size_t i = 0; i < log.fired.size(); ++i)
        if (log.fired[i]) out[std::string(context.symbols[base.rules[i].full_name])] += log.fired[i];
    return out;
}

// Those that fired, and what was spent on each and on those that were tried in vain.
std::string rules_table(const Context& context, const RuleBase& base, const RewriteLog& log) {
    std::string out = "rule                                           fired     tried   matched    seconds\n";
    auto counts = fired(context, base, log);
    auto all = profiles(context, base, log);
    for (const auto& [name, count] : counts)
        out += fmt::format("{:<42} {:>9} {:>9} {:>9} {:>10.6f}\n", name, count, all[name].tried, all[name].matched,
                           all[name].seconds);
    RuleProfile rest;
    std::size_t rules = 0;
    for (const auto& [name, profile] : all)
        if (!counts.contains(name))
            rest.tried += profile.tried, rest.matched += profile.matched, rest.seconds += profile.seconds, ++rules;
    if (rules)
        out += fmt::format("{:<42} {:>9} {:>9} {:>9} {:>10.6f}\n",
                           fmt::format("({} other{})", rules, rules == 1 ? "" : "s"), 0, rest.tried, rest.matched,
                           rest.seconds);
    return out;
}

// A rule's name, or the text of the strategy of a `delay`.
std::string waiting_name(const Context& context, const RuleBase& base, RuleId rule, StrategyId strategy) {
    if (rule) return std::string(context.symbols[base[rule].full_name]);
    Span where = base[strategy].where;
    return std::string(context.sources[where.source].text.substr(where.begin, where.end - where.begin));
}

std::string waiting_table(const Context& context, const RuleBase& base, const RewriteLog& log) {
    if (log.waiting.empty()) return {};
    std::string out = fmt::format("\n{:<42} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "delayed", "delayed", "fired",
                                  "unmatched", "changed", "dead", "never ran");
    for (const auto& [key, n] : log.waiting) {
        auto [phase, rule, strategy] = key;
        std::string name = waiting_name(context, base, rule, strategy) + " at " + std::string(context.symbols[phase]);
        out += fmt::format("{:<42} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", name, n.registered, n.fired, n.unmatched,
                           n.changed, n.dead, n.never_ran);
    }
    return out;
}

nlohmann::ordered_json waiting_json(const Context& context, const RuleBase& base, const RewriteLog& log) {
    auto out = nlohmann::ordered_json::array();
    for (const auto& [key, n] : log.waiting) {
        auto [phase, rule, strategy] = key;
        out.push_back({{"phase", context.symbols[phase]},
                       {"what", waiting_name(context, base, rule, strategy)},
                       {"put_off", n.registered},
                       {"fired", n.fired},
                       {"unmatched", n.unmatched},
                       {"changed", n.changed},
                       {"dead", n.dead},
                       {"never_ran", n.never_ran}});
    }
    return out;
}

std::string copies_table(const printers::CopyCounts& copies) {
    std::string out = "\ncopies                                      in place       made\n";
    for (const auto& [name, count] : copies)
        out += fmt::format("{:<42} {:>9} {:>10}\n", name, count.in_place, count.made);
    return out;
}

std::string work_table(const WorkCounts& work) {
    std::string out = "\nwork\n";
    for (const auto& [name, count] : {std::pair{"operations", work.operations},
                                      {"elements", work.elements},
                                      {"iterations", work.iterations},
                                      {"calls", work.calls}})
        out += fmt::format("{:<42} {:>9}\n", name, count);
    return out;
}
} // namespace

std::string stats_table(const Context& context, const RuleBase& base, const RewriteLog& log,
                        const ProgramCounts& counts) {
    std::string out = rules_table(context, base, log);
    out += "\nphase                                       rewrites     nodes   skipped    seconds\n";
    for (const PhaseReport& phase : log.phases)
        out += fmt::format("{:<42} {:>9} {:>9} {:>9} {:>10.6f}\n", context.symbols[phase.name], phase.rewrites,
                           phase.nodes, phase.skipped, phase.seconds);
    out += waiting_table(context, base, log);
    out += "\noperation                                     before      after\n";
    OperationCounts all = counts.before;
    for (const auto& [name, count] : counts.after) all.try_emplace(name, 0);
    auto count = [](const OperationCounts& operations, const std::string& name) {
        auto it = operations.find(name);
        return it == operations.end() ? std::size_t{0} : it->second;
    };
    for (const auto& [name, unused] : all)
        out += fmt::format("{:<42} {:>9} {:>10}\n", name, count(counts.before, name), count(counts.after, name));
    if (counts.copies && !counts.copies->empty()) out += copies_table(*counts.copies);
    if (counts.work) out += work_table(*counts.work);
    return out + fmt::format("\nnodes created: {}\n", log.nodes_created);
}

static nlohmann::ordered_json stats_data(const Context& context, const RuleBase& base, const RewriteLog& log,
                                         const ProgramCounts& counts) {
    nlohmann::ordered_json out;
    out["rules"] = nlohmann::ordered_json::object();
    for (const auto& [name, count] : fired(context, base, log)) out["rules"][name] = count;
    out["profile"] = nlohmann::ordered_json::object();
    for (const auto& [name, profile] : profiles(context, base, log))
        out["profile"][name] = {{"tried", profile.tried}, {"matched", profile.matched}};
    out["phases"] = nlohmann::ordered_json::array();
    for (const PhaseReport& phase : log.phases)
        out["phases"].push_back({{"name", context.symbols[phase.name]},
                                 {"rewrites", phase.rewrites},
                                 {"nodes", phase.nodes},
                                 {"skipped", phase.skipped},
                                 {"seconds", phase.seconds}});
    if (!log.waiting.empty()) out["delayed"] = waiting_json(context, base, log);
    out["before"] = nlohmann::ordered_json::object();
    out["after"] = nlohmann::ordered_json::object();
    for (const auto& [name, count] : counts.before) out["before"][name] = count;
    for (const auto& [name, count] : counts.after) out["after"][name] = count;
    if (counts.copies) {
        out["copies"] = nlohmann::ordered_json::object();
        for (const auto& [name, count] : *counts.copies)
            out["copies"][name] = {{"in_place", count.in_place}, {"made", count.made}};
    }
    if (const WorkCounts* work = counts.work)
        out["work"] = {{"operations", work->operations},
                       {"elements", work->elements},
                       {"iterations", work->iterations},
                       {"calls", work->calls}};
    out["nodes_created"] = log.nodes_created;
    return out;
}

std::string stats_json(const Context& context, const RuleBase& base, const RewriteLog& log,
                       const ProgramCounts& counts) {
    return stats_data(context, base, log, counts).dump() + "\n";
}

std::string stats_html(const Context& context, const RuleBase& base, const RewriteLog& log, const ProgramCounts& counts,
                       const std::string& program, const std::vector<std::string>& files) {
    nlohmann::ordered_json data = stats_data(context, base, log, counts);
    for (const auto& [name, profile] : profiles(context, base, log)) data["profile"][name]["seconds"] = profile.seconds;
    data["program"] = program, data["files"] = files;
    return printers::print_statistics(data);
}

} // namespace irrewrite
