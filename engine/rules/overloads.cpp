#include "engine/rules/overloads.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

class Overloads {
  public:
    Overloads(const Context& context, Rule& rule, const std::function<TypeId(TypeId)>& later)
        : context_(context), rule_(rule), later_(later), types_(rule.variables.size()) {}

    // A term says what its variables are, and these which operation another term means.
    void narrow() {
        const auto is_overloaded = [](const Term& term) { return term.ops.size() > 1; };
        if (std::ranges::none_of(rule_.terms, is_overloaded)) return;
        for (bool changed = true; changed;) {
            changed = false;
            for (Term& term : rule_.terms) changed |= note(term) | narrow(term);
        }
    }

  private:
    const TypeTerm* declared(const Signature& signature, std::size_t i) const {
        if (i < signature.operands.size()) return &signature.operands[i];
        return !signature.operands.empty() && signature.operands.back().sequence ? &signature.operands.back() : nullptr;
    }

    TypeId type_of(TermId id) const {
        const Term& term = rule_[id];
        if (term.kind == TermKind::Variable && !rule_[term.variable].sequence) return types_[term.variable.index];
        if (term.kind == TermKind::Named) return type_of(term.operands[0]);
        if (term.kind != TermKind::Node || term.ops.size() != 1) return {};
        const auto& results = context_.operations[term.ops[0]].signature.results;
        const bool is_known = results.size() == 1 && results[0].kind == TypeTerm::Kind::Known && !results[0].sequence;
        return is_known ? results[0].type : TypeId{};
    }

    bool is_opaque(TypeId type) const { return type && context_.types.kind(type) == TypeKind::Opaque; }

    bool takes(OpId op, const Term& term, bool later) const {
        const Signature& signature = context_.operations[op].signature;
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            TypeId type = type_of(term.operands[i]);
            if (!is_opaque(type)) continue;
            if (later) type = later_(type);
            const TypeTerm* due = declared(signature, i);
            if (!due) return false;
            if (due->kind == TypeTerm::Kind::Known && due->type != type) return false;
            if (due->kind == TypeTerm::Kind::Array && context_.types.kind(type) != TypeKind::Array) return false;
            if (due->kind == TypeTerm::Kind::Variable &&
                !belongs(context_.types, type, signature.type_variables[due->variable]))
                return false;
        }
        return true;
    }

    bool narrow(Term& term) {
        if (term.ops.size() < 2) return false;
        std::vector<OpId> left = term.ops;
        std::erase_if(left, [&](OpId op) { return !takes(op, term, false); });
        if (left.empty())
            std::ranges::copy_if(term.ops, std::back_inserter(left), [&](OpId op) { return takes(op, term, true); });
        if (left.empty() || left.size() == term.ops.size()) return false;
        term.ops = std::move(left);
        return true;
    }

    bool set(VariableId variable, TypeId type) {
        if (types_[variable.index] || !is_opaque(type)) return false;
        types_[variable.index] = type;
        return true;
    }

    bool note(const Term& term) {
        if (term.kind == TermKind::Variable && term.annotation && term.annotation->kind == TypeTerm::Kind::Known)
            return set(term.variable, term.annotation->type);
        if (term.kind != TermKind::Node || term.ops.size() != 1) return false;
        bool changed = false;
        const Signature& signature = context_.operations[term.ops[0]].signature;
        for (std::size_t i = 0; i < term.operands.size(); ++i) {
            const Term& operand = rule_[term.operands[i]];
            if (operand.sequence) break;
            const TypeTerm* due = declared(signature, i);
            const bool says =
                due && due->kind == TypeTerm::Kind::Known && operand.kind == TermKind::Variable && operand.variable;
            if (says && !rule_[operand.variable].sequence) changed |= set(operand.variable, due->type);
        }
        return changed;
    }

    const Context& context_;
    Rule& rule_;
    const std::function<TypeId(TypeId)>& later_;
    std::vector<TypeId> types_; // of variables; none: not known
};

} // namespace

void narrow_overloads(const Context& context, Rule& rule, const std::function<TypeId(TypeId)>& later) {
    Overloads(context, rule, later).narrow();
}

} // namespace irrewrite
