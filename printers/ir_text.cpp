#include "printers/ir_text.hpp"

#include "engine/infer.hpp"
#include "engine/scalars.hpp"

namespace irrewrite::printers {

namespace {

std::string number_text(const Context& context, const AttrValue& value, bool suffixed) {
    const TypeKind kind = context.types.kind(value.type);
    std::string text = scalar_text(kind, value.bits);
    const bool plain = kind == TypeKind::Bool || kind == TypeKind::I64 || kind == TypeKind::F64;
    return plain || !suffixed ? text : text + context.types.text(value.type, context.symbols);
}

// Whether an operand that is no literal has the type variable that operand `position` has.
bool type_is_fixed(const Graph& graph, NodeId user, std::size_t position) {
    const std::vector<TypeTerm>& terms = graph.operation(user).signature.operands;
    std::span<const NodeId> operands = graph.operands(user);
    if (terms.size() != operands.size() || terms[position].kind != TypeTerm::Kind::Variable)
        return false;
    for (const TypeTerm& term : terms)
        if (term.sequence) return false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const bool same = terms[i].kind == TypeTerm::Kind::Variable &&
                          terms[i].variable == terms[position].variable;
        if (same && !graph.is_literal(operands[i])) return true;
    }
    return false;
}

} // namespace

std::string literal_text(const Graph& graph, NodeId literal, bool suffixed) {
    const AttrValue& value = graph.attrs(literal)[0];
    if (value.kind == AttrValue::Kind::Text) return escape(graph.context().symbols[value.text()]);
    return number_text(graph.context(), value, suffixed);
}

std::string literal_text(const Graph& graph, NodeId user, std::size_t position) {
    return literal_text(graph, graph.operand(user, position),
                        !type_is_fixed(graph, user, position));
}

std::string attributes_text(const Graph& graph, NodeId node) {
    const Context& context = graph.context();
    std::string text;
    for (const AttrValue& value : graph.attrs(node)) {
        text += text.empty() ? "[" : ", ";
        switch (value.kind) {
        case AttrValue::Kind::Number: text += number_text(context, value, true); break;
        case AttrValue::Kind::Text: text += escape(context.symbols[value.text()]); break;
        case AttrValue::Kind::Type: text += context.types.text(value.type, context.symbols); break;
        }
    }
    return text.empty() ? text : text + "]";
}

std::string head_text(const Graph& graph, NodeId n) {
    const Context& context = graph.context();
    const Operation& operation = graph.operation(n);
    switch (operation.core) {
    case Core::Tuple: return "(";
    case Core::List: return "[";
    case Core::Struct: return std::string(context.symbols[context.types.name(graph.type(n))]) + "{";
    case Core::Element:
    case Core::Field: return "";
    case Core::Call: return "@" + std::string(context.symbols[graph.attrs(n)[0].text()]) + "(";
    default: break;
    }
    std::string text = std::string(context.symbols[operation.name]) + attributes_text(graph, n);
    return graph.operands(n).empty() && graph[n].blocks > 0 ? text : text + "(";
}

std::string tail_text(const Graph& graph, NodeId n) {
    const Context& context = graph.context();
    switch (graph.core(n)) {
    case Core::List: return "]";
    case Core::Struct: return "}";
    case Core::Element: return "." + std::to_string(graph.position(n));
    case Core::Field: {
        std::span<const StructField> fields = context.types.fields(graph.type(graph.operand(n, 0)));
        return "." + std::string(context.symbols[fields[graph.position(n)].name]);
    }
    default: return graph.operands(n).empty() && graph[n].blocks > 0 ? "" : ")";
    }
}

std::string separator_text(const Graph& graph, NodeId n, std::size_t operand) {
    const Context& context = graph.context();
    std::string text = operand ? ", " : "";
    if (graph.core(n) != Core::Struct) return text;
    return text + std::string(context.symbols[context.types.fields(graph.type(n))[operand].name]) +
           " = ";
}

std::string annotation_text(const Graph& graph, NodeId n, TypeId part) {
    const Context& context = graph.context();
    const Core core = graph.core(n);
    const bool empty = core == Core::List && graph.operands(n).empty();
    if (!empty && (core != Core::None || context.types.is_scalar(graph.type(n)))) return {};
    if (!empty) { // reading keeps what the annotation does not know
        const auto inferred =
            infer(graph, graph.op(n), graph[n].attrs, graph.operands(n), graph.blocks(n)).type;
        const bool known = inferred && (*inferred == graph.type(n) ||
                                        (graph.kind(n) != TypeKind::Results && context.types.agree(*inferred, graph.type(n)) &&
                                         graph.context().types.meet(*inferred, graph.type(n)) == graph.type(n)));
        if (known) return {};
    }
    return ": " + context.types.text(part, context.symbols);
}

} // namespace irrewrite::printers
