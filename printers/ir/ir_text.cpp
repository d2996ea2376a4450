#include "printers/ir/ir_text.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"

#include <charconv>

namespace irrewrite::printers {

namespace {

void append_number(std::string& out, const Context& context, const AttrValue& value, bool suffixed) {
    const TypeKind kind = context.types.kind(value.type);
    char digits[24];
    if (kind == TypeKind::I64)
        out.append(digits, std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(value.bits)).ptr);
    else
        out += scalar_text(kind, value.bits);
    const bool plain = kind == TypeKind::Bool || kind == TypeKind::I64 || kind == TypeKind::F64;
    if (!plain && suffixed) out += context.types.text(value.type, context.symbols);
}

// True if an operand that is no literal has the type variable of operand `position`.
bool type_is_fixed(const Graph& graph, NodeId user, std::size_t position) {
    const std::vector<TypeTerm>& terms = graph.operation(user).signature.operands;
    std::span<const NodeId> operands = graph.operands(user);
    if (terms.size() != operands.size() || terms[position].kind != TypeTerm::Kind::Variable) return false;
    for (const TypeTerm& term : terms)
        if (term.sequence) return false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool same = terms[i].kind == TypeTerm::Kind::Variable && terms[i].variable == terms[position].variable;
        if (same && !graph.is_literal(operands[i])) return true;
    }
    return false;
}

} // namespace

void append_literal(std::string& out, const Graph& graph, NodeId literal, bool suffixed) {
    const AttrValue& value = graph.attrs(literal)[0];
    if (value.kind == AttrValue::Kind::Text)
        out += escape(graph.context().symbols[value.text()]);
    else
        append_number(out, graph.context(), value, suffixed);
}

std::string literal_text(const Graph& graph, NodeId literal) {
    std::string text;
    append_literal(text, graph, literal);
    return text;
}

void append_operand(std::string& out, const Graph& graph, NodeId user, std::size_t position) {
    const NodeId literal = graph.operand(user, position);
    const bool plain =
        graph.type(literal) == graph.context().types.i64() || graph.type(literal) == graph.context().types.f64();
    append_literal(out, graph, literal, !plain && !type_is_fixed(graph, user, position));
}

std::string attributes_text(const Graph& graph, NodeId node) {
    const Context& context = graph.context();
    std::string text;
    for (const AttrValue& value : graph.attrs(node)) {
        text += text.empty() ? "[" : ", ";
        switch (value.kind) {
        case AttrValue::Kind::Number: append_number(text, context, value, true); break;
        case AttrValue::Kind::Text: text += escape(context.symbols[value.text()]); break;
        case AttrValue::Kind::Type: text += context.types.text(value.type, context.symbols); break;
        }
    }
    return text.empty() ? text : text + "]";
}

void append_head(std::string& out, const Graph& graph, NodeId n) {
    const Context& context = graph.context();
    const Operation& operation = graph.operation(n);
    switch (operation.core) {
    case Core::Tuple: out += '('; return;
    case Core::List: out += '['; return;
    case Core::Struct: (out += context.symbols[context.types.name(graph.type(n))]) += '{'; return;
    case Core::Element:
    case Core::Field: return;
    case Core::Call: ((out += '@') += context.symbols[graph.attrs(n)[0].text()]) += '('; return;
    default: break;
    }
    out += context.symbols[operation.name];
    if (!graph.attrs(n).empty()) out += attributes_text(graph, n);
    if (!graph.operands(n).empty() || graph[n].blocks == 0) out += '(';
}

void append_tail(std::string& out, const Graph& graph, NodeId n) {
    const Context& context = graph.context();
    switch (graph.core(n)) {
    case Core::List: out += ']'; return;
    case Core::Struct: out += '}'; return;
    case Core::Element: out += "." + std::to_string(graph.position(n)); return;
    case Core::Field: {
        std::span<const StructField> fields = context.types.fields(graph.type(graph.operand(n, 0)));
        (out += '.') += context.symbols[fields[graph.position(n)].name];
        return;
    }
    default: break;
    }
    if (!graph.operands(n).empty() || graph[n].blocks == 0) out += ')';
}

void append_separator(std::string& out, const Graph& graph, NodeId n, std::size_t operand) {
    const Context& context = graph.context();
    if (operand) out += ", ";
    if (graph.core(n) != Core::Struct) return;
    (out += context.symbols[context.types.fields(graph.type(n))[operand].name]) += " = ";
}

bool is_annotated(const Graph& graph, NodeId n) {
    const Context& context = graph.context();
    const Core core = graph.core(n);
    if (core == Core::List && graph.operands(n).empty()) return true;
    if (core != Core::None || context.types.is_scalar(graph.type(n))) return false;
    const auto& results = graph.operation(n).signature.results; // often they say all
    const bool says = results.size() == 1 && results[0].kind == TypeTerm::Kind::Known && !results[0].sequence;
    if (says && results[0].type == graph.type(n)) return false;
    // Reading keeps what the annotation does not know.
    const auto inferred = infer(graph, graph.op(n), graph[n].attrs, graph.operands(n), graph.blocks(n)).type;
    return !inferred || (*inferred != graph.type(n) &&
                         (graph.kind(n) == TypeKind::Results || !context.types.agree(*inferred, graph.type(n)) ||
                          graph.context().types.meet(*inferred, graph.type(n)) != graph.type(n)));
}

} // namespace irrewrite::printers
