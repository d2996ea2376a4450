#include "printers/c/c_function.hpp"

#include "printers/plan/slices.hpp"

#include <algorithm>

namespace irrewrite::printers {

void CArrays::print_at(NodeId node, Region region) {
    const NodeId array = g_.operand(node, 0);
    Binding value = binding(array);
    const std::size_t count = g_.operands(node).size() - 1;
    const auto pointer = env_.pointers.find(array);
    for (std::size_t level = 0; level < count;) {
        const std::size_t rank = module_.types.rank(value.type);
        const std::size_t taken = count - level >= rank ? rank : 1;
        if (!is_atomic(value.text)) value = as_variable(value, "row");
        std::string index;
        TypeId type = value.type;
        const std::size_t first = level;
        for (std::size_t k = 0; k < taken; ++k, ++level, type = types_.element(type)) {
            const NodeId position = g_.operand(node, level + 1);
            const std::string length = extent_text(value, type, k);
            const std::string one = index_text(position, level == k ? array : NodeId{}, type, level, length, node);
            const bool simple = is_name(one) || one.starts_with("ir_checked(");
            if (k > 0)
                index = (k > 1 ? "(" + index + ")" : index) + " * " + length + " + " + (simple ? one : "(" + one + ")");
            else
                index = taken > 1 && !simple ? "(" + one + ")" : one;
        }
        std::string element;
        if (taken < rank)
            element = type_of(value.type) + "_row(" + value.text.text + ", " + index + ")";
        else if (first == 0 && pointer != env_.pointers.end())
            element = pointer->second + "[" + index + "]";
        else
            element = value.text.text + ".data[" + index + "]";
        value = {{element, precedence::primary, 1}, type};
    }
    if (types_.is_scalar(g_.type(node))) return define_variable(node, value.type, name_of(node), value.text.text);
    const bool in_place = uses_.is_row_view(node);
    if (in_place && uses_.reads(node) == 1) return; // the update of the array writes it
    const bool copied = uses_.is_changed(array) && !in_place && !uses_.is_read_before_change(node, region);
    const std::string name = name_of(node, "row");
    if (copied) return define_variable(node, value.type, name, stored(value, value.type, false, node));
    out_.line("const " + type_of(value.type) + " " + name + " = " + value.text.text + ";");
    define(node, {{name}, value.type});
}

// A loop that copies neighbouring elements is where they lie, as long as nobody keeps them.
bool CArrays::print_slice(const ScheduledNode& loop) {
    const std::optional<Slice> slice = find_slice(module_, g_, loop.node);
    if (!slice || uses_.is_changed(slice->array) || (at_.hot == 0 && uses_.is_handed_on(loop.node))) return false;
    const ScheduledBlock& body = schedule_.blocks[loop.blocks[0]];
    const NodeId index = g_.operand(slice->at, 1);
    if (code_.waits(loop.blocks[0]) || !body.guarded.empty()) return false;
    for (const ScheduledNode& scheduled : body.nodes)
        if (scheduled.is_on_demand() || (scheduled.node != slice->at && scheduled.node != index)) return false;
    const Binding array = as_variable(binding(slice->array), "whole");
    if (module_.types.rank(array.type) != 1 || type_of(array.type) != type_of(g_.type(loop.node))) return false;
    const std::string n =
        as_variable({{checked_length(g_.operand(loop.node, 0), loop.node), precedence::primary, 1}, types_.i64()}, "n")
            .text.text;
    const std::string from = slice->from ? text(slice->from).text : "0", name = name_of(loop.node, "slice");
    out_.line("const " + type_of(array.type) + " " + name + " = " + type_of(array.type) + "_part(" + array.text.text +
              ", ir_start_slice(" + from + ", " + n + ", " + extent_text(array, array.type, 0) + ", " +
              line_number(slice->at) + "), " + n + ");");
    define(loop.node, {{name}, g_.type(loop.node)});
    return true;
}

void CArrays::print_update(NodeId node, Region region, std::uint32_t position) {
    if (uses_.is_row_update(node)) return; // its array's update writes it
    const NodeId array = g_.operand(node, 0);
    const Binding old = binding(array);
    std::vector<NodeId> indices;
    NodeId value = node;
    do { // down the rows that are written at once
        const std::vector<NodeId> operands(g_.operands(value).begin(), g_.operands(value).end());
        indices.insert(indices.end(), operands.begin() + 1, operands.end() - 1);
        value = operands.back();
    } while (uses_.is_row_update(value));
    // A row of another length, as far as anybody knows: rows may differ from then on.
    const TypeId whole = module_.types.rank(g_.type(node)) < module_.types.rank(old.type) ? g_.type(node) : old.type;
    std::string name = old.text.text;
    const bool movable = uses_.may_move(array, region, position);
    if (!(movable && old.owned && is_atomic(old.text)) || type_of(whole) != type_of(old.type)) {
        name = name_of(node);
        declare(whole, name, stored(old, whole, movable, array));
    }
    out_.line(type_of(whole) + "_own(&" + name + ");");
    const Binding fresh{{name}, whole, Form::Value, true};
    std::string target = name;
    TypeId type = whole;
    for (std::size_t level = 0; level < indices.size();) {
        const std::size_t rank = module_.types.rank(type), taken = std::min(rank, indices.size() - level);
        const Binding place{{target}, type};
        if (level > 0) out_.line(type_of(type) + "_own(&" + target + ");");
        std::string flat;
        TypeId outer = type;
        for (std::size_t k = 0; k < taken; ++k, ++level, type = types_.element(type)) {
            const std::string length =
                level == k ? extent_text(fresh, type, k) : target + ".n[" + std::to_string(k) + "]";
            const std::string index =
                index_text(indices[level], level == 0 ? array : NodeId{}, type, level, length, node);
            if (k > 0 && taken < rank) { // a row of rows is where it lies
                const std::string rows = out_.fresh("rows");
                out_.line("const " + type_of(type) + " " + rows + " = " + type_of(outer) + "_row(" + target + ", " +
                          flat + ");");
                target = rows, outer = type, flat = index;
                continue;
            }
            flat = k == 0 ? index : "(" + flat + ") * " + length + " + (" + index + ")";
        }
        if (taken == rank) {
            target += ".data[" + flat + "]";
            continue;
        }
        const Binding row = as_type(as_variable(binding(value), "row"), type, node);
        out_.line(type_of(outer) + "_set_row(" + target + ", " + flat + ", " + row.text.text + ");");
        return define(node, fresh);
    }
    set(type, target, stored(value, type, region, position));
    define(node, fresh);
}

void CArrays::check_extent(const Binding& array, std::size_t depth, const std::string& length, NodeId node) {
    const std::size_t rank = module_.types.rank(array.type);
    const std::string line = line_number(node);
    if (depth < rank) {
        std::string some;
        for (std::size_t k = 0; k < depth; ++k)
            some += (some.empty() ? "" : " && ") + array.text.text + ".n[" + std::to_string(k) + "] != 0";
        return out_.line((some.empty() ? "" : "if (" + some + ") ") + "ir_same_length(" + length + ", " +
                         array.text.text + ".n[" + std::to_string(depth) + "], " + line + ");");
    }
    if (rank > 1) return refuse(node, "lengths below rows of several dimensions have no text for C");
    const std::string i = out_.fresh("i");
    out_.open("for (int64_t " + i + " = 0; " + i + " < " + array.text.text + ".n[0]; ++" + i + ") {");
    check_extent({{array.text.text + ".data[" + i + "]"}, types_.element(array.type)}, depth - 1, length, node);
    out_.close();
}

// Lengths that are promised and not known yet are checked.
void CArrays::print_ensure(NodeId node, Region, std::uint32_t) {
    Binding value = as_variable(binding(g_.operand(node, 0)), "t");
    const TypeId type = g_.type(node);
    for (const auto& [depth, promised] : new_extents(types_, value.type, type))
        check_extent(value, depth, extent_text({{}, promised}, promised, 0), node);
    value = as_type(value, type, node);
    value.type = type;
    define(node, value);
}

void CArrays::declare_pointers(std::span<const std::uint32_t> regions, Region outside) {
    for (Region region : regions)
        for (const ScheduledNode& scheduled : schedule_.blocks[region].nodes) {
            if (g_.core(scheduled.node) != Core::None || module_.shapes[g_.op(scheduled.node).index] != OpKind::At)
                continue;
            const NodeId array = g_.operand(scheduled.node, 0);
            const NodeId source = g_.is_project(array) ? g_.operand(array, 0) : array;
            const bool param = g_.is_param(array) && g_.param_number(array) == number::function;
            if (!(param || env_.contains(array) || env_.has_results(source)) || g_.is_literal(array) ||
                env_.pointers.contains(array) || uses_.is_changed(array))
                continue;
            if (!lazy_.empty() && !param && !demands_.is_known_in(source, outside))
                continue; // perhaps not computed yet
            if (!param && uses_.find(source, outside) == nullptr) continue;
            if (std::ranges::any_of(regions, [&](Region r) { return uses_.is_computed_in(source, r); })) continue;
            const Binding value = binding(array);
            if (!is_name(value.text.text) || g_.operands(scheduled.node).size() - 1 < module_.types.rank(value.type))
                continue;
            const std::string element = type_of(module_.types.element(value.type, module_.types.rank(value.type)));
            const std::string name = out_.fresh(value.text.text + "_data");
            out_.line("const " + element + " *const " + name + " = " + value.text.text + ".data;");
            env_.pointers[array] = name;
            env_.on_leave([&list = env_.pointers, array] { list.erase(array); });
        }
}

// -- memory that changes ---------------------------------------------------------------------------

void CArrays::print_state(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node);
    const auto operand = [&](std::size_t k) { return g_.operand(node, k); };
    const OpKind kind = module_.shapes[g_.op(node).index];
    switch (kind) {
    case OpKind::Ref: {
        const TypeId held = types_.element(type);
        if (!check_type(node, held)) return;
        const std::string name = name_of(node, "cell"), value = stored(operand(0), held, region, position);
        if (!uses_.escapes(node)) {
            declare(held, name, value, !state_.is_got(node));
            return define(node, {{name}, type});
        }
        declare(type, name, type_of(type) + "_new((int64_t[]){1})");
        out_.line(name + ".data[0] = " + value + ";");
        return define(node, {{name}, type});
    }
    case OpKind::Get:
    case OpKind::Set: {
        const TypeId held = types_.element(g_.type(operand(0)));
        const std::string cell = text(operand(0)).text,
                          place = uses_.is_local_cell(operand(0)) ? cell : cell + ".data[0]";
        if (kind == OpKind::Set) return set(held, place, stored(operand(1), held, region, position));
        const bool alias = uses_.is_local_cell(operand(0)) && code_.is_read_before_write(node, region, position);
        const std::string name = name_of(node);
        if (!alias || types_.is_scalar(held)) return define_variable(node, held, name, module_.types.kept(held, place));
        out_.line("const " + type_of(held) + " " + name + " = " + place + ";");
        return define(node, {{name}, held});
    }
    case OpKind::MutArray:
    case OpKind::Load:
    case OpKind::Store: return print_memory(node, region, position);
    case OpKind::Freeze:
    case OpKind::Thaw: return print_freeze(node, region, position);
    case OpKind::Print: {
        const Binding value = as_variable(binding(operand(0)), "t");
        if (!check_type(node, value.type)) return;
        const bool text =
            types_.kind(value.type) == TypeKind::Array && types_.kind(types_.element(value.type)) == TypeKind::U8;
        out_.line((text ? "ir_print_text(" + value.text.text + ".data, " + value.text.text + ".n[0])"
                        : module_.types.written(value.type, value.text.text)) +
                  ";");
        return out_.line("putchar('\\n');");
    }
    default:
        refuse(node,
               "operation '" + std::string(module_.context.symbols[g_.operation(node).name]) + "' has no text for C");
        define(node, {{"0"}, type});
    }
}

void CArrays::print_memory(NodeId node, Region region, std::uint32_t position) {
    const OpKind kind = module_.shapes[g_.op(node).index];
    const TypeId type = g_.type(node);
    if (kind == OpKind::MutArray) {
        if (!check_type(node, type)) return;
        const std::string name = name_of(node, "a"), n = checked_length(g_.operand(node, 0), node);
        const Binding start = as_variable(binding(g_.operand(node, 1)), "start");
        if (const NodeId length = g_.operand(node, 0); ranges_.learn_length(length))
            env_.on_leave([this, length] { ranges_.forget_length(length); });
        const bool zero = start.number == std::uint64_t{0};
        declare(type, name,
                zero ? type_of(type) + "_new((int64_t[]){" + n + "})"
                     : type_of(type) + "_filled(" + n + ", " + start.text.text + ")");
        return define(node, {{name}, type, Form::Value, true});
    }
    const Binding array = binding(g_.operand(node, 0));
    const TypeId held = types_.element(array.type);
    const std::string place =
        array.text.text + ".data[" +
        index_text(g_.operand(node, 1), g_.operand(node, 0), array.type, 0, array.text.text + ".n[0]", node) + "]";
    if (kind == OpKind::Store) return set(held, place, stored(g_.operand(node, 2), held, region, position));
    const std::string name = name_of(node);
    const bool alias = code_.is_read_before_write(node, region, position);
    if (!alias || types_.is_scalar(held)) return define_variable(node, held, name, module_.types.kept(held, place));
    out_.line("const " + type_of(held) + " " + name + " = " + place + ";");
    define(node, {{name}, held});
}

// Memory that becomes an array, or an array that becomes memory: the same where nobody else has it, else a copy.
void CArrays::print_freeze(NodeId node, Region region, std::uint32_t position) {
    const NodeId of = g_.operand(node, 0);
    const TypeId type = g_.type(node);
    const bool freeze = module_.shapes[g_.op(node).index] == OpKind::Freeze;
    const Binding value = as_variable(binding(of), "whole");
    if (!check_type(node, type)) return;
    const bool taken = freeze ? uses_.may_take(of, region, position) : uses_.may_move(of, region, position);
    const bool alias = freeze && !taken && code_.is_read_before_write(node, region, position);
    const std::string name = name_of(node, "a");
    if (type_of(types_.element(type)) != type_of(types_.element(value.type)) ||
        module_.types.rank(freeze ? type : value.type) > 1) {
        declare(type, name, module_.types.converted(type, value.type, value.text.text, line_number(node)));
        return define(node, {{name}, type, Form::Value, true});
    }
    const auto as = [&](const std::string& from) {
        return "{" + from + ".data, {" + from + ".n[0]}, " + from + ".memory}";
    };
    if (alias) {
        out_.line("const " + type_of(type) + " " + name + " = " + as(value.text.text) + ";");
        return define(node, {{name}, type});
    }
    const std::string source = out_.fresh("source");
    out_.line("const " + type_of(value.type) + " " + source + " = " +
              (taken && value.owned ? module_.types.taken(value.type, value.text.text)
                                    : type_of(value.type) + "_copy(" + value.text.text + ")") +
              ";");
    declare(type, name, as(source));
    if (!freeze) out_.line(type_of(type) + "_own(&" + name + ");");
    define(node, {{name}, type, Form::Value, true});
}

} // namespace irrewrite::printers
