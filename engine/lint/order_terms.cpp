#include "engine/lint/order_terms.hpp"

#include <algorithm>

namespace irrewrite {

struct OrderTerms::Reading {
    const Rule& rule;
    std::map<VariableId, TermId> known; // what a metavariable stands for
    bool left = true;
};

std::uint32_t OrderTerms::symbol(const std::string& name) {
    auto [it, fresh] = index_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(name);
    return it->second;
}

std::optional<OrderRule> OrderTerms::read(RuleId id) {
    const Rule& rule = lint_[id];
    if (rule.left.size() != 1 || rule.parameters) return std::nullopt;
    Reading reading{rule, {}};
    for (std::uint32_t i = 0; i < rule.terms.size(); ++i)
        if (rule.terms[i].kind == TermKind::Named) reading.known[rule.terms[i].variable] = rule.terms[i].operands[0];
    for (const Condition& c : rule.conditions) {
        if (c.kind == Condition::Kind::Build) reading.known[c.variable] = c.a;
        if (c.kind == Condition::Kind::Match && rule[c.a].kind == TermKind::Variable)
            reading.known[rule[c.a].variable] = c.b;
    }
    auto left = term(reading, rule.left[0], 0);
    reading.left = false;
    OrderTerm right;
    if (rule.right.size() == 1) {
        auto one = term(reading, rule.right[0], 0);
        if (!one) return std::nullopt;
        right = std::move(*one);
    } else if (!arguments(reading, rule.right, right, 0))
        return std::nullopt;
    if (!left) return std::nullopt;
    return OrderRule{id, std::move(*left), std::move(right)};
}

bool OrderTerms::arguments(Reading& reading, std::span<const TermId> terms, OrderTerm& out, unsigned depth) {
    for (TermId id : terms) {
        auto made = term(reading, id, depth + 1);
        if (!made) return false;
        made->repeated = made->repeated || (reading.rule[id].sequence && made->kind == OrderTerm::Kind::Symbol);
        out.arguments.push_back(std::move(*made));
    }
    return true;
}

std::optional<OrderTerm> OrderTerms::term(Reading& reading, TermId id, unsigned depth) {
    using K = TermKind;
    if (depth > 50) return std::nullopt; // a condition that mentions itself
    const Rule& rule = reading.rule;
    const Term& t = rule[id];
    OrderTerm out;
    switch (t.kind) {
    case K::Number:
    case K::Constant:
    case K::Compute:
    case K::Count: return out;
    case K::Wildcard:
        out.kind = OrderTerm::Kind::Variable, out.id = static_cast<std::uint32_t>(rule.variables.size()) + id.index;
        return out;
    case K::Named: return term(reading, t.operands[0], depth + 1);
    case K::Variable:
    case K::Apply: {
        VariableKind kind = rule[t.variable].kind;
        if (kind == VariableKind::Literal || kind == VariableKind::Dim) return out;
        auto known = reading.known.find(t.variable);
        if (known != reading.known.end() && t.kind == K::Variable) return term(reading, known->second, depth + 1);
        out.kind = kind == VariableKind::Param ? OrderTerm::Kind::Param : OrderTerm::Kind::Variable;
        out.id = t.variable.index, out.sequence = rule[t.variable].sequence;
        if (!arguments(reading, t.operands, out, depth)) return std::nullopt;
        out.operands = out.arguments.size();
        return out;
    }
    case K::Node: {
        const Operation& operation = lint_.world->context.operations[t.ops[0]];
        out.id = symbol(std::string(lint_.world->context.symbols[operation.name]));
        out.commutative = operation.commutative();
        break;
    }
    case K::Parts:
    case K::Project: // the number says nothing
        out.id = symbol("a result");
        if (auto whole = term(reading, t.operands[0], depth + 1)) {
            out.arguments.push_back(std::move(*whole)), out.operands = 1;
            return out;
        }
        return std::nullopt;
    case K::Field: out.id = symbol("a field"); break;
    case K::Struct:
    case K::Record: out.id = symbol("a struct"); break;
    case K::Call: out.id = symbol(t.text ? "@" + std::string(lint_.world->context.symbols[t.text]) : "@#"); break;
    case K::Strategy:
    case K::Query: return std::nullopt;
    }
    if (!arguments(reading, t.operands, out, depth)) return std::nullopt;
    out.operands = out.arguments.size();
    for (const BlockTerm& block : t.blocks) {
        if (block.whole) {
            OrderTerm body;
            body.kind = OrderTerm::Kind::Variable, body.id = block.whole.index;
            out.arguments.push_back(std::move(body));
            continue;
        }
        for (VariableId param : block.params) out.params.push_back(param.index);
        if (!arguments(reading, block.results, out, depth)) return std::nullopt;
    }
    return out;
}

} // namespace irrewrite
