// Values that may fault and that a loop surely needs if it runs at all: they are computed before it, under the condition that
// it runs. In loops in each other this is the condition that all of them do.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

bool is_inside_of(const Schedule& schedule, std::uint32_t region, std::uint32_t home) {
    while (region != home && region != 0) region = schedule.blocks[region].parent;
    return region == home;
}

} // namespace

// In words of C++; one of them holds. Empty: surely.
std::string DemandPrinter::entry_condition(std::vector<std::vector<EntryTest>> ways) {
    std::ranges::sort(ways);
    ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
    std::string all;
    for (const std::vector<EntryTest>& tests : ways) {
        if (tests.empty()) return {};
        std::string one;
        for (const EntryTest& test : tests) {
            const Text value = text(test.value);
            one += one.empty() ? "" : " && ";
            switch (test.kind) {
            case EntryTest::Kind::Positive: one += "0 < " + parenthesized(value, precedence::additive); break;
            case EntryTest::Kind::True: one += parenthesized(value, precedence::logical_and); break;
            case EntryTest::Kind::False: one += "!" + parenthesized(value, precedence::primary); break;
            }
        }
        const bool several = ways.size() > 1 && tests.size() > 1;
        all += (all.empty() ? "" : " || ") + (several ? "(" + one + ")" : one);
    }
    return all;
}

// Computes the values that only this loop needs, and the others that it needs if it runs at all.
std::vector<std::uint32_t> DemandPrinter::print_before(const ScheduledNode& loop, Region region) {
    if (lazy_.empty()) return {};
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        if (!scheduled.is_on_demand() || lazy_[scheduled.on_demand].loop != loop.node) continue;
        if (at_.only != nullptr && !at_.only->contains(scheduled.node)) continue;
        std::string condition = entry_condition(lazy_[scheduled.on_demand].ways);
        if (groups.empty() || groups.back().first != condition) groups.push_back({std::move(condition), {}});
        groups.back().second.push_back(scheduled.on_demand);
    }
    const auto runs = demands_.entry_tests(loop.blocks[0], region);
    const std::string always = runs ? entry_condition({*runs}) : "";
    const auto note = [&](std::uint32_t lazy, const std::string& condition) {
        lazy_[lazy].perhaps = !condition.empty() && condition != always;
    };
    for (const auto& [condition, list] : groups) {
        print_joined(condition, list, region);
        for (std::uint32_t lazy : list) note(lazy, condition);
    }
    std::vector<std::uint32_t> settled;
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    const auto is_inside = [&](Region r) { return std::ranges::find(regions, r) != regions.end(); };
    for (std::uint32_t lazy = 0; lazy < lazy_.size(); ++lazy) {
        const OnDemand& entry = schedule_.on_demand[lazy];
        if (lazy_[lazy].settled || lazy_[lazy].loop || is_inside(entry.region) ||
            !is_inside_of(schedule_, region, entry.region))
            continue;
        if (entry.kept ? lazy_[lazy].compute.empty() : !demands_.may_stand_before(demands_.lazy_node(lazy).node))
            continue;
        if (!demands_.is_still_needed(lazy, regions)) continue;
        if (std::ranges::any_of(lazy_[lazy].askers,
                                [&](std::uint32_t asker) { return is_inside(schedule_.on_demand[asker].region); }))
            continue;
        std::vector<std::vector<EntryTest>> ways;
        const bool known = std::ranges::all_of(lazy_[lazy].sites, [&](Region user) {
            if (!is_inside(user)) return true;
            user = demands_.needed_in(user, lazy_[lazy].sites, region);
            if (auto tests = demands_.entry_tests(user, region)) return ways.push_back(*std::move(tests)), true;
            return false;
        });
        if (!known || ways.empty() || ways.size() > most_ways) continue;
        const std::string condition = entry_condition(std::move(ways));
        if (!entry.kept)
            print_joined(condition, {lazy}, entry.region);
        else
            out_.line((condition.empty() ? "" : "if (" + condition + ") ") + lazy_[lazy].compute + ";");
        settle(lazy);
        note(lazy, condition);
        settled.push_back(lazy);
    }
    return settled;
}

void DemandPrinter::print_joined(const std::string& condition, const std::vector<std::uint32_t>& list, Region region) {
    const auto compute = [&](std::uint32_t lazy) {
        print_demands(schedule_.on_demand[lazy].demands);
        f_.print_node(demands_.lazy_node(lazy), region, no_place);
        settle(lazy);
    };
    if (condition.empty()) return (void)std::ranges::for_each(list, compute);
    const auto is_here = [&](std::uint32_t user) { return std::ranges::find(list, user) != list.end(); };
    const auto is_row = [&](std::uint32_t lazy) {
        return !schedule_.on_demand[lazy].kept && demands_.is_dense_row(demands_.lazy_node(lazy).node);
    };
    // Rows that somebody else needs, too, are looked up where the condition does not hold as well: at 0, and not read.
    std::vector<std::uint32_t> rest;
    for (std::uint32_t lazy : list) {
        const bool alone = lazy_[lazy].regions.empty() && std::ranges::all_of(lazy_[lazy].users, is_here);
        if (!is_row(lazy) || alone) {
            rest.push_back(lazy);
            continue;
        }
        print_under(condition, std::exchange(rest, {}), region);
        at_.index_condition = condition;
        compute(lazy);
        at_.index_condition.clear();
    }
    print_under(condition, rest, region);
}

void DemandPrinter::print_under(const std::string& condition, const std::vector<std::uint32_t>& list, Region region) {
    if (list.empty()) return;
    std::vector<std::vector<std::string>> names;
    for (std::uint32_t lazy : list) {
        const auto is_here = [&](std::uint32_t user) { return std::ranges::find(list, user) != list.end(); };
        const bool alone = lazy_[lazy].regions.empty() && std::ranges::all_of(lazy_[lazy].users, is_here);
        const NodeId node = demands_.lazy_node(lazy).node;
        // Zero where they are not computed, and not read: compilers do not see the latter.
        names.push_back(alone ? std::vector<std::string>() : declare_results(node, code_.result_types(node), true));
    }
    out_.open("if (" + condition + ") {");
    {
        const Scope scope(env_, ranges_);
        for (std::size_t k = 0; k < list.size(); ++k) {
            print_demands(schedule_.on_demand[list[k]].demands);
            f_.print_node(demands_.lazy_node(list[k]), region, no_place);
            if (!names[k].empty()) store_results(demands_.lazy_node(list[k]).node, names[k]);
            settle(list[k]);
        }
    }
    out_.close();
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (names[k].empty()) continue;
        bind_results(demands_.lazy_node(list[k]).node, names[k], code_.result_types(demands_.lazy_node(list[k]).node));
        settle(list[k]);
    }
}

} // namespace irrewrite::printers
