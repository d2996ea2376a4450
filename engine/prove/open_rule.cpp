#include "engine/prove/open_rule.hpp"

#include "engine/prove/smt.hpp"

namespace irrewrite {

Rule with_open_literals(const Rule& rule) {
    Rule open = rule;
    for (Variable& v : open.variables)
        if (v.kind == VariableKind::Literal) v.kind = VariableKind::Node;
    for (std::size_t i = open.terms.size(); i-- > 0;)
        while (open.terms[i].kind == TermKind::Compute)
            open.terms[i] = Term(open.terms[open.terms[i].operands[0].index]);
    return open;
}

std::optional<std::vector<TypeKind>> scalar_parts(const Types& types, TypeId type) {
    if (has_bits(types.kind(type))) return std::vector{types.kind(type)};
    std::vector<TypeId> inner;
    if (types.kind(type) == TypeKind::Tuple) inner.assign(types.elements(type).begin(), types.elements(type).end());
    if (types.kind(type) == TypeKind::Struct)
        for (const StructField& field : types.fields(type)) inner.push_back(field.type);
    if (inner.empty()) return std::nullopt;
    std::vector<TypeKind> out;
    for (TypeId part : inner) {
        const auto more = scalar_parts(types, part);
        if (!more) return std::nullopt;
        out.insert(out.end(), more->begin(), more->end());
    }
    return out;
}

std::set<SymbolId> doubtful_parameters(const Function& function, const Rule& rule, const Bindings& bindings,
                                       NodeId left, const Symbols& symbols) {
    std::set<NodeId> needed; // and no block around
    std::vector<NodeId> stack{left};
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!needed.insert(node).second) continue;
        for (NodeId operand : function.graph.operands(node)) stack.push_back(operand);
    }
    const auto need = [&](VariableId v) {
        needed.insert(bindings[v.index].items.begin(), bindings[v.index].items.end());
    };
    for (const Condition& c : rule.conditions) {
        if (c.kind != Condition::Kind::Predicate || symbols[c.text] != "total") continue;
        for (const TermId term : c.terms)
            if (rule[term].variable) need(rule[term].variable);
    }
    for (std::uint32_t v = 0; v < rule.variables.size(); ++v) // literals do not fault
        if (rule.variables[v].kind == VariableKind::Literal) need(VariableId{v});
    std::set<SymbolId> doubtful;
    for (const Parameter& p : function.params)
        if (!needed.contains(p.node)) doubtful.insert(p.name);
    return doubtful;
}

} // namespace irrewrite
