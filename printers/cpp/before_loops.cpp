// Values that may fault and that a loop surely needs if it runs at all: they are computed before it, under the condition that
// it runs. In loops in each other this is the condition that all of them do.
#include "engine/analysis/regions.hpp"
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

namespace {
constexpr std::size_t most_ways = 4; // conditions, one of which must hold, before a loop

bool depends_on_path(const Graph& g, const Schedule& schedule, NodeId value, std::uint32_t region, std::uint32_t home) {
    for (; region != home; region = schedule.blocks[region].parent)
        if (const BlockId block = schedule.blocks[region].id; block && GraphView(g).depends_on_block(value, block))
            return true;
    return false;
}

bool is_within(const Schedule& schedule, std::uint32_t region, std::uint32_t home) {
    while (region != home && region != 0) region = schedule.blocks[region].parent;
    return region == home;
}

bool is_loop(const CppModule& module, const Graph& g, NodeId node) {
    if (g.core(node) != Core::None || g.is_param(node)) return false;
    const OpKind shape = module.shapes[g.op(node).index];
    return shape == OpKind::Loop || shape == OpKind::For;
}

// The node of `home` inside which a region stands.
NodeId owner_in(const Schedule& schedule, std::uint32_t region, std::uint32_t home) {
    while (schedule.blocks[region].parent != home) region = schedule.blocks[region].parent;
    return schedule.blocks[region].owner;
}
} // namespace

bool CppFunction::is_known_in(NodeId value, Region region) const {
    if (g_.is_literal(value)) return true;
    while (g_.is_project(value)) value = g_.operand(value, 0);
    if (g_.is_param(value) && g_.param_number(value) == number::dims) return true;
    for (Region r = region;; r = schedule_.blocks[r].parent) {
        if (uses_.is_computed_in(value, r)) {
            const auto found = lazy_places_.find((std::uint64_t{r} << 32) | value.index);
            return found == lazy_places_.end() || lazy_[found->second].settled;
        }
        if (r == 0) return false;
    }
}

// The conditions in `home` under which a region inside is entered at least once; none if `home` does not know them.
std::optional<std::vector<EntryTest>> CppFunction::entry_tests(Region region, Region home) const {
    std::vector<EntryTest> tests;
    for (Region r = region; r != home; r = schedule_.blocks[r].parent) {
        const ScheduledBlock& block = schedule_.blocks[r];
        const Region parent = block.parent;
        const auto add = [&](NodeId value, EntryTest::Kind kind) {
            if (!is_known_in(value, home) || depends_on_path(g_, schedule_, value, parent, home)) return false;
            if (g_.is_number(value)) {
                const auto number = static_cast<std::int64_t>(g_.bits(value));
                return kind == EntryTest::Kind::Positive ? number > 0
                                                         : (number != 0) == (kind == EntryTest::Kind::True);
            }
            tests.push_back({value, kind});
            return true;
        };
        if (!block.id) {
            if (!add(block.owner, EntryTest::Kind::True)) return {};
            continue;
        }
        const OpKind shape =
            g_.core(block.owner) == Core::None ? module_.shapes[g_.op(block.owner).index] : OpKind::Plain;
        const std::span<const BlockId> blocks = g_.blocks(block.owner);
        if (shape == OpKind::Loop || shape == OpKind::For || shape == OpKind::Each) {
            if (blocks[0] != block.id || !add(g_.operand(block.owner, 0), EntryTest::Kind::Positive)) return {};
        } else if (shape == OpKind::If && blocks.size() == 2 && blocks[0] != blocks[1]) {
            const bool first = blocks[0] == block.id;
            if (!add(g_.operand(block.owner, 0), first ? EntryTest::Kind::True : EntryTest::Kind::False)) return {};
        } else {
            return {};
        }
    }
    std::ranges::reverse(tests);
    const auto same = std::unique(tests.begin(), tests.end());
    tests.erase(same, tests.end());
    return tests;
}

// In words of C++; one of them holds. Empty: surely.
std::string CppFunction::entry_condition(std::vector<std::vector<EntryTest>> ways) {
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

// Finds the nodes of `home` that need a value, and the conditions under which they do. False if these are not known.
bool CppFunction::find_ways(std::uint32_t lazy, Region home, std::vector<NodeId>& owners,
                            std::vector<std::vector<EntryTest>>& ways) const {
    for (Region user : lazy_[lazy].regions) {
        if (user == home || ways.size() == most_ways) return false;
        std::optional<std::vector<EntryTest>> tests = entry_tests(user, home);
        if (!tests) return false;
        owners.push_back(owner_in(schedule_, user, home));
        ways.push_back(*std::move(tests));
    }
    for (std::uint32_t user : lazy_[lazy].users) {
        if (schedule_.on_demand[user].region != home) {
            if (!find_ways(user, home, owners, ways)) return false;
            continue;
        }
        if (!lazy_[user].loop || ways.size() + lazy_[user].ways.size() > most_ways) return false;
        owners.push_back(lazy_[user].loop);
        ways.insert(ways.end(), lazy_[user].ways.begin(), lazy_[user].ways.end());
    }
    return true;
}

// Of what is computed on demand in a region: what one loop of it alone needs, surely if it runs at all.
void CppFunction::join_loops(Region region) {
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    for (std::size_t i = nodes.size(); i-- > 0;) {
        if (!nodes[i].is_on_demand()) continue;
        Lazy& lazy = lazy_[nodes[i].on_demand];
        lazy.loop = {};
        if (!schedule_.on_demand[nodes[i].on_demand].kept && !may_stand_before(nodes[i].node)) continue;
        std::vector<NodeId> owners;
        std::vector<std::vector<EntryTest>> ways;
        if (!find_ways(nodes[i].on_demand, region, owners, ways) || owners.empty() || !is_loop(module_, g_, owners[0]))
            continue;
        if (std::ranges::any_of(owners, [&](NodeId owner) { return owner != owners[0]; })) continue;
        std::ranges::sort(ways);
        ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
        lazy.loop = owners[0], lazy.ways = std::move(ways);
    }
}

// Of what is not kept: a scalar, or a row that is there as soon as its index is.
bool CppFunction::may_stand_before(NodeId node) { return types_.is_scalar(g_.type(node)) || is_dense_row(node); }

bool CppFunction::is_dense_row(NodeId node) const {
    if (g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At) return false;
    if (types_.is_scalar(g_.type(node)) || module_.types.rank(g_.type(g_.operand(node, 0))) < g_.operands(node).size())
        return false;
    NodeId array = g_.operand(node, 0);
    if (g_.is_param(array)) return !module_.types.is_rows(g_.type(array));
    return !uses_.viewed(array) || is_dense_row(array);
}

// False if all that needs it has been computed.
bool CppFunction::is_still_needed(std::uint32_t lazy) const {
    return !lazy_[lazy].regions.empty() || std::ranges::any_of(lazy_[lazy].users, [&](std::uint32_t user) {
        return !lazy_[user].settled && (schedule_.on_demand[user].kept || is_still_needed(user));
    });
}

// Computes the values that only this loop needs, and the others that it needs if it runs at all.
std::vector<std::uint32_t> CppFunction::print_before(const ScheduledNode& loop, Region region) {
    if (lazy_.empty()) return {};
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
    for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
        if (!scheduled.is_on_demand() || lazy_[scheduled.on_demand].loop != loop.node) continue;
        if (only_ != nullptr && !only_->contains(scheduled.node)) continue;
        std::string condition = entry_condition(lazy_[scheduled.on_demand].ways);
        if (groups.empty() || groups.back().first != condition) groups.push_back({std::move(condition), {}});
        groups.back().second.push_back(scheduled.on_demand);
    }
    const auto runs = entry_tests(loop.blocks[0], region);
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
            !irrewrite::printers::is_within(schedule_, region, entry.region))
            continue;
        if (entry.kept ? lazy_[lazy].compute.empty() : !may_stand_before(lazy_node(lazy).node)) continue;
        if (!is_still_needed(lazy)) continue;
        if (std::ranges::any_of(lazy_[lazy].askers,
                                [&](std::uint32_t asker) { return is_inside(schedule_.on_demand[asker].region); }))
            continue;
        std::vector<std::vector<EntryTest>> ways;
        const bool known = std::ranges::all_of(lazy_[lazy].sites, [&](Region user) {
            if (!is_inside(user)) return true;
            if (auto tests = entry_tests(user, region)) return ways.push_back(*std::move(tests)), true;
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

// Behind the loop nobody knows whether it ran.
void CppFunction::forget(std::span<const std::uint32_t> settled) {
    for (std::uint32_t lazy : settled) lazy_[lazy].settled = false;
}

void CppFunction::print_joined(const std::string& condition, const std::vector<std::uint32_t>& list, Region region) {
    const auto compute = [&](std::uint32_t lazy) {
        print_demands(schedule_.on_demand[lazy].demands);
        print_node(lazy_node(lazy), region, no_place);
        settle(lazy);
    };
    if (condition.empty()) return (void)std::ranges::for_each(list, compute);
    const auto is_here = [&](std::uint32_t user) { return std::ranges::find(list, user) != list.end(); };
    const auto is_row = [&](std::uint32_t lazy) {
        return !schedule_.on_demand[lazy].kept && is_dense_row(lazy_node(lazy).node);
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
        index_condition_ = condition;
        compute(lazy);
        index_condition_.clear();
    }
    print_under(condition, rest, region);
}

void CppFunction::print_under(const std::string& condition, const std::vector<std::uint32_t>& list, Region region) {
    if (list.empty()) return;
    std::vector<std::vector<std::string>> names;
    for (std::uint32_t lazy : list) {
        const auto is_here = [&](std::uint32_t user) { return std::ranges::find(list, user) != list.end(); };
        const bool alone = lazy_[lazy].regions.empty() && std::ranges::all_of(lazy_[lazy].users, is_here);
        const NodeId node = lazy_node(lazy).node;
        names.push_back(alone ? std::vector<std::string>() : declare_results(node, result_types(node)));
    }
    out_.open("if (" + condition + ") {");
    {
        const Scope scope(*this);
        for (std::size_t k = 0; k < list.size(); ++k) {
            print_demands(schedule_.on_demand[list[k]].demands);
            print_node(lazy_node(list[k]), region, no_place);
            if (!names[k].empty()) store_results(lazy_node(list[k]).node, names[k]);
            settle(list[k]);
        }
    }
    out_.close();
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (names[k].empty()) continue;
        bind_results(lazy_node(list[k]).node, names[k], result_types(lazy_node(list[k]).node));
        settle(list[k]);
    }
}

} // namespace irrewrite::printers
