// Reading and changing arrays in emitted C++. An index is checked unless it is a loop's own and the
// loop runs over just that length.
#include "printers/cpp/cpp_function.hpp"

#include "printers/cpp/loops/lane_blocks.hpp"
#include "printers/plan/slices.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

void ArrayPrinter::print_at(NodeId node, Region region) {
    if (at_.kernel != nullptr && at_.kernel->is_given(node)) return;
    const NodeId array = g_.operand(node, 0);
    if (at_.lane_blocks != nullptr && at_.lane_blocks->arrays.contains(array)) {
        const Text& position = text(g_.operand(node, 1));
        return define_value(
            node, {at_.lane_blocks->element(array, position.text), precedence::primary, position.depth + 1}, region);
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
    const bool copied = uses_.is_changed(array) && !in_place && at_.kernel == nullptr &&
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
bool ArrayPrinter::print_slice(const ScheduledNode& loop) {
    if (module_.options.cuda || state_.row_places.contains(loop.node)) return false;
    const std::optional<Slice> slice = find_slice(module_, g_, loop.node);
    if (!slice || uses_.is_changed(slice->array) ||
        (at_.hot == 0 && uses_.is_handed_on(loop.node) && loop.node != state_.behind.slice))
        return false;
    const ScheduledBlock& body = schedule_.blocks[loop.blocks[0]];
    const NodeId index = g_.operand(slice->at, 1);
    if (code_.waits(loop.blocks[0]) || !body.guarded.empty()) return false;
    for (const ScheduledNode& scheduled : body.nodes)
        if (scheduled.is_on_demand() || (scheduled.node != slice->at && scheduled.node != index)) return false;
    const Binding array = binding(slice->array);
    if (array.form == Form::Rows || module_.types.rank(array.type) != 1) return false;
    const Binding extent = as_variable({text(g_.operand(loop.node, 0)), types_.i64()}, "n");
    if (!code_.known_nonnegative(g_.operand(loop.node, 0)))
        out_.line("checked_length(" + extent.text.text + ", " + line_number(loop.node) + ");");
    bool within = false;
    {
        const Scope scope(env_, ranges_);
        const NodeId param = g_.params(g_.blocks(loop.node)[0])[0];
        define(param, {{"i"}, types_.i64(), Form::Value, false, g_.operand(loop.node, 0)});
        within = code_.is_within(index, slice->array, g_.type(slice->array), 0);
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

void ArrayPrinter::print_update(NodeId node, Region region, std::uint32_t position) {
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
void ArrayPrinter::print_ensure(NodeId node, Region region, std::uint32_t position) {
    const NodeId operand = g_.operand(node, 0);
    Binding value = as_variable(binding(operand), "t");
    const TypeId type = g_.type(node);
    for (const auto& [depth, promised] : new_extents(types_, value.type, type))
        out_.line("check_extent<" + std::to_string(depth) + ">(" + value.text.text + ", " +
                  extent_text({{}, promised}, promised, 0) + ", " + line_number(node) + ");");
    if (value_type(type) == value_type(value.type)) {
        value.type = type;
        return define(node, value);
    }
    const std::string name = name_of(node);
    out_.line("auto " + name + " = " + stored(operand, type, region, position) + ";");
    define(node, {{name}, type, Form::Value, true});
}

} // namespace irrewrite::printers
