// Inner loops that the threads of a warp or of a block share: what is made for one index by a loop of its own, a row
// or a reduction, is made by a team, lane by lane, so that neighbouring threads read neighbouring elements.
//
// All else in the step every thread of the team does for itself; the first one stores what comes of it.
#include "printers/cuda/device_printer.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t few = 8; // too little to share

} // namespace

// Notes which loops of a kernel's step teams share; how much there is to share, as far as the host knows.
std::string TeamPrinter::find_shared(const ScheduledNode& loop, Kernel& kernel) {
    const auto by_index = [](const Generator& g) {
        return g.shape == OpKind::Collect && !g.index.empty() && g.count.empty();
    };
    if (!std::ranges::all_of(kernel.generators, by_index)) return {};
    const std::uint32_t index = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    std::vector<std::string> amounts;
    for (const ScheduledNode& scheduled : schedule_.blocks[loop.blocks[0]].nodes) {
        const NodeId inner = scheduled.node;
        if (scheduled.is_on_demand() || g_.core(inner) != Core::None ||
            module_.shapes[g_.op(inner).index] != OpKind::Loop)
            continue;
        const NodeId extent = g_.operand(inner, 0);
        if (g_.is_number(extent) && g_.bits(extent) < few) continue;
        const std::span<const NodeId> list = g_.results(g_.blocks(inner)[0]);
        const bool any_order = std::ranges::all_of(list, [&](NodeId node) {
            Generator generator{};
            generator.shape = module_.shapes[g_.op(node).index];
            generator.block = g_.blocks(node).empty() ? BlockId{} : g_.blocks(node)[0];
            return generator.shape == OpKind::Collect ||
                   (generator.shape == OpKind::Reduce && is_commutative(generator));
        });
        if (!any_order) continue;
        kernel.shared.push_back(inner);
        const bool known = g_.is_literal(extent) || (env_.contains(extent) && !g_.depends_on_number(extent, index));
        std::string amount = known ? text(extent).text : "warp_size";
        if (std::ranges::find(amounts, amount) == amounts.end()) amounts.push_back(std::move(amount));
    }
    if (kernel.shared.empty()) return {};
    kernel.team = "team"; // the type is not named where it is
    for (Generator& generator : kernel.generators) generator.before = "if (" + kernel.team + ".lane == 0) ";
    if (amounts.size() == 1) return amounts[0];
    std::string most;
    for (const std::string& amount : amounts) most += (most.empty() ? "" : ", ") + amount;
    return "std::max<std::int64_t>({" + most + "})";
}

void TeamPrinter::print_shared(const ScheduledNode& loop, std::vector<Generator>& generators, const std::string& end) {
    const std::string& team = at_.kernel->team;
    const bool faulted = at_.kernel->faults;
    at_.kernel->faults = false;
    bool kept = false, read = false; // what it makes: memory that the last index had, by the whole team
    std::size_t first = 0;
    for (const Generator& generator : generators) {
        for (std::size_t k = 0; k < generator.outputs.size(); ++k) {
            const NodeId value =
                g_.kind(loop.node) == TypeKind::Results ? uses_.find_projection(loop.node, first + k) : loop.node;
            kept = kept || is_kept(loop.node, first + k);
            read = read || (value && uses_.reads(value) > 1);
        }
        first += code_.results_of(generator);
    }
    if (kept) out_.line(team + ".wait();");
    f_.loops.print_body(loop, generators, team + ".lane", end, team + ".lanes");
    at_.kernel->shared_faults = at_.kernel->shared_faults || at_.kernel->faults;
    at_.kernel->faults = at_.kernel->faults || faulted;
    if (kept || read) out_.line(team + ".wait();");
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Reduce) continue;
        const Cell& cell = generator.state[0];
        out_.open_names();
        const std::string next = out_.fresh("next");
        out_.open(team + ".join(" + cell.name + ", [&](const " + value_type(cell.type) + "& " + next + ") {");
        f_.emissions.combine(loop.blocks[0], generator, generator.state, "", {{{next}, cell.type}});
        out_.close("});");
        out_.close_names();
    }
}

} // namespace irrewrite::printers
