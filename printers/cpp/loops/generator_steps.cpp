// One emission arrives at a generator of emitted C++.
#include "printers/cpp/cpp_function.hpp"

#include <utility>

namespace irrewrite::printers {

void EmissionPrinter::push(const Generator& generator, const Cell& cell, const Binding& value, bool movable) {
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
    if (generator.laid) return out_.line(cell.name + ".push_back(" + row_of_group(generator) + ", " + text + ");");
    out_.line(exact ? generator.before + place + "[" + generator.index + "] = " + text + ";"
                    : place + ".push_back(" + text + ");");
}

// The histogram bin of a key, or the spare one; a variable that all histograms of that number of bins share.
std::string EmissionPrinter::spare_bin(Region region, const std::string& key, const std::string& size) {
    std::string& bin = state_.spare_bins[{region, key, size}];
    if (!bin.empty()) return bin;
    bin = out_.fresh("bin");
    env_.on_leave([this, entry = BinKey{region, key, size}] { state_.spare_bins.erase(entry); });
    out_.line("const std::int64_t " + bin + " = is_within(" + key + ", " + size + ") ? " + key + " : " + size + ";");
    return bin;
}

// One emission arrives at a `feed`, or in a group at a `gen.running`, around a generator: what it makes of it goes on
// from there.
void EmissionPrinter::step_through(Region region, const Generator& generator, std::vector<Binding> values) {
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
    const Scope scope(env_, ranges_);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k].owned = false;
        define(g_.params(block)[k], std::move(values[k]));
    }
    f_.print_nodes(inner);
    const std::pair<Generator*, NodeId> feed{&fed, fed.emission};
    walk(inner, std::span(&feed, 1));
}

// One emission arrives at a generator.
void EmissionPrinter::step(Region region, Generator& generator, std::vector<Binding> values) {
    if (!generator.through.empty()) return step_through(region, generator, std::move(values));
    if (at_.kernel != nullptr && at_.kernel->gives_value(generator)) return f_.device().give(generator, values);
    switch (generator.shape) {
    case OpKind::Collect:
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            push(generator, generator.outputs[k], values[k], true);
        if (!generator.count.empty()) out_.line("++" + generator.count + ";");
        return;
    case OpKind::Reduce:
    case OpKind::Fold:
        if (!generator.group.empty()) return f_.device().step_in_group(region, generator, values[0]);
        return combine(region, generator, generator.state, generator.slots, values);
    case OpKind::Scan:
    case OpKind::Running: return step_running(region, generator, values);
    case OpKind::Histogram:
    case OpKind::Scatter: {
        if (at_.kernel != nullptr) return f_.device().step_by_key(region, generator, std::move(values));
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

// cells[slots] = cells[slots] ⊕ values
void EmissionPrinter::combine(Region region, const Generator& generator, std::span<const Cell> cells,
                              std::string_view slots, const std::vector<Binding>& values) {
    if (!generator.least.empty()) return step_extreme(generator, values[0]);
    const Region inner = uses_.nested_region(region, generator.block);
    if (inner == UINT32_MAX) return error(generator.node, "an operator has not been scheduled");
    const std::vector<NodeId> params(g_.params(generator.block).begin(), g_.params(generator.block).end());
    const Scope scope(env_, ranges_);
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
    const bool gathered = out_.puts_by() && code_.lane_reduction(generator);
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
        const bool over = cells.size() == 1 && slots.empty() && rows_.is_made_over(inner, params[0], results[0]);
        if (over) state_.row_places[results[0]] = {cells[0].name + ".data()", true};
        f_.print_nodes(inner);
        if (over && binding(results[0]).in_place) return;
        assign(targets, types, results, inner);
        return gathered ? out_.put_by_since(begin) : void();
    }
    const std::string bin(slots.substr(slots.rfind('[') + 1, slots.size() - slots.rfind('[') - 2));
    // The one row of a histogram bin is made over the old one.
    if (cells.size() == 1 && g_.kind(results[0]) == TypeKind::Array)
        if (const ScheduledNode* loop = rows_.find_row_loop(inner, results[0]))
            if (rows_.reads_at_index(params[0], *loop)) f_.arrays.place_row(inner, results[0], cells[0], bin);
    f_.print_nodes(inner);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        const Binding row = binding(results[k]);
        if (!row.in_place) out_.line(cells[k].name + ".set_row(" + bin + ", " + row.text.text + ");");
    }
}

// A key seen for the first time gets an entry in what every inner generator makes.
void EmissionPrinter::new_slots(const Generator& generator, const std::string& slots, unsigned extra) {
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
    for (const Cell& cell : generator.outputs) generator.laid ? out_.line(cell.name + ".add_row();") : add(cell);
    for (const Generator& inner : generator.inner) new_slots(inner, slots, extra + 1);
}

void EmissionPrinter::step_running(Region region, Generator& generator, const std::vector<Binding>& values) {
    if (!generator.follows && !generator.made) combine(region, generator, generator.state, generator.slots, values);
    if (generator.shape == OpKind::Running) {
        EmissionsOf list;
        for (Generator* fed : generator.feeds) list.emplace_back(fed, fed->emission);
        return step_fed(region, generator, list);
    }
    Generator outputs = generator;
    outputs.shape = OpKind::Collect;
    if (generator.then) {
        const std::pair<Generator*, NodeId> feed{&outputs, g_.results(generator.then)[0]};
        const bool guarded = !outputs.before.empty(); // before that, the values are not what they will be
        if (guarded) out_.open(outputs.before + "{");
        outputs.before.clear();
        step_fed(region, generator, std::span(&feed, 1));
        return guarded ? out_.close() : void();
    }
    std::vector<Binding> running;
    for (const Cell& cell : generator.state) running.push_back({{cell.name + generator.slots}, cell.type});
    step(region, outputs, std::move(running));
}

// Runs the second block of a `gen.running` on the present values.
void EmissionPrinter::step_fed(Region region, const Generator& generator,
                               std::span<const std::pair<Generator*, NodeId>> list) {
    const Region inner = uses_.nested_region(region, generator.then);
    const std::vector<NodeId> params(g_.params(generator.then).begin(), g_.params(generator.then).end());
    const Scope scope(env_, ranges_);
    for (std::size_t k = 0; k < params.size(); ++k)
        define(params[k], {{generator.state[k].name + generator.slots}, generator.state[k].type});
    f_.print_nodes(inner);
    walk(inner, list);
}

} // namespace irrewrite::printers
