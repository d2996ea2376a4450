// Loops of emitted C++ in which some results are made in vector lanes and others, as bins and groups, one index
// after the other: in blocks, first the ones, then the others. The blocks are small enough that what both read
// comes from memory once.
#include "printers/cpp_printer.hpp"

#include "engine/reach.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t few = 16; // operations that may be done for both
constexpr std::string_view block_size = "4096";

} // namespace

std::unordered_set<NodeId> CppFunction::needs(std::span<const Generator> generators) const {
    std::vector<NodeId> roots;
    for (const Generator& generator : generators) {
        roots.push_back(generator.emission);
        if (generator.block) roots.insert(roots.end(), g_.results(generator.block).begin(), g_.results(generator.block).end());
    }
    const std::vector<NodeId> nodes = reachable(g_, roots);
    return {nodes.begin(), nodes.end()};
}

// Between the ends at least.
bool CppFunction::may_run_in_lanes(const ScheduledNode& loop, std::span<const Generator> generators) {
    return runs_in_lanes(loop, generators) || find_edges(loop, generators);
}

// Empty where all results are made in one way, or where much would be computed twice.
std::optional<CppFunction::Apart> CppFunction::lanes_apart(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda || only_ != nullptr || hot_ > 1 || generators.size() < 2 || may_run_in_lanes(loop, generators)) return {};
    Apart apart;
    for (const Generator& generator : generators) {
        if (generator.shape == Shape::Scan || generator.shape == Shape::Running || generator.fed_by) return {};
        const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
        only_ = &needed;
        const bool lanes = may_run_in_lanes(loop, std::span(&generator, 1));
        only_ = nullptr;
        (lanes ? apart.lanes : apart.others).push_back(generator);
    }
    if (apart.lanes.empty() || apart.others.empty()) return {};
    const std::unordered_set<NodeId> lanes = needs(apart.lanes), others = needs(apart.others);
    std::size_t twice = 0;
    for (std::uint32_t region : inside(loop))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (!lanes.contains(scheduled.node) || !others.contains(scheduled.node)) continue;
            const bool cheap = scheduled.blocks.empty() && g_.core(scheduled.node) != Core::Call && !g_.operation(scheduled.node).has(Trait::Approximate);
            twice += cheap ? 1 : few + 1;
        }
    return twice <= few ? std::optional(std::move(apart)) : std::nullopt;
}

void CppFunction::print_apart(const ScheduledNode& loop, Apart& apart, std::string_view begin, std::string_view end) {
    names_.open();
    const std::string block = names_.fresh("block"), stop = names_.fresh("stop");
    line("// In blocks: what vector lanes make, then the rest.");
    open("for (std::int64_t " + block + " = " + std::string(begin) + "; " + block + " < " + std::string(end) + "; " + block +
         " += " + std::string(block_size) + ") {");
    line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + block + " + " + std::string(block_size) + ", " + std::string(end) + ");");
    for (std::vector<Generator>* part : {&apart.lanes, &apart.others}) {
        const std::unordered_set<NodeId> needed = needs(*part);
        only_ = &needed;
        print_body(loop, *part, block, stop);
        only_ = nullptr;
    }
    close();
    names_.close();
}

} // namespace irrewrite::printers
