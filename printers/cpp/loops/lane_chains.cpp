// Inner loops in the lanes of a block (lane_blocks.cpp): each step is made in all lanes before the next one.
#include "printers/cpp/loops/lane_blocks.hpp"

#include "printers/cpp/cpp_function.hpp"

#include <algorithm>

namespace irrewrite::printers {

void LaneWriter::print_lane_chain(const ScheduledNode& scheduled) {
    switch (module_.shapes[g_.op(scheduled.node).index]) {
    case OpKind::While: return print_lane_while(scheduled);
    case OpKind::For: return print_lane_for(scheduled);
    default: return print_lane_inner(scheduled);
    }
}

// Declares the values that a loop carries, one for each lane.
std::vector<std::string> LaneWriter::declare_lanes_carried(NodeId node, BlockId step, std::size_t first, bool masked) {
    const std::vector<TypeId> types = code_.result_types(node);
    const std::span<const SymbolId> params = g_.param_names(step);
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        const SymbolId param = k + first < params.size() ? params[k + first] : SymbolId{};
        names.push_back(declare_lanes(types[k], param ? module_.context.symbols[param] : "carried",
                                      lane_width(types[k], types, masked)));
    }
    if (types.empty()) return names;
    const std::vector<NodeId> starts(g_.operands(node).begin() + static_cast<std::ptrdiff_t>(first),
                                     g_.operands(node).begin() + static_cast<std::ptrdiff_t>(first + types.size()));
    print_lane_loop({starts, {}}, "", [&] {
        for (std::size_t k = 0; k < types.size(); ++k)
            out_.line(names[k] + "[" + plan_.lane + "] = " + text(starts[k]).text + ";");
    });
    for (std::string& name : names) name += "[" + plan_.lane + "]";
    return names;
}

// The values of declare_lanes_carried, as they are read.
std::vector<Binding> LaneWriter::carried_in_lanes(NodeId node, std::span<const std::string> names, bool masked) const {
    const std::vector<TypeId> types = code_.result_types(node);
    std::vector<Binding> carried;
    for (std::size_t k = 0; k < types.size(); ++k)
        carried.push_back(lane_width(types[k], types, masked) > 0 ? narrowed(names[k], types[k])
                                                                  : Binding{{names[k]}, types[k]});
    return carried;
}

void LaneWriter::define_lanes(NodeId node, std::vector<Binding> results) {
    if (g_.kind(node) != TypeKind::Results && results.size() == 1)
        define(node, results[0]);
    else
        define(node, std::move(results));
}

// Lanes that are through stand still until all are.
void LaneWriter::print_lane_while(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    const BlockId test = g_.blocks(node)[0], step = g_.blocks(node)[1];
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::string> names = declare_lanes_carried(node, step, 0, true);
    const std::vector<Binding> carried = carried_in_lanes(node, names, true);
    std::vector<NodeId> roots;
    for (Region region : scheduled.blocks) {
        for (const ScheduledNode& inner : schedule_.blocks[region].nodes) roots.push_back(inner.node);
        const BlockId id = schedule_.blocks[region].id;
        roots.insert(roots.end(), g_.results(id).begin(), g_.results(id).end());
    }
    const std::string any = out_.fresh("any"), stays = out_.fresh("stays");
    const auto carry = [&] {
        for (std::size_t k = 0; k < types.size(); ++k) {
            define(g_.params(test)[k], carried[k]);
            const NodeId again = g_.params(step)[k]; // of blocks of one height it is the same
            if (again != g_.params(test)[k]) define(again, carried[k]);
        }
        f_.print_nodes(scheduled.blocks[0]);
    };
    const auto print_step = [&] {
        plan_.mask = stays;
        f_.print_nodes(scheduled.blocks[1]);
        plan_.mask.clear();
        std::vector<std::string> next;
        for (NodeId value : g_.results(step).first(types.size()))
            next.push_back(as_variable({text(value), g_.type(value)}, "next").text.text);
        for (std::size_t k = 0; k < types.size(); ++k)
            if (next[k] != names[k]) out_.line(names[k] + " = " + stays + " ? " + next[k] + " : " + names[k] + ";");
    };
    // 64 bits: of a reduction of `bool`, GCC 12 makes one of bytes, which other lanes have to be packed for.
    const std::string reduction = " reduction(| : " + any + ")", or_stays = any + " |= " + stays + ";";
    const Ranges::Carried bounds(ranges_, node);
    const bool tested = plan_.tested.contains(node); // no step where no lane stays; the others read the first element
    const std::string of_lane = tested ? declare_lanes(types_.boolean(), stays) : "";
    out_.open("while (true) {");
    out_.line("std::int64_t " + any + " = 0;");
    print_lane_loop({roots, {}}, reduction, [&] {
        carry();
        out_.line("const bool " + stays + " = " + text(g_.results(test)[0]).text + ";");
        tested ? out_.line(of_lane + "[" + plan_.lane + "] = " + stays + ";") : print_step();
        out_.line(or_stays);
    });
    if (tested) {
        out_.line("if (!" + any + ") break;");
        ranges_.enter(Condition{g_.results(test)[0], true, true});
        print_lane_loop({roots, {}}, "", [&] {
            carry();
            out_.line("const bool " + stays + " = " + of_lane + "[" + plan_.lane + "];");
            const std::string outer = std::exchange(at_.index_condition, stays);
            print_step();
            at_.index_condition = outer;
        });
        ranges_.leave_condition();
        out_.close();
        return define_lanes(node, carried);
    }
    out_.line("if (!" + any + ") break;");
    out_.close();
    define_lanes(node, carried);
}

void LaneWriter::print_lane_for(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node, extent = g_.operand(node, 0);
    const BlockId block = g_.blocks(node)[0];
    const Region inner = scheduled.blocks[0];
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::string> names = declare_lanes_carried(node, block, 1, false);
    const std::vector<Binding> carried = carried_in_lanes(node, names, false);
    const Binding end = as_variable({text(extent), types_.i64()}, "n");
    out_.open_names();
    const SymbolId wanted = g_.param_names(block).empty() ? SymbolId{} : g_.param_names(block)[0];
    const std::string index = out_.fresh(wanted ? module_.context.symbols[wanted] : "k");
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < " + end.text.text + "; ++" + index + ") {");
    {
        const Scope scope(env_, ranges_);
        define(g_.params(block)[0], {{index}, types_.i64(), Form::Value, false, extent});
        for (std::size_t k = 0; k < types.size(); ++k) {
            define(g_.params(block)[k + 1], carried[k]);
            plan_.varying.insert(g_.params(block)[k + 1]);
        }
        const std::vector<NodeId> values(g_.results(block).begin(), g_.results(block).end());
        print_lane_region(inner, values, [&](const LaneRoots& roots, const std::function<void()>& print_run) {
            print_lane_loop(roots, "", [&] {
                print_run();
                assign(names, types, std::span(values).first(types.size()), inner);
            });
        });
    }
    out_.close();
    out_.close_names();
    define_lanes(node, carried);
}

// The place of element k of an array that an inner loop makes.
std::string LaneWriter::lane_element(NodeId array, const std::string& k) {
    const std::string i = binding(plan_.index).text.text;
    if (plan_.arrays.contains(array)) return plan_.element(array, k);
    const Cell& cell = plan_.places.at(array);
    const std::string width = extent_text({{cell.name}, cell.type}, types_.element(cell.type), 1);
    return cell.name + ".data()[" + i + " * " + width + " + " + k + "]";
}

// An inner loop, of which each step is made in all lanes before the next one.
void LaneWriter::print_lane_inner(const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node, extent = g_.operand(node, 0);
    const BlockId body = g_.blocks(node)[0];
    const Region inner = scheduled.blocks[0];
    struct Made { // by a generator
        LaneGenerator generator;
        std::vector<Cell> state;
        std::vector<NodeId> arrays; // none: nobody reads it
    };
    const Binding end = as_variable({text(extent), types_.i64()}, "n");
    if (!code_.known_nonnegative(extent))
        out_.line("checked_length(" + end.text.text + ", " + line_number(node) + ");");
    std::vector<Made> list;
    std::vector<NodeId> seeds, roots;
    std::vector<Binding> results;
    const std::vector<TypeId> types = code_.result_types(node);
    for (NodeId each : g_.results(body)) {
        Made& made = list.emplace_back(lanes_.lane_generator(each).value());
        const LaneGenerator& g = made.generator;
        const std::size_t first = results.size();
        for (std::size_t s = 0; s < g.seeds.size(); ++s) {
            const std::string name = g.arrays.empty() ? wanted_name(lanes_.result_of(node, first + s), "t") : "running";
            made.state.push_back({declare_lanes(g_.type(g.seeds[s]), name), g_.type(g.seeds[s]), {}});
            seeds.push_back(g.seeds[s]);
        }
        if (g.arrays.empty())
            for (std::size_t s = 0; s < g.seeds.size(); ++s)
                results.push_back({{made.state[s].name + "[" + plan_.lane + "]"}, types[first + s]});
        for (std::size_t r = 0; r < g.arrays.size(); ++r) {
            const NodeId value = lanes_.result_of(node, first + r);
            made.arrays.push_back(value && uses_.reads(value) > 0 ? value : NodeId{});
            Binding result{{"nothing"}, types[first + r]};
            const auto found = plan_.arrays.find(value);
            result.in_place = !value || found == plan_.arrays.end();
            if (!result.in_place) {
                result.text.text = found->second;
                out_.line(found->second + " = remade(std::move(" + found->second + "), " +
                          parenthesized(end.text, precedence::multiplicative) + " * " + lane_count() + ");");
            }
            results.push_back(std::move(result));
        }
        roots.push_back(g.emission);
        for (BlockId block : {g.block, g.then})
            if (block) roots.insert(roots.end(), g_.results(block).begin(), g_.results(block).end());
    }
    if (!seeds.empty())
        print_lane_loop({seeds, {}}, "", [&] {
            for (const Made& made : list)
                for (std::size_t s = 0; s < made.state.size(); ++s)
                    out_.line(made.state[s].name + "[" + plan_.lane + "] = " + text(made.generator.seeds[s]).text +
                              ";");
        });
    const std::string slots = "[" + plan_.lane + "]";
    const auto step = [&](const Made& made, const std::string& index) {
        const LaneGenerator& g = made.generator;
        std::vector<Binding> values;
        for (NodeId value : g.values) values.push_back(binding(value));
        Generator runs{};
        runs.shape = OpKind::Fold, runs.node = g.node, runs.block = g.block;
        if (g.block) f_.emissions.combine(inner, runs, made.state, slots, values);
        const Scope scope(env_, ranges_);
        for (BlockId block : {g.shape == OpKind::Scan ? g.block : BlockId{}, g.then})
            for (std::size_t s = 0; block && s < made.state.size(); ++s)
                define(g_.params(block)[s], {{made.state[s].name + slots}, made.state[s].type});
        if (g.then) f_.print_nodes(uses_.nested_region(inner, g.then));
        for (std::size_t r = 0; r < made.arrays.size(); ++r) {
            if (!made.arrays[r]) continue;
            const std::string k = g.arrays[r].second ? end.text.text + " - 1 - " + index : index;
            out_.line(lane_element(made.arrays[r], k) + " = " + text(g.arrays[r].first).text + ";");
        }
    };
    out_.open_names();
    const std::string index = index_of(scheduled);
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < " + end.text.text + "; ++" + index + ") {");
    {
        const Scope scope(env_, ranges_);
        define(g_.params(body)[0], {{index}, types_.i64(), Form::Value, false, extent});
        ranges_.enter(Range{g_.params(body)[0], extent, 0, 0});
        std::vector<NodeId> steady;
        print_lane_region(inner, roots, [&](const LaneRoots& needed, const std::function<void()>& print_run) {
            for (const Made& made : list) print_steady_steps(made.generator, inner, steady);
            print_lane_loop(needed, "", [&] {
                print_run();
                for (const Made& made : list) step(made, index);
            });
        });
        for (NodeId done : steady) at_.hoisted.erase(done);
        ranges_.leave();
    }
    out_.close();
    out_.close_names();
    define_lanes(node, std::move(results));
}

// Prints the nodes of a step that are the same in all lanes before the loop over them.
void LaneWriter::print_steady_steps(const LaneGenerator& generator, Region inner, std::vector<NodeId>& steady) {
    if (!generator.block) return;
    const Region step = uses_.nested_region(inner, generator.block);
    lanes_.enter_lane_step(generator);
    for (std::size_t k = 0; k < generator.values.size(); ++k)
        if (!lanes_.is_one_of(generator.values[k], plan_.varying))
            define(g_.params(generator.block)[generator.seeds.size() + k], binding(generator.values[k]));
    const std::vector<LanePart> parts = lanes_.lane_parts(step).value();
    for (std::uint32_t i = 0; i < parts.size(); ++i) {
        const ScheduledNode& scheduled = schedule_.blocks[step].nodes[i];
        if (parts[i] != LanePart::Steady || !at_.hoisted.insert(scheduled.node).second) continue;
        print_steady(scheduled, step, i);
        steady.push_back(scheduled.node);
    }
    lanes_.leave_lanes(step);
}

} // namespace irrewrite::printers
