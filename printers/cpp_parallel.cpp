// Loops of emitted C++ that run in parts, one for each thread, joined in order.
#include "printers/cpp_printer.hpp"

#include <algorithm>
#include <bit>
#include <map>

namespace irrewrite::printers {

bool CppFunction::is_parallel(const ScheduledNode& loop, std::span<const Generator> generators,
                              std::span<const std::uint32_t> regions) const {
    if (hot_ > 0 || module_.options.cuda) return false;
    const NodeId extent = g_.operand(loop.node, 0);
    if (g_.is_number(extent) && g_.bits(extent) < 1024) return false;
    if (!std::ranges::all_of(generators, [&](const Generator& generator) { return joins_in_order(generator); }))
        return false;
    // Reading a variable of the surroundings is harmless; nothing in a loop writes one, but for what is
    // computed on demand.
    auto writes = [&](Region region) {
        const std::vector<std::uint32_t>& demands = schedule_.blocks[region].demands;
        return std::any_of(demands.begin(), demands.end(), [&](std::uint32_t demanded) {
            const Region home = schedule_.on_demand[demanded].region;
            return std::find(regions.begin(), regions.end(), home) == regions.end();
        });
    };
    return !regions.empty() && std::none_of(regions.begin(), regions.end(), writes);
}

// Whether what is made of later indices can be put behind what is made of earlier ones.
bool CppFunction::joins_in_order(const Generator& generator) const {
    if (generator.shape == Shape::Collect || generator.shape == Shape::Reduce || generator.shape == Shape::Histogram)
        return true;
    if (generator.shape != Shape::Bucket) return false;
    const Generator& inner = generator.inner[0];
    return inner.shape == Shape::Collect || inner.shape == Shape::Reduce || is_first_of_group(inner);
}

// Scalar operations, about, of one run of a region; inner loops of unknown length count as 32 rounds.
std::uint64_t CppFunction::cost(Region region) const {
    constexpr std::uint64_t most = 1u << 20;
    const ScheduledBlock& block = schedule_.blocks[region];
    std::uint64_t sum = 1;
    for (const ScheduledNode& scheduled : block.nodes) {
        const NodeId node = scheduled.node;
        const bool approximate = g_.operation(node).has(Trait::Approximate);
        sum += g_.core(node) == Core::Call ? 64 : approximate ? 16 : 1;
        std::uint64_t rounds = 32;
        if (g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == Shape::If) rounds = 1;
        if (!g_.operands(node).empty() && g_.is_number(g_.operand(node, 0)))
            rounds = std::min(g_.bits(g_.operand(node, 0)), most);
        for (Region inner : scheduled.blocks)
            sum += std::min(rounds * cost(inner), most);
    }
    for (auto [condition, inner] : block.guarded)
        sum += cost(inner);
    for (auto [nested, inner] : block.nested)
        sum += cost(inner);
    return std::min(sum, most);
}

// How many indices pay for threads: fewer, the more is done for each.
std::string CppFunction::enough(std::span<const Generator> generators, Region body) const {
    const std::uint64_t least = std::bit_floor(std::max<std::uint64_t>((1u << 17) / cost(body), 2));
    std::string text = std::to_string(least);
    // Every thread has bins of its own, which are added up at the end.
    for (const Generator& generator : generators)
        if (generator.shape == Shape::Histogram)
            text = "std::max<std::int64_t>(" + text + ", 4 * std::ssize(" +
                   generator.state[0].name + "))";
    return text;
}

void CppFunction::print_parallel(const ScheduledNode& loop, std::vector<Generator>& generators,
                                 std::span<const std::uint32_t> regions) {
    const bool joins = std::any_of(generators.begin(), generators.end(),
                                   [](const Generator& g) { return g.index.empty(); });
    const std::string n = binding(g_.operand(loop.node, 0)).text.text;
    const std::string size = enough(generators, loop.blocks[0]);
    names_.open();
    const std::string begin = names_.fresh("begin"), end = names_.fresh("end"),
                      in_order = names_.fresh("in_order"), first = names_.fresh("first");
    open("in_parallel(" + n + ", " + size + ", [&](std::int64_t " + begin + ", std::int64_t " +
         end + ", auto&&" + (joins ? " " + in_order : "") + ") {");
    const Scope scope(*this);
    std::vector<Generator> parts = generators;
    std::map<std::string, std::string> names;
    for (Generator& part : parts) {
        if (!part.index.empty()) continue; // written where it belongs
        const std::vector<Cell> bins = part.state;
        rename_parts(part, names);
        if (part.shape == Shape::Histogram) // as many bins, the length being checked
            for (std::size_t k = 0; k < part.state.size(); ++k)
                part.state[k].init = bins_text(part, k, part.state[k].type,
                                               "std::ssize(" + bins[k].name + ")");
        declare(part, 0);
        if (part.shape == Shape::Collect && emits_at_most_once(part.emission))
            for (const Cell& cell : part.outputs)
                if (types_.is_scalar(types_.element(cell.type)))
                    line(cell.name + ".reserve(" + end + " - " + begin + ");");
    }
    declare_pointers(regions, loop.blocks[0]);
    for (Generator& part : parts)
        for (Cell& cell : part.outputs)
            if (!part.index.empty() && types_.is_scalar(types_.element(cell.type))) {
                const std::string pointer = names_.fresh(cell.name + "_data");
                line(value_type(types_.element(cell.type)) + "* const " + pointer + " = " +
                     cell.name + ".data();");
                cell.name = pointer;
            }
    print_body(loop, parts, begin, end);
    if (joins) {
        // A copy of each scalar: what others may refer to does not stay in a register.
        std::string captures = "&";
        for (const Generator& part : parts)
            for (const Cell& cell : part.state)
                if (types_.is_scalar(cell.type)) captures += ", " + cell.name;
        open(in_order + "([" + captures + "](bool " + first + ") {");
        open("if (" + first + ") {");
        for (std::size_t g = 0; g < parts.size(); ++g) {
            if (!parts[g].index.empty()) continue;
            take_part(generators[g], parts[g]);
        }
        names_.close(), --indent_;
        open("} else {");
        for (std::size_t g = 0; g < parts.size(); ++g)
            if (parts[g].index.empty() && parts[g].shape != Shape::Bucket) join(loop.blocks[0], generators[g], parts[g]);
        for (std::size_t g = 0; g < parts.size(); ++g)
            if (parts[g].shape == Shape::Bucket && !parts[g].follows) join_groups(loop.blocks[0], generators, parts, g);
        close();
        close("});");
    }
    close("});");
    names_.close();
}

// Buckets that share keys share their part's as well.
void CppFunction::rename_parts(Generator& part, std::map<std::string, std::string>& names) {
    for (std::vector<Cell>* cells : {&part.state, &part.outputs})
        for (Cell& cell : *cells) {
            auto [entry, fresh] = names.try_emplace(cell.name);
            if (fresh) entry->second = names_.fresh(cell.name + "_part");
            cell.name = entry->second;
        }
    for (Generator& inner : part.inner)
        rename_parts(inner, names);
}

void CppFunction::take_part(const Generator& whole, const Generator& part) {
    auto take = [&](const std::vector<Cell>& to, const std::vector<Cell>& from) {
        for (std::size_t k = 0; k < to.size(); ++k) {
            const bool copied = to[k].type_text.empty() && types_.is_scalar(to[k].type) && whole.slots.empty();
            line(to[k].name + " = " + (copied ? from[k].name : "std::move(" + from[k].name + ")") + ";");
        }
    };
    if (!whole.follows) take(whole.state, part.state);
    take(whole.outputs, part.outputs);
    for (std::size_t i = 0; i < whole.inner.size(); ++i) {
        Generator arrays = whole.inner[i];
        arrays.slots = "[]"; // of each group
        take_part(arrays, part.inner[i]);
    }
}

// Numbers the groups of a later part: new ones come as they are, others are joined.
void CppFunction::join_groups(Region region, std::vector<Generator>& wholes, std::vector<Generator>& parts,
                              std::size_t leader) {
    const std::string keys = wholes[leader].state[0].name, later = parts[leader].state[0].name;
    const std::string from = names_.fresh("later"), to = names_.fresh("group");
    const Generator& inner = wholes[leader].inner[0];
    const Cell& first = inner.state.empty() ? inner.outputs[0] : inner.state[0];
    open("for (std::int64_t " + from + " = 0; " + from + " < " + later + ".size(); ++" + from + ") {");
    line("const std::int64_t " + to + " = " + keys + "(" + later + ".key(" + from + "));");
    auto each = [&](auto&& f) {
        for (std::size_t g = leader; g < wholes.size(); ++g)
            if (wholes[g].shape == Shape::Bucket && wholes[g].state[0].name == keys)
                f(wholes[g], wholes[g].inner[0], parts[g].inner[0]);
    };
    open("if (" + to + " == std::ssize(" + first.name + ")) {");
    each([&](const Generator&, const Generator& whole, const Generator& part) {
        for (auto cells : {&Generator::state, &Generator::outputs})
            for (std::size_t k = 0; k < (whole.*cells).size(); ++k) {
                const std::string value = (part.*cells)[k].name + "[" + from + "]";
                const bool copied = types_.is_scalar((part.*cells)[k].type);
                line((whole.*cells)[k].name + ".push_back(" + (copied ? value : "std::move(" + value + ")") + ");");
            }
    });
    names_.close(), --indent_;
    open("} else {");
    each([&](const Generator& bucket, const Generator& whole, const Generator& part) {
        if (is_first_of_group(whole)) return;
        for (std::size_t k = 0; k < whole.outputs.size(); ++k)
            line(whole.outputs[k].name + "[" + to + "].append(std::move(" + part.outputs[k].name + "[" + from + "]));");
        std::vector<Binding> values;
        for (const Cell& cell : part.state)
            values.push_back({{cell.name + "[" + from + "]"}, cell.type, Form::Value});
        if (!values.empty())
            combine(nested_region(region, bucket.block), whole, whole.state, "[" + to + "]", values);
    });
    close();
    close();
}

// At each index, as `filter` does: then there is a bound on how many values come.
bool CppFunction::emits_at_most_once(NodeId emission) const {
    while (!g_.is_param(emission) && module_.shapes[g_.op(emission).index] == Shape::When)
        emission = g_.operand(emission, 1);
    return types_.once(g_.type(emission));
}

// Puts a later part's values behind those so far.
void CppFunction::join(Region region, Generator& whole, Generator& part) {
    for (std::size_t k = 0; k < whole.outputs.size(); ++k)
        line(whole.outputs[k].name + ".append(std::move(" + part.outputs[k].name + "));");
    std::vector<Binding> values;
    std::string slots;
    if (whole.shape == Shape::Histogram) {
        const std::string bin = names_.fresh("bin");
        open("for (std::int64_t " + bin + " = 0; " + bin + " < std::ssize(" + whole.state[0].name +
             "); ++" + bin + ") {");
        slots = "[" + bin + "]";
    }
    for (const Cell& cell : part.state) {
        const TypeId type = whole.shape == Shape::Histogram ? types_.element(cell.type) : cell.type;
        const bool row = whole.shape == Shape::Histogram && module_.types.rank(cell.type) > 1;
        values.push_back({{cell.name + slots}, type, row ? Form::View : Form::Value});
    }
    if (!values.empty()) combine(region, whole, whole.state, slots, values);
    if (whole.shape == Shape::Histogram) close();
}

} // namespace irrewrite::printers
