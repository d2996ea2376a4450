#include "printers/c/c_function.hpp"

#include "printers/plan/generator_list.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

// -- generators ------------------------------------------------------------------------------------

void CLoops::plan(Generator& generator, const std::vector<std::string>& names, std::span<const TypeId> types,
                  bool exact) {
    const NodeId node = generator.node;
    place_elements(generator, g_, types_, exact);
    const auto grow = [&] {
        for (std::size_t k = 0; k < names.size(); ++k) generator.outputs.push_back({names[k], types[k], {}});
    };
    switch (generator.shape) {
    case OpKind::Collect: return grow();
    case OpKind::Scan:
    case OpKind::Running: generator.state = running_cells(node); return grow();
    case OpKind::First:
        grow();
        generator.state.push_back({out_.fresh("found"), types_.boolean(), "false"});
        return;
    case OpKind::Histogram: {
        const std::string n = checked_length(generator.seeds[0], node);
        for (std::size_t k = 0; k < names.size(); ++k) {
            const std::string bin = as_variable(binding(generator.seeds[k + 1]), "start").text.text;
            const bool rows = module_.types.rank(types[k]) > 1;
            generator.state.push_back(
                {names[k], types[k], type_of(types[k]) + (rows ? "_repeated(" : "_filled(") + n + ", " + bin + ")"});
        }
        return;
    }
    case OpKind::Reduce:
    case OpKind::Fold:
    case OpKind::Scatter:
        for (std::size_t k = 0; k < names.size(); ++k)
            generator.state.push_back(
                {names[k], types[k],
                 stored(binding(generator.seeds[k]), types[k], generator.takes_start, generator.seeds[k])});
        return;
    default:
        refuse(node,
               "operation '" + std::string(module_.context.symbols[g_.operation(node).name]) + "' has no text for C");
        for (std::size_t k = 0; k < names.size(); ++k) generator.state.push_back({names[k], types[k], "{0}"});
    }
}

std::vector<Generator> CLoops::generators(const ScheduledNode& loop, Region region, std::uint32_t position) {
    const std::vector<TypeId> types = code_.result_types(loop.node);
    std::vector<Generator> list;
    std::size_t first = 0;
    for (const auto& [made, exact] : find_generators(state_, code_, loop)) {
        Generator& generator = list.emplace_back(made);
        generator.takes_start =
            generator.shape == OpKind::Scatter && uses_.may_move(generator.seeds[0], region, position);
        std::vector<std::string> names;
        const std::size_t count = code_.results_of(generator), begin = first;
        for (; first < begin + count; ++first) names.push_back(result_name(loop.node, first, "t"));
        plan(generator, names, std::span(types).subspan(begin, count), exact);
    }
    return list;
}

void CLoops::declare(Generator& generator, const std::string& n) {
    for (const Cell& cell : generator.state) {
        CParts::declare(cell.type, cell.name, cell.init);
        if (generator.shape == OpKind::Scatter) out_.line(type_of(cell.type) + "_own(&" + cell.name + ");");
    }
    for (Cell& cell : generator.outputs) {
        const bool array = generator.shape != OpKind::First;
        std::string extents = n;
        TypeId row = array ? types_.element(cell.type) : cell.type;
        for (std::size_t k = 1; array && k < module_.types.rank(cell.type); ++k, row = types_.element(row))
            extents += ", " + extent_text({}, row, 0);
        const bool by_index = array && !generator.index.empty();
        const std::string zero = types_.is_scalar(cell.type) ? "0" : "{0}";
        CParts::declare(cell.type, cell.name,
                        by_index ? type_of(cell.type) + "_new((int64_t[]){" + extents + "})" : zero);
        if (!by_index || module_.types.rank(cell.type) > 1) continue;
        cell.element = out_.fresh(cell.name + "_data");
        out_.line(type_of(types_.element(cell.type)) + " *const " + cell.element + " = " + cell.name + ".data;");
    }
}

void CLoops::finish(const Generator& generator, std::vector<Binding>& results) {
    if (generator.shape == OpKind::First)
        out_.line("if (!" + generator.state[0].name + ") ir_fault(" + line_number(generator.node) +
                  ", \"there is no first value\");");
    const bool growing =
        generator.shape == OpKind::Collect || generator.shape == OpKind::Scan || generator.shape == OpKind::First;
    for (const Cell& cell : growing ? generator.outputs : generator.state) {
        if (generator.turned && module_.types.rank(cell.type) > 1)
            refuse(generator.node, "the reverse of what this generator makes has no text for C");
        else if (generator.turned)
            out_.line(type_of(cell.type) + "_reverse(" + cell.name + ");");
        results.push_back({{cell.name}, cell.type, Form::Value, module_.types.holds(cell.type)});
    }
}

// -- loops -----------------------------------------------------------------------------------------

// The condition under which the rest of the loop matters; empty: it always does.
std::string CLoops::undecided(std::span<const Generator> list) {
    std::string all;
    for (const Generator& generator : list) {
        if (generator.shape != OpKind::First || !generator.through.empty() || generator.fed_by) {
            const auto reduction = code_.lane_reduction(generator);
            if (list.size() > 1 || !reduction || !reduction->decides) return {};
            return reduction->operation == Scalar::And ? generator.state[0].name : "!" + generator.state[0].name;
        }
        all += (all.empty() ? "!" : " && ") + generator.state[0].name;
    }
    return list.size() == 1 ? all : "!(" + all.substr(1) + ")";
}

// The first part's results, and those of the others combined with them in order.
void CLoops::print_parts(const ScheduledNode& loop, std::vector<Generator>& list, const std::string& n,
                         std::uint64_t enough) {
    const std::string parts = out_.fresh("parts");
    out_.line("const int64_t " + parts + " = ir_parts(" + n + ", " + std::to_string(enough) + ");");
    std::vector<std::vector<std::string>> sums;
    std::vector<Generator> inside = list;
    for (Generator& generator : inside) {
        std::vector<std::string>& names = sums.emplace_back();
        if (generator.shape != OpKind::Reduce) continue;
        for (Cell& cell : generator.state) {
            names.push_back(out_.fresh(cell.name + "_parts"));
            out_.line(type_of(cell.type) + " *const " + names.back() + " = ir_scratch(" + parts + ", sizeof *" +
                      names.back() + ");");
        }
    }
    out_.line("#pragma omp parallel for schedule(static, 1) if (" + parts + " > 1)");
    const std::string part = out_.fresh("part");
    open("for (int64_t " + part + " = 0; " + part + " < " + parts + "; ++" + part + ") {");
    {
        const Scope scope(env_, ranges_);
        const std::string begin = out_.fresh("begin"), end = out_.fresh("end");
        out_.line("const int64_t " + begin + " = ir_first(" + n + ", " + parts + ", " + part + "), " + end +
                  " = ir_first(" + n + ", " + parts + ", " + part + " + 1);");
        for (Generator& generator : inside)
            if (generator.shape == OpKind::Reduce)
                for (Cell& cell : generator.state) {
                    const std::string outer = cell.name;
                    cell.name = out_.fresh(outer + "_part");
                    CParts::declare(cell.type, cell.name, cell.init);
                }
        print_body(loop, inside, begin, end);
        for (std::size_t k = 0; k < inside.size(); ++k)
            for (std::size_t j = 0; j < sums[k].size(); ++j)
                out_.line(sums[k][j] + "[" + part + "] = " + inside[k].state[j].name + ";");
    }
    close();
    if (std::ranges::all_of(sums, [](const auto& names) { return names.empty(); })) return;
    for (std::size_t k = 0; k < list.size(); ++k)
        for (std::size_t j = 0; j < sums[k].size(); ++j) out_.line(list[k].state[j].name + " = " + sums[k][j] + "[0];");
    open("for (int64_t " + part + " = 1; " + part + " < " + parts + "; ++" + part + ") {");
    for (std::size_t k = 0; k < list.size(); ++k) {
        if (sums[k].empty()) continue;
        std::vector<Binding> values;
        for (std::size_t j = 0; j < sums[k].size(); ++j)
            values.push_back({{sums[k][j] + "[" + part + "]"}, list[k].state[j].type});
        f_.emissions.combine(list[k].home, list[k], CEmissions::names(list[k].state), CEmissions::types(list[k].state),
                             values);
    }
    close();
    for (const auto& names : sums)
        for (const std::string& name : names) out_.line("free(" + name + ");");
}

void CLoops::print_loop(const ScheduledNode& loop, Region region, std::uint32_t position) {
    for (TypeId type : code_.result_types(loop.node))
        if (!check_type(loop.node, type)) return;
    if (f_.arrays.print_slice(loop)) return;
    const std::vector<Region> regions = regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()});
    const NodeId extent = g_.operand(loop.node, 0);
    const Binding n = as_variable({text(extent), types_.i64()}, "n");
    const std::string& end = n.text.text;
    if (!code_.known_nonnegative(extent)) out_.line("ir_checked_length(" + end + ", " + line_number(loop.node) + ");");
    const std::vector<std::uint32_t> settled = f_.on_demand.print_before(loop.blocks[0], region, end);
    std::vector<Generator> list = generators(loop, region, position);
    for (Generator& generator : list) declare(generator, end);
    const ThreadPlan threads = planner_.plan_threads(loop, list);
    const auto joins = [&](const Generator& made) {
        const bool scalars =
            std::ranges::none_of(made.state, [&](const Cell& cell) { return module_.types.holds(cell.type); });
        return made.through.empty() && !made.fed_by &&
               ((made.shape == OpKind::Collect && !made.index.empty()) || (made.shape == OpKind::Reduce && scalars));
    };
    const bool parallel = threads.why_one.empty() && std::ranges::all_of(list, joins) && undecided(list).empty() &&
                          !f_.on_demand.waits_within(regions);
    const unsigned hot = std::exchange(at_.hot, threads.inside ? 0 : at_.hot + 1);
    {
        const Scope scope(env_, ranges_);
        f_.arrays.declare_pointers(regions, region);
        if (parallel && threads.in_pieces) {
            print_body(loop, list, "0", end,
                       "#pragma omp parallel for schedule(guided) if (ir_parts(" + end + ", " +
                           std::to_string(threads.enough) + ") > 1)");
        } else if (parallel) {
            print_parts(loop, list, end, threads.enough);
        } else {
            print_body(loop, list, "0", end);
        }
    }
    at_.hot = hot;
    f_.on_demand.forget(settled);
    std::vector<Binding> results;
    for (const Generator& generator : list)
        if (code_.results_of(generator) > 0) finish(generator, results);
    const std::vector<TypeId> types = code_.result_types(loop.node);
    for (std::size_t k = 0; k < results.size() && k < types.size(); ++k) results[k].type = types[k];
    if (g_.kind(loop.node) != TypeKind::Results && results.size() == 1)
        define(loop.node, results[0]);
    else
        define(loop.node, std::move(results));
}

} // namespace irrewrite::printers
