// Loops of emitted C++ that run in chunks, one for each thread, joined in order.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <map>

namespace irrewrite::printers {

// The least number of indices that pays for threads.
std::string ChunkPrinter::enough(const ThreadPlan& plan, std::span<const Generator> generators) const {
    const std::string text = std::to_string(plan.enough);
    // Every thread has histogram bins of its own, which are added up at the end. An index that adds to each bin does as much.
    std::string bins;
    for (auto generator = generators.begin(); generator != generators.end(); ++generator)
        if (generator->shape == OpKind::Histogram && !code_.adds_to_each_bin(*generator) &&
            std::none_of(generators.begin(), generator,
                         [&](const Generator& before) { return code_.has_as_many_bins(before, *generator); }))
            bins += ", 4 * " + generator->bins;
    if (bins.empty()) return text;
    return bins.find(',', 1) == std::string::npos ? "std::max<std::int64_t>(" + text + bins + ")"
                                                  : "std::max<std::int64_t>({" + text + bins + "})";
}

// The first chunk's bins become the loop's: it has none before. Their number is checked as before.
void ChunkPrinter::leave_bins_to_parts(std::span<Generator> list) {
    for (Generator& generator : list)
        if (generator.shape == OpKind::Histogram && generator.index.empty()) {
            const std::string bins = out_.fresh(generator.state[0].name + "_bins");
            const bool is_known = g_.is_number(generator.seeds[0]);
            out_.line("const std::int64_t " + bins + " = " +
                      (is_known ? generator.bins : "bins_within_memory(" + generator.bins + ")") + ";");
            generator.bins = bins;
            for (Cell& cell : generator.state) cell.init.clear();
        }
}

void ChunkPrinter::print_parallel(const ScheduledNode& loop, const ThreadPlan& plan, std::vector<Generator>& generators,
                                  std::span<const std::uint32_t> regions) {
    const std::string n = binding(g_.operand(loop.node, 0)).text.text;
    const std::string size = enough(plan, generators);
    std::string start; // of running values
    for (const Generator& generator : generators)
        if (runs(generator) && !generator.follows)
            for (const Cell& cell : generator.state) start += (start.empty() ? "" : ", ") + cell.name;
    const std::string total = start.empty() ? "" : out_.fresh("total"),
                      combined = start.empty() ? "" : out_.fresh("join");
    if (!start.empty()) print_totals(loop, generators, total, combined, regions);
    const TwoPassCollect counted = f_.counts.plan_counted(loop, generators, regions);
    if (!counted.list.empty())
        f_.loops.note_plan(std::string("in two passes: ") +
                           (counted.selects ? "values that one condition keeps" : "counted first"));
    const bool joins = std::ranges::any_of(generators, [](const Generator& g) { return g.index.empty(); });
    out_.open_names();
    const std::string begin = out_.fresh("begin"), end = out_.fresh("end"), before = out_.fresh("before"),
                      in_order = out_.fresh("in_order"), first = out_.fresh("first");
    if (!counted.list.empty())
        f_.counts.open_counted(counted, n, size, begin, end, before, joins ? in_order : "");
    else
        out_.open(
            (start.empty()
                 ? (plan.in_pieces ? "in_pieces(" : "in_parallel(") + n + ", " + size
                 : "in_parallel_from(" + n + ", " + size + ", std::tuple(" + start + "), " + total + ", " + combined) +
            ", [&](std::int64_t " + begin + ", std::int64_t " + end + (start.empty() ? "" : ", const auto& " + before) +
            (plan.in_pieces ? "" : ", auto&&") + (joins ? " " + in_order : "") + ") {");
    const Scope scope(env_, ranges_);
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
                f_.loops.declare_cell(cell, 0);
            }
        if (!part.index.empty()) continue; // written where it belongs
        const std::vector<Cell> bins = part.state;
        if (runs(part)) part.state.clear();
        rename_parts(part, names);
        part.spare = code_.may_spare_a_bin(part.home, part);
        if (part.shape == OpKind::Histogram) // the number of bins, which was checked
            for (std::size_t k = 0; k < part.state.size(); ++k)
                part.state[k].init =
                    f_.loops.bins_text(part, k, part.state[k].type, part.bins + (part.spare ? " + 1" : ""));
        f_.loops.declare(part, 0);
        if (runs(part)) part.state = bins;
        if (part.shape == OpKind::Collect && code_.emits_at_most_once(part.emission)) {
            const auto is_plain = [&](const Cell& cell) { return types_.is_scalar(types_.element(cell.type)); };
            for (const Cell& cell : part.outputs)
                if (is_plain(cell)) out_.line(cell.name + ".reserve(" + end + " - " + begin + ");");
            part.reserved = std::ranges::all_of(part.outputs, is_plain);
        }
    }
    f_.loops.declare_pointers(regions, loop.blocks[0]);
    std::vector<Generator> fed = parts;
    use_pointers(fed);
    // Stores may hide what is read around the loop: those of accumulators that lanes keep in memory, and those of bytes. Where each
    // index writes in its place, they are at known distances, and lanes read no memory twice.
    const bool flat = !code_.has_loop(loop.blocks[0]);
    const auto writes_bytes = [&](const Cell& cell) { // which may lie in any variable
        return types_.is_scalar(types_.element(cell.type)) && types_.bits(types_.element(cell.type)) <= 8;
    };
    const bool anywhere = !flat || std::ranges::any_of(fed, [&](const Generator& part) {
        return std::ranges::any_of(part.outputs, writes_bytes) || part.shape == OpKind::Histogram ||
               part.shape == OpKind::Bucket || part.index.empty() || !part.count.empty();
    });
    std::vector<std::pair<std::string, std::string>> copies;
    if (anywhere) copies = copy_outside(loop, regions);
    const std::size_t body = out_.size();
    if (counted.selects)
        f_.counts.print_selection(loop, fed, begin, end, counted.limit + "[0]");
    else
        f_.loops.print_body(loop, fed, begin, end);
    std::string copied;
    for (const auto& [name, line] : copies)
        if (mentions(out_.since(body), name)) copied += out_.margin() + line + "\n";
    out_.insert(body, copied);
    CountPrinter::for_each_place(counted, [&](const Generator& generator, const std::string& place) {
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
            if (parts[g].shape == OpKind::Bucket && !parts[g].follows)
                f_.emissions.join_groups(parts[g].home, wholes, parts, g);
        out_.close();
        out_.close("});");
    }
    out_.close("});");
    out_.close_names();
    f_.counts.truncate_counted(counted);
}

// The scalars and views from outside that a chunk reads stand for variables of its own from here on: what others may refer to is read
// from memory behind each write. By name, the lines that declare them.
std::vector<std::pair<std::string, std::string>> ChunkPrinter::copy_outside(const ScheduledNode& loop,
                                                                            std::span<const std::uint32_t> regions) {
    std::map<std::string, std::string> names;
    std::vector<std::pair<std::string, std::string>> copies;
    for (const auto& [node, name] : read_from_outside(loop, regions)) {
        Binding value = binding(node);
        std::string& own = names[name];
        if (own.empty()) {
            own = out_.fresh(name);
            const std::string type = value.form == Form::View ? "auto" : value_type(value.type);
            copies.emplace_back(own, "const " + type + " " + own + " = " + name + ";");
        }
        value.text = {own}, value.owned = false;
        if (!g_.is_project(node) || !env_.has_results(g_.operand(node, 0))) {
            define(node, std::move(value));
            continue;
        }
        std::vector<Binding> results = *env_.find_results(g_.operand(node, 0));
        results[g_.position(node)] = std::move(value);
        define(g_.operand(node, 0), std::move(results));
    }
    return copies;
}

// Writes outputs at indices, and histogram bins, through plain pointers: an array object that others may refer to would
// be loaded again at every write.
void ChunkPrinter::use_pointers(std::vector<Generator>& parts) {
    auto pointer = [&](Cell& cell, std::string_view suffix) {
        const std::string name = out_.fresh(cell.name + std::string(suffix));
        out_.line(value_type(types_.element(cell.type)) + "* const " + name + " = " + cell.name + ".data();");
        cell.name = name;
    };
    for (Generator& part : parts) {
        for (Cell& cell : part.outputs)
            if (const TypeId element = types_.element(cell.type);
                !part.index.empty() && !cell.pointer && (types_.is_scalar(element) || code_.is_record(element)))
                pointer(cell, "_data");
        if (part.shape != OpKind::Histogram) continue;
        if (!part.within) {
            const auto alike = std::ranges::find_if(
                parts, [&](const Generator& other) { return code_.has_as_many_bins(other, part); });
            part.extent = alike->extent; // an earlier one's
        }
        if (!part.within && part.extent.empty()) {
            part.extent = out_.fresh(part.state[0].name + "_size");
            out_.line("const std::int64_t " + part.extent + " = std::ssize(" + part.state[0].name + ")" +
                      (part.spare ? " - 1" : "") + ";");
        }
        for (Cell& cell : part.state)
            if (types_.is_scalar(types_.element(cell.type))) pointer(cell, "_data");
    }
}

} // namespace irrewrite::printers
