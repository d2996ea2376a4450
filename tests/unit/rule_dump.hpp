// Rules and strategies as text, for tests: what loading made of them. `(add ?x 0)`, sequences with
// `...`, blocks as `{|%i| …}`, a metavariable's kind behind it where it is not a node, `?n/dim`.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

class RuleDump {
  public:
    RuleDump(const Context& context, const RuleBase& base) : context_(context), base_(base) {}

    std::string rule(const Rule& rule) {
        rule_ = &rule;
        std::string out = join(rule.left, " & ") + " => " + join(rule.right, ", ");
        for (std::size_t i = 0; i < rule.conditions.size(); ++i)
            out += (i ? ", " : " where ") + condition(rule.conditions[i]);
        return out;
    }

    std::string strategy(StrategyId id) {
        static constexpr const char* names[] = {
            "id",        "fail",       "rules",   "seq",      "choice", "if",    "all",      "one",   "some",
            "child",     "congruence", "not",     "test",     "where",  "call",  "argument", "rec",   "again",
            "innermost", "outermost",  "topdown", "bottomup", "alltd",  "limit", "delayed",  "delay", "memo",
            "inline",    "unroll",     "promote", "outline",  "log",    "debug", "flow"};
        const StrategyNode& node = base_[id];
        std::string out = names[static_cast<std::size_t>(node.kind)];
        using Kind = StrategyNode::Kind;
        if (node.kind == Kind::Call) out += " " + text(base_.definitions[node.definition].name);
        if (node.kind == Kind::Argument || node.kind == Kind::Child || node.kind == Kind::Limit)
            out += " " + std::to_string(node.number);
        if (node.op) out += " " + text(context_.operations[node.op].name);
        if (node.text) out += " \"" + text(node.text) + "\"";
        for (RuleId rule : node.rules) out += " " + text(base_[rule].full_name);
        for (TermId argument : node.terms) out += " " + term(argument);
        for (StrategyId part : {node.first, node.second, node.third})
            if (part) out += " " + strategy(part);
        for (StrategyId part : node.args) out += " " + strategy(part);
        return out.find(' ') == std::string::npos ? out : "(" + out + ")";
    }

  private:
    std::string text(SymbolId id) const { return std::string(context_.symbols[id]); }

    std::string variable(VariableId id) const {
        static constexpr const char* kinds[] = {"", "/block", "", "", "/type", "/dim"};
        const Variable& v = (*rule_)[id];
        const char* sigil = v.kind == VariableKind::Literal ? "#" : v.kind == VariableKind::Param ? "%" : "?";
        return sigil + text(v.name) + kinds[static_cast<std::size_t>(v.kind)] + (v.sequence ? "*" : "");
    }

    std::string join(const std::vector<TermId>& terms, const char* between) {
        std::string out;
        for (std::size_t i = 0; i < terms.size(); ++i) out += (i ? between : "") + term(terms[i]);
        return out;
    }

    std::string list(std::string head, const std::vector<TermId>& terms) {
        for (TermId id : terms) head += " " + term(id);
        return "(" + head + ")";
    }

    std::string term(TermId id) {
        const Term& term = (*rule_)[id];
        return plain(term) + (term.sequence ? "..." : "");
    }

    std::string plain(const Term& term) {
        switch (term.kind) {
        case TermKind::Variable: return variable(term.variable) + annotation(term);
        case TermKind::Number: return text(term.text);
        case TermKind::Constant: return constant(term.constant);
        case TermKind::Node: return node(term);
        case TermKind::Project: return list(".", term.operands);
        case TermKind::Field: return list("." + text(term.text), term.operands);
        case TermKind::Struct: return list("struct", term.operands);
        case TermKind::Parts: return list("parts", term.operands);
        case TermKind::Record: return list("record", term.operands);
        case TermKind::Apply: return list(variable(term.variable), term.operands);
        case TermKind::Named: return list("named " + variable(term.variable), term.operands);
        case TermKind::Wildcard: return "_";
        case TermKind::Compute: return list("#", term.operands);
        case TermKind::Count:
            return std::string(term.results ? "(results "
                               : term.parts ? "(count parts "
                                            : "(count ") +
                   variable(term.variable) + ")";
        case TermKind::Strategy: return "(<" + strategy(term.strategy) + "> " + this->term(term.operands[0]) + ")";
        case TermKind::Call: return list("@" + text(term.text), term.operands);
        case TermKind::Query: return list(text(term.text), term.operands);
        }
        return "?";
    }

    std::string constant(const AttrValue& value) const {
        if (value.kind == AttrValue::Kind::Text) return "\"" + text(value.text()) + "\"";
        if (value.kind == AttrValue::Kind::Type) return context_.types.text(value.type, context_.symbols);
        return context_.types.kind(value.type) == TypeKind::Bool ? (value.bits ? "true" : "false")
                                                                 : std::to_string(value.bits);
    }

    std::string annotation(const Term& term) const {
        static constexpr const char* classes[] = {"",      ":int",  ":signed", ":unsigned", ":float", ":num",
                                                  ":bool", ":bits", ":scalar", ":array",    ":record"};
        std::string out = classes[static_cast<std::size_t>(term.annotation_class)];
        if (term.annotation) out += ":" + type(*term.annotation);
        return out;
    }

    std::string type(const TypeTerm& term) const {
        const std::string dots = term.sequence ? "..." : "";
        switch (term.kind) {
        case TypeTerm::Kind::Known: return context_.types.text(term.type, context_.symbols) + dots;
        case TypeTerm::Kind::Variable: return variable({term.variable}) + dots;
        case TypeTerm::Kind::Array: {
            std::string dim;
            if (term.length == TypeTerm::Length::Variable) dim = variable({static_cast<std::uint32_t>(term.dim)});
            if (term.length == TypeTerm::Length::Constant) dim = std::to_string(term.dim);
            return "[" + dim + "]" + type(term.parts[0]);
        }
        default: {
            std::string out = "<";
            for (const TypeTerm& part : term.parts) out += type(part);
            return out + ">" + dots;
        }
        }
    }

    std::string node(const Term& term) {
        std::string head;
        for (OpId op : term.ops) head += (head.empty() ? "" : "|") + text(context_.operations[op].name);
        for (const AttrTerm& attr : term.attrs)
            head +=
                "[" + (attr.kind == AttrTerm::Kind::Constant ? constant(attr.constant) : variable(attr.variable)) + "]";
        std::string out = "(" + head;
        for (TermId id : term.operands) out += " " + this->term(id);
        for (const BlockTerm& b : term.blocks) out += " " + block(b);
        return out + ")";
    }

    std::string block(const BlockTerm& block) {
        std::string out = block.label ? text(block.label) + "{" : "{";
        if (block.whole) return out + variable(block.whole) + "}";
        if (!block.params.empty()) out += "|";
        for (std::size_t i = 0; i < block.params.size(); ++i) out += (i ? " " : "") + variable(block.params[i]);
        if (!block.params.empty()) out += "| ";
        return out + join(block.results, ", ") + "}";
    }

    std::string condition(const Condition& c) {
        switch (c.kind) {
        case Condition::Kind::Compare:
            return (c.a ? term(c.a) : condition(c.parts[0])) + " " + text(c.text) + " " +
                   (c.b ? term(c.b) : condition(c.parts[0]));
        case Condition::Kind::Build: return variable(c.variable) + " = " + term(c.a);
        case Condition::Kind::Match: return term(c.a) + " ~ " + term(c.b);
        case Condition::Kind::Not: return "not(" + condition(c.parts[0]) + ")";
        case Condition::Kind::Or: return "or(" + condition(c.parts[0]) + "; " + condition(c.parts[1]) + ")";
        case Condition::Kind::All: return "all(" + condition(c.parts[0]) + "; " + condition(c.parts[1]) + ")";
        case Condition::Kind::Predicate: return list(text(c.text), c.terms);
        case Condition::Kind::Ask: return variable(c.variable) + " = analysis of " + term(c.a);
        case Condition::Kind::Strategy:
            return "<" + strategy(c.strategy) + "> " + term(c.a) + " => " + variable(c.variable);
        }
        return "?";
    }

    const Context& context_;
    const RuleBase& base_;
    const Rule* rule_ = nullptr;
};

} // namespace irrewrite
