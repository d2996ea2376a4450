// Parallel loops of emitted C++ that collect an unknown number of values, in two passes: the first counts, the second
// writes each value to its final index. Counting costs less than moving one chunk's values behind those of the others.
#include "printers/cpp/cpp_printer.hpp"
#include "printers/cpp/lane_blocks.hpp"

#include "engine/ir/reachability.hpp"

#include <utility>

namespace irrewrite::printers {
namespace {

constexpr std::uint64_t cheap_operations =
    8; // operations that take no longer than a branch that is foreseen half of the time
constexpr std::uint64_t most_counted = 15; // at each of the 4096 indices of a block: 16 bits hold the sum

} // namespace

// Collects the values that decide how often an emission emits: conditions and the extents of inner emissions. False if
// a value that is known only when it is emitted decides.
bool CppFunction::add_counted(NodeId emission, std::vector<NodeId>& roots, std::vector<NodeId>& eaches) const {
    return std::ranges::all_of(atoms(emission), [&](NodeId atom) {
        if (g_.is_param(atom)) return false;
        switch (module_.shapes[g_.op(atom).index]) {
        case OpKind::Emit: return true;
        case OpKind::When: roots.push_back(g_.operand(atom, 0)); return add_counted(g_.operand(atom, 1), roots, eaches);
        case OpKind::Each:
            roots.push_back(g_.operand(atom, 0));
            eaches.push_back(atom);
            return add_counted(g_.results(g_.blocks(atom)[0])[0], roots, eaches);
        default: return false;
        }
    });
}

// True if the nodes that these counts need are cheap and cannot fault.
bool CppFunction::is_cheap_to_count(const ScheduledNode& loop, std::span<const NodeId> roots,
                                    std::span<const NodeId> eaches) {
    const std::vector<NodeId> needed = reachable(g_, roots);
    const std::unordered_set<NodeId> only(needed.begin(), needed.end());
    const Scope scope(*this);
    define(g_.params(g_.blocks(loop.node)[0])[0], {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    for (NodeId each : eaches)
        define(g_.params(g_.blocks(each)[0])[0], {{"j"}, types_.i64(), Form::Value, false, g_.operand(each, 0)});
    const auto is_cheap = [&](const ScheduledNode& scheduled) {
        const NodeId node = scheduled.node;
        if (!only.contains(node)) return true;
        if (scheduled.is_on_demand() || !scheduled.blocks.empty() || g_.core(node) == Core::Call ||
            g_.has(node, TakesToken))
            return false;
        const bool at = g_.core(node) == Core::None && module_.shapes[g_.op(node).index] == OpKind::At;
        return at ? reads_within(node) : !g_.has(node, MayFault) && !g_.operation(node).has(Trait::Approximate);
    };
    return std::ranges::all_of(regions_within(schedule_, {loop.blocks.begin(), loop.blocks.end()}), [&](Region region) {
        const ScheduledBlock& block = schedule_.blocks[region];
        return !waits(region) && std::ranges::all_of(block.nodes, is_cheap);
    });
}

// Those that are counted: columns of scalars or of structs of scalars, nothing else running from index to index beside them.
std::vector<Generator*> CppFunction::find_counted(const ScheduledNode& loop, std::vector<Generator>& generators) {
    std::vector<Generator*> list;
    std::vector<NodeId> roots, eaches;
    for (Generator& generator : generators) {
        if (generator.shape == OpKind::Scan || generator.shape == OpKind::Running || generator.fed_by) return {};
        const bool grows = generator.shape == OpKind::Collect && generator.index.empty() && generator.slots.empty();
        const auto is_column = [&](const Cell& cell) {
            return cell.place.empty() && module_.types.rank(cell.type) == 1 &&
                   (types_.is_scalar(types_.element(cell.type)) || is_record(types_.element(cell.type)));
        };
        if (!grows || !std::ranges::all_of(generator.outputs, is_column)) continue;
        std::vector<NodeId> more = roots, inner = eaches;
        if (!add_counted(generator.emission, more, inner)) continue;
        list.push_back(&generator);
        roots = std::move(more), eaches = std::move(inner);
    }
    return !list.empty() && is_cheap_to_count(loop, roots, eaches) ? list : std::vector<Generator*>();
}

// Of emissions that may be counted: two with the same text emit equally often.
std::string CppFunction::count_signature(NodeId emission) const {
    std::string text;
    for (NodeId atom : atoms(emission)) {
        const OpKind shape = module_.shapes[g_.op(atom).index];
        text += shape == OpKind::Emit
                    ? "1"
                    : std::to_string(g_.operand(atom, 0).index) + (shape == OpKind::When ? "?(" : "*(");
        if (shape == OpKind::When) text += count_signature(g_.operand(atom, 1)) + ")";
        if (shape == OpKind::Each) text += count_signature(g_.results(g_.blocks(atom)[0])[0]) + ")";
    }
    return text;
}

// The index of each one's count in the result of `count`: equal ones are counted once.
std::vector<std::size_t> CppFunction::count_places(std::span<Generator* const> list) const {
    std::map<std::string, std::size_t> places;
    std::vector<std::size_t> out;
    for (const Generator* generator : list)
        out.push_back(places.try_emplace(count_signature(generator->emission), places.size()).first->second);
    return out;
}

TwoPassCollect CppFunction::plan_counted(const ScheduledNode& loop, std::vector<Generator>& generators,
                                         std::span<const std::uint32_t> regions) {
    TwoPassCollect out{.list = find_counted(loop, generators)};
    if (out.list.empty()) return out;
    out.places = count_places(out.list);
    out.function = out_.fresh("count"), out.sizes = out_.fresh("sizes"), out.limit = out_.fresh("limit");
    out.bounded = std::ranges::all_of(
        out.list, [&](const Generator* generator) { return emits_at_most_once(generator->emission); });
    out.selects = out.list.size() == generators.size() &&
                  std::ranges::all_of(out.places, [](std::size_t place) { return place == 0; }) &&
                  is_selection(loop, generators[0]);
    print_counts(loop, out, regions);
    for (Generator* generator : out.list)
        generator->index = generator->count = out_.fresh(generator->outputs[0].name + "_end");
    return out;
}

void CppFunction::open_counted(const TwoPassCollect& counted, const std::string& n, const std::string& enough,
                               const std::string& begin, const std::string& end, const std::string& ends,
                               const std::string& in_order) {
    const std::string room = out_.fresh("room");
    const auto place_of = [&](std::size_t k) { return "[" + std::to_string(counted.places[k]) + "]"; };
    std::string make;
    for (std::size_t k = 0; k < counted.list.size(); ++k)
        for (const Cell& cell : counted.list[k]->outputs)
            make += " " + cell.name + " = " + value_type(cell.type) + "(" + room + place_of(k) + ");";
    out_.open((counted.bounded ? "const auto " + counted.sizes + " = " : "") + "in_parallel_behind(" + n + ", " +
              enough + ", " + (counted.bounded ? "true" : "false") + ", " + counted.function + ", [&](const auto& " +
              room + ") {" + make + " }, [&](std::int64_t " + begin + ", std::int64_t " + end + ", auto& " + ends +
              ", const auto&" + (counted.selects ? " " + counted.limit : "") + ", auto&&" +
              (in_order.empty() ? "" : " " + in_order) + ") {");
    for (std::size_t k = 0; k < counted.list.size() && (k == 0 || !counted.selects); ++k)
        out_.line("std::int64_t " + counted.list[k]->count + " = " + ends + place_of(k) + ";");
}

void CppFunction::truncate_counted(const TwoPassCollect& counted) {
    for (std::size_t k = 0; k < counted.list.size() && counted.bounded; ++k)
        for (const Cell& cell : counted.list[k]->outputs)
            out_.line(cell.name + ".truncate(" + counted.sizes + "[" + std::to_string(counted.places[k]) + "]);");
}

// `count(begin, end)`: the number of values that each of them collects in a chunk.
void CppFunction::print_counts(const ScheduledNode& loop, const TwoPassCollect& counted,
                               std::span<const std::uint32_t> regions) {
    std::vector<NodeId> roots, eaches;
    std::vector<Generator> counts;
    std::string sizes;
    const Scope scope(*this);
    out_.open_names();
    const std::string begin = out_.fresh("begin"), end = out_.fresh("end");
    out_.open("const auto " + counted.function + " = [&](std::int64_t " + begin + ", std::int64_t " + end + ") {");
    for_each_place(counted, [&](const Generator& generator, const std::string&) {
        add_counted(generator.emission, roots, eaches);
        Generator& counting = counts.emplace_back(generator);
        counting.count = out_.fresh(generator.outputs[0].name + "_size");
        counting.outputs.clear();
        out_.line("std::int64_t " + counting.count + " = 0;");
        sizes += (sizes.empty() ? "" : ", ") + counting.count;
    });
    const std::vector<NodeId> needed = reachable(g_, roots);
    const std::unordered_set<NodeId> only(needed.begin(), needed.end());
    only_ = &only;
    declare_pointers(regions, loop.blocks[0]);
    if (std::ranges::all_of(counts, [&](const Generator& generator) { return is_selection(loop, generator); }))
        print_selected_counts(loop, counts, begin, end);
    else if (!print_straight_counts(loop, counts, begin, end))
        print_body(loop, counts, begin, end);
    only_ = nullptr;
    out_.line("return std::array{" + sizes + "};");
    out_.close("};");
    out_.close_names();
}

// True if a generator keeps elements by a condition, and the elements are cheap and may be computed unconditionally.
bool CppFunction::is_selection(const ScheduledNode& loop, const Generator& generator) {
    const auto shape = [&](NodeId emission) {
        return g_.is_param(emission) ? OpKind::None : module_.shapes[g_.op(emission).index];
    };
    if (shape(generator.emission) != OpKind::When || shape(g_.operand(generator.emission, 1)) != OpKind::Emit)
        return false;
    const Scope scope(*this);
    define(g_.params(g_.blocks(loop.node)[0])[0], {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
    const ScheduledBlock& block = schedule_.blocks[loop.blocks[0]];
    return block.nested.empty() && is_straight(loop.blocks[0]) &&
           std::ranges::all_of(block.guarded, [&](const auto& guarded) {
               return (only_ != nullptr || cost(guarded.second) <= cheap_operations) && is_straight(guarded.second);
           });
}

void CppFunction::print_selected_counts(const ScheduledNode& loop, std::span<const Generator> counts,
                                        const std::string& begin, const std::string& end) {
    std::string list;
    for (const Generator& generator : counts) list += (list.empty() ? "" : ", ") + generator.count;
    out_.line("#pragma omp simd reduction(+ : " + list + ")");
    const bool outer = std::exchange(lanes_, true);
    print_each_index(loop, begin, end, {}, [&] {
        for (const Generator& generator : counts)
            out_.line(generator.count + " += " +
                      parenthesized(text(g_.operand(generator.emission, 0)), precedence::logical_or) + " ? 1 : 0;");
    });
    lanes_ = outer;
}

// True if the emission's number of values needs conditions alone, which are computed without branches; at most `most` of
// them.
bool CppFunction::counts_straight(NodeId emission, Region region, std::uint64_t& most) const {
    most = 0;
    for (NodeId atom : atoms(emission)) {
        std::uint64_t inner = 1;
        const OpKind shape = module_.shapes[g_.op(atom).index];
        if (shape == OpKind::When) {
            const Region guarded = guarded_by(g_.operand(atom, 0), region);
            if (!is_straight(guarded) || !counts_straight(g_.operand(atom, 1), guarded, inner)) return false;
        } else if (shape == OpKind::Each) {
            const NodeId inside = g_.results(g_.blocks(atom)[0])[0], extent = g_.operand(atom, 0);
            if (!g_.is_number(extent) || g_.bits(extent) > most_counted || g_.is_param(inside) ||
                module_.shapes[g_.op(inside).index] != OpKind::Emit)
                return false;
            inner = g_.bits(extent);
        }
        most += inner;
    }
    return true;
}

// Prints the conditions that decide how many values there are.
Text CppFunction::count_text(NodeId emission, Region region) {
    std::vector<NodeId> list = atoms(emission);
    std::uint64_t known = 0;
    std::string sum;
    const auto add = [&](const Text& text) {
        sum += (sum.empty() ? "" : " + ") + parenthesized(text, precedence::additive);
    };
    for (std::size_t k = 0; k < list.size(); ++k) {
        const OpKind shape = module_.shapes[g_.op(list[k]).index];
        if (shape == OpKind::Emit) ++known;
        if (shape == OpKind::Each) known += g_.bits(g_.operand(list[k], 0));
        if (shape != OpKind::When) continue;
        const NodeId condition = g_.operand(list[k], 0);
        const Region guarded = guarded_by(condition, region);
        if (guarded != region) print_nodes(guarded);
        const Text number = count_text(g_.operand(list[k], 1), guarded);
        if (number.text == "0") continue;
        add({parenthesized(without_branches(condition), precedence::logical_or) + " ? " +
                 parenthesized(number, precedence::logical_or) + " : 0",
             precedence::ternary, 1});
    }
    if (sum.empty()) return {std::to_string(known), precedence::primary, 0};
    if (known > 0) sum += " + " + std::to_string(known);
    const bool single = known == 0 && sum.front() == '(' && sum.find(" + ") == std::string::npos;
    return {sum, single ? precedence::primary : precedence::additive, 1};
}

// Counts in vector lanes; of elements of at most 16 bits in counters as narrow, block by block.
bool CppFunction::print_straight_counts(const ScheduledNode& loop, std::span<const Generator> counts,
                                        const std::string& begin, const std::string& end) {
    bool narrow = true;
    {
        const Scope scope(*this);
        const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
        define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        if (!is_straight(loop.blocks[0])) return false;
        for (const Generator& generator : counts) {
            std::uint64_t most = 0;
            if (!counts_straight(generator.emission, loop.blocks[0], most)) return false;
            narrow = narrow && most <= most_counted;
        }
    }
    for (NodeId node : *only_) {
        const bool reads = !g_.is_param(node) && !g_.is_literal(node) && g_.core(node) == Core::None &&
                           module_.shapes[g_.op(node).index] == OpKind::At;
        narrow = narrow && (!reads || (types_.is_scalar(g_.type(node)) && types_.bits(g_.type(node)) <= 16));
    }
    const std::string block = out_.fresh("block"), stop = out_.fresh("stop");
    std::string list;
    std::vector<std::string> names;
    if (narrow) {
        out_.open("for (std::int64_t " + block + " = " + begin + ", " + stop + "; " + block + " < " + end + "; " +
                  block + " = " + stop + ") {");
        out_.line(stop + " = std::min<std::int64_t>(" + block + " + 4096, " + end + ");");
    }
    for (const Generator& generator : counts) {
        names.push_back(narrow ? out_.fresh("count") : generator.count);
        if (narrow) out_.line("std::uint16_t " + names.back() + " = 0;");
        list += (list.empty() ? "" : ", ") + names.back();
    }
    out_.line("#pragma omp simd reduction(+ : " + list + ")");
    const bool outer = std::exchange(lanes_, true);
    print_each_index(loop, narrow ? block : begin, narrow ? stop : end, {}, [&] {
        for (std::size_t k = 0; k < counts.size(); ++k) {
            const std::string number = count_text(counts[k].emission, loop.blocks[0]).text;
            out_.line(names[k] + (narrow ? " = static_cast<std::uint16_t>(" + names[k] + " + (" + number + "));"
                                         : " += " + number + ";"));
        }
    });
    lanes_ = outer;
    if (!narrow) return true;
    for (std::size_t k = 0; k < counts.size(); ++k) out_.line(counts[k].count + " += " + names[k] + ";");
    out_.close();
    return true;
}

// Writes every value, without a branch; the next one overwrites a value that is not kept. The next chunk writes from
// `limit` on.
void CppFunction::print_selection(const ScheduledNode& loop, std::span<const Generator> generators,
                                  const std::string& begin, const std::string& end, const std::string& limit) {
    const std::string& place = generators[0].count;
    print_each_index(loop, begin, end, " && " + place + " < " + limit, [&] {
        for (auto [condition, region] : schedule_.blocks[loop.blocks[0]].guarded) print_nodes(region);
        for (const Generator& generator : generators) {
            const NodeId emission = g_.operand(generator.emission, 1);
            for (std::size_t k = 0; k < generator.outputs.size(); ++k) {
                const Cell& cell = generator.outputs[k];
                out_.line(cell.name + "[" + place + "] = " +
                          stored(binding(g_.operand(emission, k)), types_.element(cell.type), false, generator.node) +
                          ";");
            }
        }
        out_.line(place + " += " + parenthesized(text(g_.operand(generators[0].emission, 0)), precedence::logical_or) +
                  " ? 1 : 0;");
    });
}

// A loop from `begin` to `end` in which the body's values are computed.
template <class F> void CppFunction::print_each_index(const ScheduledNode& loop, const std::string& begin,
                                                      const std::string& end, const std::string& further, F&& f) {
    out_.open_names();
    const std::string index = index_of(loop);
    const Scope scope(*this);
    const NodeId param = g_.params(g_.blocks(loop.node)[0])[0], extent = g_.operand(loop.node, 0);
    define(param, {{index}, types_.i64(), Form::Value, false, extent});
    out_.open("for (std::int64_t " + index + " = " + begin + "; " + index + " < " + end + further + "; ++" + index +
              ") {");
    ranges_.enter(Range{param, extent, 0, 0});
    print_nodes(loop.blocks[0]);
    f();
    ranges_.leave();
    out_.close();
    out_.close_names();
}

// Counts an `each` that emits one value at each iteration as its extent. False if it does not.
bool CppFunction::count_whole(NodeId each, const EmissionsOf& group) {
    const NodeId emission = g_.results(g_.blocks(each)[0])[0];
    const bool one = !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit;
    if (!one || !std::ranges::all_of(
                    group, [](const auto& fed) { return fed.first->outputs.empty() && !fed.first->count.empty(); }))
        return false;
    const NodeId extent = g_.operand(each, 0);
    const bool length =
        !g_.is_param(extent) && g_.core(extent) == Core::None && module_.shapes[g_.op(extent).index] == OpKind::Len;
    const bool counted = length || (g_.is_number(extent) && static_cast<std::int64_t>(g_.bits(extent)) >= 0);
    const std::string n = text(extent).text;
    for (const auto& [generator, fed] : group)
        out_.line(generator->count + " += " + (counted ? n : "std::max<std::int64_t>(0, " + n + ")") + ";");
    return true;
}

// If all emitted values are the elements of whole arrays, appends those arrays. False if they are not.
bool CppFunction::append_whole(NodeId each, Region inner, const EmissionsOf& group) {
    if (count_whole(each, group)) return true;
    const BlockId block = g_.blocks(each)[0];
    const NodeId emission = g_.results(block)[0], index = g_.params(block)[0];
    const ScheduledBlock& scheduled = schedule_.blocks[inner];
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit ||
        scheduled.nodes.size() != g_.operands(emission).size() || waits(inner))
        return false;
    std::vector<Binding> arrays;
    for (NodeId value : g_.operands(emission)) {
        if (g_.is_param(value) || g_.is_literal(value) || g_.core(value) != Core::None ||
            module_.shapes[g_.op(value).index] != OpKind::At || g_.operands(value).size() != 2 ||
            g_.operand(value, 1) != index || !types_.is_scalar(g_.type(value)) ||
            g_.depends_on_number(g_.operand(value, 0), g_.param_number(index)) ||
            !is_whole(g_.operand(each, 0), g_.operand(value, 0)) ||
            (lane_blocks_ != nullptr && lane_blocks_->arrays.contains(g_.operand(value, 0)))) // it lies lane by lane
            return false;
        arrays.push_back(binding(g_.operand(value, 0)));
        if (arrays.back().form == Form::Rows || module_.types.rank(arrays.back().type) != 1) return false;
    }
    for (const auto& [generator, fed] : group)
        if (generator->shape != OpKind::Collect || generator->outputs.empty() ||
            (!generator->index.empty() && generator->count.empty()) || on_device_ != nullptr)
            return false;
    for (const auto& [generator, fed] : group) {
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            const std::string place = generator->outputs[k].name + generator->slots, &array = arrays[k].text.text;
            out_.line(generator->count.empty()
                          ? place + ".append(" + array + ");"
                          : "std::ranges::copy(" + array + ", " + place + " + " + generator->count + ");");
        }
        if (!generator->count.empty()) out_.line(generator->count + " += std::ssize(" + arrays[0].text.text + ");");
    }
    return true;
}

} // namespace irrewrite::printers
