#include "engine/check/unmet.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/match/explain_mismatch.hpp"
#include "engine/match/rule_index.hpp"
#include "engine/rewrite/why_not_together.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::size_t enough = 100;            // programs
constexpr std::uint64_t fuel_of_reason = 1000; // of strategies that a condition or the right side runs
} // namespace

// Of the last node that could be the root: an instance stands behind what it is made of.
std::string Unmet::reason(Function& before) const {
    const Rule& rule = base_[rule_];
    const std::vector<NodeId> nodes = reachable(before.graph, roots(before));
    auto last = [&](std::size_t root) {
        auto found = std::find_if(nodes.rbegin(), nodes.rend(),
                                  [&](NodeId n) { return can_be_root(rule, root, before.graph, n); });
        return found == nodes.rend() ? NodeId{} : *found;
    };
    std::vector<NodeId> instance;
    for (std::size_t root = 0; root < rule.left.size(); ++root) {
        instance.push_back(last(root));
        if (!instance.back())
            return "no operation in them can be '" + pattern_text(context_, rule, rule.left[root]) + "'";
    }
    RewriteLog log;
    RewriteOptions options;
    options.fuel = options.graph_fuel = fuel_of_reason;
    Rewriter rewriter(context_, base_, before, options, log);
    std::string why = rule.left.size() > 1 ? why_not_together(rewriter, rule_, instance)
                                           : why_not(base_, before, rule_, instance[0], rewriter.surroundings());
    return log.error.empty() ? why : log.error;
}

void Unmet::note(Function before) {
    if (looked_at_++ >= enough || base_[rule_].is_of_functions()) return;
    if (std::string why = reason(before); !why.empty()) ++reasons_[std::move(why)];
}

std::string Unmet::most() const {
    const auto most = std::ranges::max_element(reasons_, {}, [](const auto& reason) { return reason.second; });
    return most == reasons_.end() ? "" : most->first;
}

} // namespace irrewrite
