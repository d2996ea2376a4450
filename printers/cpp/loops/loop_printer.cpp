// `loop` in emitted C++: the variables of its generators, then one `for` in which they are fed.
//
// A loop runs in parallel when each of its generators can be made in chunks that are joined in order, and no other loop
// surrounds it. The chunks of a result are variables of their own.
#include "printers/cpp/cpp_function.hpp"

#include "printers/cpp/loops/lane_blocks.hpp"

#include "printers/plan/generator_list.hpp"
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

// The iterations from `begin` to `end`, by their plan.
void LoopPrinter::print_body(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                             std::string_view end, std::string_view stride) {
    LoopPlan plan = planner_.plan_loop(loop, generators, stride.empty());
    note_plan(described(plan));
    ++state_.plan_depth;
    const auto print = [&]<class Form>(Form& form) {
        if constexpr (std::is_same_v<Form, UntilKnown>)
            f_.lazies.print_until_known(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, SideBySide>)
            f_.columns.print_side_by_side(loop, form, generators[0], begin, end);
        else if constexpr (std::is_same_v<Form, InColumns>)
            f_.columns.print_columns(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, InTiles>)
            f_.tiles.print_in_tiles(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, LaneBlocks>)
            print_lane_blocks(f_, loop, std::move(form), generators, begin, end);
        else if constexpr (std::is_same_v<Form, BinsInLanes>)
            f_.blocks.print_bins_in_lanes(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, FissionPlan>)
            f_.blocks.print_apart(loop, form, begin, end);
        else if constexpr (std::is_same_v<Form, Peeled>)
            print_with_edges(loop, generators, form.range, begin, end);
        else if constexpr (std::is_same_v<Form, InnerRange>)
            print_inner_range(loop, generators, form.range, begin, end);
        else if constexpr (std::is_same_v<Form, TwoRanges>)
            print_ranges(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, ByQuotient>)
            f_.pieces.print_by_quotient(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, Levels>)
            f_.blocks.print_calls_apart(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, Split>)
            f_.blocks.print_running_apart(loop, form, generators, begin, end);
        else if constexpr (std::is_same_v<Form, InStrips>)
            f_.strips.print_stretches(loop, generators, begin, end);
        else if constexpr (std::is_same_v<Form, IfPartsAreThere>)
            print_if_parts_are_there(loop, form, generators, begin, end, stride);
        else
            print_plain(loop, form, generators, begin, end, stride);
    };
    for (const auto& [region, row] : plan.rows) {
        const ScheduledNode& scheduled = schedule_.blocks[region].nodes[row];
        f_.print_node(scheduled, region, row);
        at_.hoisted.insert(scheduled.node);
    }
    std::visit(print, plan.form);
    for (const auto& [region, row] : plan.rows) at_.hoisted.erase(schedule_.blocks[region].nodes[row].node);
    --state_.plan_depth;
}

void LoopPrinter::note_plan(std::string text) {
    module_.plans.push_back({function_.name, state_.plan_depth, std::move(text)});
}

// One iteration after the other, or in vector lanes.
void LoopPrinter::print_plain(const ScheduledNode& loop, const PlainLoop& plan, std::vector<Generator>& generators,
                              std::string_view begin, std::string_view end, std::string_view stride) {
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    if (plan.lanes) open_lanes(generators);
    const std::string pragma = simd_pragma(generators), accumulators = lane_accumulators(generators, true);
    if (plan.lanes && !plan.few) out_.line(pragma);
    const std::string step = plan.few ? out_.fresh("step") : ""; // these stand in the block around the loop
    const std::string next = plan.decides ? out_.fresh("next") : "";
    out_.open_names();
    const std::string index = index_of(loop);
    const std::string header = "for (std::int64_t " + index + " = " + std::string(begin) + "; " + index + " < " +
                               std::string(end) + (plan.stops ? " && " + f_.decisions.undecided(generators[0]) : "") +
                               "; " + (stride.empty() ? "++" + index : index + " += " + std::string(stride)) + ")";
    const std::string head = "const auto " + step + " = [&](std::int64_t";
    out_.open(plan.few ? head + " " + index + accumulators + ") {" : header + " {");
    const std::size_t body = out_.size();
    if (plan.fetches) print_fetches(loop, index);
    const bool outer = std::exchange(at_.lanes, plan.lanes);
    const bool tables = std::exchange(at_.tables, !plan.lanes);
    print_round(loop, generators, {param, extent, 0, 0}, index, plan.lanes && code_.gathers(generators));
    at_.lanes = outer, at_.tables = tables;
    if (plan.few && !mentions(out_.since(body), index)) out_.replace_last(head + " " + index, head);
    out_.close(plan.few ? "};" : "}");
    if (plan.decides)
        f_.decisions.print_until_decided(index, next, step, generators[0], begin, end);
    else if (plan.few)
        print_few_or_lanes(begin, end, header + " " + step + "(" + index + lane_accumulators(generators, false) + ");",
                           pragma);
    out_.close_names();
    close_lanes(generators);
}

// Sizes the outputs: an output written by index has its size from the start, one that grows has the size of its rows.
void LoopPrinter::size_outputs(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& length) {
    std::size_t first = 0; // result of the generator
    for (Generator& generator : list) {
        const std::size_t begin = std::exchange(first, first + code_.results_of(generator));
        for (std::size_t r = 0; r < generator.outputs.size(); ++r) {
            Cell& cell = generator.outputs[r];
            if (generator.shape == OpKind::First || !module_.types.is_array(cell.type)) continue;
            if (generator.shape == OpKind::Collect && planner_.is_small_variable(loop, generator, begin + r)) {
                cell.type_text = "std::array<" + value_type(types_.element(cell.type)) + ", " + length + ">";
                continue;
            }
            std::string extents = generator.index.empty() ? "0" : length;
            TypeId row = types_.element(cell.type);
            for (std::size_t k = 1; k < module_.types.rank(cell.type); ++k, row = types_.element(row))
                extents += ", " + extent_text({{}, row}, row, 0);
            if (!generator.index.empty() || extents != "0") cell.init = value_type(cell.type) + "(" + extents + ")";
        }
    }
}

void LoopPrinter::print_loop(const ScheduledNode& loop, Region region, std::uint32_t position) {
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
    std::vector<Generator> list = generators(loop, region, position);
    size_outputs(loop, list, end);
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
    const ThreadPlan threads = planner_.plan_threads(loop, list);
    if (threads.why_one.empty() && !kernel) f_.chunks.leave_bins_to_parts(list);
    for (const Generator& generator : list) {
        declare(generator, 0);
        f_.arrays.declare_spares(generator);
    }
    const std::string name = where.empty() ? "a loop" : "the loop of " + where;
    if (at_.hot == 0 && !module_.options.cuda) {
        if (!threads.why_one.empty())
            out_.line("// On one thread: " + threads.why_one +
                      (threads.inside ? "; loops inside of it on several." : "."));
        module_.notes.push_back({function_.name, name + ": " + described(threads)});
    }
    note_plan(name + ": " + described(threads));
    ++state_.plan_depth;
    if (std::ranges::any_of(list, [](const Generator& made) { return !made.inner.empty() && made.inner[0].laid; })) {
        const std::string rows = "what it collects of each group is only read: the rows lie in one piece";
        if (at_.hot == 0) module_.notes.push_back({function_.name, name + ": " + rows});
        note_plan(rows);
    }
    const bool tables = std::exchange(at_.tables, false); // unless its iterations run one after the other
    const unsigned hot = std::exchange(at_.hot, threads.inside ? 0 : at_.hot + 1);
    if (kernel) {
        for (std::uint32_t value : f_.device().print_asks(loop, end)) settled.push_back(value);
        f_.device().print_kernel(loop, list, regions, end);
    } else if (threads.why_one.empty()) {
        const Scope scope(env_, ranges_);
        if (is_atomic(extent.text)) define(g_.operand(loop.node, 0), extent); // by its name
        if (!f_.decisions.print_decision(loop, threads, list, regions, end))
            f_.chunks.print_parallel(loop, threads, list, regions);
    } else if (f_.device().is_shared(loop.node)) {
        f_.device().print_shared(loop, list, end);
    } else {
        declare_pointers(regions, region);
        if (!f_.tiles.print_tiled(loop, list, end)) print_body(loop, list, "0", end);
    }
    at_.hot = hot;
    at_.tables = tables;
    --state_.plan_depth;
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
    for (const auto& [remainder, divisor, base] : state_.remainders)
        define(remainder, {{index + " - " + base, precedence::additive}, types_.i64(), Form::Value, false, divisor});
    EmissionsOf list;
    set_feeds(generators);
    for (Generator& generator : generators) {
        if (!generator.index.empty() && generator.count.empty())
            generator.index = generator.reversed ? binding(range.extent).text.text + " - 1 - " + index : index;
        if (!generator.fed_by && !generator.made) list.emplace_back(&generator, generator.emission);
    }
    const bool puts_by = state_.put_by.loop == loop.node && !state_.put_by.reads;
    const std::string place = "[" + index + (state_.put_by.block.empty() ? "" : " - " + state_.put_by.block) + "]";
    define_put_by(loop, place);
    f_.arrays.place_rows(region, generators);
    f_.emissions.print_region(region, list);
    f_.emissions.walk(region, list);
    if (puts_by)
        for (const auto& [node, buffer] : state_.put_by.buffers)
            out_.line(buffer + place + " = " + text(node).text + ";");
    for (Generator& generator : generators)
        if (generator.made) f_.emissions.step_running(region, generator, {});
    out_.append(sums);
    out_.put_by(outer);
    ranges_.leave();
    state_.spare_bins = bins;
}

} // namespace irrewrite::printers
