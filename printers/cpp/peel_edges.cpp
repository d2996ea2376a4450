// Peels the edges of loops of emitted C++ that read neighbours: iterations near the ends of the range run separately,
// and in the others comparisons with the ends are known. `max(i - 1, 0)` is `i - 1` there, `i > 0` is true, and xs[i -
// 1] is within xs.
//
// Comparisons are between an index, an extent and numbers, each with an offset; a Range holds how far from its ends the
// index is.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::size_t longest_body = 256; // nodes; it is printed twice

} // namespace

// A choice or a condition that is known where the index is: nothing is left to compute.
bool CppFunction::print_known(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    if (!types_.is_scalar(g_.type(node))) return false;
    if (const NodeId operand = ranges_.chosen(node)) {
        define(node, binding(operand));
        return true;
    }
    if (const std::optional<bool> known = ranges_.known_condition(node)) {
        define(node, {{*known ? "true" : "false"}, types_.boolean()});
        return true;
    }
    if (module_.shapes[g_.op(node).index] != OpKind::If) return false;
    const std::optional<bool> known = ranges_.known_condition(g_.operand(node, 0));
    if (!known) return false;
    const std::size_t branch = *known ? 0 : 1;
    print_nodes(scheduled.blocks[branch]);
    define(node, binding(g_.results(g_.blocks(node)[branch])[0]));
    return true;
}

// The distance from the ends at which all the body's comparisons with them are known, if vector lanes profit from that.
std::optional<Range> CppFunction::find_edges(const ScheduledNode& loop, std::span<const Generator> generators) {
    if (module_.options.cuda) return {};
    Range range{g_.params(g_.blocks(loop.node)[0])[0], g_.operand(loop.node, 0), 0, 0};
    std::size_t nodes = 0;
    for (Region region : regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}))
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (only_ != nullptr && !only_->contains(scheduled.node)) continue;
            if (++nodes > longest_body || !scheduled.blocks.empty()) {
                if (nodes > longest_body || module_.shapes[g_.op(scheduled.node).index] != OpKind::If) return {};
                continue;
            }
            if (g_.core(scheduled.node) != Core::None) continue;
            ranges_.widen(range, scheduled.node);
        }
    if (range.low <= 0 && range.high <= 0) return {};
    range.low = std::max<std::int64_t>(range.low, 0), range.high = std::max<std::int64_t>(range.high, 0);
    ranges_.enter(range);
    const bool lanes = runs_in_lanes(loop, generators);
    ranges_.leave();
    return lanes ? std::optional(range) : std::nullopt;
}

// Both ends first: what lanes make does not depend on the order.
void CppFunction::print_with_edges(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                                   std::string_view begin, std::string_view end) {
    const std::string low = out_.fresh("low"), high = out_.fresh("high"), from = out_.fresh("from"),
                      to = out_.fresh("to");
    const std::string n = text(range.extent).text;
    open_extremes(generators);
    out_.line("// Both ends first; in between no neighbour is missing.");
    out_.line("const std::int64_t " + low + " = " +
              (range.low == 0 ? std::string(begin)
                              : "std::clamp<std::int64_t>(" + std::to_string(range.low) + ", " + std::string(begin) +
                                    ", " + std::string(end) + ")") +
              ";");
    out_.line("const std::int64_t " + high + " = " +
              (range.high == 0 ? std::string(end)
                               : "std::clamp<std::int64_t>(" + n + " - " + std::to_string(range.high) + ", " + low +
                                     ", " + std::string(end) + ")") +
              ";");
    const std::string pair = "std::array<std::int64_t, 2>";
    out_.open("for (const auto& [" + from + ", " + to + "] : {" + pair + "{" + std::string(begin) + ", " + low + "}, " +
              pair + "{" + high + ", " + std::string(end) + "}}) {");
    print_rounds(loop, generators, {range.index, range.extent, 0, 0}, from, to);
    out_.close();
    out_.line(simd_pragma(generators));
    print_rounds(loop, generators, range, low, high);
    close_extremes(generators);
}

void CppFunction::print_rounds(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                               const std::string& begin, const std::string& end) {
    out_.open_names();
    const std::string index = index_of(loop);
    out_.open("for (std::int64_t " + index + " = " + begin + "; " + index + " < " + end + "; ++" + index + ") {");
    print_round(loop, generators, range, index, gathers(generators));
    out_.close();
    out_.close_names();
}

std::string CppFunction::index_of(const ScheduledNode& loop) {
    const auto names = g_.param_names(g_.blocks(loop.node)[0]);
    return out_.fresh(!names.empty() && names[0] ? module_.context.symbols[names[0]] : "i");
}

// Prints one iteration of a loop.
void CppFunction::print_round(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                              const std::string& index, bool gathered) {
    const Region region = loop.blocks[0];
    std::string sums;
    std::string* const outer = out_.put_by(gathered ? &sums : nullptr);
    const Scope scope(*this);
    ranges_.enter(range);
    const auto bins = std::exchange(spare_bins_, {});
    define(range.index, {{index}, types_.i64(), Form::Value, false, range.extent});
    EmissionsOf list;
    set_feeds(generators);
    for (Generator& generator : generators) {
        if (!generator.index.empty() && generator.count.empty())
            generator.index = generator.reversed ? binding(range.extent).text.text + " - 1 - " + index : index;
        if (!generator.fed_by && !generator.made) list.emplace_back(&generator, generator.emission);
    }
    place_rows(region, generators);
    print_nodes(region);
    walk(region, list);
    for (Generator& generator : generators)
        if (generator.made) step_running(region, generator, {});
    out_.append(sums);
    out_.put_by(outer);
    ranges_.leave();
    spare_bins_ = bins;
}

// Rows that are read at every index, and are there whatever it is, are looked up once.
std::vector<NodeId> CppFunction::hoist_rows(const ScheduledNode& loop) {
    const Region region = loop.blocks[0];
    const std::vector<ScheduledNode>& nodes = schedule_.blocks[region].nodes;
    const std::uint32_t own = g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]);
    std::unordered_set<NodeId> here;
    for (const ScheduledNode& scheduled : nodes) here.insert(scheduled.node);
    std::vector<NodeId> rows;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        const NodeId node = nodes[i].node;
        if (nodes[i].is_on_demand() || g_.core(node) != Core::None || module_.shapes[g_.op(node).index] != OpKind::At ||
            g_.operands(node).size() != 2 || types_.is_scalar(g_.type(node)) || g_.depends_on_number(node, own))
            continue;
        const NodeId array = g_.operand(node, 0), index = g_.operand(node, 1);
        if (here.contains(array) || here.contains(index) || !is_within(index, array, g_.type(array), 0)) continue;
        print_node(nodes[i], region, i);
        hoisted_.insert(node);
        rows.push_back(node);
    }
    return rows;
}

} // namespace irrewrite::printers
