// Loops of emitted C++ that run in chunks, one for each thread, joined in order.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace irrewrite::printers {

std::string CppFunction::against_parallel(const ScheduledNode& loop, std::span<const Generator> generators) const {
    if (hot_ > 0) return "it is inside another loop";
    const NodeId extent = g_.operand(loop.node, 0);
    if (g_.is_number(extent) && g_.bits(extent) < 1024) return "it has few iterations";
    for (const Generator& generator : generators)
        if (std::string reason = against_joining(generator); !reason.empty()) return reason;
    return {};
}

// Why what is made of later indices cannot be put behind what is made of earlier ones; empty: it can.
std::string CppFunction::against_joining(const Generator& generator) const {
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

// Estimates the scalar operations of one run of a region; inner loops of unknown length count as 32 iterations.
std::uint64_t CppFunction::cost(Region region) const {
    constexpr std::uint64_t most = 1u << 20;
    const ScheduledBlock& block = schedule_.blocks[region];
    std::uint64_t sum = 1;
    for (const ScheduledNode& scheduled : block.nodes) {
        const NodeId node = scheduled.node;
        const bool approximate = g_.operation(node).has(Trait::Approximate);
        sum += g_.core(node) == Core::Call ? 64 : approximate ? 16 : 1;
        std::uint64_t rounds = 32;
        if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::If) rounds = 1;
        if (!g_.operands(node).empty() && g_.is_number(g_.operand(node, 0)))
            rounds = std::min(g_.bits(g_.operand(node, 0)), most);
        for (Region inner : scheduled.blocks) sum += std::min(rounds * cost(inner), most);
    }
    for (auto [condition, inner] : block.guarded) sum += cost(inner);
    for (auto [nested, inner] : block.nested) sum += cost(inner);
    return std::min(sum, most);
}

// True if iterations may differ much in time: they have a `while`, calls, or a search that stops early, or an inner
// loop whose extent or condition depends on the index, a parameter with this number.
bool CppFunction::is_uneven(Region region, std::uint32_t index) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    const auto node_is_uneven = [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (g_.core(node) == Core::Call) return true;
        if (g_.core(node) != Core::None || scheduled.blocks.empty()) return false;
        const OpKind shape = module_.shapes[g_.op(node).index];
        const bool depends = !g_.operands(node).empty() && g_.depends_on_number(g_.operand(node, 0), index);
        if (shape == OpKind::While || ((shape == OpKind::Loop || shape == OpKind::For) && depends)) return true;
        if (shape == OpKind::Loop && finds_first(node)) return true;
        return std::ranges::any_of(scheduled.blocks, [&](Region inner) {
            return (shape == OpKind::If && depends && has_loop(inner)) || is_uneven(inner, index);
        });
    };
    return std::ranges::any_of(block.nodes, node_is_uneven) ||
           std::ranges::any_of(block.guarded,
                               [&](const auto& guarded) {
                                   return (g_.depends_on_number(guarded.first, index) && has_loop(guarded.second)) ||
                                          is_uneven(guarded.second, index);
                               }) ||
           std::ranges::any_of(block.nested, [&](const auto& nested) { return is_uneven(nested.second, index); });
}

// True if threads take small pieces dynamically rather than one chunk each: nothing has to be joined, and iterations
// are uneven.
bool CppFunction::runs_in_pieces(const ScheduledNode& loop, std::span<const Generator> generators) const {
    return std::ranges::all_of(generators,
                               [](const Generator& g) { return g.shape == OpKind::Collect && !g.index.empty(); }) &&
           is_uneven(loop.blocks[0], g_.param_number(g_.params(g_.blocks(loop.node)[0])[0]));
}

bool CppFunction::finds_first(NodeId loop) const {
    return std::ranges::any_of(g_.results(g_.blocks(loop)[0]), [&](NodeId generator) {
        return g_.core(generator) == Core::None && module_.shapes[g_.op(generator).index] == OpKind::First;
    });
}

bool CppFunction::has_loop(Region region) const {
    const ScheduledBlock& block = schedule_.blocks[region];
    const auto is_loop = [&](const ScheduledNode& scheduled) {
        const bool branches =
            g_.core(scheduled.node) == Core::None && module_.shapes[g_.op(scheduled.node).index] == OpKind::If;
        return branches ? std::ranges::any_of(scheduled.blocks, [&](Region inner) { return has_loop(inner); })
                        : !scheduled.blocks.empty();
    };
    const auto inside = [&](const auto& inner) { return has_loop(inner.second); };
    return std::ranges::any_of(block.nodes, is_loop) || std::ranges::any_of(block.guarded, inside) ||
           std::ranges::any_of(block.nested, inside);
}

// The least number of indices that pays for threads: the smaller, the more is done for each.
std::string CppFunction::enough(std::span<const Generator> generators, Region body) const {
    const std::uint64_t least = std::bit_floor(std::max<std::uint64_t>((1u << 17) / cost(body), 2));
    const std::string text = std::to_string(least);
    // Every thread has histogram bins of its own, which are added up at the end.
    std::string bins;
    for (auto generator = generators.begin(); generator != generators.end(); ++generator)
        if (generator->shape == OpKind::Histogram &&
            std::none_of(generators.begin(), generator,
                         [&](const Generator& before) { return has_as_many_bins(before, *generator); }))
            bins += ", 4 * std::ssize(" + generator->state[0].name + ")";
    if (bins.empty()) return text;
    return bins.find(',', 1) == std::string::npos ? "std::max<std::int64_t>(" + text + bins + ")"
                                                  : "std::max<std::int64_t>({" + text + bins + "})";
}

namespace {

// From index to index.
bool runs(const Generator& generator) { return generator.shape == OpKind::Scan || generator.shape == OpKind::Running; }

} // namespace

void CppFunction::print_parallel(const ScheduledNode& loop, std::vector<Generator>& generators,
                                 std::span<const std::uint32_t> regions) {
    const bool in_pieces = runs_in_pieces(loop, generators);
    const std::string n = binding(g_.operand(loop.node, 0)).text.text;
    const std::string size = enough(generators, loop.blocks[0]);
    std::string start; // of running values
    for (const Generator& generator : generators)
        if (runs(generator) && !generator.follows)
            for (const Cell& cell : generator.state) start += (start.empty() ? "" : ", ") + cell.name;
    const std::string total = start.empty() ? "" : out_.fresh("total"),
                      combined = start.empty() ? "" : out_.fresh("join");
    if (!start.empty()) print_totals(loop, generators, total, combined, regions);
    const TwoPassCollect counted = plan_counted(loop, generators, regions);
    const bool joins = std::ranges::any_of(generators, [](const Generator& g) { return g.index.empty(); });
    std::map<std::string, std::string> counts; // of bins: evaluated before a thread's own bins hide them
    for (const Generator& generator : generators)
        if (generator.shape == OpKind::Histogram && generator.index.empty()) {
            const std::string& bins = generator.state[0].name;
            out_.line("const std::int64_t " + (counts[bins] = out_.fresh(bins + "_bins")) + " = std::ssize(" + bins +
                      ");");
        }
    out_.open_names();
    const std::string begin = out_.fresh("begin"), end = out_.fresh("end"), before = out_.fresh("before"),
                      in_order = out_.fresh("in_order"), first = out_.fresh("first");
    if (!counted.list.empty())
        open_counted(counted, n, size, begin, end, before, joins ? in_order : "");
    else
        out_.open(
            (start.empty()
                 ? (in_pieces ? "in_pieces(" : "in_parallel(") + n + ", " + size
                 : "in_parallel_from(" + n + ", " + size + ", std::tuple(" + start + "), " + total + ", " + combined) +
            ", [&](std::int64_t " + begin + ", std::int64_t " + end + (start.empty() ? "" : ", const auto& " + before) +
            (in_pieces ? "" : ", auto&&") + (joins ? " " + in_order : "") + ") {");
    const Scope scope(*this);
    std::vector<Generator> parts = generators;
    std::map<std::string, std::string> names;
    std::size_t place = 0; // in `before`
    for (Generator& part : parts) {
        if (runs(part))
            for (Cell& cell : part.state) {
                std::string& name = names[cell.name];
                if (part.follows) {
                    cell.name = name;
                    continue;
                }
                cell.name = name = out_.fresh(cell.name + "_part");
                cell.init = "std::get<" + std::to_string(place++) + ">(" + before + ")";
                declare_cell(cell, 0);
            }
        if (!part.index.empty()) continue; // written where it belongs
        const std::vector<Cell> bins = part.state;
        if (runs(part)) part.state.clear();
        rename_parts(part, names);
        part.spare = may_spare_a_bin(part.home, part);
        if (part.shape == OpKind::Histogram) // the number of bins, which was checked
            for (std::size_t k = 0; k < part.state.size(); ++k)
                part.state[k].init =
                    bins_text(part, k, part.state[k].type, counts.at(bins[0].name) + (part.spare ? " + 1" : ""));
        declare(part, 0);
        if (runs(part)) part.state = bins;
        if (part.shape == OpKind::Collect && emits_at_most_once(part.emission)) {
            const auto is_plain = [&](const Cell& cell) { return types_.is_scalar(types_.element(cell.type)); };
            for (const Cell& cell : part.outputs)
                if (is_plain(cell)) out_.line(cell.name + ".reserve(" + end + " - " + begin + ");");
            part.reserved = std::ranges::all_of(part.outputs, is_plain);
        }
    }
    declare_pointers(regions, loop.blocks[0]);
    std::vector<Generator> fed = parts;
    use_pointers(fed);
    if (counted.selects)
        print_selection(loop, fed, begin, end, counted.limit + "[0]");
    else
        print_body(loop, fed, begin, end);
    for_each_place(counted, [&](const Generator& generator, const std::string& place) {
        out_.line(before + place + " = " + generator.count + ";");
    });
    if (joins) {
        // Running values belong to the loop over chunks that comes next.
        std::vector<Generator> wholes = generators;
        for (std::vector<Generator>* list : {&wholes, &parts})
            for (Generator& generator : *list)
                if (runs(generator)) generator.state.clear();
        // A copy of each scalar: what others may refer to does not stay in a register.
        std::string captures = "&";
        for (const Generator& part : parts)
            for (const Cell& cell : part.state)
                if (types_.is_scalar(cell.type)) captures += ", " + cell.name;
        out_.open(in_order + "([" + captures + "](bool " + first + ") {");
        out_.open("if (" + first + ") {");
        for (std::size_t g = 0; g < parts.size(); ++g) {
            if (!parts[g].index.empty()) continue;
            take_part(wholes[g], parts[g]);
        }
        out_.close_names(), out_.outdent();
        out_.open("} else {");
        for (std::size_t g = 0; g < parts.size(); ++g)
            if (parts[g].index.empty() && parts[g].shape != OpKind::Bucket) join(parts[g].home, wholes[g], parts[g]);
        for (std::size_t g = 0; g < parts.size(); ++g)
            if (parts[g].shape == OpKind::Bucket && !parts[g].follows) join_groups(parts[g].home, wholes, parts, g);
        out_.close();
        out_.close("});");
    }
    out_.close("});");
    out_.close_names();
    truncate_counted(counted);
}

// A reduction by `and` or `or` alone, which may be decided early.
bool CppFunction::is_decision(std::span<const Generator> generators) const {
    if (generators.size() != 1) return false;
    const std::optional<LaneReduction> reduction = lane_reduction(generators[0]);
    return reduction && reduction->decides;
}

// First a few iterations one by one, then blocks of them in lanes.
void CppFunction::print_until_decided(const std::string& index, const std::string& next, const std::string& step,
                                      const Generator& generator, std::string_view begin, std::string_view end) {
    const std::string& name = generator.state[0].name;
    const std::string open_still = lane_reduction(generator)->operation == Scalar::And ? name : "!" + name;
    const std::string stop = out_.fresh("stop");
    out_.line("std::int64_t " + next + " = " + std::string(begin) + ";");
    out_.line("for (const std::int64_t " + stop + " = std::min<std::int64_t>(" + next + " + 16, " + std::string(end) +
              "); " + next + " < " + stop + " && " + open_still + "; ++" + next + ") " + step + "(" + next + ", " +
              name + ");");
    out_.open("while (" + next + " < " + std::string(end) + " && " + open_still + ") {");
    out_.line("const std::int64_t " + stop + " = std::min<std::int64_t>(" + next + " + 1024, " + std::string(end) +
              ");");
    out_.line(simd_pragma({&generator, 1}));
    out_.line("for (std::int64_t " + index + " = " + next + "; " + index + " < " + stop + "; ++" + index + ") " + step +
              "(" + index + ", " + name + ");");
    out_.line(next + " = " + stop + ";");
    out_.close();
}

// The first few values, which decide most often: no thread is started for them, and no test asks for all of the parts that are
// read. Where they are printed, the rest runs if they have not decided, in a block that is left open.
bool CppFunction::print_first_values(const ScheduledNode& loop, std::span<const Generator> generators,
                                     const std::string& end) {
    constexpr std::uint64_t most = 16; // operations: the body stands there twice
    const Region body = loop.blocks[0];
    if (!is_decision(generators) || waits(body) || has_loop(body) || cost(body) > most) return false;
    const NodeId extent = g_.operand(loop.node, 0);
    const std::string& name = generators[0].state[0].name;
    const bool all = lane_reduction(generators[0])->operation == Scalar::And;
    const std::string undecided = all ? name : "!" + name, first = std::to_string(few_values);
    out_.open_names();
    const std::string index = index_of(loop);
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < std::min<std::int64_t>(" + first + ", " + end +
              ") && " + undecided + "; ++" + index + ") {");
    std::vector<Generator> one(generators.begin(), generators.end());
    print_round(loop, one, {g_.params(g_.blocks(loop.node)[0])[0], extent, 0, 0}, index, false);
    out_.close();
    out_.close_names();
    out_.open("if (" + end + " > " + first + " && " + undecided + ") {");
    return true;
}

} // namespace irrewrite::printers
