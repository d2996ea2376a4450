// `loop` in emitted C++: the variables of its generators, then one `for` in which they are fed.
//
// A loop runs in parallel when each of its generators can be made in chunks that are joined in order, and no other loop
// surrounds it. The chunks of a result are variables of their own.
#include "printers/cpp/cpp_function.hpp"

#include "printers/cpp/loops/lane_blocks.hpp"

#include "printers/plan/slices.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

// Hot loops read through plain pointers, which compilers turn into vector loads.
void LoopPrinter::declare_pointers(std::span<const std::uint32_t> regions, Region outside) {
    for (Region region : regions) {
        const NodeId owner = schedule_.blocks[region].owner; // a slice becomes a view
        if (!module_.options.cuda && owner && schedule_.blocks[region].id && find_slice(module_, g_, owner)) continue;
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (g_.core(scheduled.node) != Core::None || module_.shapes[g_.op(scheduled.node).index] != OpKind::At ||
                (at_.only != nullptr && !at_.only->contains(scheduled.node)))
                continue;
            const NodeId array = g_.operand(scheduled.node, 0);
            const NodeId source = g_.is_project(array) ? g_.operand(array, 0) : array;
            const bool function_param = g_.is_param(array) && g_.param_number(array) == number::function;
            const bool known = function_param || env_.contains(array) || env_.has_results(source);
            if (!known || g_.is_literal(array) || pointers().contains(array)) continue;
            if (!lazy_.empty() && !function_param && !demands_.is_known_in(source, outside))
                continue; // perhaps not computed yet
            // Only what stands outside the loop, and is not computed again within it.
            if (!function_param && uses_.find(source, outside) == nullptr) continue;
            const auto within = [&](Region r) { return uses_.is_computed_in(source, r); };
            if (std::any_of(regions.begin(), regions.end(), within)) continue;
            const Binding value = binding(array);
            const std::size_t rank = value.form == Form::Rows ? 0 : module_.types.rank(value.type);
            const bool whole = rank != 0 && g_.operands(scheduled.node).size() - 1 >= rank;
            if (!is_atomic(value.text) || !(whole || is_row_of_known_width(scheduled.node, value))) continue;
            const std::string element = value_type(module_.types.element(value.type, rank));
            const std::string name = out_.fresh(value.text.text + "_data");
            out_.line("const " + element + "* const " + name + " = " +
                      (may_be_on_device(value) ? "std::as_const(" + value.text.text + ")" : value.text.text) +
                      ".data();");
            pointers()[array] = name;
            env_.on_leave([&list = pointers(), array] { list.erase(array); });
        }
    }
}

void LoopPrinter::print_body(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                             std::string_view end, std::string_view stride) {
    if (stride.empty() && f_.lazies.print_until_known(loop, generators, begin, end)) return;
    if (const ScheduledNode* sums = rows_.sums_side_by_side(loop, generators))
        return f_.columns.print_side_by_side(loop, *sums, generators[0], begin, end);
    if (stride.empty() && rows_.runs_in_columns(loop, generators))
        return f_.columns.print_columns(loop, generators, begin, end);
    if (stride.empty() && print_lane_blocks(f_, loop, generators, begin, end)) return;
    if (planner_.finds_bins_in_lanes(loop, generators))
        return f_.blocks.print_bins_in_lanes(loop, generators, begin, end);
    if (std::optional<FissionPlan> apart = planner_.lanes_apart(loop, generators))
        return f_.blocks.print_apart(loop, *apart, begin, end);
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const NodeId extent = g_.operand(loop.node, 0);
    const std::vector<NodeId> rows = at_.hot > 1 && !module_.options.cuda ? hoist_rows(loop) : std::vector<NodeId>();
    if (const std::optional<Range> range = planner_.find_edges(loop, generators)) {
        print_with_edges(loop, generators, *range, begin, end);
        for (NodeId row : rows) at_.hoisted.erase(row);
        return;
    }
    if (const std::optional<Levels> levels = planner_.call_levels(loop, generators))
        return f_.blocks.print_calls_apart(loop, *levels, generators, begin, end);
    if (stride.empty() && planner_.runs_apart(loop, generators))
        return f_.blocks.print_running_apart(loop, generators, begin, end);
    if (stride.empty() && !code_.runs_in_lanes(loop, generators) && planner_.runs_in_stretches(loop, generators))
        return f_.strips.print_stretches(loop, generators, begin, end);
    if (print_if_parts_are_there(loop, generators, begin, end, stride)) return;
    const bool inner = at_.hot > 1, known = g_.is_number(extent);
    const bool sums = !lane_accumulators(generators, false).empty();
    const bool lanes =
        code_.runs_in_lanes(loop, generators) && !(inner && known && sums && g_.bits(extent) < few_values);
    const bool decision = lanes && !known && code_.is_decision(generators);
    const bool few = lanes && ((inner && sums && !known) || decision);
    if (lanes) open_extremes(generators);
    const std::string pragma = simd_pragma(generators), accumulators = lane_accumulators(generators, true);
    if (lanes && !few) out_.line(pragma);
    const std::string step = few ? out_.fresh("step") : ""; // these stand in the block around the loop
    const std::string next = decision ? out_.fresh("next") : "";
    out_.open_names();
    const std::string index = index_of(loop);
    const std::string header = "for (std::int64_t " + index + " = " + std::string(begin) + "; " + index + " < " +
                               std::string(end) + "; " +
                               (stride.empty() ? "++" + index : index + " += " + std::string(stride)) + ")";
    out_.open(few ? "const auto " + step + " = [&](std::int64_t " + index + accumulators + ") {" : header + " {");
    if (!lanes && planner_.fetches_ahead(loop, generators)) print_fetches(loop, index);
    const bool outer = std::exchange(at_.lanes, lanes);
    print_round(loop, generators, {param, extent, 0, 0}, index, lanes && code_.gathers(generators));
    at_.lanes = outer;
    out_.close(few ? "};" : "}");
    if (decision)
        print_until_decided(index, next, step, generators[0], begin, end);
    else if (few)
        print_few_or_lanes(end, header + " " + step + "(" + index + lane_accumulators(generators, false) + ");",
                           pragma);
    out_.close_names();
    close_extremes(generators);
    for (NodeId row : rows) at_.hoisted.erase(row);
}

// Sizes the outputs: an output written by index has its size from the start, one that grows has the size of its rows.
void LoopPrinter::size_outputs(std::vector<Generator>& list, const std::string& length) {
    for (Generator& generator : list)
        for (Cell& cell : generator.outputs) {
            if (generator.shape == OpKind::First || !module_.types.is_array(cell.type)) continue;
            std::string extents = generator.index.empty() ? "0" : length;
            TypeId row = types_.element(cell.type);
            for (std::size_t k = 1; k < module_.types.rank(cell.type); ++k, row = types_.element(row))
                extents += ", " + extent_text({{}, row}, row, 0);
            if (!generator.index.empty() || extents != "0") cell.init = value_type(cell.type) + "(" + extents + ")";
        }
}

void LoopPrinter::print_loop(const ScheduledNode& loop, Region region) {
    if (f_.arrays.print_slice(loop)) return;
    std::vector<std::uint32_t> settled = f_.lazies.print_before(loop, region);
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    const std::string where = origins(regions);
    if (!where.empty()) out_.line("// " + where);
    Binding extent = as_variable({text(g_.operand(loop.node, 0)), types_.i64()}, "n");
    const std::string& end = extent.text.text;
    if (!code_.known_nonnegative(g_.operand(loop.node, 0))) {
        if (at_.kernel != nullptr) at_.kernel->faults = true;
        out_.line("checked_length(" + end + ", " + line_number(loop.node) + ");");
    }
    std::vector<Generator> list = generators(loop, true);
    size_outputs(list, end);
    f_.arrays.use_places(loop, list);
    f_.emissions.share_keys(list);
    planner_.share_running(list);
    std::string host; // what keeps the loop there
    const bool top = module_.options.cuda && at_.hot == 0;
    if (top) host = f_.device().against_device(loop, list, regions);
    const bool kernel = top && host.empty();
    if (kernel) f_.device().size_counted(list, end), f_.device().start_bins(list);
    for (Generator& generator : list) generator.numbered = kernel && generator.shape == OpKind::Bucket;
    if (!host.empty()) out_.line("// On the host: " + host + ".");
    for (const Generator& generator : list) {
        declare(generator, 0);
        f_.arrays.declare_spares(generator);
    }
    const std::string reason = module_.options.cuda ? "it is on the host" : planner_.against_parallel(loop, list);
    if (at_.hot == 0 && !module_.options.cuda) {
        if (!reason.empty()) out_.line("// On one thread: " + reason + ".");
        module_.notes.push_back(
            {function_.name, (where.empty() ? "a loop" : "the loop of " + where) +
                                 (!reason.empty() ? ": on one thread, " + reason
                                  : planner_.runs_in_pieces(loop, list)
                                      ? ": in parallel, in dynamic chunks, because iterations take unequal time"
                                      : ": in parallel, in chunks whose results are combined in order")});
    }
    ++at_.hot;
    if (kernel) {
        for (std::uint32_t value : f_.device().print_asks(loop, end)) settled.push_back(value);
        f_.device().print_kernel(loop, list, regions, end);
    } else if (reason.empty()) {
        const Scope scope(env_, ranges_);
        if (is_atomic(extent.text)) define(g_.operand(loop.node, 0), extent); // by its name
        const bool begun = print_first_values(loop, list, end);
        f_.chunks.print_parallel(loop, list, regions);
        if (begun) out_.close();
    } else if (f_.device().is_shared(loop.node)) {
        f_.device().print_shared(loop, list, end);
    } else {
        declare_pointers(regions, region);
        print_body(loop, list, "0", end);
    }
    --at_.hot;
    for (const Generator& generator : list)
        if (generator.shape == OpKind::Fold) f_.arrays.drop_spares(g_.results(generator.block));
    f_.lazies.forget(settled);
    std::vector<Binding> results;
    const std::vector<TypeId> types = code_.result_types(loop.node);
    for (const Generator& generator : list) {
        const std::size_t count = code_.results_of(generator);
        if (count > 0) finish(generator, std::span(types).subspan(results.size(), count), loop.node, results);
    }
    if (g_.kind(loop.node) != TypeKind::Results && results.size() == 1)
        define(loop.node, results[0]);
    else
        define(loop.node, std::move(results));
}

// Prints one iteration of a loop.
void LoopPrinter::print_round(const ScheduledNode& loop, std::vector<Generator>& generators, const Range& range,
                              const std::string& index, bool gathered) {
    const Region region = loop.blocks[0];
    std::string sums;
    std::string* const outer = out_.put_by(gathered ? &sums : nullptr);
    const Scope scope(env_, ranges_);
    ranges_.enter(range);
    const auto bins = std::exchange(state_.spare_bins, {});
    define(range.index, {{index}, types_.i64(), Form::Value, false, range.extent});
    EmissionsOf list;
    f_.emissions.set_feeds(generators);
    for (Generator& generator : generators) {
        if (!generator.index.empty() && generator.count.empty())
            generator.index = generator.reversed ? binding(range.extent).text.text + " - 1 - " + index : index;
        if (!generator.fed_by && !generator.made) list.emplace_back(&generator, generator.emission);
    }
    f_.arrays.place_rows(region, generators);
    f_.print_nodes(region);
    f_.emissions.walk(region, list);
    for (Generator& generator : generators)
        if (generator.made) f_.emissions.step_running(region, generator, {});
    out_.append(sums);
    out_.put_by(outer);
    ranges_.leave();
    state_.spare_bins = bins;
}

// Rows that are read at every index, and are there whatever it is, are looked up once.
std::vector<NodeId> LoopPrinter::hoist_rows(const ScheduledNode& loop) {
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
        if (here.contains(array) || here.contains(index) || !code_.is_within(index, array, g_.type(array), 0)) continue;
        f_.print_node(nodes[i], region, i);
        at_.hoisted.insert(node);
        rows.push_back(node);
    }
    return rows;
}

} // namespace irrewrite::printers
