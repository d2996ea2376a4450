#include "printers/c/c_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

void CEmissions::walk(Region region, std::span<const std::pair<Generator*, NodeId>> list) {
    for (FedTogether& pass : code_.feeding_order(list, false)) {
        if (!pass.values.empty()) walk_emits(region, pass.values);
        for (auto& [shape, by, group] : pass.groups) {
            if (shape == OpKind::When)
                walk_guarded(region, by, group);
            else if (shape == OpKind::Each)
                walk_each(region, by, group);
            else
                refuse(by, "this 'bind' has no text for C"); // of a value of a group
        }
    }
}

void CEmissions::walk_emits(Region region, EmissionsOf& group) {
    for (auto [generator, emission] : group) {
        std::vector<Binding> values;
        for (NodeId operand : g_.operands(emission)) {
            values.push_back(binding(operand));
            values.back().owned = values.back().owned && uses_.may_move(operand, region, UINT32_MAX);
        }
        step(region, *generator, std::move(values));
    }
}

void CEmissions::walk_guarded(Region region, NodeId condition, EmissionsOf& group) {
    const Region inner = code_.guarded_by(condition, region);
    const Scope scope(env_, ranges_);
    open("if (" + text(condition).text + ") {");
    ranges_.enter(Condition{condition, true});
    if (inner != region) f_.print_nodes(inner);
    walk(inner, group);
    ranges_.leave_condition();
    close();
}

void CEmissions::walk_each(Region region, NodeId each, EmissionsOf& group) {
    const BlockId block = g_.blocks(each)[0];
    const Region inner = uses_.nested_region(region, block);
    if (inner == UINT32_MAX) return refuse(each, "this 'each' has no text for C");
    const NodeId extent = g_.operand(each, 0), param = g_.params(block)[0];
    const Binding n = as_variable({text(extent), types_.i64()}, "n");
    out_.open_names();
    const std::string index = index_of(block, "j");
    open("for (int64_t " + index + " = 0; " + index + " < " + n.text.text + "; ++" + index + ") {");
    {
        const Scope scope(env_, ranges_);
        define(param, {{index}, types_.i64(), Form::Value, false, extent});
        ranges_.enter(Range{param, extent, 0, 0});
        for (auto& [generator, emission] : group) emission = g_.results(block)[0];
        f_.print_nodes(inner);
        walk(inner, group);
        ranges_.leave();
    }
    close();
    out_.close_names();
}

// -- generators ------------------------------------------------------------------------------------

void CEmissions::push(const Generator& generator, const Cell& cell, const Binding& value, bool movable) {
    const TypeId element = types_.element(cell.type);
    const bool exact = !generator.index.empty();
    const std::string type = type_of(cell.type);
    if (module_.types.rank(cell.type) > 1) {
        const Binding row = as_type(as_variable(value, "row"), element, generator.node);
        return out_.line(exact ? type + "_set_row(" + cell.name + ", " + generator.index + ", " + row.text.text + ");"
                               : type + "_push_row(&" + cell.name + ", " + row.text.text + ");");
    }
    const std::string text = stored(value, element, movable, generator.node);
    const std::string to = cell.element.empty() ? cell.name + ".data" : cell.element;
    out_.line(exact ? to + "[" + generator.index + "] = " + text + ";"
                    : type + "_push(&" + cell.name + ", " + text + ");");
}

std::vector<std::string> CEmissions::names(std::span<const Cell> cells) {
    std::vector<std::string> list;
    for (const Cell& cell : cells) list.push_back(cell.name);
    return list;
}

std::vector<TypeId> CEmissions::types(std::span<const Cell> cells) {
    std::vector<TypeId> list;
    for (const Cell& cell : cells) list.push_back(cell.type);
    return list;
}

void CEmissions::step(Region region, Generator& generator, std::vector<Binding> values) {
    if (!generator.through.empty()) return step_through(region, generator, std::move(values));
    switch (generator.shape) {
    case OpKind::Collect:
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            push(generator, generator.outputs[k], values[k], true);
        return;
    case OpKind::Reduce:
    case OpKind::Fold: return combine(region, generator, names(generator.state), types(generator.state), values);
    case OpKind::Scan:
    case OpKind::Running: return step_running(region, generator, values);
    case OpKind::Histogram:
    case OpKind::Scatter: return step_by_key(region, generator, std::move(values));
    case OpKind::First:
        open("if (!" + generator.state[0].name + ") {");
        out_.line(generator.state[0].name + " = true;");
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            set(generator.outputs[k].type, generator.outputs[k].name,
                stored(values[k], generator.outputs[k].type, true, generator.node));
        return close();
    default: refuse(generator.node, "this generator has no text for C");
    }
}

// A `feed` around a generator: it is given what the feed's block makes of the values.
void CEmissions::step_through(Region region, const Generator& generator, std::vector<Binding> values) {
    const NodeId around = generator.through[0];
    const BlockId block = g_.blocks(around).back();
    const Region inner = uses_.nested_region(region, block);
    if (inner == UINT32_MAX || module_.shapes[g_.op(around).index] != OpKind::Feed)
        return refuse(around, "this generator has no text for C");
    Generator fed = generator;
    fed.through.erase(fed.through.begin());
    fed.emission = g_.operands(fed.through.empty() ? fed.node : fed.through[0]).back();
    const Scope scope(env_, ranges_);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k].owned = false;
        define(g_.params(block)[k], std::move(values[k]));
    }
    f_.print_nodes(inner);
    const std::pair<Generator*, NodeId> feed{&fed, fed.emission};
    walk(inner, std::span(&feed, 1));
}

void CEmissions::step_by_key(Region region, const Generator& generator, std::vector<Binding> values) {
    const Binding key = as_variable(values[0], "key");
    values.erase(values.begin());
    const std::string &name = generator.state[0].name, &at = key.text.text;
    if (!generator.within) open("if (ir_is_within(" + at + ", " + name + ".n[0])) {");
    const Region inner = generator.block ? uses_.nested_region(region, generator.block) : 0;
    if (generator.shape == OpKind::Scatter) {
        const TypeId type = generator.state[0].type, element = types_.element(type);
        if (module_.types.rank(type) > 1)
            out_.line(type_of(type) + "_set_row(" + name + ", " + at + ", " +
                      as_type(as_variable(values[0], "row"), element, generator.node).text.text + ");");
        else
            set(element, name + ".data[" + at + "]", stored(values[0], element, false, generator.node));
    } else if (std::ranges::any_of(generator.state,
                                   [&](const Cell& cell) { return module_.types.rank(cell.type) > 1; })) {
        if (inner == UINT32_MAX || generator.state.size() > 1)
            return refuse(generator.node, "these bins have no text for C");
        const std::vector<NodeId> params(g_.params(generator.block).begin(), g_.params(generator.block).end());
        const Scope scope(env_, ranges_);
        const TypeId type = generator.state[0].type, row = types_.element(type);
        const std::string old = out_.fresh("bin");
        out_.line("const " + type_of(row) + " " + old + " = " + type_of(type) + "_row(" + name + ", " + at + ");");
        define(params[0], {{old}, row});
        values[0].owned = false;
        define(params[1], as_variable(values[0], "v"));
        f_.print_nodes(inner);
        const Binding fresh = as_type(as_variable(binding(g_.results(generator.block)[0]), "row"), row, generator.node);
        out_.line(type_of(type) + "_set_row(" + name + ", " + at + ", " + fresh.text.text + ");");
    } else {
        std::vector<std::string> places;
        std::vector<TypeId> elements;
        for (const Cell& cell : generator.state)
            places.push_back(cell.name + ".data[" + at + "]"), elements.push_back(types_.element(cell.type));
        combine(region, generator, places, elements, values);
    }
    if (!generator.within) close();
}

void CEmissions::combine(Region region, const Generator& generator, std::span<const std::string> targets,
                         std::span<const TypeId> types, const std::vector<Binding>& values) {
    const Region inner = uses_.nested_region(region, generator.block);
    if (inner == UINT32_MAX) return refuse(generator.node, "an operator has not been scheduled");
    const std::vector<NodeId> params(g_.params(generator.block).begin(), g_.params(generator.block).end());
    const Scope scope(env_, ranges_);
    for (std::size_t k = 0; k < targets.size(); ++k)
        define(params[k], {{targets[k]}, types[k], Form::Value, module_.types.holds(types[k])});
    for (std::size_t k = 0; k < values.size(); ++k) {
        const NodeId param = params[targets.size() + k];
        const UseAnalysis::Use* use = uses_.find(param, inner);
        Binding value = use != nullptr && use->count > 1 ? as_variable(values[k], "v") : values[k];
        value.owned = false;
        define(param, value);
    }
    f_.print_nodes(inner);
    const std::vector<NodeId> results(g_.results(generator.block).begin(), g_.results(generator.block).end());
    assign(targets, types, results, inner);
}

void CEmissions::step_running(Region region, Generator& generator, const std::vector<Binding>& values) {
    combine(region, generator, names(generator.state), types(generator.state), values);
    if (generator.shape == OpKind::Running) {
        EmissionsOf list;
        for (Generator* fed : generator.feeds) list.emplace_back(fed, fed->emission);
        return step_fed(region, generator, list);
    }
    Generator outputs = generator;
    outputs.shape = OpKind::Collect;
    if (generator.then) {
        const std::pair<Generator*, NodeId> feed{&outputs, g_.results(generator.then)[0]};
        return step_fed(region, generator, std::span(&feed, 1));
    }
    std::vector<Binding> running;
    for (const Cell& cell : generator.state) running.push_back({{cell.name}, cell.type});
    step(region, outputs, std::move(running));
}

// Runs the second block on the present values.
void CEmissions::step_fed(Region region, const Generator& generator,
                          std::span<const std::pair<Generator*, NodeId>> list) {
    const Region inner = uses_.nested_region(region, generator.then);
    const std::vector<NodeId> params(g_.params(generator.then).begin(), g_.params(generator.then).end());
    const Scope scope(env_, ranges_);
    for (std::size_t k = 0; k < params.size(); ++k)
        define(params[k], {{generator.state[k].name}, generator.state[k].type});
    f_.print_nodes(inner);
    walk(inner, list);
}

} // namespace irrewrite::printers
