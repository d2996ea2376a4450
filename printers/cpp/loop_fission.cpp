// Fission of loops of emitted C++ in which some results can be vectorized and others, such as histogram bins and
// groups, cannot: block by block of indices, first the vector loop, then the scalar one. Blocks are small enough that
// data read by both comes from memory once.
#include "printers/cpp/cpp_printer.hpp"

#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t most_repeated = 16; // operations that may be done for both
constexpr unsigned block_size = 4096;
constexpr unsigned most_counted = (1u << 16) / block_size - 1; // so much at each index comes to less than 2^16

} // namespace

std::unordered_set<NodeId> CppFunction::needs(std::span<const Generator> generators) const {
    std::vector<NodeId> roots;
    for (const Generator& generator : generators) {
        roots.push_back(generator.emission);
        if (generator.block)
            roots.insert(roots.end(), g_.results(generator.block).begin(), g_.results(generator.block).end());
    }
    const std::vector<NodeId> nodes = reachable(g_, roots);
    return {nodes.begin(), nodes.end()};
}

// Between the ends at least.
bool CppFunction::may_run_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    return runs_in_lanes(loop, generators) || find_edges(loop, generators);
}

// Empty where all results are made in one way, or where much would be computed twice.
std::optional<CppFunction::FissionPlan> CppFunction::lanes_apart(const ScheduledNode& loop,
                                                                 std::span<const Generator> generators) {
    if (module_.options.cuda || only_ != nullptr || hot_ > 1 || generators.size() < 2 ||
        may_run_in_lanes(loop, generators))
        return {};
    FissionPlan apart;
    for (const Generator& generator : generators) {
        if (generator.shape == OpKind::Scan || generator.shape == OpKind::Running || generator.fed_by) return {};
        const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
        only_ = &needed;
        const bool lanes = may_run_in_lanes(loop, std::span(&generator, 1));
        only_ = nullptr;
        (lanes ? apart.lanes : apart.others).push_back(generator);
    }
    if (apart.lanes.empty() || apart.others.empty()) return {};
    const std::unordered_set<NodeId> lanes = needs(apart.lanes), others = needs(apart.others);
    std::size_t twice = 0;
    for (std::uint32_t region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (!lanes.contains(scheduled.node) || !others.contains(scheduled.node)) continue;
            const bool cheap = scheduled.blocks.empty() && g_.core(scheduled.node) != Core::Call &&
                               !g_.operation(scheduled.node).has(Trait::Approximate);
            twice += cheap ? 1 : most_repeated + 1;
        }
    return twice <= most_repeated ? std::optional(std::move(apart)) : std::nullopt;
}

// True if the sum over a block fits in 16 bits, and all elements read are as narrow: a vector then has four times the
// lanes that it has for 64 bits.
bool CppFunction::counts_in_block(const ScheduledNode& loop, const Generator& generator) {
    NodeId emission = generator.emission;
    if (module_.shapes[g_.op(emission).index] == OpKind::When) emission = g_.operand(emission, 1);
    if (!lane_sum(generator) || !types_.is_integer(generator.state[0].type) ||
        types_.bits(generator.state[0].type) <= 16)
        return false;
    if (module_.shapes[g_.op(emission).index] != OpKind::Emit) return false;
    looked_at_ = 0;
    const std::optional<Interval> added = interval(g_.operand(emission, 0), 0);
    if (!added || added->low < 0 || added->high > most_counted) return false;
    const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
    return std::ranges::all_of(needed, [&](NodeId node) {
        const bool reads = !g_.is_param(node) && !g_.is_literal(node) && g_.core(node) == Core::None &&
                           module_.shapes[g_.op(node).index] == OpKind::At &&
                           g_.depends_on_number(node, g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]));
        return !reads || (types_.is_scalar(g_.type(node)) && types_.bits(g_.type(node)) <= 16);
    });
}

// Each counter of the block, and what it is added to.
std::vector<std::pair<std::string, std::string>> CppFunction::declare_block_counters(const ScheduledNode& loop,
                                                                                     std::span<Generator> generators) {
    std::vector<std::pair<std::string, std::string>> counters;
    for (Generator& generator : generators) {
        if (!counts_in_block(loop, generator)) continue;
        const std::string name = names_.fresh("count");
        line("std::uint16_t " + name + " = 0;");
        counters.emplace_back(name, generator.state[0].name);
        generator.state[0] = {name, types_.scalar(TypeKind::U16), "0"};
    }
    return counters;
}

void CppFunction::print_apart(const ScheduledNode& loop, FissionPlan& apart, std::string_view begin,
                              std::string_view end) {
    names_.open();
    const std::string block = names_.fresh("block"), stop = names_.fresh("stop"), size = std::to_string(block_size);
    line("// In blocks: what vector lanes make, then the rest.");
    open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) + "; " +
         block + " += " + size + ") {");
    line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + size + ", " + std::string(end) +
         ");");
    const auto counters = declare_block_counters(loop, apart.lanes);
    for (std::vector<Generator>* part : {&apart.lanes, &apart.others}) {
        const std::unordered_set<NodeId> needed = needs(*part);
        only_ = &needed;
        print_body(loop, *part, block, stop);
        only_ = nullptr;
        if (part == &apart.others) continue;
        for (const auto& [count, sum] : counters) line(sum + " = wrap_add(" + sum + ", " + count + ");");
    }
    close();
    names_.close();
}

} // namespace irrewrite::printers
