// Places of what loops make: rows of arrays that are there already, and arrays that change places.
//
// A loop that carries an array and replaces it by one that an inner loop makes: two arrays change places, and no step asks for
// memory. The one that was replaced is spare until the next step overwrites it.
#include "printers/cpp/cpp_function.hpp"

#include "printers/plan/slices.hpp"

#include <utility>

namespace irrewrite::printers {

// The array that a `for` within the step changes in place, if nothing else reads it.
NodeId ArrayPrinter::made_before_updates(NodeId value) const {
    while (uses_.reads(value) == 1) {
        const NodeId loop = g_.is_project(value) ? g_.operand(value, 0) : value;
        if (kind_of(module_.shapes, g_, loop) != OpKind::For) break;
        value = g_.operand(loop, 1 + (g_.is_project(value) ? g_.position(value) : 0));
    }
    return value;
}

// Of the values that a step computes in this region, those that become what is carried.
void ArrayPrinter::declare_spares(Region region, std::span<const NodeId> values, std::span<const TypeId> types) {
    for (std::size_t k = 0; k < values.size() && !module_.options.cuda; ++k) {
        const NodeId made = made_before_updates(values[k]);
        const ScheduledNode* loop = rows_.find_row_loop(region, made);
        if (loop == nullptr || find_slice(module_, g_, loop->node)) continue;
        TypeId element = types[k];
        while (types_.kind(element) == TypeKind::Array) element = types_.element(element);
        if (!types_.is_scalar(element) || value_type(types[k]) != value_type(g_.type(made)) ||
            module_.types.holds_array(types_.element(types[k])) != (module_.types.rank(types[k]) > 1))
            continue;
        const std::string name = out_.fresh("spare");
        out_.line(value_type(types[k]) + " " + name + ";");
        state_.spares[values[k]] = state_.spares[made] = name;
        const std::string where = line_number(loop->node);
        module_.notes.push_back(
            {function_.name, "the loop of line " + where + ": overwrites the array that the step before has replaced"});
    }
}

// A fold whose accumulator is not updated in place.
void ArrayPrinter::declare_spares(const Generator& fold) {
    const Region inner = uses_.nested_region(fold.home, fold.block);
    if (fold.shape != OpKind::Fold || !fold.slots.empty() || inner == UINT32_MAX) return;
    const std::span<const NodeId> results = g_.results(fold.block);
    std::vector<TypeId> types;
    for (const Cell& cell : fold.state) types.push_back(cell.type);
    {
        const Scope scope(env_, ranges_);
        const NodeId param = g_.params(fold.block)[0];
        define(param, {{fold.state[0].name}, types[0], Form::Value, !types_.is_scalar(types[0])});
        if (results.size() == 1 && rows_.is_made_over(inner, param, results[0])) return;
    }
    declare_spares(inner, results, types);
}

void ArrayPrinter::drop_spares(std::span<const NodeId> values) {
    for (NodeId value : values)
        if (const auto found = state_.spares.find(value); found != state_.spares.end()) {
            const std::string name = found->second;
            out_.line(name + " = {};");
            std::erase_if(state_.spares, [&](const auto& spare) { return spare.second == name; });
        }
}

// Results that are rows of an array that is there already, and of inner loops those that nobody reads.
void ArrayPrinter::use_places(const ScheduledNode& loop, std::vector<Generator>& list) {
    std::size_t first = 0;
    for (Generator& generator : list) {
        for (std::size_t k = 0; k < generator.outputs.size(); ++k) {
            const NodeId value =
                g_.kind(loop.node) == TypeKind::Results ? uses_.find_projection(loop.node, first + k) : loop.node;
            const auto found = state_.row_places.find(value);
            if (found != state_.row_places.end()) {
                generator.outputs[k].place = found->second.text;
                generator.outputs[k].pointer = found->second.pointer;
                state_.row_places.erase(found);
            } else if (const auto spare = state_.spares.find(value); spare != state_.spares.end()) {
                std::string& init = generator.outputs[k].init; // `array<T>(n)`
                if (!generator.index.empty() && !init.empty())
                    init = "remade(std::move(" + spare->second + "), " + init.substr(init.find('(') + 1);
            } else if (at_.kernel != nullptr) {
                generator.outputs[k].place = f_.device().place_kept(loop, first + k, generator.outputs[k].type),
                generator.outputs[k].kept = true;
            }
        }
        for (std::size_t k = 0; k < generator.outputs.size() && at_.hot > 0 && !generator.index.empty(); ++k) {
            const NodeId value =
                g_.kind(loop.node) == TypeKind::Results ? uses_.find_projection(loop.node, first + k) : loop.node;
            if (at_.kernel != nullptr || (value && uses_.reads(value) > 0)) continue;
            generator.outputs[k].unread = true, generator.outputs[k].init.clear();
            if (k < generator.state.size()) generator.state[k].unread = true;
        }
        first += code_.results_of(generator);
    }
}

void ArrayPrinter::place_row(Region region, NodeId value, const Cell& cell, const std::string& index) {
    const TypeId row = g_.type(value);
    if (module_.types.rank(cell.type) != module_.types.rank(row) + 1) return;
    if (rows_.find_row_loop(region, value, at_.kernel != nullptr) == nullptr) return;
    const bool only_made = uses_.reads(value) == 1;
    state_.row_places[value] = {cell.name + (only_made ? ".row(" + index + ")" : "[" + index + "]"),
                                only_made && module_.types.rank(row) == 1};
}

// Makes a loop's collected values in place if they are rows that an inner loop makes.
void ArrayPrinter::place_rows(Region region, std::span<const Generator> generators) {
    for (const Generator& generator : generators) {
        if (generator.shape != OpKind::Collect || generator.index.empty() || !generator.slots.empty() ||
            g_.is_param(generator.emission) || module_.shapes[g_.op(generator.emission).index] != OpKind::Emit)
            continue;
        for (std::size_t k = 0; k < generator.outputs.size(); ++k)
            if (module_.types.rank(generator.outputs[k].type) > 1)
                place_row(region, g_.operand(generator.emission, k), generator.outputs[k], generator.index);
    }
}

} // namespace irrewrite::printers
