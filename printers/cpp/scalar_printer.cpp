// Operations that have a text, literals, tuples, structs, lists and calls in emitted C++.
#include "printers/cpp/cpp_function.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace irrewrite::printers {
namespace {

// True if a function is called in it.
bool calls(const std::string& text) {
    for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1))
        if (at > 0 &&
            (std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0 || text[at - 1] == '_' || text[at - 1] == '>'))
            return true;
    return false;
}

// Alternatives of which several test for a number, added up: GCC 12 makes a test of a bit of them, which vector lanes do not
// have.
Text added_up(Text any) {
    std::size_t tests = 0;
    for (std::size_t at = any.text.find(" == "); at != std::string::npos; at = any.text.find(" == ", at + 1)) ++tests;
    if (any.precedence != precedence::bit_or || tests < 3) return any;
    int depth = 0;
    for (char& c : any.text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0 && c == '|') c = '+';
    }
    any.text += " != 0";
    any.precedence = precedence::equality;
    return any;
}

Text taken_apart(Text sum) {
    if (sum.precedence != precedence::equality || !sum.text.ends_with(") != 0")) return sum;
    int depth = 0;
    bool any = false;
    for (std::size_t i = 0; i + 5 < sum.text.size(); ++i) {
        char& c = sum.text[i];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth == 0 && c == '+') c = '|', any = true;
    }
    if (!any) return sum;
    sum.text.resize(sum.text.size() - 5);
    sum.precedence = precedence::bit_or;
    return sum;
}

// True if braces around the text would make a `bool` of an `int`, which `a & b` is.
bool narrows(const Text& value, TypeKind kind) {
    return kind == TypeKind::Bool &&
           (value.precedence == precedence::bit_or || value.precedence == precedence::bit_and);
}

} // namespace

// `a & b` for `a && b` where both are computed without branches: the second one costs less than a branch, which no vector
// lanes have. A call stands before it, since compilers warn of a side that is perhaps expected to be skipped.
bool ScalarPrinter::print_both_sides(NodeId node, Region region) {
    const bool any = g_.scalar(node) == Scalar::Or;
    if (!at_.straight || types_.kind(g_.type(node)) != TypeKind::Bool || (g_.scalar(node) != Scalar::And && !any))
        return false;
    std::vector<Text> sides;
    for (NodeId operand : g_.operands(node)) {
        if (calls(text(operand).text)) define(operand, as_variable(binding(operand), "t"));
        sides.push_back(at_.lanes && any ? taken_apart(text(operand)) : text(operand));
    }
    Text both = all_of(sides, any);
    if (at_.lanes && any) both = added_up(std::move(both));
    ++both.depth;
    define_value(node, std::move(both), region);
    return true;
}

// All of them hold, or any of them, and none is skipped.
Text ScalarPrinter::all_of(std::span<const Text> conditions, bool any) {
    if (conditions.size() == 1) return conditions[0];
    const int own = any ? precedence::bit_or : precedence::bit_and;
    Text all{"", own, 0};
    for (const Text& one : conditions) {
        all.depth = std::max(all.depth, one.depth);
        all.text += (all.text.empty() ? ""
                     : any            ? " | "
                                      : " & ") +
                    (one.precedence == own ? one.text : parenthesized(one, precedence::unary));
    }
    return all;
}

// A condition in which nothing is skipped.
Text ScalarPrinter::without_branches(NodeId condition) {
    const Text whole = text(condition);
    if (whole.precedence != precedence::logical_and || g_.operands(condition).size() != 2) return whole;
    const std::array<Text, 2> sides = {without_branches(g_.operand(condition, 0)),
                                       without_branches(g_.operand(condition, 1))};
    return all_of(sides);
}

void ScalarPrinter::print_plain(NodeId node, Region region, std::uint32_t position) {
    const Operation& operation = g_.operation(node);
    const OpKind shape = module_.shapes[g_.op(node).index];
    if (shape == OpKind::Len) {
        Text length{length_text(g_.operand(node, 0))};
        // Of an array that is perhaps moved before the length is read.
        const bool alias = state_.aliases.contains(g_.operand(node, 0));
        if ((alias || binding(g_.operand(node, 0)).owned) && !is_atomic(length)) length.depth = 99;
        return length.depth > 0 ? define_value(node, length, region) : define(node, {length, types_.i64()});
    }
    if (shape == OpKind::Same) {
        const std::string a = text(g_.operand(node, 0)).text, b = text(g_.operand(node, 1)).text;
        if (at_.kernel != nullptr) {
            out_.line("if (" + a + " != " + b + ") " + f_.device().leave(node, "lengths"));
            at_.kernel->faults = true;
            return define(node, {{a}, types_.i64()});
        }
        const std::string name = name_of(node, "n");
        out_.line("const std::int64_t " + name + " = same_length(" + a + ", " + b + ", " + line_number(node) + ");");
        return define(node, {{name}, types_.i64()});
    }
    if (shape == OpKind::Select && !types_.is_scalar(g_.type(node))) {
        const std::string condition = text(g_.operand(node, 0)).text, name = name_of(node);
        const std::string yes = stored(g_.operand(node, 1), g_.type(node), region, position);
        const std::string no = stored(g_.operand(node, 2), g_.type(node), region, position);
        out_.line("const " + value_type(g_.type(node)) + " " + name + " = " + condition + " ? " + yes + " : " + no +
                  ";");
        return define(node, {{name}, g_.type(node)});
    }
    if (print_both_sides(node, region)) return;
    const bool exact = !module_.options.cuda && ranges_.is_exact(node);
    if (exact && print_difference(node, region)) return;
    const TextTemplate& form = module_.form(g_, node, exact);
    if (form.text.empty()) {
        if (operation.expansion && module_.module.find(operation.expansion) != nullptr)
            return print_call(node, operation.expansion, region, position);
        error(node, "operation '" + std::string(module_.context.symbols[operation.name]) + "' has no text for C++");
        return define(node, {{"0"}, g_.type(node)});
    }
    if (at_.kernel != nullptr && g_.has(node, MayFault) && form.names_line) at_.kernel->faults = true;
    // Operands that C++ would evaluate conditionally are computed before: a load under a condition is a branch. So is a
    // division, which may set a flag.
    const bool lazy = at_.hot > 0 && at_.kernel == nullptr && form.skips_operands;
    const bool compares = g_.scalar(node) >= Scalar::Eq && g_.scalar(node) <= Scalar::Ge;
    std::vector<Text> operands;
    for (NodeId operand : g_.operands(node)) {
        const bool apart = text(operand).text.find('[') != std::string::npos ||
                           (at_.straight && text(operand).text.find(" / ") != std::string::npos);
        if (lazy && !operands.empty() && apart) define(operand, as_variable(binding(operand), "t"));
        const Binding value = binding(operand); // a parameter may stand for a literal
        const bool typed = form.is_call && value.number && (form.is_of_library || operands.empty());
        operands.push_back(typed                             ? scalar_literal(g_.kind(operand), *value.number, true)
                           : compares && !value.wide.empty() ? Text{value.wide}
                                                             : value.text);
    }
    if (!types_.is_scalar(g_.type(node))) {
        const std::string name = name_of(node), value = form.fill(operands, line_number(node), "").text;
        if (!module_.makes_array(g_, node)) {
            out_.line("const auto " + name + " = " + value + ";");
            return define(node, {{name}, g_.type(node)});
        }
        out_.line(value_type(g_.type(node)) + " " + name + "(" + value + ");");
        return define(node, {{name}, g_.type(node), Form::Value, true});
    }
    Text result = form.fill(operands, line_number(node), scalar_type(g_.kind(node)));
    // Between literals of C++ types of their own, an integer choice would change its type.
    if ((shape == OpKind::Select && types_.is_integer(g_.type(node))) || reads_what_may_go(node, region))
        result.depth = 99;
    define_value(node, std::move(result), region);
}

void ScalarPrinter::print_cast(NodeId node, Region region) {
    const NodeId operand = g_.operand(node, 0);
    const TypeId from = g_.type(operand), to = g_.type(node);
    const Text value = text(operand);
    if (from == to) return define(node, {value, to});
    if (types_.kind(to) == TypeKind::Bool)
        return define_value(
            node, {parenthesized(value, precedence::additive) + " != 0", precedence::equality, value.depth + 1},
            region);
    const bool saturates = types_.is_float(from) && types_.is_integer(to);
    const std::string call = (saturates ? "saturate<" : "static_cast<") + value_type(to) + ">(" + value.text + ")";
    define_value(node, {call, precedence::primary, value.depth + 1}, region);
}

// Numbers alone: nobody has to make the array when the program runs.
bool ScalarPrinter::is_table(NodeId node) const {
    return !module_.options.cuda && g_.core(node) == Core::List && !g_.operands(node).empty() &&
           std::ranges::all_of(g_.operands(node), [&](NodeId item) { return g_.is_number(item); });
}

void ScalarPrinter::print_table(NodeId node) {
    constexpr std::size_t width = 100;
    std::vector<std::string> rows(1);
    for (NodeId item : g_.operands(node)) {
        const std::string text = binding(item).text.text;
        if (!rows.back().empty() && rows.back().size() + text.size() > width)
            rows.back().pop_back(), rows.emplace_back();
        rows.back() += text + ", ";
    }
    rows.back().resize(rows.back().size() - 2);
    const std::string name = name_of(node), size = std::to_string(g_.operands(node).size());
    const std::string item = value_type(types_.element(g_.type(node)));
    // (g++ 12 does not see what is used as a whole in a generic lambda alone.)
    const std::string start = "[[maybe_unused]] static constexpr std::array<" + item + ", " + size + "> " + name + "{";
    define(node, {{name}, g_.type(node), Form::View});
    if (rows.size() == 1) return out_.line(start + rows[0] + "};");
    out_.line(start);
    for (const std::string& row : rows) out_.line("    " + row);
    out_.line("};");
}

void ScalarPrinter::print_core(NodeId node, Region region, std::uint32_t position) {
    const TypeId type = g_.type(node);
    switch (g_.core(node)) {
    case Core::Call: return print_call(node, g_.attrs(node)[0].text(), region, position);
    case Core::Await: { // a loop says so by itself; not so an expression with calls, which stands where it is used
        const NodeId operand = g_.operand(node, 0);
        const Text awaited = g_.kind(operand) == TypeKind::Unit ? Text{} : text(operand);
        if (awaited.text.find('(') != std::string::npos) out_.line("static_cast<void>(" + awaited.text + ");");
        return;
    }
    case Core::Element:
    case Core::Field: {
        const Binding whole = binding(g_.operand(node, 0));
        const std::size_t k = g_.position(node);
        const bool is_field = g_.core(node) == Core::Field;
        const TypeId part = is_field ? types_.fields(whole.type)[k].type : types_.elements(whole.type)[k];
        std::string text =
            is_field ? parenthesized(whole.text, precedence::primary) + "." + module_.types.field(whole.type, k)
                     : "std::get<" + std::to_string(k) + ">(" + whole.text.text + ")";
        return define(node, {{std::move(text)}, part});
    }
    case Core::Tuple:
    case Core::Struct:
    case Core::List: {
        if (is_table(node)) return print_table(node);
        std::string list;
        for (std::size_t k = 0; k < g_.operands(node).size(); ++k) {
            const TypeId part = g_.core(node) == Core::List    ? types_.element(type)
                                : g_.core(node) == Core::Tuple ? types_.elements(type)[k]
                                                               : types_.fields(type)[k].type;
            const std::string value = stored(g_.operand(node, k), part, region, position);
            list += (k > 0 ? ", " : "") +
                    (narrows(text(g_.operand(node, k)), types_.kind(part)) ? "bool(" + value + ")" : value);
        }
        const std::string name = name_of(node);
        const bool owned = g_.core(node) == Core::List;
        std::string value = value_type(type) + (g_.core(node) == Core::Tuple ? "(" + list + ")" : "{" + list + "}");
        if (g_.core(node) == Core::List && module_.types.rank(type) > 1)
            value = "converted<" + value_type(type) + ">(array<" + value_type(types_.element(type)) + ">{" + list +
                    "}, " + line_number(node) + ")";
        out_.line((owned ? "auto " : "const auto ") + name + " = " + value + ";");
        return define(node, {{name}, type, Form::Value, owned});
    }
    default: error(node, "this node has no place in C++");
    }
}

// The argument for a function's parameter of that type: owned arrays convert to spans and views implicitly.
std::string ScalarPrinter::argument(NodeId node, TypeId parameter) {
    const Binding value = binding(node);
    if (!module_.types.is_array(parameter)) return stored(value, parameter, false, node);
    if (at_.kernel != nullptr) return value.text.text; // a view of the same kind
    const Form wanted = module_.types.parameter_form(parameter);
    if (wanted == Form::Rows) {
        if (value.form == Form::Rows) return value.text.text;
        return "rows_of<" + value_type(module_.types.element(parameter, 2)) + ">(" + value.text.text + ")";
    }
    if (value.form != Form::Rows && (value.form == Form::Value || wanted == Form::View) &&
        module_.types.rank(value.type) == module_.types.rank(parameter) &&
        module_.types.value(value.type) == module_.types.value(parameter))
        return value.text.text;
    return stored(value, parameter, false, node);
}

// A value that depends on a byte, from its table (plan/byte_tables); nothing for what only tables need.
bool ScalarPrinter::print_looked_up(NodeId node, Region region) {
    if (state_.bytes.inner.contains(node)) return true;
    const auto found = state_.bytes.of.find(node);
    if (found == state_.bytes.of.end()) return false;
    std::string& name = state_.table_names[node];
    if (name.empty()) {
        name = module_.names.fresh(module_.function_name(function_.name) + "_table");
        const TypeKind kind = g_.kind(node) == TypeKind::Bool ? TypeKind::U8 : g_.kind(node); // 0 and 1
        std::string list, line;
        for (std::size_t k = 0; k < found->second.values.size(); ++k) {
            line += (k % 32 == 0 ? "" : " ") + scalar_literal(kind, found->second.values[k], false).text + ",";
            if (k % 32 == 31) list += "\n    " + std::exchange(line, {});
        }
        list.pop_back();
        state_.parts += "// By the bits of a byte.\n" + std::string(module_.options.header ? "inline" : "static") +
                        " constexpr " + value_type(g_.type(node)) + " " + name + "[256]{" + list + "};\n\n";
        module_.notes.push_back({function_.name, "a value of line " + line_number(node) +
                                                     ": it depends on one byte, and is looked up in a table"});
    }
    const Text byte = text(found->second.byte);
    const bool is_signed = g_.kind(found->second.byte) == TypeKind::I8;
    const std::string index = is_signed ? "static_cast<std::uint8_t>(" + byte.text + ")" : byte.text;
    define_value(node, {name + "[" + index + "]", precedence::primary, byte.depth + 1}, region);
    return true;
}

std::string ScalarPrinter::arguments(NodeId call, const Function& function, Region region, std::uint32_t position) {
    std::string list;
    for (std::size_t k = 0; k < g_.operands(call).size(); ++k)
        list += (k > 0 ? ", " : "") + (module_.takes_over(function, function.params[k])
                                           ? stored(g_.operand(call, k), function.params[k].type, region, position)
                                           : argument(g_.operand(call, k), function.params[k].type));
    return list;
}

// A call of which the result is written behind what the array `into` has (plan/appended_calls).
void ScalarPrinter::print_appending_call(NodeId node, const std::string& into, Region region) {
    const SymbolId callee = g_.attrs(node)[0].text();
    const Function& function = *module_.module.find(callee);
    if (std::ranges::find(module_.called_appending, callee) == module_.called_appending.end()) {
        module_.called_appending.push_back(callee);
        module_.appending_names[callee] = module_.names.fresh("append_" + module_.function_name(callee));
    }
    LoopNote note{function_.name, "the call of line " + line_number(node) + ": '@" +
                                      std::string(module_.context.symbols[callee]) +
                                      "' writes its result behind what the loop has collected"};
    if (std::ranges::find(module_.notes, note) == module_.notes.end()) module_.notes.push_back(std::move(note));
    const std::string list = arguments(node, function, region, UINT32_MAX);
    out_.line(module_.appending_names.at(callee) + "(" + list + (list.empty() ? "" : ", ") + into + ");");
}

void ScalarPrinter::print_call(NodeId node, SymbolId callee, Region region, std::uint32_t position) {
    const Function* function = module_.module.find(callee);
    if (function == nullptr) return error(node, "the function called is not there");
    if (at_.kernel != nullptr) at_.kernel->faults = true;
    module_.called.insert(callee);
    const std::string list = arguments(node, *function, region, position);
    if (at_.kernel != nullptr && module_.may_give_up(*function)) at_.kernel->shared_faults = true;
    const bool apart = at_.kernel != nullptr && module_.on_device(*function) == OnDeviceAs::Apart;
    if (apart && std::ranges::find(module_.called_on_device, callee) == module_.called_on_device.end())
        module_.called_on_device.push_back(callee);
    const std::string call =
        (apart ? module_.device_names.at(callee) : module_.function_name(callee)) + "(" + list + ")";
    const std::vector<TypeId>& results = function->result_types;
    if (results.empty()) return out_.line(call + ";");
    if (results.size() == 1) {
        const bool ordered = g_.has(node, TakesToken) || g_.has(node, Advances);
        if (types_.is_scalar(results[0]) && !ordered)
            return define_value(node, {call, precedence::primary, reads_what_may_go(node, region) ? 99u : 1u}, region);
        const bool scalar = types_.is_scalar(results[0]);
        const std::string name = name_of(node);
        const UseAnalysis::Use* use = uses_.find(node, region);
        if (use == nullptr || use->count == 0) return out_.line(call + ";");
        out_.line((scalar ? "const " : "") + value_type(results[0]) + " " + name + " = " + call + ";");
        return define(node, {{name}, results[0], Form::Value, !scalar});
    }
    const std::vector<std::string> names = declare_results(node, results);
    std::string targets;
    for (const std::string& name : names) targets += (targets.empty() ? "" : ", ") + name;
    out_.line("std::tie(" + targets + ") = " + call + ";");
    bind_results(node, names, results);
}

} // namespace irrewrite::printers
