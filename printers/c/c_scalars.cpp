#include "printers/c/c_function.hpp"

namespace irrewrite::printers {

void CScalars::print_plain(NodeId node, Region region, std::uint32_t position) {
    const Operation& operation = g_.operation(node);
    const OpKind kind = module_.shapes[g_.op(node).index];
    const std::string line = line_number(node);
    if (kind == OpKind::Len) {
        const Binding array = binding(g_.operand(node, 0));
        const Text length{extent_text(array, array.type, 0)};
        if (!array.owned && is_atomic(array.text)) return define(node, {length, types_.i64()});
        return define_variable(node, types_.i64(), name_of(node, "n"), length.text);
    }
    if (kind == OpKind::Same) {
        const std::string a = text(g_.operand(node, 0)).text, b = text(g_.operand(node, 1)).text;
        const std::string name = name_of(node, "n");
        out_.line("const int64_t " + name + " = ir_same_length(" + a + ", " + b + ", " + line + ");");
        return define(node, {{name}, types_.i64()});
    }
    if (kind == OpKind::Select && !types_.is_scalar(g_.type(node))) {
        const TypeId type = g_.type(node);
        if (!check_type(node, type)) return;
        const std::string condition = parenthesized(text(g_.operand(node, 0)), precedence::logical_or);
        const Binding yes = as_variable(binding(g_.operand(node, 1)), "yes");
        const Binding no = as_variable(binding(g_.operand(node, 2)), "no");
        return define_variable(node, type, name_of(node),
                               condition + " ? " + stored(yes, type, false, node) + " : " +
                                   stored(no, type, false, node));
    }
    const Scalar scalar = g_.scalar(node);
    const bool sum = scalar == Scalar::Add || scalar == Scalar::Sub || scalar == Scalar::Mul;
    const bool exact = sum && ranges_.is_exact(node);
    if (exact && print_difference(node, region)) return;
    const TextTemplate& form = module_.form(g_, node, exact);
    if (form.text.empty()) {
        if (operation.expansion && module_.module.find(operation.expansion) != nullptr)
            return print_call(node, operation.expansion, region, position);
        refuse(node, "operation '" + std::string(module_.context.symbols[operation.name]) + "' has no text for C");
        return define(node, {{"0"}, g_.type(node)});
    }
    std::vector<Text> operands;
    for (NodeId operand : g_.operands(node)) operands.push_back(text(operand));
    if (!types_.is_scalar(g_.type(node))) {
        refuse(node, "operation '" + std::string(module_.context.symbols[operation.name]) +
                         "' makes a value that is no scalar, which has no text for C");
        return define(node, {{"0"}, g_.type(node)});
    }
    Text result = form.fill(operands, line, CTypes::suffix(g_.kind(node)));
    // C computes with `int` at least: what a type of fewer bits does not hold is cut off where it is stored.
    if (types_.is_integer(g_.type(node)) && types_.bits(g_.type(node)) < 32 && !form.is_call) result.depth = 99;
    define_value(node, std::move(result), region);
}

void CScalars::print_cast(NodeId node, Region region) {
    const NodeId operand = g_.operand(node, 0);
    const TypeId from = g_.type(operand), to = g_.type(node);
    const Text value = text(operand);
    if (from == to) return define(node, {value, to});
    if (types_.kind(to) == TypeKind::Bool)
        return define_value(
            node, {parenthesized(value, precedence::additive) + " != 0", precedence::equality, value.depth + 1},
            region);
    if (types_.is_float(from) && types_.is_integer(to)) {
        const std::string name = "ir_from_" + std::string(CTypes::suffix(types_.kind(from))) + "_" +
                                 std::string(CTypes::suffix(types_.kind(to)));
        return define_value(node, {name + "(" + value.text + ")", precedence::primary, value.depth + 1}, region);
    }
    define_value(
        node, {"(" + type_of(to) + ")" + parenthesized(value, precedence::unary), precedence::unary, value.depth + 1},
        region);
}

void CScalars::print_record(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node);
    std::string list;
    for (std::size_t k = 0; k < g_.operands(node).size(); ++k) {
        const TypeId part = g_.core(node) == Core::Tuple ? types_.elements(type)[k] : types_.fields(type)[k].type;
        list += (k > 0 ? ", " : "") + stored(g_.operand(node, k), part, region, position);
    }
    define_variable(node, type, name_of(node), "{" + list + "}");
}

void CScalars::print_list(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node), part = types_.element(type);
    const std::size_t count = g_.operands(node).size();
    const std::string name = name_of(node, "list");
    if (module_.types.rank(type) > 1) {
        declare(type, name, "{0}");
        for (NodeId item : g_.operands(node)) {
            const Binding row = as_type(as_variable(binding(item), "row"), part, item);
            if (item != g_.operand(node, 0))
                for (std::size_t k = 1; k < module_.types.rank(type); ++k)
                    out_.line("if (" + row.text.text + ".n[" + std::to_string(k - 1) + "] != " + name + ".n[" +
                              std::to_string(k) + "]) ir_fault(" + line_number(node) +
                              ", \"rows of different lengths\");");
            out_.line(type_of(type) + "_push_row(&" + name + ", " + row.text.text + ");");
        }
    } else {
        declare(type, name, type_of(type) + "_new((int64_t[]){" + std::to_string(count) + "})");
        for (std::size_t k = 0; k < count; ++k)
            out_.line(name + ".data[" + std::to_string(k) +
                      "] = " + stored(g_.operand(node, k), part, region, position) + ";");
    }
    define(node, {{name}, type, Form::Value, true});
}

void CScalars::print_core(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node);
    switch (g_.core(node)) {
    case Core::Call: return print_call(node, g_.attrs(node)[0].text(), region, position);
    case Core::Await: return; // a loop says so by itself
    case Core::Element:
    case Core::Field: {
        const Binding whole = binding(g_.operand(node, 0));
        const std::size_t k = g_.position(node);
        const bool is_field = g_.core(node) == Core::Field;
        const TypeId part = is_field ? types_.fields(whole.type)[k].type : types_.elements(whole.type)[k];
        const std::string field = is_field ? module_.types.field(whole.type, k) : "f" + std::to_string(k);
        return define(node, {{parenthesized(whole.text, precedence::primary) + "." + field}, part});
    }
    case Core::Tuple:
    case Core::Struct:
        return check_type(node, type) ? print_record(node, region, position) : define(node, {{"0"}, type});
    case Core::List: return check_type(node, type) ? print_list(node, region, position) : define(node, {{"0"}, type});
    default: refuse(node, "this node has no text for C");
    }
}

void CScalars::print_call(NodeId node, SymbolId callee, Region region, std::uint32_t position) {
    const Function* function = module_.module.find(callee);
    if (function == nullptr) return refuse(node, "the function called is not there");
    std::string list;
    for (std::size_t k = 0; k < g_.operands(node).size(); ++k) {
        const Parameter& parameter = function->params[k];
        const NodeId operand = g_.operand(node, k);
        list +=
            (k > 0 ? ", " : "") + (parameter.consumed ? stored(operand, parameter.type, region, position)
                                                      : as_type(binding(operand), parameter.type, operand).text.text);
    }
    const std::string call = module_.function_names.at(callee) + "(" + list + ")";
    const std::vector<TypeId>& results = function->result_types;
    if (results.empty()) return out_.line(call + ";");
    for (TypeId result : results)
        if (!check_type(node, result)) return;
    if (results.size() == 1) return define_variable(node, results[0], name_of(node), call);
    const std::string whole = out_.fresh("results");
    out_.line("const " + module_.types.results(results) + " " + whole + " = " + call + ";");
    std::vector<std::string> names;
    for (std::size_t k = 0; k < results.size(); ++k) {
        names.push_back(result_name(node, k, "t"));
        declare(results[k], names.back(), whole + ".f" + std::to_string(k), is_unread(node, k));
    }
    bind_results(node, names, results);
}

} // namespace irrewrite::printers
