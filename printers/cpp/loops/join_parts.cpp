// The results of the chunks of a parallel loop, and how they are joined in order.
#include "printers/cpp/cpp_function.hpp"

#include "engine/ir/reachability.hpp"

#include <map>
#include <utility>

namespace irrewrite::printers {

// `total(begin, end)`: the totals of scans over a chunk; `join(before, next)`: those of two chunks.
void ChunkPrinter::print_totals(const ScheduledNode& loop, std::span<const Generator> generators,
                                const std::string& total, const std::string& join,
                                std::span<const std::uint32_t> regions) {
    std::vector<Generator> sums;
    std::vector<NodeId> roots; // of what they need
    for (const Generator& generator : generators) {
        if ((generator.shape != OpKind::Scan && generator.shape != OpKind::Running) || generator.follows) continue;
        Generator& sum = sums.emplace_back(generator);
        sum.shape = OpKind::Reduce;
        sum.outputs.clear(), sum.index.clear(), sum.then = {};
        roots.push_back(generator.emission);
        for (NodeId feed : generator.through)
            roots.insert(roots.end(), g_.results(g_.blocks(feed)[0]).begin(), g_.results(g_.blocks(feed)[0]).end());
        roots.insert(roots.end(), g_.results(generator.block).begin(), g_.results(generator.block).end());
    }
    auto each = [&](auto&& f) { // f(cell, its index)
        std::size_t place = 0;
        for (Generator& sum : sums)
            for (Cell& cell : sum.state) f(cell, place++);
    };
    auto give_back = [&] {
        std::string list;
        each([&](const Cell& cell, std::size_t) { list += (list.empty() ? "" : ", ") + cell.name; });
        out_.line("return std::tuple(" + list + ");");
    };
    auto part_of = [](const std::string& state, std::size_t place) {
        return "std::get<" + std::to_string(place) + ">(" + state + ")";
    };
    std::vector<std::string> names;
    each([&](const Cell& cell, std::size_t) { names.push_back(cell.name); });
    {
        const Scope scope(env_, ranges_);
        out_.open_names();
        const std::string begin = out_.fresh("begin"), end = out_.fresh("end");
        out_.open("const auto " + total + " = [&](std::int64_t " + begin + ", std::int64_t " + end + ") {");
        const std::vector<NodeId> needed = reachable(g_, roots);
        const std::unordered_set<NodeId> only(needed.begin(), needed.end());
        at_.only = &only;
        each([&](Cell& cell, std::size_t place) {
            cell.name = out_.fresh(names[place] + "_part");
            cell.init = names[place];
            f_.loops.declare_cell(cell, 0);
        });
        f_.loops.declare_pointers(regions, loop.blocks[0]);
        f_.loops.print_body(loop, sums, begin, end);
        at_.only = nullptr;
        give_back();
        out_.close("};");
        out_.close_names();
    }
    out_.open_names();
    const std::string before = out_.fresh("before"), next = out_.fresh("next");
    out_.open("const auto " + join + " = [&](const auto& " + before + ", const auto& " + next + ") {");
    each([&](Cell& cell, std::size_t place) {
        cell.name = out_.fresh(names[place] + "_part");
        cell.init = part_of(before, place);
        f_.loops.declare_cell(cell, 0);
    });
    std::size_t place = 0;
    for (Generator& sum : sums) {
        std::vector<Binding> values;
        for (const Cell& cell : sum.state) values.push_back({{part_of(next, place++)}, cell.type, Form::Value});
        f_.emissions.combine(sum.home, sum, sum.state, "", values);
    }
    give_back();
    out_.close("};");
    out_.close_names();
}

// Buckets that share keys share those of their chunk as well.
void ChunkPrinter::rename_parts(Generator& part, std::map<std::string, std::string>& names) {
    for (std::vector<Cell>* cells : {&part.state, &part.outputs})
        for (Cell& cell : *cells) {
            auto [entry, fresh] = names.try_emplace(cell.name);
            if (fresh) entry->second = out_.fresh(cell.name + "_part");
            cell.name = entry->second;
        }
    for (Generator& inner : part.inner)
        if (!inner.packed) rename_parts(inner, names);
}

void ChunkPrinter::take_part(const Generator& whole, const Generator& part) {
    auto take = [&](const std::vector<Cell>& to, const std::vector<Cell>& from) {
        for (std::size_t k = 0; k < to.size(); ++k) {
            const bool copied = to[k].type_text.empty() && types_.is_scalar(to[k].type) && whole.slots.empty();
            out_.line(to[k].name + " = " + (copied ? from[k].name : "std::move(" + from[k].name + ")") + ";");
        }
    };
    if (part.spare)
        for (std::size_t k = 0; k < part.state.size(); ++k)
            out_.line(part.state[k].name + ".truncate(" + whole.bins + ");");
    if (!whole.follows) take(whole.state, part.state);
    take(whole.outputs, part.outputs);
    for (std::size_t i = 0; i < whole.inner.size(); ++i) {
        if (whole.inner[i].packed) continue;
        Generator arrays = whole.inner[i];
        arrays.slots = "[]"; // of each group
        take_part(arrays, part.inner[i]);
    }
}

// Appends a later chunk's values.
void ChunkPrinter::join(Region region, Generator& whole, Generator& part) {
    for (std::size_t k = 0; k < whole.outputs.size(); ++k)
        out_.line(whole.outputs[k].name + ".append(std::move(" + part.outputs[k].name + "));");
    std::vector<Binding> values;
    std::string slots;
    if (whole.shape == OpKind::Histogram) {
        const std::string bin = out_.fresh("bin");
        out_.open("for (std::int64_t " + bin + " = 0; " + bin + " < std::ssize(" + whole.state[0].name + "); ++" + bin +
                  ") {");
        slots = "[" + bin + "]";
    }
    for (const Cell& cell : part.state) {
        const TypeId type = whole.shape == OpKind::Histogram ? types_.element(cell.type) : cell.type;
        const bool row = whole.shape == OpKind::Histogram && module_.types.rank(cell.type) > 1;
        values.push_back({{cell.name + slots}, type, row ? Form::View : Form::Value});
    }
    if (!values.empty()) f_.emissions.combine(region, whole, whole.state, slots, values);
    if (whole.shape == OpKind::Histogram) out_.close();
}

} // namespace irrewrite::printers
