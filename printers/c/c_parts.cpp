#include "printers/c/c_parts.hpp"

#include "printers/c/c_function.hpp"

#include <algorithm>
#include <cmath>

namespace irrewrite::printers {

CParts::CParts(CFunction& function)
    : FunctionParts(function.module, function), f_(function), state_(function), module_(state_.module) {}

// -- values ----------------------------------------------------------------------------------------

Text CParts::literal(TypeKind kind, std::uint64_t bits) const {
    if (kind == TypeKind::Bool) return {bits != 0 ? "true" : "false"};
    if (kind == TypeKind::F32 || kind == TypeKind::F64) {
        const double value = to_double(kind, bits);
        if (std::isnan(value)) return {"NAN"};
        if (std::isinf(value)) return value < 0 ? Text{"-INFINITY", precedence::unary} : Text{"INFINITY"};
    } else if (kind == TypeKind::I64 && bits == std::uint64_t{1} << 63) {
        return {"INT64_MIN"};
    }
    return scalar_literal(kind, bits, false);
}

Binding CParts::binding(NodeId node) {
    if (g_.is_literal(node)) {
        const AttrValue value = g_.attrs(node)[0];
        const TypeId type = g_.type(node);
        if (value.kind == AttrValue::Kind::Number)
            return {.text = literal(types_.kind(value.type), value.bits), .type = type, .number = value.bits};
        const std::string_view bytes = module_.context.symbols[value.text()];
        return {{"(" + type_of(type) + "){(uint8_t *)" + string_literal(bytes) + ", {" + std::to_string(bytes.size()) +
                     "}, NULL}",
                 precedence::unary, 1},
                type};
    }
    if (g_.is_project(node))
        if (const std::vector<Binding>* results = env_.find_results(g_.operand(node, 0)))
            return (*results)[g_.position(node)];
    if (g_.is_param(node) && g_.param_number(node) == number::dims) state_.used_dims[g_.param_index(node)] = true;
    if (const Binding* found = env_.find(node)) return *found;
    refuse(node, "'" + std::string(module_.context.symbols[g_.operation(node).name]) + "' has no text for C here");
    return {{"0"}, g_.type(node)};
}

// -- variables -------------------------------------------------------------------------------------

bool CParts::is_unread(NodeId node, std::size_t k) const {
    return g_.result_count(node) == 1 ? uses_.reads(node) == 0 : !uses_.find_projection(node, k);
}

void CParts::declare(TypeId type, const std::string& name, const std::string& value, bool unread) {
    const bool counts = module_.types.holds(type);
    out_.line((unread && !counts ? "IR_UNUSED " : "") + type_of(type) + " " + name + " = " + value + ";");
    if (counts) state_.blocks.back().push_back({name, type});
}

void CParts::define_variable(NodeId node, TypeId type, const std::string& name, const std::string& value) {
    const bool counts = module_.types.holds(type);
    if (counts)
        declare(type, name, value);
    else
        out_.line("const " + type_of(type) + " " + name + " = " + value + ";");
    define(node, {{name}, type, Form::Value, counts});
}

void CParts::define_value(NodeId node, Text text, Region region) {
    const bool inlined =
        !g_.name(node) && text.depth <= 3 && text.text.size() <= 64 && uses_.is_used_once(node, region);
    if (inlined) return define(node, {std::move(text), g_.type(node)});
    define_variable(node, g_.type(node), name_of(node), text.text);
}

// Of a value that is only read.
Binding CParts::as_variable(const Binding& value, std::string_view name) {
    if (is_atomic(value.text)) return value;
    Binding result = value;
    result.text = {out_.fresh(name)};
    result.owned = false;
    out_.line("const " + type_of(value.type) + " " + result.text.text + " = " + value.text.text + ";");
    return result;
}

std::vector<std::string> CParts::declare_results(NodeId node, std::span<const TypeId> types) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
        if (!check_type(node, types[k])) return std::vector<std::string>(types.size(), "t");
        names.push_back(result_name(node, k, "t"));
        declare(types[k], names[k], types_.is_scalar(types[k]) ? "0" : "{0}", is_unread(node, k));
    }
    return names;
}

std::string CParts::stored(const Binding& value, TypeId type, bool movable, NodeId node) {
    if (!module_.types.holds(type)) return value.text.text;
    if (type_of(type) != type_of(value.type))
        return module_.types.converted(type, value.type, value.text.text, line_number(node));
    if (movable && value.owned && is_atomic(value.text)) return module_.types.taken(type, value.text.text);
    return module_.types.kept(type, value.text.text);
}

Binding CParts::as_type(const Binding& value, TypeId type, NodeId node) {
    if (type_of(type) == type_of(value.type)) return value;
    const std::string name = out_.fresh("rows");
    declare(type, name, module_.types.converted(type, value.type, value.text.text, line_number(node)));
    return {{name}, type, Form::Value, true};
}

void CParts::set(TypeId type, const std::string& target, const std::string& value) {
    if (target == value) return;
    if (!module_.types.holds(type)) return out_.line(target + " = " + value + ";");
    if (value == module_.types.taken(type, target)) return;
    const std::string name = out_.fresh("next");
    out_.line("const " + type_of(type) + " " + name + " = " + value + ";");
    out_.line(module_.types.released(type, target) + ";");
    out_.line(target + " = " + name + ";");
}

void CParts::assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                    Region region) {
    if (targets.size() == 1) return set(types[0], targets[0], stored(values[0], types[0], region));
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        std::string value = stored(values[k], types[k], region);
        const bool itself = value == targets[k] || value == module_.types.taken(types[k], targets[k]);
        bool stale = module_.types.holds(types[k]);
        for (std::size_t j = 0; j < targets.size() && !stale; ++j)
            stale = mentions(value, std::string_view(targets[j]).substr(0, targets[j].find_first_of(".[")));
        if (stale && !itself) {
            const std::string name = out_.fresh("next");
            out_.line("const " + type_of(types[k]) + " " + name + " = " + value + ";");
            value = name;
        }
        texts.push_back(itself ? std::string() : value);
    }
    for (std::size_t k = 0; k < targets.size(); ++k) {
        if (texts[k].empty()) continue;
        if (module_.types.holds(types[k])) out_.line(module_.types.released(types[k], targets[k]) + ";");
        out_.line(targets[k] + " = " + texts[k] + ";");
    }
}

void CParts::print_nodes(Region region) { f_.print_nodes(region); }

// -- blocks ----------------------------------------------------------------------------------------

void CParts::open(std::string_view line) {
    out_.open(line);
    state_.blocks.emplace_back();
}

void CParts::release_block() {
    for (auto owned = state_.blocks.back().rbegin(); owned != state_.blocks.back().rend(); ++owned)
        out_.line(module_.types.released(owned->type, owned->name) + ";");
}

void CParts::close() {
    release_block();
    state_.blocks.pop_back();
    out_.close();
}

void CParts::otherwise() {
    release_block();
    out_.close_names(), out_.outdent();
    out_.open("} else {");
    state_.blocks.back().clear();
}

// -- places ----------------------------------------------------------------------------------------

void CParts::refuse(NodeId node, std::string text) {
    Diagnostic error = error_at(node, std::move(text));
    const auto same = [&](const Diagnostic& other) {
        return other.where.source == error.where.source && other.where.begin == error.where.begin;
    }; // one reason for a place is enough
    if (std::ranges::none_of(module_.errors, same)) module_.errors.push_back(std::move(error));
}

bool CParts::check_type(NodeId node, TypeId type) {
    if (module_.types.is_representable(type)) return true;
    refuse(node, "type " + types_.text(type, module_.context.symbols) + " has no text for C");
    return false;
}

// The length of dimension `k` of those that lie in one piece; `type`: the array's from there on.
std::string CParts::extent_text(const Binding& array, TypeId type, std::size_t k) {
    const Dim dim = types_.dim(type);
    if (dim.kind == DimKind::Constant) return std::to_string(dim.value);
    if (dim.kind == DimKind::Named) {
        const std::string name = dimension_text({static_cast<std::uint32_t>(dim.value)});
        if (!name.empty()) return name;
    }
    return parenthesized(array.text, precedence::primary) + ".n[" + std::to_string(k) + "]";
}

std::string CParts::index_text(NodeId index, NodeId array, TypeId type, std::size_t level, const std::string& length,
                               NodeId node) {
    const std::string& position = text(index).text;
    if (code_.is_within(index, array, type, level)) return position;
    return "ir_checked(" + position + ", " + length + ", " + line_number(node) + ")";
}

std::string CParts::checked_length(NodeId length, NodeId node) {
    const std::string value = text(length).text;
    return code_.known_nonnegative(length) ? value : "ir_checked_length(" + value + ", " + line_number(node) + ")";
}

} // namespace irrewrite::printers
