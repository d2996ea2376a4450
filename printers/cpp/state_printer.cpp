// Mutable state in emitted C++.
#include "printers/cpp/cpp_function.hpp"

#include "printers/cpp/loops/lane_blocks.hpp"

namespace irrewrite::printers {

void ControlPrinter::print_state(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node);
    auto operand = [&](std::size_t k) { return g_.operand(node, k); };
    switch (module_.shapes[g_.op(node).index]) {
    case OpKind::Ref: {
        const TypeId held = types_.element(type);
        const std::string name = name_of(node, "cell"), value = stored(operand(0), held, region, position);
        const bool local = !uses_.escapes(node);
        out_.line((local && !state_.is_got(node) ? "[[maybe_unused]] " : "") +
                  (local ? value_type(held) : value_type(type)) + " " + name +
                  (local ? " = " + value : "(" + value + ")") + ";");
        return define(node, {{name}, type});
    }
    case OpKind::Get: {
        const std::string cell = text(operand(0)).text, name = name_of(node);
        if (!binding(operand(0)).wide.empty()) {
            out_.line("const auto " + name + " = " + cell + ";");
            return define(node, narrowed(name, type));
        }
        const bool local = uses_.is_local_cell(operand(0));
        const bool alias = local && code_.is_read_before_write(node, region, position);
        if (alias) state_.aliases.insert(node);
        out_.line("const " + (alias ? "auto&" : value_type(type)) + " " + name + " = " + (local ? "" : "*") + cell +
                  ";");
        return define(node, {{name}, type});
    }
    case OpKind::Set: {
        const std::string cell = text(operand(0)).text;
        const bool local = uses_.is_local_cell(operand(0));
        const TypeId held = types_.element(g_.type(operand(0)));
        if (at_.lane_blocks != nullptr && !at_.lane_blocks->mask.empty()) { // of a lane that is not through
            const std::string value = as_variable(binding(operand(1)), "next").text.text;
            return out_.line(cell + " = " + at_.lane_blocks->mask + " ? " + value + " : " + cell + ";");
        }
        return out_.line((local ? "" : "*") + cell + " = " + stored(operand(1), held, region, position) + ";");
    }
    case OpKind::MutArray: {
        const std::string name = name_of(node, "a"), element = value_type(types_.element(type));
        const std::string n = checked_length(operand(0), node),
                          value = stored(operand(1), types_.element(type), region, position);
        if (const NodeId length = operand(0); ranges_.learn_length(length))
            env_.on_leave([this, length] { ranges_.forget_length(length); });
        if (print_small_memory(node, name, value)) return;
        if (node == state_.behind.memory && !state_.behind.slice) {
            out_.line("const std::span<" + element + "> " + name + " = grown(" + state_.into + ", " + n + ", " + value +
                      ");");
            return define(node, {{name}, type});
        }
        const std::string kind = module_.options.cuda || uses_.is_shared(node) ? "mut<" : "own_mut<";
        out_.line("const " + kind + element + "> " + name + "(array<" + element + ">(" + n + ", " + value + "));");
        return define(node, {{name}, type});
    }
    case OpKind::Load:
    case OpKind::Store: {
        const Binding array = binding(operand(0));
        const bool load = module_.shapes[g_.op(node).index] == OpKind::Load;
        const TypeId held = types_.element(array.type);
        const std::string place =
            array.text.text + "[" +
            index_text(operand(1), operand(0), array.type, 0, "std::ssize(" + array.text.text + ")", node).text + "]";
        if (!load) return out_.line(place + " = " + stored(operand(2), held, region, position) + ";");
        const std::string name = name_of(node);
        const bool alias = code_.is_read_before_write(node, region, position);
        if (alias) state_.aliases.insert(node);
        out_.line("const " + (alias ? "auto&" : value_type(type)) + " " + name + " = " + place + ";");
        return define(node, {{name}, held});
    }
    case OpKind::Freeze:
    case OpKind::Thaw: {
        const Binding array = binding(operand(0));
        const std::string name = name_of(node, "a");
        if (module_.shapes[g_.op(node).index] == OpKind::Freeze) {
            if (print_view(node, array, region, position)) return;
            const bool taken = uses_.may_take(operand(0), region, position);
            const bool alias = !taken && code_.is_read_before_write(node, region, position);
            note_copy(node, !taken && !alias);
            if (alias) {
                state_.aliases.insert(node);
                out_.line("const auto& " + name + " = " + array.text.text + ".values();");
                return define(node, {{name}, type});
            }
            out_.line(value_type(type) + " " + name + " = " + array.text.text + (taken ? ".take();" : ".values();"));
            return define(node, {{name}, type, Form::Value, true});
        }
        const std::string element = value_type(types_.element(type)), whole = "array<" + element + ">";
        const Stored stored = to_store(array, array.type, uses_.may_move(operand(0), region, position), operand(0));
        note_copy(node, stored.moved.empty());
        std::string values = stored.text;
        if (value_type(array.type) != whole)
            values = "converted<" + whole + ">(" + values + ", " + line_number(node) + ")";
        const std::string kind = module_.options.cuda || uses_.is_shared(node) ? "mut<" : "own_mut<";
        out_.line("const " + kind + element + "> " + name + "{" + values + "};");
        return define(node, {{name}, type});
    }
    case OpKind::Print: return out_.line("print_line(" + text(operand(0)).text + ");");
    default:
        error(node,
              "operation '" + std::string(module_.context.symbols[g_.operation(node).name]) + "' has no text for C++");
    }
}

// Memory of a few elements that nobody keeps is a variable.
bool ControlPrinter::print_small_memory(NodeId node, const std::string& name, const std::string& value) {
    constexpr std::uint64_t most_bytes = 256;
    const NodeId length = g_.operand(node, 0);
    const TypeId element = types_.element(g_.type(node));
    const bool kept = uses_.is_kept_whole(node) && node != state_.behind.memory;
    if (module_.options.cuda || uses_.is_shared(node) || kept || !types_.is_scalar(element) || !g_.is_number(length) ||
        (node == state_.behind.memory && !state_.behind.slice) || g_.bits(length) == 0 ||
        g_.bits(length) > 8 * most_bytes / types_.bits(element))
        return false;
    out_.line("std::array<" + value_type(element) + ", " + std::to_string(g_.bits(length)) + "> " + name + ";");
    out_.line(name + ".fill(" + value + ");");
    state_.small.insert(node);
    define(node, {{name}, g_.type(node)});
    return true;
}

// Frozen memory is a view, where nobody writes it while it is read, and nobody keeps it.
bool ControlPrinter::print_view(NodeId node, const Binding& memory, Region region, std::uint32_t position) {
    const NodeId of = g_.operand(node, 0);
    const bool behind = of == state_.behind.memory && !state_.behind.slice;
    if (!behind && !state_.small.contains(of)) return false;
    const bool taken = uses_.may_take(of, region, position);
    const bool alias = !taken && code_.is_read_before_write(node, region, position);
    note_copy(node, !taken && !alias);
    if (alias) state_.aliases.insert(node);
    const std::string element = value_type(types_.element(g_.type(of))), &text = memory.text.text;
    if (taken || alias) {
        define(node, {{text}, g_.type(node), Form::View});
    } else {
        const std::string name = name_of(node, "a");
        out_.line("array<" + element + "> " + name + "{std::span<const " + element + ">(" + text + ")};");
        define(node, {{name}, g_.type(node), Form::Value, true});
    }
    return true;
}

} // namespace irrewrite::printers
