// The variables of a loop's generators in emitted C++: what they are, where they begin, and the loop's results in the end.
#include "printers/cpp/cpp_function.hpp"

#include "printers/plan/generator_list.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {
namespace {

std::string arrays_of(std::string type, std::size_t depth) {
    for (; depth > 0; --depth) type = "array<" + type + ">";
    return type;
}

} // namespace

void LoopPrinter::plan(Generator& generator, std::vector<std::string> names, std::vector<TypeId> types, bool exact) {
    const NodeId node = generator.node;
    for (NodeId around : generator.through)
        if (module_.shapes[g_.op(around).index] == OpKind::Running) generator.running.push_back(running_cells(around));
    place_elements(generator, g_, types_, exact);
    const auto grow = [&] {
        for (std::size_t k = 0; k < names.size(); ++k) generator.outputs.push_back({names[k], types[k], {}});
    };
    switch (generator.shape) {
    case OpKind::Collect: return grow();
    case OpKind::Scan:
    case OpKind::Running: generator.state = running_cells(node); return grow();
    case OpKind::First:
        grow();
        if (!is_first_of_group(g_, generator))
            generator.state.push_back({out_.fresh("found"), types_.boolean(), "false"});
        return;
    case OpKind::Bucket: {
        const TypeId key = types_.elements(g_.type(g_.operand(node, 0)))[0];
        generator.state.push_back({out_.fresh("groups"),
                                   {},
                                   {},
                                   (code_.is_small_key(key) ? "key_table<" : "key_index<") + value_type(key) + ">"});
        Generator& inner = generator.inner[0];
        if (inner.shape == OpKind::Running) inner.shape = OpKind::Plain; // for the iterations of the loop itself alone
        std::vector<TypeId> inner_types(types_.elements(g_.type(inner.node)).begin(),
                                        types_.elements(g_.type(inner.node)).end());
        return plan(inner, std::move(names), std::move(inner_types), false);
    }
    case OpKind::Histogram: {
        generator.bins = checked_length(generator.seeds[0], node);
        for (std::size_t k = 0; k < names.size(); ++k)
            generator.state.push_back({names[k], types[k], bins_text(generator, k, types[k], generator.bins)});
        return;
    }
    case OpKind::Plain: // it has no text, which is said where it is printed
        for (std::size_t k = 0; k < names.size(); ++k)
            generator.outputs.push_back({names[k], types[k], {}}), generator.state.push_back({names[k], types[k], {}});
        return;
    default:
        for (std::size_t k = 0; k < names.size(); ++k)
            generator.state.push_back(
                {names[k], types[k], stored(binding(generator.seeds[k]), types[k], generator.takes_start, node)});
    }
}

// `n` histogram bins with their start values.
std::string LoopPrinter::bins_text(const Generator& generator, std::size_t k, TypeId type, const std::string& n) {
    const std::string bin = bin_text(generator, k, types_.element(type));
    const bool several = module_.types.rank(type) > 1;
    return value_type(type) + (several ? "::repeat(" : "(") + n + ", " + bin + ")";
}

// The start value of a histogram's bins.
std::string LoopPrinter::bin_text(const Generator& generator, std::size_t k, TypeId element) {
    const NodeId seed = generator.seeds[k + 1];
    return stored(binding(seed), element, false, seed);
}

// True if what the bucket collects is only read, row by row: its results end before this one of the loop.
bool LoopPrinter::rows_are_laid(NodeId loop, const Generator& bucket, std::size_t end) {
    const Generator& inner = bucket.inner[0];
    if (module_.options.cuda || inner.shape != OpKind::Collect || bucket.turned || inner.turned || inner.reversed)
        return false;
    const std::vector<TypeId> types = code_.result_types(loop);
    for (std::size_t k = end - inner.outputs.size(); k < end; ++k) {
        const bool several = g_.kind(loop) == TypeKind::Results;
        const NodeId rows = several ? uses_.find_projection(loop, k) : loop;
        if (!module_.types.is_rows(types[k]) || module_.types.holds_array(module_.types.element(types[k], 2)))
            return false;
        if (!rows || uses_.is_handed_on(rows) || uses_.is_changed(rows)) return false;
    }
    return true;
}

std::vector<Generator> LoopPrinter::generators(const ScheduledNode& loop, Region region, std::uint32_t position) {
    const std::vector<TypeId> types = code_.result_types(loop.node);
    std::vector<Generator> list;
    std::size_t first = 0;
    for (const auto& [made, exact] : find_generators(state_, code_, loop)) {
        Generator& generator = list.emplace_back(made);
        generator.takes_start = generator.shape == OpKind::Scatter && at_.kernel == nullptr &&
                                uses_.may_move(generator.seeds[0], region, position);
        for (Generator* level = &generator; !level->inner.empty();) {
            level = level->inner.data();
            level->within = level->shape == OpKind::Histogram && code_.has_every_bin(*level);
        }
        std::vector<std::string> names;
        std::vector<TypeId> part;
        for (std::size_t k = code_.results_of(generator); k > 0; --k, ++first) {
            names.push_back(result_name(loop.node, first, "t"));
            part.push_back(types[first]);
        }
        plan(generator, std::move(names), std::move(part), exact);
        if (generator.shape == OpKind::Bucket && rows_are_laid(loop.node, generator, first))
            generator.inner[0].laid = true;
    }
    return list;
}

void LoopPrinter::declare_cell(const Cell& cell, std::size_t depth) {
    if (cell.unread && cell.init.empty()) return;
    if (!cell.place.empty()) return out_.line("const auto " + cell.name + " = " + cell.place + ";");
    const std::string type = cell.type_text.empty() ? value_type(cell.type) : cell.type_text;
    std::string text = (cell.unread ? "[[maybe_unused]] " : "") + arrays_of(type, depth) + " " + cell.name;
    if (depth == 0 && cell.init.starts_with(type + "(") && cell.init.ends_with(")"))
        text += cell.init.substr(type.size());
    else if (depth == 0 && !cell.init.empty())
        text += " = " + cell.init;
    out_.line(text + ";");
}

void LoopPrinter::declare(const Generator& generator, std::size_t depth) {
    if (generator.packed) return;
    if (!generator.follows && !generator.numbered)
        for (const Cell& cell : generator.state) declare_cell(cell, depth);
    for (const std::vector<Cell>& cells : generator.running)
        for (const Cell& cell : cells) declare_cell(cell, depth);
    for (const Cell& cell : generator.outputs) declare_cell(cell, depth);
    for (const Generator& inner : generator.inner) {
        if (generator.numbered && inner.shape == OpKind::Collect)
            for (const Cell& cell : inner.outputs)
                out_.line("group_rows<" + value_type(types_.element(cell.type)) + "> " + cell.name + ";");
        else if (inner.laid)
            for (const Cell& cell : inner.outputs)
                out_.line("growing_rows<" + value_type(types_.element(cell.type)) + "> " + cell.name + ";");
        else
            declare(inner, depth + 1);
    }
}

void LoopPrinter::finish(const Generator& generator, std::span<const TypeId> types, NodeId loop,
                         std::vector<Binding>& results) {
    std::size_t depth = 0;
    const Generator* innermost = &generator;
    for (; !innermost->inner.empty(); innermost = &innermost->inner[0]) ++depth;
    if (innermost->shape == OpKind::First && !is_first_of_group(g_, *innermost)) {
        const std::string test = "\"there is no first value\"";
        std::string found = innermost->state[0].name;
        for (std::size_t d = 0; d < depth; ++d) {
            const std::string inner = out_.fresh("found");
            out_.open("for (const auto& " + inner + " : " + found + ") {");
            found = inner;
        }
        out_.line("if (!" + found + ") throw fault(" + line_number(generator.node) + ", " + test + ");");
        for (std::size_t d = 0; d < depth; ++d) out_.close();
    }
    const bool growing =
        innermost->shape == OpKind::Collect || innermost->shape == OpKind::Scan || innermost->shape == OpKind::First;
    const std::vector<Cell>& cells = growing ? innermost->outputs : innermost->state;
    if (!innermost->packed) turn_round(generator, cells, types);
    for (std::size_t k = 0; k < cells.size(); ++k) {
        Binding value{{cells[k].name}, types[k], Form::Value, !types_.is_scalar(types[k])};
        value.in_place = !cells[k].place.empty() && !cells[k].kept;
        if (innermost->packed)
            out_.line(value_type(types[k]) + " " + value.text.text + " = column(" + generator.state[1].name + ", &" +
                      generator.entry + "::" + cells[k].name + ");");
        if (innermost->packed && generator.turned) out_.line("std::ranges::reverse(" + value.text.text + ");");
        if (innermost->laid) {
            out_.line(cells[k].name + ".lay();");
            value = {{cells[k].name}, types[k], Form::Rows};
        } else if (generator.numbered && innermost->shape == OpKind::Collect && module_.types.is_rows(types[k])) {
            value = {{cells[k].name}, types[k], Form::Rows};
            state_.ragged[cells[k].name] = {cells[k].name, value_type(module_.types.element(types[k], 2))};
        } else if (depth > 0 && arrays_of(value_type(cells[k].type), depth) != value_type(types[k])) {
            value.text = {out_.fresh(cells[k].name)};
            out_.line(value_type(types[k]) + " " + value.text.text + " = converted<" + value_type(types[k]) + ">(" +
                      cells[k].name + ", " + line_number(loop) + ");");
        }
        results.push_back(std::move(value));
    }
}

// Of what is reversed, and was made in its order: at the end of the loop, each group's for itself.
void LoopPrinter::turn_round(const Generator& generator, std::span<const Cell> cells, std::span<const TypeId> types) {
    std::size_t depth = 0;
    for (const Generator* level = &generator; level != nullptr;
         level = level->inner.empty() ? nullptr : &level->inner[0]) {
        for (std::size_t k = 0; k < cells.size() && level->turned; ++k) {
            TypeId type = types[k];
            for (std::size_t d = 0; d < depth; ++d) type = types_.element(type);
            if (module_.types.rank(type) != 1)
                error(generator.node, "the reverse of what this generator makes has no text for C++");
            std::string array = cells[k].name;
            for (std::size_t d = 0; d < depth; ++d) {
                const std::string group = out_.fresh("group");
                out_.open("for (auto& " + group + " : " + array + ") {");
                array = group;
            }
            out_.line("std::ranges::reverse(" + array + ");");
            for (std::size_t d = 0; d < depth; ++d) out_.close();
        }
        ++depth;
    }
}

} // namespace irrewrite::printers
