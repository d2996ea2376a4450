// The C++ texts of nodes, and the storing of values in variables.
#include "printers/cpp/cpp_printer.hpp"

#include <algorithm>

namespace irrewrite::printers {

Binding CppFunction::binding(NodeId node) {
    if (const auto found = captured_.find(node); found != captured_.end()) return found->second;
    if (g_.is_literal(node)) {
        const AttrValue value = g_.attrs(node)[0];
        if (value.kind == AttrValue::Kind::Number)
            return {.text = scalar_literal(types_.kind(value.type), value.bits, false),
                    .type = g_.type(node),
                    .number = value.bits};
        return {{"bytes(" + string_literal(module_.context.symbols[value.text()]) + ")"}, g_.type(node), Form::View};
    }
    if (g_.is_project(node)) {
        const auto found = results_.find(g_.operand(node, 0));
        if (found != results_.end()) return found->second[g_.position(node)];
    }
    if (g_.is_param(node)) {
        if (g_.param_number(node) == number::dims) used_dims_[g_.param_index(node)] = true;
        if (g_.param_number(node) == number::function) used_params_.insert(param_names_[g_.param_index(node)]);
    }
    const auto found = env_.find(node);
    if (found != env_.end()) return found->second;
    error(node, "there is no C++ expression for '" + std::string(module_.context.symbols[g_.operation(node).name]) +
                    "' in C++");
    return {{"0"}, g_.type(node)};
}

void CppFunction::define(NodeId node, Binding value) {
    std::optional<Binding> old;
    if (const auto found = env_.find(node); found != env_.end()) old = std::move(found->second);
    undo_.push_back({node, std::move(old), {}, false});
    ranges_.set_extent(node, value.extent);
    env_[node] = std::move(value);
}

void CppFunction::define(NodeId node, std::vector<Binding> results) {
    std::optional<std::vector<Binding>> old;
    if (const auto found = results_.find(node); found != results_.end()) old = std::move(found->second);
    undo_.push_back({node, {}, std::move(old), true});
    results_[node] = std::move(results);
}

void CppFunction::undo(std::size_t begin) {
    for (; undo_.size() > begin; undo_.pop_back()) {
        Undo& last = undo_.back();
        if (last.settled)
            lazy_[*last.settled].settled = false;
        else if (last.bin)
            spare_bins_.erase(*last.bin);
        else if (last.pointers != nullptr)
            last.pointers->erase(last.node);
        else if (last.several && last.results)
            results_[last.node] = std::move(*last.results);
        else if (last.several)
            results_.erase(last.node);
        else if (last.value)
            env_[last.node] = std::move(*last.value);
        else
            env_.erase(last.node);
    }
}

std::string CppFunction::name_of(NodeId node, std::string_view otherwise) {
    const SymbolId name = g_.name(node);
    return out_.fresh(name ? module_.context.symbols[name] : otherwise);
}

bool CppFunction::is_atomic(const Text& text) {
    return text.precedence == precedence::primary && text.depth == 0 && text.text.find('(') == std::string::npos;
}

bool CppFunction::is_inlined(NodeId node, const Text& text, Region region) const {
    if (g_.name(node) || text.depth > 3 || text.text.size() > 64) return false;
    return uses_.is_used_once(node, region) && !shared_by_twins_.contains(node);
}

void CppFunction::define_value(NodeId node, Text text, Region region) {
    const TypeId type = g_.type(node);
    if (is_inlined(node, text, region)) return define(node, {std::move(text), type});
    const std::string name = name_of(node);
    out_.line("const " + value_type(type) + " " + name + " = " + text.text + ";");
    define(node, {{name}, type});
}

Binding CppFunction::as_variable(const Binding& value, std::string_view name) {
    if (is_atomic(value.text)) return value;
    Binding result = value;
    result.text = {out_.fresh(name)};
    const bool scalar = types_.is_scalar(value.type);
    const std::string type = scalar ? value_type(value.type) : value.form == Form::Value ? "auto&" : "auto";
    out_.line("const " + type + " " + result.text.text + " = " + value.text.text + ";");
    result.owned = false;
    return result;
}

std::string CppFunction::stored(NodeId node, TypeId type, Region region, std::uint32_t position) {
    return stored(binding(node), type, uses_.may_move(node, region, position), node);
}

std::string CppFunction::stored(const Binding& value, TypeId type, bool movable, NodeId node) {
    Stored stored = to_store(value, type, movable, node);
    note_stored(value, type, stored, node);
    return std::move(stored.text);
}

// Counts copies of arrays alone. A value that is no variable was just made and is not copied.
void CppFunction::note_stored(const Binding& value, TypeId type, const Stored& stored, NodeId node) {
    if (!module_.types.holds_array(type)) return;
    const bool moved = !stored.moved.empty();
    if (!moved && value.form == Form::Value && !is_atomic(value.text)) return;
    bool& any = module_.stored[{function_.name, node}];
    any = any || !moved;
}

Stored CppFunction::to_store(const Binding& value, TypeId type, bool movable, NodeId node) {
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
void CppFunction::note_copy(NodeId node, bool made) {
    bool& any = module_.copies[{function_.name, node}];
    any = any || made;
}

// True if an array may be moved before a value read from it in this region is used: not in a loop, which only reads
// arrays from around it.
bool CppFunction::may_be_gone(NodeId array, Region region) {
    const auto may_move = [&](NodeId whole) {
        return uses_.is_handed_on(whole) && binding(whole).owned && uses_.is_around_branches(whole, region);
    };
    // An array that could be a view may still be stored as one of its own.
    for (; array; array = uses_.viewed(array))
        if (aliases_.contains(array) || may_move(array)) return true;
    return false;
}

bool CppFunction::reads_what_may_go(NodeId node, Region region) {
    return std::ranges::any_of(g_.operands(node), [&](NodeId operand) {
        return module_.types.is_array(g_.type(operand)) && may_be_gone(operand, region);
    });
}

std::string CppFunction::result_name(NodeId node, std::size_t k, std::string_view otherwise) {
    if (g_.result_count(node) == 1) return name_of(node, otherwise);
    const NodeId projection = uses_.find_projection(node, k);
    return projection ? name_of(projection, otherwise) : out_.fresh(otherwise);
}

} // namespace irrewrite::printers
