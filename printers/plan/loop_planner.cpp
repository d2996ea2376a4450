// The plan of a loop: on several threads or not, and the way in which it runs on each.
#include "printers/plan/loop_planner.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr std::size_t longest_body = 256; // nodes; it is printed twice

constexpr std::size_t most_accumulators = 8; // what vector registers hold

constexpr std::uint64_t most_operations = 64; // of a step, of which there are eight side by side

} // namespace

std::string LoopPlanner::against_parallel(const ScheduledNode& loop, std::span<const Generator> generators) const {
    if (at_.hot > 0) return "it is inside another loop";
    const NodeId extent = g_.operand(loop.node, 0);
    if (g_.is_number(extent) && g_.bits(extent) < 1024) return "it has few iterations";
    for (const Generator& generator : generators)
        if (std::string reason = against_joining(generator); !reason.empty()) return reason;
    return {};
}

// Why what is made of later indices cannot be put behind what is made of earlier ones; empty: it can.
std::string LoopPlanner::against_joining(const Generator& generator) const {
    switch (generator.shape) {
    case OpKind::Collect:
    case OpKind::Reduce:
    case OpKind::Histogram: return {};
    case OpKind::Scan: // each chunk continues from the total of those before it
    case OpKind::Running:
        if (generator.fed_by) return "one running value depends on another";
        if (std::ranges::all_of(generator.state, [&](const Cell& cell) { return types_.is_scalar(cell.type); }))
            return {};
        return "the running values of a scan are not scalars";
    case OpKind::Bucket: {
        const Generator& inner = generator.inner[0];
        const bool joins =
            inner.shape == OpKind::Collect || inner.shape == OpKind::Reduce || is_first_of_group(g_, inner);
        if (joins && inner.through.empty()) return {};
        return "the values of each group must be computed in order";
    }
    case OpKind::Fold: return "a fold is sequential: its function is not known to be associative";
    case OpKind::Scatter: return "the later of two writes to one position wins";
    case OpKind::First: return "it looks for the first value";
    default: return "the results of its chunks cannot be combined";
    }
}

// True if threads take small pieces dynamically rather than one chunk each: nothing has to be joined, and iterations
// are uneven.
bool LoopPlanner::runs_in_pieces(const ScheduledNode& loop, std::span<const Generator> generators) const {
    return std::ranges::all_of(generators,
                               [](const Generator& g) { return g.shape == OpKind::Collect && !g.index.empty(); }) &&
           is_uneven(loop.blocks[0], g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]));
}

bool LoopPlanner::fetches_ahead(const ScheduledNode& loop, std::span<const Generator> generators) const {
    const NodeId extent = g_.operand(loop.node, 0);
    const bool is_short = g_.is_number(extent) && g_.bits(extent) <= 1024;
    const auto changes_by_key = [&](const Generator& generator) {
        return generator.shape == OpKind::Bucket ||
               (generator.shape == OpKind::Histogram && !adds_to_each_bin(generator));
    };
    return !module_.cuda && at_.hot == 1 && !is_short && std::ranges::any_of(generators, changes_by_key);
}

// True if the sum over a block fits in 16 bits, and all elements read are as narrow: a vector then has four times the
// lanes that it has for 64 bits.
bool LoopPlanner::counts_in_block(const ScheduledNode& loop, const Generator& generator) {
    NodeId emission = generator.emission;
    if (module_.shapes[g_.op(emission).index] == OpKind::When) emission = g_.operand(emission, 1);
    if (!lane_sum(generator) || !types_.is_integer(generator.state[0].type) ||
        types_.bits(generator.state[0].type) <= 16)
        return false;
    if (module_.shapes[g_.op(emission).index] != OpKind::Emit) return false;
    const std::optional<Interval> added = ranges_.interval(g_.operand(emission, 0));
    if (!added || added->low < 0 || added->high > most_in_block) return false;
    const std::unordered_set<NodeId> needed = needs(std::span(&generator, 1));
    return std::ranges::all_of(needed, [&](NodeId node) {
        const bool reads = !g_.is_param(node) && !g_.is_literal(node) && g_.core(node) == Core::None &&
                           module_.shapes[g_.op(node).index] == OpKind::At &&
                           g_.depends_on_number(node, g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]));
        return !reads || (types_.is_scalar(g_.type(node)) && types_.bits(g_.type(node)) <= 16);
    });
}

// The distance from the ends at which all the body's comparisons with them are known, if vector lanes profit from that.
std::optional<Range> LoopPlanner::find_edges(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.cuda) return {};
    Range range{g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0};
    std::size_t nodes = 0;
    std::unordered_set<Region> never; // branches that are known not to be taken
    for (Region region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (never.contains(region)) break;
            if (kind_of(module_.shapes, g_, scheduled.node) == OpKind::If)
                if (const std::optional<bool> known = ranges_.known_condition(g_.operand(scheduled.node, 0)))
                    for (Region inner : regions_within(schedule_, {scheduled.blocks[*known ? 1 : 0]}))
                        never.insert(inner);
            if (at_.only != nullptr && !at_.only->contains(scheduled.node)) continue;
            if (++nodes > longest_body || !scheduled.blocks.empty()) {
                if (nodes > longest_body || module_.shapes[g_.op(scheduled.node).index] != OpKind::If) return {};
                continue;
            }
            if (g_.core(scheduled.node) != Core::None || ranges_.known_condition(scheduled.node)) continue;
            ranges_.widen(range, scheduled.node);
        }
    if (range.low <= 0 && range.high <= 0) return {};
    range.low = std::max<std::int64_t>(range.low, 0), range.high = std::max<std::int64_t>(range.high, 0);
    ranges_.enter(range);
    const bool lanes = runs_in_lanes(loop, generators);
    ranges_.leave();
    return lanes ? std::optional(range) : std::nullopt;
}

// The same operator, from the same values on, over the same emission: the first keeps the running values.
void LoopPlanner::share_running(std::vector<Generator>& list) const {
    auto runs = [](const Generator& generator) {
        return (generator.shape == OpKind::Scan || generator.shape == OpKind::Running) && !generator.fed_by;
    };
    for (std::size_t g = 0; g < list.size(); ++g) {
        if (!runs(list[g])) continue;
        const auto leader =
            std::find_if(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(g), [&](const Generator& other) {
                return runs(other) && other.block == list[g].block && other.emission == list[g].emission &&
                       other.seeds == list[g].seeds && other.through.empty() && list[g].through.empty();
            });
        if (leader == list.begin() + static_cast<std::ptrdiff_t>(g)) continue;
        list[g].follows = true;
        list[g].state = leader->state;
    }
}

bool LoopPlanner::is_straight_reduction(const Generator& generator) {
    if (generator.shape != OpKind::Reduce || !generator.slots.empty() || !generator.through.empty() ||
        module_.shapes[g_.op(generator.emission).index] != OpKind::Emit)
        return false;
    if (!std::ranges::all_of(generator.state, [&](const Cell& cell) {
            return (types_.is_scalar(cell.type) || is_record(cell.type)) && !cell.init.empty();
        }))
        return false;
    const Region inner = uses_.nested_region(generator.home, generator.block);
    return inner != UINT32_MAX && schedule_.blocks[inner].guarded.empty() && is_straight(inner);
}

bool LoopPlanner::runs_in_stretches(const ScheduledNode& loop, std::span<const Generator> generators) {
    const Region region = loop.blocks[0];
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    if (module_.cuda || at_.hot > 1 || !schedule_.blocks[region].guarded.empty() || cost(region) > most_operations)
        return false;
    std::size_t accumulators = 0;
    for (const Generator& generator : generators) {
        if (!is_straight_reduction(generator) || !g_.depends_on_number(generator.emission, g_.param_number(param)))
            return false;
        for (const Cell& cell : generator.state)
            accumulators += types_.kind(cell.type) == TypeKind::Struct  ? types_.fields(cell.type).size()
                            : types_.kind(cell.type) == TypeKind::Tuple ? types_.elements(cell.type).size()
                                                                        : 1;
    }
    if (accumulators > most_accumulators) return false;
    const Ranges::Extents scope(ranges_);
    ranges_.set_extent(param, g_.operand(loop.node, 0));
    return is_straight(region);
}

bool LoopPlanner::is_small_variable(const ScheduledNode& loop, const Generator& generator, std::size_t result) const {
    constexpr std::uint64_t most_elements = 64, most_bits = 8 * 512;
    const NodeId extent = g_.operand(loop.node, 0);
    if (at_.hot == 0 || at_.kernel != nullptr || module_.cuda || generator.index.empty()) return false;
    if (loop.is_on_demand() && schedule_.on_demand[loop.on_demand].kept) return false; // its variable stands outside
    if (!g_.is_number(extent)) return false;
    const std::uint64_t length = g_.attrs(extent)[0].bits;
    const NodeId array = g_.result_count(loop.node) == 1 ? loop.node : uses_.find_projection(loop.node, result);
    if (!array || length == 0 || length > most_elements || at_.stored.contains(array)) return false;
    const TypeId element = types_.element(g_.type(array));
    return types_.is_scalar(element) && length * types_.bits(element) <= most_bits && !uses_.is_handed_on(array) &&
           !uses_.is_changed(array);
}

} // namespace irrewrite::printers
