// Feeding generators in emitted C++: their emissions are walked together, so that what stands under
// one condition stands in one `if`, and values with one key look it up once.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

// True if what arrives is a key, and values.
bool is_keyed(const Generator& generator) { return generator.shape == OpKind::Bucket && generator.through.empty(); }

} // namespace

// In order, without `both` and `none`.
std::vector<NodeId> CppFunction::atoms(NodeId emission) const {
    std::vector<NodeId> list, stack{emission};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        const OpKind shape = g_.is_param(node) ? OpKind::Emit : module_.shapes[g_.op(node).index];
        if (shape == OpKind::Both) {
            stack.push_back(g_.operand(node, 1));
            stack.push_back(g_.operand(node, 0));
        } else if (shape != OpKind::None) {
            list.push_back(node);
        }
    }
    return list;
}

// Each pass feeds every generator with the next of its atoms.
void CppFunction::walk(Region region, std::span<const std::pair<Generator*, NodeId>> list) {
    std::vector<Feed> feeds;
    for (auto [generator, emission] : list) feeds.push_back({generator, atoms(emission)});
    for (bool more = true; more;) {
        more = false;
        EmissionsOf emits;
        // Atoms that are fed together: by condition, by the extent of an inner loop, or by the node with a block.
        std::vector<std::pair<std::pair<OpKind, NodeId>, EmissionsOf>> groups;
        for (Feed& feed : feeds) {
            if (feed.next == feed.atoms.size()) continue;
            more = true;
            const NodeId atom = feed.atoms[feed.next++];
            const OpKind shape = g_.is_param(atom) ? OpKind::Emit : module_.shapes[g_.op(atom).index];
            if (shape == OpKind::Emit) {
                emits.emplace_back(feed.generator, atom);
                continue;
            }
            const bool by_operand = shape == OpKind::When || shape == OpKind::Each; // the condition, or the extent
            const NodeId together = by_operand ? g_.operand(atom, 0) : atom;
            auto found = std::find_if(groups.begin(), groups.end(),
                                      [&](const auto& group) { return group.first == std::pair(shape, together); });
            if (found == groups.end()) found = groups.insert(found, {{shape, together}, {}});
            found->second.emplace_back(feed.generator, shape == OpKind::When ? g_.operand(atom, 1) : atom);
        }
        if (!emits.empty()) walk_emits(region, emits);
        for (auto& [together, group] : groups) {
            if (together.first == OpKind::When)
                walk_guarded(region, together.second, group);
            else if (together.first == OpKind::Each)
                walk_each(region, group);
            else
                walk_bind(region, together.second, group);
        }
    }
}

void CppFunction::walk_emits(Region region, EmissionsOf& group) {
    std::vector<std::pair<Generator*, std::vector<Binding>>> keyed;
    for (auto [generator, emission] : group) {
        if (generator->shape == OpKind::Collect && generator->outputs.empty()) { // only counted
            out_.line("++" + generator->count + ";");
            continue;
        }
        std::vector<Binding> values;
        const auto bound = emitted_.find(emission);
        if (g_.is_param(emission) && bound != emitted_.end())
            values = bound->second;
        else
            for (NodeId operand : g_.operands(emission)) {
                const bool left =
                    is_keyed(*generator) && only_ != nullptr && !only_->contains(operand); // nothing asks for it
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

void CppFunction::walk_guarded(Region region, NodeId condition, EmissionsOf& group) {
    if (print_selected(region, condition, group) || print_kept(region, condition, group)) return;
    const Region inner = guarded_by(condition, region);
    out_.open("if (" + text(condition).text + ") {");
    const Scope scope(*this);
    ranges_.enter(Condition{condition, true});
    if (inner != region) print_nodes(inner);
    walk(inner, group);
    ranges_.leave_condition();
    out_.close();
}

// Inner loops over one range are one loop: what several of their blocks compute is computed once.
void CppFunction::walk_each(Region region, EmissionsOf& group) {
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
    const Binding extent = as_variable({text(g_.operand(bodies[0].each, 0)), types_.i64()}, "n");
    out_.open_names();
    const BlockId block = g_.blocks(bodies[0].each)[0];
    const SymbolId wanted = g_.param_names(block).empty() ? SymbolId{} : g_.param_names(block)[0];
    const std::string index = out_.fresh(wanted ? module_.context.symbols[wanted] : "j");
    out_.open("for (std::int64_t " + index + " = 0; " + index + " < " + extent.text.text + "; ++" + index + ") {");
    const Scope scope(*this);
    for (const Body& body : bodies) {
        const NodeId param = g_.params(g_.blocks(body.each)[0])[0], end = g_.operand(body.each, 0);
        define(param, {{index}, types_.i64(), Form::Value, false, end});
        ranges_.enter(Range{param, end, 0, 0});
    }
    std::vector<Region> regions;
    for (const Body& body : bodies) regions.push_back(body.inner);
    const std::vector<std::vector<TwinNodes>> twins = twin_nodes(g_, schedule_, regions);
    for (const std::vector<TwinNodes>& of_region : twins)
        for (const TwinNodes& twin : of_region) shared_by_twins_.insert(twin.first);
    for (std::size_t k = 0; k < regions.size(); ++k) print_nodes_but(regions[k], twins[k]);
    for (Body& body : bodies) {
        for (auto& [generator, emission] : body.group) emission = g_.results(g_.blocks(body.each)[0])[0];
        walk(body.inner, body.group);
    }
    for (std::size_t k = 0; k < bodies.size(); ++k) ranges_.leave();
    out_.close();
    out_.close_names();
}

// The twins stand for what earlier regions have computed; what only they need is not computed.
void CppFunction::print_nodes_but(Region region, std::span<const TwinNodes> twins) {
    std::unordered_set<NodeId> known;
    for (const TwinNodes& twin : twins) {
        if (const auto results = results_.find(twin.first); results != results_.end()) {
            if (twin.node != twin.first) define(twin.node, std::vector(results->second));
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
    std::erase_if(left_out, [&](NodeId node) { return !hoisted_.insert(node).second; });
    print_nodes(region);
    for (NodeId node : left_out) hoisted_.erase(node);
}

// In a bucket's block alone: everywhere else rules have moved it away.
void CppFunction::walk_bind(Region region, NodeId bind, EmissionsOf& group) {
    const auto bound = emitted_.find(g_.operand(bind, 0));
    const BlockId block = g_.blocks(bind)[0];
    const Region inner = uses_.nested_region(region, block);
    if (bound == emitted_.end() || inner == UINT32_MAX) return error(bind, "this 'bind' has no place in C++");
    const std::vector<NodeId> params(g_.params(block).begin(), g_.params(block).end());
    const Scope scope(*this);
    for (std::size_t k = 0; k < params.size(); ++k) {
        const UseAnalysis::Use* use = uses_.find(params[k], inner);
        const bool variable = use != nullptr && use->count > 1;
        define(params[k], variable ? as_variable(bound->second[k], "v") : bound->second[k]);
    }
    print_nodes(inner);
    for (auto& [generator, emission] : group) emission = g_.results(block)[0];
    walk(inner, group);
}

void CppFunction::push(const Generator& generator, const Cell& cell, const Binding& value, bool movable) {
    const std::string place = cell.name + generator.slots;
    const bool exact = !generator.index.empty();
    const std::size_t rank = module_.types.rank(cell.type);
    if (value.in_place || cell.unread) return;
    if (rank > 1) {
        const std::string row = value.text.text;
        const bool fits = value.form != Form::Rows && module_.types.rank(value.type) + 1 == rank;
        const std::string text = fits ? row : stored(value, types_.element(cell.type), false, generator.node);
        return out_.line(exact ? generator.before + place + ".set_row(" + generator.index + ", " + text + ");"
                               : place + ".push_back(" + text + ");");
    }
    const std::string text = stored(value, types_.element(cell.type), movable, generator.node);
    if (!cell.element.empty()) return out_.line(cell.element + " = " + text + ";");
    out_.line(exact ? generator.before + place + "[" + generator.index + "] = " + text + ";"
                    : place + ".push_back(" + text + ");");
}

// The histogram bin of a key, or the spare one; a variable that all histograms of that number of bins share.
std::string CppFunction::spare_bin(Region region, const std::string& key, const std::string& size) {
    std::string& bin = spare_bins_[{region, key, size}];
    if (!bin.empty()) return bin;
    bin = out_.fresh("bin");
    undo_.push_back({.node = {}, .value = {}, .results = {}, .several = false, .bin = BinKey{region, key, size}});
    out_.line("const std::int64_t " + bin + " = is_within(" + key + ", " + size + ") ? " + key + " : " + size + ";");
    return bin;
}

// One emission arrives at a `feed`, or in a group at a `gen.running`, around a generator: what it makes of it goes on
// from there.
void CppFunction::step_through(Region region, const Generator& generator, std::vector<Binding> values) {
    const NodeId around = generator.through[0];
    const BlockId block = g_.blocks(around).back();
    const Region inner = uses_.nested_region(region, block);
    if (inner == UINT32_MAX) return error(around, "a block has not been scheduled");
    Generator fed = generator;
    fed.through.erase(fed.through.begin());
    fed.emission = g_.operands(fed.through.empty() ? fed.node : fed.through[0]).back();
    if (module_.shapes[g_.op(around).index] == OpKind::Running) {
        Generator runs{};
        runs.shape = OpKind::Running, runs.node = around, runs.block = g_.blocks(around)[0];
        combine(region, runs, fed.running[0], fed.slots, values);
        values.clear();
        for (const Cell& cell : fed.running[0]) values.push_back({{cell.name + fed.slots}, cell.type});
        fed.running.erase(fed.running.begin());
    }
    const Scope scope(*this);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k].owned = false;
        define(g_.params(block)[k], std::move(values[k]));
    }
    print_nodes(inner);
    const std::pair<Generator*, NodeId> feed{&fed, fed.emission};
    walk(inner, std::span(&feed, 1));
}

// One emission arrives at a generator.
void CppFunction::step(Region region, Generator& generator, std::vector<Binding> values) {
    if (!generator.through.empty()) return step_through(region, generator, std::move(values));
    if (on_device_ != nullptr && on_device_->gives_value(generator)) return give(generator, values);
    switch (generator.shape) {
    case OpKind::Collect:
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            push(generator, generator.outputs[k], values[k], true);
        if (!generator.count.empty()) out_.line("++" + generator.count + ";");
        return;
    case OpKind::Reduce:
    case OpKind::Fold:
        if (!generator.group.empty()) return step_in_group(region, generator, values[0]);
        return combine(region, generator, generator.state, generator.slots, values);
    case OpKind::Scan:
    case OpKind::Running: return step_running(region, generator, values);
    case OpKind::Histogram:
    case OpKind::Scatter: {
        if (on_device_ != nullptr) return step_by_key(region, generator, std::move(values));
        const std::string target = generator.state[0].name + generator.slots;
        const Binding key = as_variable(values[0], "key");
        if (generator.within) {
            values.erase(values.begin());
            return combine(region, generator, generator.state, generator.slots + "[" + key.text.text + "]", values);
        }
        if (generator.spare) {
            const std::string bin = spare_bin(region, key.text.text, generator.extent);
            values.erase(values.begin());
            return combine(region, generator, generator.state, generator.slots + "[" + bin + "]", values);
        }
        out_.open("if (is_within(" + key.text.text + ", " +
                  (generator.extent.empty() ? "std::ssize(" + target + ")" : generator.extent) + ")) {");
        values.erase(values.begin());
        const std::string slots = generator.slots + "[" + key.text.text + "]";
        if (generator.shape == OpKind::Histogram) {
            combine(region, generator, generator.state, slots, values);
        } else {
            Generator place = generator;
            place.index = key.text.text;
            push(place, generator.state[0], values[0], false);
        }
        return out_.close();
    }
    case OpKind::First:
        out_.open("if (!" + generator.state[0].name + generator.slots + ") {");
        out_.line(generator.state[0].name + generator.slots + " = true;");
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            out_.line(generator.outputs[k].name + generator.slots + " = " +
                      stored(values[k], generator.outputs[k].type, true, generator.node) + ";");
        return out_.close();
    default: error(generator.node, "this generator has no text for C++");
    }
}

// True if an array is replaced by one that a loop makes of its elements, each of the one at the same index.
bool CppFunction::is_made_over(Region region, NodeId old, NodeId made) const {
    if (module_.options.cuda || g_.kind(made) != TypeKind::Array || module_.types.rank(g_.type(old)) != 1) return false;
    const ScheduledNode* loop = find_row_loop(region, made);
    if (loop == nullptr || g_.is_project(made) || value_type(g_.type(old)) != value_type(g_.type(made))) return false;
    const NodeId extent = g_.operand(loop->node, 0);
    const bool whole = is_whole(extent, old) && ranges_.is_length(extent, old, g_.type(old), 0);
    return whole && reads_at_index(old, *loop);
}

// cells[slots] = cells[slots] ⊕ values
void CppFunction::combine(Region region, const Generator& generator, std::span<const Cell> cells,
                          std::string_view slots, const std::vector<Binding>& values) {
    if (!generator.least.empty()) return step_extreme(generator, values[0]);
    const Region inner = uses_.nested_region(region, generator.block);
    if (inner == UINT32_MAX) return error(generator.node, "an operator has not been scheduled");
    const std::vector<NodeId> params(g_.params(generator.block).begin(), g_.params(generator.block).end());
    const Scope scope(*this);
    std::vector<std::string> targets;
    std::vector<TypeId> types;
    const bool bins = generator.shape == OpKind::Histogram;
    bool rows = false;
    for (std::size_t k = 0; k < cells.size(); ++k) {
        targets.push_back(cells[k].name + std::string(slots));
        types.push_back(bins ? types_.element(cells[k].type) : cells[k].type);
        rows = rows || (bins && module_.types.rank(cells[k].type) > 1);
        define(params[k],
               {{targets[k]}, types[k], rows ? Form::View : Form::Value, !rows && !types_.is_scalar(types[k])});
    }
    const bool gathered = out_.puts_by() && lane_reduction(generator);
    for (std::size_t k = 0; k < values.size(); ++k) {
        const NodeId param = params[cells.size() + k];
        const UseAnalysis::Use* use = uses_.find(param, inner);
        const bool variable = use != nullptr && use->count > 1;
        Binding value = variable ? as_variable(values[k], "v") : gathered ? before_sums(values[k]) : values[k];
        value.owned = false;
        define(param, value);
    }
    const std::vector<NodeId> results(g_.results(generator.block).begin(), g_.results(generator.block).end());
    if (!rows) {
        const std::size_t begin = out_.size();
        const bool over = cells.size() == 1 && slots.empty() && is_made_over(inner, params[0], results[0]);
        if (over) row_places_[results[0]] = cells[0].name + ".data()";
        print_nodes(inner);
        if (over && binding(results[0]).in_place) return;
        assign(targets, types, results, inner);
        return gathered ? out_.put_by_since(begin) : void();
    }
    const std::string bin(slots.substr(slots.rfind('[') + 1, slots.size() - slots.rfind('[') - 2));
    // The one row of a histogram bin is made over the old one.
    if (cells.size() == 1 && g_.kind(results[0]) == TypeKind::Array)
        if (const ScheduledNode* loop = find_row_loop(inner, results[0]))
            if (reads_at_index(params[0], *loop)) place_row(inner, results[0], cells[0], bin);
    print_nodes(inner);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Binding row = binding(results[k]);
        if (!row.in_place) out_.line(cells[k].name + ".set_row(" + bin + ", " + row.text.text + ");");
    }
}

// A key seen for the first time gets an entry in what every inner generator makes.
void CppFunction::new_slots(const Generator& generator, const std::string& slots, unsigned extra) {
    auto add = [&](const Cell& cell) {
        std::string type = cell.type_text.empty() ? value_type(cell.type) : cell.type_text;
        for (unsigned k = 0; k < extra; ++k) type = "array<" + type + ">";
        const bool plain = extra == 0 && !cell.init.empty();
        out_.line(cell.name + slots + ".push_back(" + (plain ? cell.init : type + "()") + ");");
    };
    if (!generator.follows)
        for (const Cell& cell : generator.state) add(cell);
    for (const std::vector<Cell>& cells : generator.running)
        for (const Cell& cell : cells) add(cell);
    for (const Cell& cell : generator.outputs) add(cell);
    for (const Generator& inner : generator.inner) new_slots(inner, slots, extra + 1);
}

// True if [0, extent) are all positions of the array.
bool CppFunction::is_whole(NodeId extent, NodeId array) const {
    const Dim dim = types_.dim(g_.type(array));
    if (g_.is_number(extent))
        return dim.kind == DimKind::Constant && g_.bits(extent) == static_cast<std::uint64_t>(dim.value);
    if (g_.is_param(extent) || g_.core(extent) != Core::None)
        return ranges_.is_length(extent, array, g_.type(array), 0);
    return module_.shapes[g_.op(extent).index] == OpKind::Len && g_.operand(extent, 0) == array;
}

} // namespace irrewrite::printers
