// Feeding generators in emitted C++: their emissions are walked together, so that what stands under
// one condition stands in one `if`, and values with one key look it up once.
#include "printers/cpp/cpp_function.hpp"
#include "printers/cpp/loops/lane_blocks.hpp"

#include "printers/plan/values/twin_nodes.hpp"

#include <algorithm>
#include <list>
#include <utility>

namespace irrewrite::printers {
namespace {

// True if what arrives is a key, and values.
bool is_keyed(const Generator& generator) { return generator.shape == OpKind::Bucket && generator.through.empty(); }

} // namespace

// Counts an `each` that emits one value at each iteration as its extent. False if it does not.
bool EmissionPrinter::count_whole(NodeId each, const EmissionsOf& group) {
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
bool EmissionPrinter::append_whole(NodeId each, Region inner, const EmissionsOf& group) {
    if (const auto call = state_.appended.find(each); call != state_.appended.end()) {
        const Generator& generator = *group[0].first;
        f_.scalars.print_appending_call(call->second, generator.outputs[0].name + generator.slots,
                                        schedule_.blocks[inner].parent);
        return true;
    }
    if (count_whole(each, group)) return true;
    const BlockId block = g_.blocks(each)[0];
    const NodeId emission = g_.results(block)[0], index = g_.params(block)[0];
    const ScheduledBlock& scheduled = schedule_.blocks[inner];
    if (g_.is_param(emission) || module_.shapes[g_.op(emission).index] != OpKind::Emit ||
        scheduled.nodes.size() != g_.operands(emission).size() || code_.waits(inner))
        return false;
    std::vector<Binding> arrays;
    for (NodeId value : g_.operands(emission)) {
        if (g_.is_param(value) || g_.is_literal(value) || g_.core(value) != Core::None ||
            module_.shapes[g_.op(value).index] != OpKind::At || g_.operands(value).size() != 2 ||
            g_.operand(value, 1) != index || !types_.is_scalar(g_.type(value)) ||
            g_.depends_on_number(g_.operand(value, 0), g_.param_number(index)) ||
            !rows_.is_whole(g_.operand(each, 0), g_.operand(value, 0)) ||
            (at_.lane_blocks != nullptr &&
             at_.lane_blocks->arrays.contains(g_.operand(value, 0)))) // it lies lane by lane
            return false;
        arrays.push_back(binding(g_.operand(value, 0)));
        if (arrays.back().form == Form::Rows || module_.types.rank(arrays.back().type) != 1) return false;
    }
    for (const auto& [generator, fed] : group)
        if (generator->shape != OpKind::Collect || generator->outputs.empty() ||
            (!generator->index.empty() && generator->count.empty()) || at_.kernel != nullptr)
            return false;
    for (const auto& [generator, fed] : group) {
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            const std::string place = generator->outputs[k].name + generator->slots, &array = arrays[k].text.text;
            if (generator->laid)
                out_.line(generator->outputs[k].name + ".append(" + row_of_group(*generator) + ", " + array + ");");
            else
                out_.line(generator->count.empty()
                              ? place + ".append(" + array + ");"
                              : "std::ranges::copy(" + array + ", " + place + " + " + generator->count + ");");
        }
        if (!generator->count.empty()) out_.line(generator->count + " += std::ssize(" + arrays[0].text.text + ");");
    }
    return true;
}

void EmissionPrinter::walk(Region region, std::span<const std::pair<Generator*, NodeId>> list) {
    for (FedTogether& pass : code_.feeding_order(list, true)) {
        if (!pass.values.empty()) walk_emits(region, pass.values);
        for (auto& [shape, by, group] : pass.groups) {
            if (shape == OpKind::When)
                walk_guarded(region, by, group);
            else if (shape == OpKind::Each)
                walk_each(region, group);
            else
                walk_bind(region, by, group);
        }
    }
}

void EmissionPrinter::walk_emits(Region region, EmissionsOf& group) {
    std::vector<std::pair<Generator*, std::vector<Binding>>> keyed;
    for (auto [generator, emission] : group) {
        if (generator->shape == OpKind::Collect && generator->outputs.empty()) { // only counted
            out_.line("++" + generator->count + ";");
            continue;
        }
        std::vector<Binding> values;
        const auto bound = env_.emitted.find(emission);
        if (g_.is_param(emission) && bound != env_.emitted.end())
            values = bound->second;
        else
            for (NodeId operand : g_.operands(emission)) {
                const bool left =
                    is_keyed(*generator) && at_.only != nullptr && !at_.only->contains(operand); // nothing asks for it
                values.push_back(left ? Binding{} : binding(operand));
                values.back().owned = values.back().owned && uses_.may_move(operand, region, UINT32_MAX);
            }
        if (is_keyed(*generator))
            keyed.emplace_back(generator, std::move(values));
        else
            step(region, *generator, std::move(values));
    }
    while (!keyed.empty()) {
        const std::string& keys = keyed[0].first->state[0].name;
        auto rest = std::stable_partition(keyed.begin(), keyed.end(),
                                          [&](const auto& entry) { return entry.first->state[0].name == keys; });
        std::vector<std::pair<Generator*, std::vector<Binding>>> together(keyed.begin(), rest);
        keyed.erase(keyed.begin(), rest);
        step_bucket(region, together[0].second[0], together);
    }
}

void EmissionPrinter::walk_guarded(Region region, NodeId condition, EmissionsOf& group) {
    if (print_selected(region, condition, group) || print_kept(region, condition, group)) return;
    const Region inner = code_.guarded_by(condition, region);
    const Scope scope(env_, ranges_);
    if (state_.found == condition) { // at this index it holds
        if (inner != region) print_region(inner, group);
        return walk(inner, group);
    }
    out_.open("if (" + text(condition).text + ") {");
    ranges_.enter(Condition{condition, true});
    if (inner != region) print_region(inner, group);
    walk(inner, group);
    ranges_.leave_condition();
    out_.close();
}

// Prints the nodes of the region. Calls whose results are only appended stand where that is done.
void EmissionPrinter::print_region(Region region, const EmissionsOf& list) {
    std::vector<NodeId> later;
    for (const auto& [generator, emission] : list)
        for (const AppendedCall& found : appended_calls(region, *generator, emission)) {
            state_.appended[found.each] = found.call;
            for (NodeId node : {found.call, found.length})
                if (at_.hoisted.insert(node).second) later.push_back(node);
        }
    f_.print_nodes(region);
    for (NodeId node : later) at_.hoisted.erase(node);
}

std::vector<AppendedCall> EmissionPrinter::appended_calls(Region region, const Generator& generator, NodeId emission) {
    const bool grows = generator.shape == OpKind::Collect && generator.outputs.size() == 1 &&
                       generator.through.empty() && generator.index.empty() && generator.count.empty() &&
                       !generator.laid && !generator.outputs[0].unread;
    if (!grows || at_.kernel != nullptr || at_.only != nullptr || at_.lane_blocks != nullptr || module_.options.cuda ||
        module_.types.rank(generator.outputs[0].type) != 1)
        return {};
    return find_appended_calls(module_, schedule_, uses_, g_, region, code_.atoms(emission));
}

// True if the generator appends one value at each index of an inner loop with this emission: room is made for all of them at once.
bool EmissionPrinter::appends_run(const Generator& generator, NodeId emission) const {
    const bool one = !g_.is_param(emission) && module_.shapes[g_.op(emission).index] == OpKind::Emit;
    const bool plain = generator.shape == OpKind::Collect && generator.through.empty() && generator.running.empty() &&
                       generator.index.empty() && generator.count.empty() && !generator.laid;
    return one && plain && at_.kernel == nullptr && !module_.options.cuda && !generator.outputs.empty() &&
           std::ranges::all_of(generator.outputs, [&](const Cell& cell) {
               return !cell.unread && cell.element.empty() && module_.types.rank(cell.type) == 1 &&
                      types_.is_scalar(types_.element(cell.type));
           });
}

// The generator with that room: `element` of an output is where its run begins.
Generator EmissionPrinter::grown(const Generator& generator, const std::string& n) {
    Generator run = generator;
    for (Cell& cell : run.outputs) {
        cell.element = out_.fresh(cell.name + "_run");
        out_.line(value_type(types_.element(cell.type)) + "* const " + cell.element + " = " + cell.name +
                  generator.slots + ".grow(" + n + ");");
    }
    return run;
}

// Elements of an inner loop that pass a test, appended: lanes find the indices of those that do.
bool EmissionPrinter::append_found(NodeId each, Region inner, const EmissionsOf& group) {
    if (at_.kernel != nullptr || at_.lane_blocks != nullptr || at_.lanes || at_.puts_by) return false;
    std::vector<Generator> list;
    for (const auto& [generator, emission] : group) {
        const bool grows = generator->shape == OpKind::Collect && generator->through.empty() &&
                           generator->running.empty() && generator->index.empty() && generator->count.empty();
        if (!grows) return false;
        list.push_back(*generator);
        list.back().emission = g_.results(g_.blocks(each)[0])[0];
        list.back().home = inner;
    }
    ScheduledNode loop{.node = each};
    loop.blocks.push_back(inner);
    std::optional<FissionPlan> plan = planner_.finds_in_each(loop, list);
    if (!plan) return false;
    const Binding extent = as_variable({text(g_.operand(each, 0)), types_.i64()}, "n");
    f_.loops.note_plan("elements that pass a test: found in vector lanes, then appended");
    f_.blocks.print_apart(loop, *plan, "0", extent.text.text);
    return true;
}

// Inner loops over one range are one loop: what several of their blocks compute is computed once.
void EmissionPrinter::walk_each(Region region, EmissionsOf& group) {
    struct Body {
        NodeId each;
        Region inner;
        EmissionsOf group;
    };
    std::vector<Body> bodies;
    for (const auto& [generator, each] : group) {
        auto found = std::ranges::find(bodies, each, &Body::each);
        if (found == bodies.end())
            found = bodies.insert(found, {each, uses_.nested_region(region, g_.blocks(each)[0]), {}});
        if (found->inner == UINT32_MAX) return error(each, "a block has not been scheduled");
        found->group.emplace_back(generator, each);
    }
    std::erase_if(bodies, [&](const Body& body) { return append_whole(body.each, body.inner, body.group); });
    if (bodies.empty()) return;
    if (bodies.size() == 1 && append_found(bodies[0].each, bodies[0].inner, bodies[0].group)) return;
    const Binding extent = as_variable({text(g_.operand(bodies[0].each, 0)), types_.i64()}, "n");
    std::list<Generator> runs;
    for (Body& body : bodies)
        for (auto& [generator, each] : body.group)
            if (appends_run(*generator, g_.results(g_.blocks(each)[0])[0]))
                generator = &runs.emplace_back(grown(*generator, extent.text.text));
    out_.open_names();
    const BlockId block = g_.blocks(bodies[0].each)[0];
    const std::string index = index_of(block, "j");
    bool lanes = at_.kernel == nullptr && !module_.options.cuda && at_.lane_blocks == nullptr && !at_.lanes;
    for (const Body& body : bodies)
        for (const auto& [generator, each] : body.group)
            lanes = lanes && code_.fills_bins_in_lanes(*generator, body.inner);
    if (lanes) {
        out_.line("#pragma omp simd");
        f_.loops.note_plan("the bins of histograms, each once: in vector lanes");
    }
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < " + extent.text.text + "; ++" + index + ") {");
    for (Generator& run : runs)
        for (Cell& cell : run.outputs) cell.element += "[" + index + "]";
    const Scope scope(env_, ranges_);
    for (const Body& body : bodies) {
        const NodeId param = g_.params(g_.blocks(body.each)[0])[0], end = g_.operand(body.each, 0);
        define(param, {{index}, types_.i64(), Form::Value, false, end});
        ranges_.enter(Range{param, end, 0, 0});
    }
    const bool outer = std::exchange(at_.lanes, at_.lanes || lanes);
    std::vector<Region> regions;
    for (const Body& body : bodies) regions.push_back(body.inner);
    const std::vector<std::vector<TwinNodes>> twins = twin_nodes(g_, schedule_, regions);
    for (const std::vector<TwinNodes>& of_region : twins)
        for (const TwinNodes& twin : of_region) state_.shared_by_twins.insert(twin.first);
    for (Body& body : bodies)
        for (auto& [generator, emission] : body.group) emission = g_.results(g_.blocks(body.each)[0])[0];
    for (std::size_t k = 0; k < regions.size(); ++k) print_nodes_but(regions[k], bodies[k].group, twins[k]);
    for (Body& body : bodies) walk(body.inner, body.group);
    for (std::size_t k = 0; k < bodies.size(); ++k) ranges_.leave();
    at_.lanes = outer;
    out_.close();
    out_.close_names();
}

// The twins stand for what earlier regions have computed; what only they need is not computed.
void EmissionPrinter::print_nodes_but(Region region, const EmissionsOf& list, std::span<const TwinNodes> twins) {
    std::unordered_set<NodeId> known;
    for (const TwinNodes& twin : twins) {
        if (const std::vector<Binding>* results = env_.find_results(twin.first)) {
            if (twin.node != twin.first) define(twin.node, std::vector(*results));
        } else if (env_.contains(twin.first)) {
            define(twin.node, binding(twin.first));
        } else {
            continue; // it is not computed in this part of the loop
        }
        known.insert(twin.node);
    }
    std::vector<NodeId> left_out(known.begin(), known.end());
    if (!known.empty()) {
        const std::vector<NodeId> unread = needed_by_twins_alone(g_, schedule_.blocks[region], known);
        left_out.insert(left_out.end(), unread.begin(), unread.end());
    }
    std::erase_if(left_out, [&](NodeId node) { return !at_.hoisted.insert(node).second; });
    print_region(region, list);
    for (NodeId node : left_out) at_.hoisted.erase(node);
}

// In a bucket's block alone: everywhere else rules have moved it away.
void EmissionPrinter::walk_bind(Region region, NodeId bind, EmissionsOf& group) {
    const auto bound = env_.emitted.find(g_.operand(bind, 0));
    const BlockId block = g_.blocks(bind)[0];
    const Region inner = uses_.nested_region(region, block);
    if (bound == env_.emitted.end() || inner == UINT32_MAX) return error(bind, "this 'bind' has no place in C++");
    const std::vector<NodeId> params(g_.params(block).begin(), g_.params(block).end());
    const Scope scope(env_, ranges_);
    for (std::size_t k = 0; k < params.size(); ++k) {
        const UseAnalysis::Use* use = uses_.find(params[k], inner);
        const bool variable = use != nullptr && use->count > 1;
        define(params[k], variable ? as_variable(bound->second[k], "v") : bound->second[k]);
    }
    f_.print_nodes(inner);
    for (auto& [generator, emission] : group) emission = g_.results(block)[0];
    walk(inner, group);
}

} // namespace irrewrite::printers
