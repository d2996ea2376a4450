// Reading and changing arrays in emitted C++. An index is checked unless it is a loop's own and the
// loop runs over just that length.
#include "printers/cpp/lane_blocks.hpp"

namespace irrewrite::printers {

std::string CppFunction::dimension_text(SymbolId name) {
    for (const Dimension& dimension : function_.dims)
        if (dimension.name == name) return text(dimension.node).text;
    return {};
}

std::string CppFunction::length_text(NodeId array) {
    const Binding value = binding(array);
    return extent_text(value, value.type, 0);
}

// The length of dimension `k` of those that lie in one piece; `type`: the array's behind them.
std::string CppFunction::extent_text(const Binding& array, TypeId type, std::size_t k) {
    const Dim dim = types_.dim(type);
    if (dim.kind == DimKind::Constant) return std::to_string(dim.value);
    if (dim.kind == DimKind::Named) {
        const std::string name = dimension_text({static_cast<std::uint32_t>(dim.value)});
        if (!name.empty()) return name;
    }
    if (k == 0) return "std::ssize(" + array.text.text + ")";
    return parenthesized(array.text, precedence::primary) + ".extent(" + std::to_string(k) + ")";
}

bool CppFunction::is_within(NodeId index, NodeId array, TypeId type, std::size_t level) const {
    if (!g_.is_number(index) && level == 0 && array && assumed_.contains({index, array})) return true;
    if (ranges_.is_index_of(index, array, type, level)) return true;
    return !g_.is_number(index) && on_device_ == nullptr && ranges_.is_in_range(index, array, type, level);
}

IndexText CppFunction::index_text(NodeId index, NodeId array, TypeId type, std::size_t level, const std::string& length,
                                  NodeId node) {
    const bool always = index_condition_.empty();
    const auto if_needed = [&](const std::string& position) {
        return always ? position : index_condition_ + " ? " + position + " : 0";
    };
    const bool atomic = is_atomic(text(index));
    if (is_within(index, array, type, level)) {
        if (g_.is_literal(index)) return {text(index).text, atomic};
        return {if_needed(text(index).text), atomic && always};
    }
    if (on_device_ != nullptr) { // the step ends here
        Text position = text(index);
        if (!always) position = {if_needed(position.text), precedence::ternary};
        const std::string at = as_variable({position, types_.i64()}, "at").text.text;
        const std::string needed = always ? "" : "(" + index_condition_ + ") && ";
        out_.line("if (" + needed + "outside(" + at + ", " + length + ")) " + leave(node, "index"));
        on_device_->faults = true;
        return {at, atomic};
    }
    return {if_needed("checked(" + text(index).text + ", " + length + ", " + line_number(node) + ")"), always};
}

// A row of a matrix whose width is a number or a variable: one that all matrices of that width share, where each knows
// its own.
bool CppFunction::is_row_of_known_width(NodeId at, const Binding& matrix) {
    if (module_.options.cuda || g_.operands(at).size() != 2 || matrix.form == Form::Rows ||
        module_.types.rank(matrix.type) != 2)
        return false;
    return !uses_.is_changed(g_.operand(at, 0)) && is_atomic({extent_text(matrix, types_.element(matrix.type), 1)});
}

// True if the host has an array that kernels may have made: host code must read and change it without moving it.
bool CppFunction::may_be_on_device(const Binding& array) const {
    if (!module_.options.cuda || on_device_ != nullptr || !array.owned || array.form != Form::Value ||
        !module_.types.is_array(array.type))
        return false;
    return !module_.types.holds_array(module_.types.element(array.type, module_.types.rank(array.type)));
}

void CppFunction::print_at(NodeId node, Region region) {
    if (on_device_ != nullptr && on_device_->is_given(node)) return;
    const NodeId array = g_.operand(node, 0);
    if (lane_blocks_ != nullptr && lane_blocks_->arrays.contains(array)) {
        const Text& position = text(g_.operand(node, 1));
        return define_value(
            node, {lane_blocks_->element(array, position.text), precedence::primary, position.depth + 1}, region);
    }
    Binding value = binding(array);
    const std::size_t count = g_.operands(node).size() - 1;
    const auto pointer = pointers().find(array);
    std::size_t level = 0;
    unsigned depth = 0;
    while (level < count) {
        const std::size_t rank = value.form == Form::Rows ? 1 : module_.types.rank(value.type);
        const std::size_t taken = count - level >= rank ? rank : 1;
        std::string base = may_be_on_device(value) ? "std::as_const(" + value.text.text + ")"
                                                   : parenthesized(value.text, precedence::primary),
                    index;
        TypeId type = value.type;
        for (std::size_t k = 0; k < taken; ++k, ++level, type = types_.element(type)) {
            const NodeId position = g_.operand(node, level + 1);
            const std::string length = extent_text(value, type, k);
            const auto [one, simple] = index_text(position, level == k ? array : NodeId{}, type, level, length, node);
            depth = std::max(depth, text(position).depth);
            if (k > 0)
                index = (k > 1 ? "(" + index + ")" : index) + " * " + length + " + " + (simple ? one : "(" + one + ")");
            else
                index = taken > 1 && !simple ? "(" + one + ")" : one;
        }
        const bool flat = taken > 1;
        if (pointer != pointers().end() && level == taken && taken == rank)
            base = pointer->second;
        else if (flat)
            base += ".data()";
        const Form form = value.form == Form::Rows || (rank > 1 && taken < rank) ? Form::View : Form::Value;
        std::string element = base + "[" + index + "]";
        if (pointer != pointers().end() && count == 1 && is_row_of_known_width(node, value))
            element = "row_of(" + pointer->second + ", " + index + ", " + extent_text(value, type, 1) + ")";
        value = {{element, precedence::primary, 0}, type, form};
    }
    value.text.depth = depth + 1;
    if (types_.is_scalar(g_.type(node))) {
        if (uses_.is_changed(array) || may_be_gone(array, region))
            value.text.depth = 99; // read before it is changed or moved
        return define_value(node, value.text, region);
    }
    const bool in_place = uses_.is_row_view(node);
    if (in_place && uses_.reads(node) == 1) return; // the update of the array writes it
    const std::string name = name_of(node, "row");
    const bool copied = uses_.is_changed(array) && !in_place && on_device_ == nullptr &&
                        !uses_.is_read_before_change(node, region); // no kernel changes what it reads
    if (copied) {
        out_.line("const " + value_type(value.type) + " " + name + " = " + stored(value, value.type, false, node) +
                  ";");
        value.form = Form::Value;
    } else {
        out_.line((value.form == Form::View ? "const auto " : "const auto& ") + name + " = " + value.text.text + ";");
    }
    value.text = {name};
    define(node, value);
}

// In a loop, or where only elements are read: elsewhere several threads copy the elements that somebody stores.
bool CppFunction::print_slice(const ScheduledNode& loop) {
    if (module_.options.cuda || row_places_.contains(loop.node)) return false;
    const std::optional<Slice> slice = find_slice(module_, g_, loop.node);
    if (!slice || uses_.is_changed(slice->array) || (hot_ == 0 && uses_.is_handed_on(loop.node))) return false;
    const ScheduledBlock& body = schedule_.blocks[loop.blocks[0]];
    const NodeId index = g_.operand(slice->at, 1);
    if (waits(loop.blocks[0]) || !body.guarded.empty()) return false;
    for (const ScheduledNode& scheduled : body.nodes)
        if (scheduled.is_on_demand() || (scheduled.node != slice->at && scheduled.node != index)) return false;
    const Binding array = binding(slice->array);
    if (array.form == Form::Rows || module_.types.rank(array.type) != 1) return false;
    const Binding extent = as_variable({text(g_.operand(loop.node, 0)), types_.i64()}, "n");
    if (!known_nonnegative(g_.operand(loop.node, 0)))
        out_.line("checked_length(" + extent.text.text + ", " + line_number(loop.node) + ");");
    bool within = false;
    {
        const Scope scope(*this);
        const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
        define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        within = is_within(index, slice->array, g_.type(slice->array), 0);
    }
    const std::string element = value_type(types_.element(array.type)), name = name_of(loop.node, "slice");
    const std::string from = slice->from ? text(slice->from).text : "0";
    const std::string whole = "std::span<const " + element + ">(" + array.text.text + ")";
    out_.line(
        "const auto " + name + " = " +
        (within ? "part_of(" + whole + ", " + from + ", " + extent.text.text + ");"
                : "slice_of(" + whole + ", " + from + ", " + extent.text.text + ", " + line_number(slice->at) + ");"));
    define(loop.node, {{name}, g_.type(loop.node), Form::View});
    return true;
}

void CppFunction::print_update(NodeId node, Region region, std::uint32_t position) {
    if (uses_.is_row_update(node)) return note_copy(node, false);
    const NodeId array = g_.operand(node, 0);
    const Binding old = binding(array);
    std::vector<NodeId> indices;
    NodeId value = node;
    do { // down the rows that are written at once
        const std::vector<NodeId> operands(g_.operands(value).begin(), g_.operands(value).end());
        indices.insert(indices.end(), operands.begin() + 1, operands.end() - 1);
        value = operands.back();
    } while (uses_.is_row_update(value));
    const std::size_t count = indices.size();
    // A row of another length, as far as anybody knows: rows may differ from then on.
    const bool loosens = module_.types.rank(g_.type(node)) < module_.types.rank(old.type);
    const TypeId whole_type = loosens ? g_.type(node) : old.type;
    const Stored whole = to_store(old, whole_type, uses_.may_move(array, region, position), array);
    const bool in_place = !whole.moved.empty() && is_atomic(old.text);
    std::string name = old.text.text;
    note_copy(node, whole.moved.empty());
    if (!in_place) {
        name = name_of(node);
        out_.line("auto " + name + " = " + whole.text + ";");
    }
    Binding fresh{{name}, whole_type, Form::Value, true};
    std::string target = name, flat;
    TypeId type = whole_type;
    const std::size_t rank = module_.types.rank(type);
    for (std::size_t k = 0; k < count; ++k, type = types_.element(type)) {
        const std::string index =
            index_text(indices[k], k == 0 ? array : NodeId{}, type, k,
                       k < rank ? extent_text(fresh, type, k) : "std::ssize(" + target + ")", node)
                .text;
        if (rank == 1 || k >= rank)
            target += "[" + index + "]";
        else if (k == 0)
            flat = index;
        else
            flat = "(" + flat + ") * " + extent_text(fresh, type, k) + " + " + index;
    }
    if (count > 1 && count < rank) { // a row of rows
        std::string width;
        TypeId inner = type;
        for (std::size_t k = count; k < rank; ++k, inner = types_.element(inner))
            width += (width.empty() ? "" : " * ") + extent_text(fresh, inner, k);
        out_.line("std::copy_n(" + stored(value, type, region, position) + ".data(), " + width + ", " + name +
                  ".data() + (" + flat + ") * " + width + ");");
    } else if (rank > 1 && count < rank) {
        out_.line(name + ".set_row(" + flat + ", " + stored(value, type, region, position) + ");");
    } else {
        const std::string text = stored(value, type, region, position);
        if (rank == 1 && count == 1 && may_be_on_device(fresh))
            out_.line(name + ".set(" + target.substr(name.size() + 1, target.size() - name.size() - 2) + ", " + text +
                      ");");
        else
            out_.line((rank > 1 ? name + ".data()[" + flat + "]" : target) + " = " + text + ";");
    }
    define(node, fresh);
}

// Lengths that are promised and not known yet are checked; the value stays where it is if it can.
void CppFunction::print_ensure(NodeId node, Region region, std::uint32_t position) {
    const NodeId operand = g_.operand(node, 0);
    Binding value = as_variable(binding(operand), "t");
    const TypeId type = g_.type(node);
    TypeId known = value.type, promised = type;
    for (std::size_t depth = 0; module_.types.is_array(promised); ++depth) {
        const Dim dim = types_.dim(promised);
        const bool named = dim.kind == DimKind::Named || dim.kind == DimKind::Constant;
        if (named && types_.dim(known) != dim) {
            const Binding none{{}, promised};
            out_.line("check_extent<" + std::to_string(depth) + ">(" + value.text.text + ", " +
                      extent_text(none, promised, 0) + ", " + line_number(node) + ");");
        }
        known = types_.element(known), promised = types_.element(promised);
    }
    if (value_type(type) == value_type(value.type)) {
        value.type = type;
        return define(node, value);
    }
    const std::string name = name_of(node);
    out_.line("auto " + name + " = " + stored(operand, type, region, position) + ";");
    define(node, {{name}, type, Form::Value, true});
}

bool CppFunction::known_nonnegative(NodeId length) const {
    if (g_.is_number(length)) return static_cast<std::int64_t>(g_.bits(length)) >= 0;
    if (g_.is_param(length)) return g_.param_number(length) == number::dims || ranges_.extent(length);
    const OpKind shape = module_.shapes[g_.op(length).index];
    return g_.core(length) == Core::None && (shape == OpKind::Len || shape == OpKind::Same);
}

std::string CppFunction::checked_length(NodeId length, NodeId node) {
    const std::string value = text(length).text;
    return known_nonnegative(length) ? value : "checked_length(" + value + ", " + line_number(node) + ")";
}

// -- places of what loops make ----------------------------------------------------------------------
//
// A loop that carries an array and replaces it by one that an inner loop makes: two arrays change places, and no step asks for
// memory. The one that was replaced is spare until the next step overwrites it.

// Of the values that a step computes in this region, those that become what is carried.
void CppFunction::declare_spares(Region region, std::span<const NodeId> values, std::span<const TypeId> types) {
    for (std::size_t k = 0; k < values.size() && !module_.options.cuda; ++k) {
        const ScheduledNode* loop = find_row_loop(region, values[k]);
        if (loop == nullptr || find_slice(module_, g_, loop->node)) continue;
        TypeId element = types[k];
        while (types_.kind(element) == TypeKind::Array) element = types_.element(element);
        if (!types_.is_scalar(element) || value_type(types[k]) != value_type(g_.type(values[k])) ||
            module_.types.holds_array(types_.element(types[k])) != (module_.types.rank(types[k]) > 1))
            continue;
        const std::string name = out_.fresh("spare");
        out_.line(value_type(types[k]) + " " + name + ";");
        spares_[values[k]] = name;
        const std::string where = line_number(loop->node);
        module_.notes.push_back(
            {function_.name, "the loop of line " + where + ": overwrites the array that the step before has replaced"});
    }
}

// A fold whose accumulator is not updated in place.
void CppFunction::declare_spares(const Generator& fold) {
    const Region inner = uses_.nested_region(fold.home, fold.block);
    if (fold.shape != OpKind::Fold || !fold.slots.empty() || inner == UINT32_MAX) return;
    const std::span<const NodeId> results = g_.results(fold.block);
    std::vector<TypeId> types;
    for (const Cell& cell : fold.state) types.push_back(cell.type);
    {
        const Scope scope(*this);
        const NodeId param = g_.params(fold.block)[0];
        define(param, {{fold.state[0].name}, types[0], Form::Value, !types_.is_scalar(types[0])});
        if (results.size() == 1 && is_made_over(inner, param, results[0])) return;
    }
    declare_spares(inner, results, types);
}

void CppFunction::drop_spares(std::span<const NodeId> values) {
    for (NodeId value : values)
        if (const auto found = spares_.find(value); found != spares_.end()) {
            out_.line(found->second + " = {};");
            spares_.erase(found);
        }
}

// Results that are rows of an array that is there already, and of inner loops those that nobody reads.
void CppFunction::use_places(const ScheduledNode& loop, std::vector<Generator>& list) {
    std::size_t first = 0;
    for (Generator& generator : list) {
        for (std::size_t k = 0; k < generator.outputs.size(); ++k) {
            const NodeId value =
                g_.kind(loop.node) == TypeKind::Results ? uses_.find_projection(loop.node, first + k) : loop.node;
            const auto found = row_places_.find(value);
            if (found != row_places_.end()) {
                generator.outputs[k].place = found->second;
                row_places_.erase(found);
            } else if (const auto spare = spares_.find(value); spare != spares_.end()) {
                std::string& init = generator.outputs[k].init; // `array<T>(n)`
                if (!generator.index.empty() && !init.empty())
                    init = "remade(std::move(" + spare->second + "), " + init.substr(init.find('(') + 1);
            } else if (on_device_ != nullptr) {
                generator.outputs[k].place = place_kept(loop, first + k, generator.outputs[k].type),
                generator.outputs[k].kept = true;
            }
        }
        for (std::size_t k = 0; k < generator.outputs.size() && hot_ > 0 && !generator.index.empty(); ++k) {
            const NodeId value =
                g_.kind(loop.node) == TypeKind::Results ? uses_.find_projection(loop.node, first + k) : loop.node;
            if (on_device_ != nullptr || (value && uses_.reads(value) > 0)) continue;
            generator.outputs[k].unread = true, generator.outputs[k].init.clear();
            if (k < generator.state.size()) generator.state[k].unread = true;
        }
        first += results_of(generator);
    }
}

} // namespace irrewrite::printers
