// `loop` in emitted C++: the variables of its generators, then one `for` in which they are fed.
//
// A loop runs in parallel when each of its generators can be made in chunks that are joined in order, and no other loop
// surrounds it. The chunks of a result are variables of their own.
#include "printers/cpp/lane_blocks.hpp"
#include "printers/plan/generator_list.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace irrewrite::printers {
namespace {

std::string arrays_of(std::string type, std::size_t depth) {
    for (; depth > 0; --depth) type = "array<" + type + ">";
    return type;
}

} // namespace

// Hot loops read through plain pointers, which compilers turn into vector loads.
void CppFunction::declare_pointers(std::span<const std::uint32_t> regions, Region outside) {
    for (Region region : regions) {
        const NodeId owner = schedule_.blocks[region].owner; // a slice becomes a view
        if (!module_.options.cuda && owner && schedule_.blocks[region].id && find_slice(module_, g_, owner)) continue;
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (g_.core(scheduled.node) != Core::None || module_.shapes[g_.op(scheduled.node).index] != OpKind::At ||
                (only_ != nullptr && !only_->contains(scheduled.node)))
                continue;
            const NodeId array = g_.operand(scheduled.node, 0);
            const NodeId source = g_.is_project(array) ? g_.operand(array, 0) : array;
            const bool function_param = g_.is_param(array) && g_.param_number(array) == number::function;
            const bool known = function_param || env_.contains(array) || results_.contains(source);
            if (!known || g_.is_literal(array) || pointers().contains(array)) continue;
            if (!lazy_.empty() && !function_param && !is_known_in(source, outside))
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
            undo_.push_back({array, {}, {}, false, &pointers()});
        }
    }
}

void CppFunction::plan(Generator& generator, std::vector<std::string> names, std::vector<TypeId> types,
                       bool exact_allowed) {
    const NodeId node = generator.node;
    const bool once = types_.once(g_.type(generator.emission));
    for (NodeId around : generator.through)
        if (module_.shapes[g_.op(around).index] == OpKind::Running) generator.running.push_back(running_cells(around));
    generator.turned = std::exchange(generator.reversed, false);
    auto growing = [&](bool exact) {
        generator.index = exact ? "?" : ""; // the loop's index is not named yet
        if (exact) std::swap(generator.turned, generator.reversed);
        for (std::size_t k = 0; k < names.size(); ++k) generator.outputs.push_back({names[k], types[k], {}});
    };
    switch (generator.shape) {
    case OpKind::Collect: return growing(exact_allowed && once);
    case OpKind::Scan:
    case OpKind::Running: {
        generator.state = running_cells(node);
        const bool running = generator.shape == OpKind::Running;
        if (!generator.then || running)
            return growing(running || (exact_allowed && once)); // nothing of its own: nothing to join
        return growing(exact_allowed && once && types_.once(g_.type(g_.results(generator.then)[0])));
    }
    case OpKind::First:
        growing(false);
        if (!is_first_of_group(g_, generator))
            generator.state.push_back({out_.fresh("found"), types_.boolean(), "false"});
        return;
    case OpKind::Bucket: {
        const TypeId key = types_.elements(g_.type(g_.operand(node, 0)))[0];
        generator.state.push_back(
            {out_.fresh("groups"), {}, {}, (is_small_key(key) ? "key_table<" : "key_index<") + value_type(key) + ">"});
        Generator& inner = generator.inner[0];
        if (inner.shape == OpKind::Running) inner.shape = OpKind::Plain; // for the iterations of the loop itself alone
        std::vector<TypeId> inner_types(types_.elements(g_.type(inner.node)).begin(),
                                        types_.elements(g_.type(inner.node)).end());
        return plan(inner, std::move(names), std::move(inner_types), false);
    }
    case OpKind::Histogram: {
        const std::string n = checked_length(generator.seeds[0], node);
        for (std::size_t k = 0; k < names.size(); ++k) {
            generator.state.push_back({names[k], types[k], bins_text(generator, k, types[k], n)});
        }
        return;
    }
    case OpKind::Plain: // it has no text, which is said where it is printed
        for (std::size_t k = 0; k < names.size(); ++k)
            generator.outputs.push_back({names[k], types[k], {}}), generator.state.push_back({names[k], types[k], {}});
        return;
    default:
        for (std::size_t k = 0; k < names.size(); ++k)
            generator.state.push_back({names[k], types[k], stored(binding(generator.seeds[k]), types[k], false, node)});
    }
}

// Of a scan or `gen.running`: what it starts with. An array may be longer later than it starts.
std::vector<Cell> CppFunction::running_cells(NodeId node) {
    std::vector<Cell> cells;
    for (NodeId param : g_.params(g_.blocks(node)[0]).first(g_.operands(node).size() - 1)) {
        const NodeId seed = g_.operand(node, cells.size());
        cells.push_back({out_.fresh("running"), g_.type(param), stored(binding(seed), g_.type(param), false, seed)});
    }
    return cells;
}

// `n` histogram bins with their start values.
std::string CppFunction::bins_text(const Generator& generator, std::size_t k, TypeId type, const std::string& n) {
    const std::string bin = bin_text(generator, k, types_.element(type));
    const bool several = module_.types.rank(type) > 1;
    return value_type(type) + (several ? "::repeat(" : "(") + n + ", " + bin + ")";
}

// The start value of a histogram's bins.
std::string CppFunction::bin_text(const Generator& generator, std::size_t k, TypeId element) {
    const NodeId seed = generator.seeds[k + 1];
    return stored(binding(seed), element, false, seed);
}

std::vector<Generator> CppFunction::generators(const ScheduledNode& loop, bool exact_allowed) {
    const BlockId body = g_.blocks(loop.node)[0];
    const std::vector<TypeId> types = result_types(loop.node);
    std::vector<Generator> list;
    std::size_t first = 0;
    auto add = [&](auto&& self, const Generator& made, std::optional<std::size_t> fed_by, Region home,
                   bool exact) -> void {
        const std::size_t place = list.size();
        Generator& generator = list.emplace_back(made);
        generator.fed_by = fed_by, generator.home = home;
        for (Generator* level = &generator; level != nullptr;
             level = level->inner.empty() ? nullptr : level->inner.data())
            level->within = level->shape == OpKind::Histogram && has_every_bin(*level);
        for (NodeId feed : generator.through)
            generator.home = uses_.nested_region(generator.home, g_.blocks(feed).back());
        std::vector<std::string> names;
        std::vector<TypeId> part;
        for (std::size_t k = results_of(generator); k > 0; --k, ++first) {
            names.push_back(result_name(loop.node, first, "t"));
            part.push_back(types[first]);
        }
        exact = exact && generator.through.empty();
        plan(generator, std::move(names), std::move(part), exact);
        if (generator.shape != OpKind::Running) return;
        const BlockId block = generator.then;
        const Region inner = uses_.nested_region(generator.home, block);
        for (NodeId each : g_.results(block))
            for (const Generator& then : generators_at(module_.shapes, g_, each)) self(self, then, place, inner, exact);
    };
    for (NodeId node : g_.results(body))
        for (const Generator& made : generators_at(module_.shapes, g_, node))
            add(add, made, {}, loop.blocks[0], exact_allowed);
    return list;
}

// The number of the loop's results that the generator makes.
std::size_t CppFunction::results_of(const Generator& generator) const {
    if (generator.shape == OpKind::Running) return 0;
    if (generator.shape == OpKind::Bucket) return results_of(generator.inner[0]);
    return types_.elements(g_.type(generator.node)).size();
}

void CppFunction::declare_cell(const Cell& cell, std::size_t depth) {
    if (cell.unread && cell.init.empty()) return;
    if (!cell.place.empty()) return out_.line("const auto " + cell.name + " = " + cell.place + ";");
    const std::string type = cell.type_text.empty() ? value_type(cell.type) : cell.type_text;
    std::string text = (cell.unread ? "[[maybe_unused]] " : "") + arrays_of(type, depth) + " " + cell.name;
    if (depth == 0 && cell.init.starts_with(type + "(") && cell.init.ends_with(")"))
        text += cell.init.substr(type.size());
    else if (depth == 0 && !cell.init.empty())
        text += " = " + cell.init;
    out_.line(text + ";");
}

void CppFunction::declare(const Generator& generator, std::size_t depth) {
    if (generator.packed) return;
    if (!generator.follows && !generator.numbered)
        for (const Cell& cell : generator.state) declare_cell(cell, depth);
    for (const std::vector<Cell>& cells : generator.running)
        for (const Cell& cell : cells) declare_cell(cell, depth);
    for (const Cell& cell : generator.outputs) declare_cell(cell, depth);
    for (const Generator& inner : generator.inner) {
        if (generator.numbered && inner.shape == OpKind::Collect)
            for (const Cell& cell : inner.outputs)
                out_.line("group_rows<" + value_type(types_.element(cell.type)) + "> " + cell.name + ";");
        else
            declare(inner, depth + 1);
    }
}

void CppFunction::finish(const Generator& generator, std::span<const TypeId> types, NodeId loop,
                         std::vector<Binding>& results) {
    std::size_t depth = 0;
    const Generator* innermost = &generator;
    for (; !innermost->inner.empty(); innermost = &innermost->inner[0]) ++depth;
    if (innermost->shape == OpKind::First && !is_first_of_group(g_, *innermost)) {
        const std::string test = "\"there is no first value\"";
        std::string found = innermost->state[0].name;
        for (std::size_t d = 0; d < depth; ++d) {
            const std::string inner = out_.fresh("found");
            out_.open("for (const auto& " + inner + " : " + found + ") {");
            found = inner;
        }
        out_.line("if (!" + found + ") throw fault(" + line_number(generator.node) + ", " + test + ");");
        for (std::size_t d = 0; d < depth; ++d) out_.close();
    }
    const bool growing =
        innermost->shape == OpKind::Collect || innermost->shape == OpKind::Scan || innermost->shape == OpKind::First;
    const std::vector<Cell>& cells = growing ? innermost->outputs : innermost->state;
    if (!innermost->packed) turn_round(generator, cells, types);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Binding value{{cells[k].name}, types[k], Form::Value, !types_.is_scalar(types[k])};
        value.in_place = !cells[k].place.empty() && !cells[k].kept;
        if (innermost->packed)
            out_.line(value_type(types[k]) + " " + value.text.text + " = column(" + generator.state[1].name + ", &" +
                      generator.entry + "::" + cells[k].name + ");");
        if (innermost->packed && generator.turned) out_.line("std::ranges::reverse(" + value.text.text + ");");
        if (generator.numbered && innermost->shape == OpKind::Collect && module_.types.is_rows(types[k])) {
            value = {{cells[k].name}, types[k], Form::Rows};
            ragged_[cells[k].name] = {cells[k].name, value_type(module_.types.element(types[k], 2))};
        } else if (depth > 0 && arrays_of(value_type(cells[k].type), depth) != value_type(types[k])) {
            value.text = {out_.fresh(cells[k].name)};
            out_.line(value_type(types[k]) + " " + value.text.text + " = converted<" + value_type(types[k]) + ">(" +
                      cells[k].name + ", " + line_number(loop) + ");");
        }
        results.push_back(std::move(value));
    }
}

void CppFunction::print_body(const ScheduledNode& loop, std::vector<Generator>& generators, std::string_view begin,
                             std::string_view end, std::string_view stride) {
    if (stride.empty() && print_until_known(loop, generators, begin, end)) return;
    if (const ScheduledNode* sums = sums_side_by_side(loop, generators))
        return print_side_by_side(loop, *sums, generators[0], begin, end);
    if (stride.empty() && runs_in_columns(loop, generators)) return print_columns(loop, generators, begin, end);
    if (stride.empty() && print_lane_blocks(*this, loop, generators, begin, end)) return;
    if (finds_bins_in_lanes(loop, generators)) return print_bins_in_lanes(loop, generators, begin, end);
    if (std::optional<FissionPlan> apart = lanes_apart(loop, generators)) return print_apart(loop, *apart, begin, end);
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
    const NodeId extent = g_.operand(loop.node, 0);
    const std::vector<NodeId> rows = hot_ > 1 && !module_.options.cuda ? hoist_rows(loop) : std::vector<NodeId>();
    if (const std::optional<Range> range = find_edges(loop, generators)) {
        print_with_edges(loop, generators, *range, begin, end);
        for (NodeId row : rows) hoisted_.erase(row);
        return;
    }
    if (const std::optional<Levels> levels = call_levels(loop, generators))
        return print_calls_apart(loop, *levels, generators, begin, end);
    if (stride.empty() && runs_apart(loop, generators)) return print_running_apart(loop, generators, begin, end);
    if (stride.empty() && !runs_in_lanes(loop, generators) && runs_in_stretches(loop, generators))
        return print_stretches(loop, generators, begin, end);
    if (print_if_parts_are_there(loop, generators, begin, end, stride)) return;
    const bool inner = hot_ > 1, known = g_.is_number(extent);
    const bool sums = !lane_accumulators(generators, false).empty();
    const bool lanes = runs_in_lanes(loop, generators) && !(inner && known && sums && g_.bits(extent) < few_values);
    const bool decision = lanes && !known && is_decision(generators);
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
    if (!lanes && fetches_ahead(loop, generators)) print_fetches(loop, index);
    const bool outer = std::exchange(lanes_, lanes);
    print_round(loop, generators, {param, extent, 0, 0}, index, lanes && gathers(generators));
    lanes_ = outer;
    out_.close(few ? "};" : "}");
    if (decision)
        print_until_decided(index, next, step, generators[0], begin, end);
    else if (few)
        print_few_or_lanes(end, header + " " + step + "(" + index + lane_accumulators(generators, false) + ");",
                           pragma);
    out_.close_names();
    close_extremes(generators);
    for (NodeId row : rows) hoisted_.erase(row);
}

// Sizes the outputs: an output written by index has its size from the start, one that grows has the size of its rows.
void CppFunction::size_outputs(std::vector<Generator>& list, const std::string& length) {
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

void CppFunction::print_loop(const ScheduledNode& loop, Region region) {
    if (print_slice(loop)) return;
    std::vector<std::uint32_t> settled = print_before(loop, region);
    const std::vector<std::uint32_t> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    const std::string where = origins(regions);
    if (!where.empty()) out_.line("// " + where);
    Binding extent = as_variable({text(g_.operand(loop.node, 0)), types_.i64()}, "n");
    const std::string& end = extent.text.text;
    if (!known_nonnegative(g_.operand(loop.node, 0))) {
        if (on_device_ != nullptr) on_device_->faults = true;
        out_.line("checked_length(" + end + ", " + line_number(loop.node) + ");");
    }
    std::vector<Generator> list = generators(loop, true);
    size_outputs(list, end);
    use_places(loop, list);
    share_keys(list);
    share_running(list);
    std::string host; // what keeps the loop there
    const bool top = module_.options.cuda && hot_ == 0;
    if (top) host = against_device(loop, list, regions);
    const bool kernel = top && host.empty();
    if (kernel) size_counted(list, end), start_bins(list);
    for (Generator& generator : list) generator.numbered = kernel && generator.shape == OpKind::Bucket;
    if (!host.empty()) out_.line("// On the host: " + host + ".");
    for (const Generator& generator : list) {
        declare(generator, 0);
        declare_spares(generator);
    }
    const std::string reason = module_.options.cuda ? "it is on the host" : against_parallel(loop, list);
    if (hot_ == 0 && !module_.options.cuda) {
        if (!reason.empty()) out_.line("// On one thread: " + reason + ".");
        module_.notes.push_back(
            {function_.name, (where.empty() ? "a loop" : "the loop of " + where) +
                                 (!reason.empty() ? ": on one thread, " + reason
                                  : runs_in_pieces(loop, list)
                                      ? ": in parallel, in dynamic chunks, because iterations take unequal time"
                                      : ": in parallel, in chunks whose results are combined in order")});
    }
    ++hot_;
    if (kernel) {
        for (std::uint32_t value : print_asks(loop, end)) settled.push_back(value);
        print_kernel(loop, list, regions, end);
    } else if (reason.empty()) {
        const Scope scope(*this);
        if (is_atomic(extent.text)) define(g_.operand(loop.node, 0), extent); // by its name
        const bool begun = print_first_values(loop, list, end);
        print_parallel(loop, list, regions);
        if (begun) out_.close();
    } else if (is_shared(loop.node)) {
        print_shared(loop, list, end);
    } else {
        declare_pointers(regions, region);
        print_body(loop, list, "0", end);
    }
    --hot_;
    for (const Generator& generator : list)
        if (generator.shape == OpKind::Fold) drop_spares(g_.results(generator.block));
    forget(settled);
    std::vector<Binding> results;
    const std::vector<TypeId> types = result_types(loop.node);
    for (const Generator& generator : list) {
        const std::size_t count = results_of(generator);
        if (count > 0) finish(generator, std::span(types).subspan(results.size(), count), loop.node, results);
    }
    if (g_.kind(loop.node) != TypeKind::Results && results.size() == 1)
        define(loop.node, results[0]);
    else
        define(loop.node, std::move(results));
}

} // namespace irrewrite::printers
