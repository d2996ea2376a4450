// The C++ texts of nodes, and the storing of values in variables.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <utility>

namespace irrewrite::printers {

Values::Values(CppFunction& function)
    : FunctionParts(function.module, function), f_(function), state_(function), module_(state_.module),
      rows_(state_.rows) {}

void Values::print_nodes(Region region) { f_.print_nodes(region); }

void Values::otherwise() {
    out_.close_names(), out_.outdent();
    out_.open("} else {");
}

std::vector<std::string> Values::declare_results(NodeId node, std::span<const TypeId> types, bool zero) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        names.push_back(result_name(node, k, "t"));
        const bool used = types.size() == 1 || bool(uses_.find_projection(node, k));
        out_.line((used ? "" : "[[maybe_unused]] ") + value_type(types[k]) + " " + names[k] + (zero ? "{};" : ";"));
    }
    return names;
}

Binding Values::binding(NodeId node) {
    if (const auto found = env_.captured.find(node); found != env_.captured.end()) return found->second;
    if (g_.is_literal(node)) {
        const AttrValue value = g_.attrs(node)[0];
        if (value.kind == AttrValue::Kind::Number)
            return {.text = scalar_literal(types_.kind(value.type), value.bits, false),
                    .type = g_.type(node),
                    .number = value.bits};
        return {{"bytes(" + string_literal(module_.context.symbols[value.text()]) + ")"}, g_.type(node), Form::View};
    }
    if (g_.is_project(node)) {
        if (const std::vector<Binding>* results = env_.find_results(g_.operand(node, 0)))
            return (*results)[g_.position(node)];
    }
    if (g_.is_param(node)) {
        if (g_.param_number(node) == number::dims) state_.used_dims[g_.param_index(node)] = true;
        if (g_.param_number(node) == number::function)
            state_.used_params.insert(state_.param_names[g_.param_index(node)]);
    }
    if (const Binding* found = env_.find(node)) return *found;
    error(node, "there is no C++ expression for '" + std::string(module_.context.symbols[g_.operation(node).name]) +
                    "' in C++");
    return {{"0"}, g_.type(node)};
}

bool Values::is_inlined(NodeId node, const Text& text, Region region) const {
    if (g_.name(node) || text.depth > 3 || text.text.size() > 64) return false;
    return uses_.is_used_once(node, region) && !state_.shared_by_twins.contains(node);
}

void Values::define_value(NodeId node, Text text, Region region) {
    const TypeId type = g_.type(node);
    if (is_inlined(node, text, region)) return define(node, {std::move(text), type});
    const std::string name = name_of(node);
    out_.line("const " + value_type(type) + " " + name + " = " + text.text + ";");
    define(node, {{name}, type});
}

void Values::define_put_by(const ScheduledNode& loop, const std::string& place,
                           const std::unordered_set<NodeId>* needed) {
    if (state_.put_by.loop != loop.node || !state_.put_by.reads) return;
    for (const auto& [node, buffer] : state_.put_by.buffers) {
        if (types_.is_scalar(g_.type(node))) {
            define(node, {{buffer + place}, g_.type(node)});
        } else if (needed == nullptr || needed->contains(node)) {
            const std::string name = out_.fresh("made");
            out_.line("const auto& " + name + " = " + buffer + place + ";");
            define(node, {{name}, g_.type(node)});
        }
    }
}

Binding Values::as_variable(const Binding& value, std::string_view name) {
    if (is_atomic(value.text)) return value;
    Binding result = value;
    result.text = {out_.fresh(name)};
    const bool scalar = types_.is_scalar(value.type);
    const std::string type = scalar ? value_type(value.type) : value.form == Form::Value ? "auto&" : "auto";
    out_.line("const " + type + " " + result.text.text + " = " + value.text.text + ";");
    result.owned = false;
    return result;
}

std::string Values::stored(const Binding& value, TypeId type, bool movable, NodeId node) {
    Stored stored = to_store(value, type, movable, node);
    note_stored(value, type, stored, node);
    return std::move(stored.text);
}

// Counts copies of arrays alone. A value that is no variable was just made and is not copied.
void Values::note_stored(const Binding& value, TypeId type, const Stored& stored, NodeId node) {
    if (!module_.types.holds_array(type)) return;
    const bool moved = !stored.moved.empty();
    if (!moved && value.form == Form::Value && !is_atomic(value.text)) return;
    bool& any = module_.stored[{function_.name, node}];
    any = any || !moved;
}

Stored Values::to_store(const Binding& value, TypeId type, bool movable, NodeId node) {
    const std::string& text = value.text.text;
    if (!module_.types.holds_array(type)) return {text};
    const std::string target = value_type(type);
    if (value.form == Form::Value && target == value_type(value.type))
        return movable && value.owned ? moved_from(text) : Stored{text};
    const bool flat = module_.types.is_array(type) && module_.types.is_array(value.type) && value.form != Form::Rows &&
                      module_.types.rank(type) == module_.types.rank(value.type);
    if (flat && value.form == Form::View) return {target + "(" + text + ")"};
    return {"converted<" + target + ">(" + text + ", " + line_number(node) + ")"};
}

// Printed several times, a node counts once: as a copy, where it is one anywhere.
void Values::note_copy(NodeId node, bool made) {
    bool& any = module_.copies[{function_.name, node}];
    any = any || made;
}

// True if an array may be moved before a value read from it in this region is used: not in a loop, which only reads
// arrays from around it.
bool Values::may_be_gone(NodeId array, Region region) {
    const auto may_move = [&](NodeId whole) {
        return uses_.is_handed_on(whole) && binding(whole).owned && uses_.is_around_branches(whole, region);
    };
    // An array that could be a view may still be stored as one of its own.
    for (; array; array = uses_.viewed(array))
        if (state_.aliases.contains(array) || may_move(array)) return true;
    return false;
}

bool Values::reads_what_may_go(NodeId node, Region region) {
    return std::ranges::any_of(g_.operands(node), [&](NodeId operand) {
        return module_.types.is_array(g_.type(operand)) && may_be_gone(operand, region);
    });
}

} // namespace irrewrite::printers
