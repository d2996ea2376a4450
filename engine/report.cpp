#include "engine/report.hpp"

#include "engine/reach.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace irrewrite {

OperationCounts count_operations(const Context& context, const Module& module) {
    OperationCounts counts;
    for (const Function& function : module.functions)
        for (NodeId node : reachable(function.graph, roots(function))) {
            Core core = function.graph.core(node);
            if (core == Core::Literal || core == Core::Param || core == Core::Project || core == Core::Pack) continue;
            ++counts[std::string(context.symbols[function.graph.operation(node).name])];
        }
    return counts;
}

namespace {
std::map<std::string, std::uint64_t> fired(const Context& context, const RuleBase& base, const RewriteLog& log) {
    std::map<std::string, std::uint64_t> out;
    for (std::size_t i = 0; i < log.fired.size(); ++i)
        if (log.fired[i]) out[std::string(context.symbols[base.rules[i].full_name])] += log.fired[i];
    return out;
}
} // namespace

std::string stats_table(const Context& context, const RuleBase& base, const RewriteLog& log,
                        const OperationCounts& before, const OperationCounts& after) {
    std::string out = "rule                                           fired\n";
    for (const auto& [name, count] : fired(context, base, log)) out += fmt::format("{:<42} {:>9}\n", name, count);
    out += "\nphase                                       rewrites    seconds\n";
    for (const PhaseReport& phase : log.phases)
        out += fmt::format("{:<42} {:>9} {:>10.6f}\n", context.symbols[phase.name], phase.rewrites, phase.seconds);
    out += "\noperation                                     before      after\n";
    OperationCounts all = before;
    for (const auto& [name, count] : after) all.try_emplace(name, 0);
    auto count = [](const OperationCounts& counts, const std::string& name) {
        auto it = counts.find(name);
        return it == counts.end() ? std::size_t{0} : it->second;
    };
    for (const auto& [name, unused] : all)
        out += fmt::format("{:<42} {:>9} {:>10}\n", name, count(before, name), count(after, name));
    return out + fmt::format("\nnodes created: {}\n", log.nodes_created);
}

std::string stats_json(const Context& context, const RuleBase& base, const RewriteLog& log,
                       const OperationCounts& before, const OperationCounts& after) {
    nlohmann::ordered_json out;
    out["rules"] = nlohmann::ordered_json::object();
    for (const auto& [name, count] : fired(context, base, log)) out["rules"][name] = count;
    out["phases"] = nlohmann::ordered_json::array();
    for (const PhaseReport& phase : log.phases)
        out["phases"].push_back({{"name", context.symbols[phase.name]}, {"rewrites", phase.rewrites}, {"seconds", phase.seconds}});
    out["before"] = nlohmann::ordered_json::object();
    out["after"] = nlohmann::ordered_json::object();
    for (const auto& [name, count] : before) out["before"][name] = count;
    for (const auto& [name, count] : after) out["after"][name] = count;
    out["nodes_created"] = log.nodes_created;
    return out.dump() + "\n";
}

} // namespace irrewrite
