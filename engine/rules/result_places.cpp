#include "engine/rules/result_places.hpp"

#include "engine/ir/infer_types.hpp"
#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// `results(?v)` or `count(?v)`.
struct Width {
    VariableId variable;
    bool results;
    auto operator<=>(const Width&) const = default;
};
using Sum = std::vector<Width>; // ascending

// The sequence ?S of `gen(?S...)`, `gen([]?S...)`, `emission(?S...)`: its length is the number of results.
std::optional<std::uint32_t> only_sequence(const TypeTerm& term, const std::vector<bool>& sequences) {
    using K = TypeTerm::Kind;
    if (term.kind != K::Generator && term.kind != K::Emission && term.kind != K::Once) return std::nullopt;
    if (term.parts.size() != 1 || !term.parts[0].sequence) return std::nullopt;
    const TypeTerm& part = term.parts[0].kind == K::Array ? term.parts[0].parts[0] : term.parts[0];
    if (part.kind != K::Variable || !sequences[part.variable]) return std::nullopt;
    return part.variable;
}

class Places {
  public:
    Places(const Context& context, Rule& rule) : context_(context), rule_(rule) {}
    void find();

  private:
    std::optional<Width> width(TermId id) const;
    std::optional<Width> width(const Term& node, const Signature& signature) const;
    bool add(TermId id, Sum& out) const;
    std::optional<Sum> sum(TermId id) const;
    void in_list(std::span<const TermId> list);
    std::optional<VariableId> literal(TermId id) const;
    std::optional<Rule::Place> place(TermId term, const Sum& before, const Sum& with) const;

    const Context& context_;
    Rule& rule_;
};

// The number of results of all nodes that the term stands for.
std::optional<Width> Places::width(TermId id) const {
    const Term& term = rule_[id];
    const bool is_node = term.variable && rule_[term.variable].kind == VariableKind::Node;
    if (term.kind == TermKind::Apply || term.kind == TermKind::Variable)
        return is_node ? std::optional(Width{term.variable, true}) : std::nullopt;
    if (term.kind == TermKind::Named) return width(term.operands[0]);
    if (term.kind != TermKind::Node || term.sequence || term.ops.empty()) return std::nullopt;
    const auto first = width(term, context_.operations[term.ops[0]].signature);
    const auto same = [&](OpId op) { return width(term, context_.operations[op].signature) == first; };
    return std::ranges::all_of(term.ops, same) ? first : std::nullopt;
}

std::optional<Width> Places::width(const Term& node, const Signature& signature) const {
    if (signature.results.size() != 1) return std::nullopt;
    const std::vector<bool> sequences = sequence_variables(signature);
    const auto length = only_sequence(signature.results[0], sequences);
    if (!length) return std::nullopt;
    const auto has_length = [&](const TypeTerm& term) { return only_sequence(term, sequences) == length; };
    if (!signature.operands.empty() && !node.operands.empty()) {
        const TypeTerm& due = signature.operands.back();
        const TermId last = node.operands.back();
        if (has_length(due) && !rule_[last].sequence) return width(last);
        const bool is_it = due.sequence && due.kind == TypeTerm::Kind::Variable && due.variable == *length;
        if (is_it && signature.operands.size() == 1 && node.operands.size() == 1 && rule_[last].sequence)
            if (const auto items = width(last)) return Width{items->variable, false};
    }
    for (std::size_t b = 0; b < signature.blocks.size() && b < node.blocks.size(); ++b) {
        const auto& due = signature.blocks[b].results;
        const BlockTerm& block = node.blocks[b];
        if (due.size() == 1 && has_length(due[0]) && !due[0].sequence && !block.whole && block.results.size() == 1 &&
            !rule_[block.results[0]].sequence)
            return width(block.results[0]);
    }
    return std::nullopt;
}

bool Places::add(TermId id, Sum& out) const {
    const Term& term = rule_[id];
    if (term.kind == TermKind::Compute && !term.evaluated) return add(term.operands[0], out);
    if (term.kind == TermKind::Count && !term.parts) {
        out.push_back({term.variable, term.results});
        return true;
    }
    const auto is_add = [&](OpId op) {
        const Operation& operation = context_.operations[op];
        return operation.primitive >= 0 && primitives()[static_cast<std::size_t>(operation.primitive)].name == "add";
    };
    return term.kind == TermKind::Node && !term.ops.empty() && std::ranges::all_of(term.ops, is_add) &&
           std::ranges::all_of(term.operands, [&](TermId operand) { return add(operand, out); });
}

std::optional<Sum> Places::sum(TermId id) const {
    Sum out;
    if (!add(id, out)) return std::nullopt;
    std::ranges::sort(out);
    return out;
}

std::optional<VariableId> Places::literal(TermId id) const {
    const Term& term = rule_[id];
    const bool is_literal = term.kind == TermKind::Variable && rule_[term.variable].kind == VariableKind::Literal &&
                            !rule_[term.variable].sequence;
    return is_literal ? std::optional(term.variable) : std::nullopt;
}

// `before`: the results of the terms before it; `with`: those and its own.
std::optional<Rule::Place> Places::place(TermId term, const Sum& before, const Sum& with) const {
    for (const Condition& condition : rule_.conditions) {
        if (condition.kind != Condition::Kind::Compare || !condition.text) continue;
        const std::string_view op = context_.symbols[condition.text];
        const auto a = literal(condition.a), b = literal(condition.b);
        if (op == "==" && ((a && sum(condition.b) == before) || (b && sum(condition.a) == before)))
            return Rule::Place{term, a ? *a : *b, true};
        if (op != "<=" || !b || sum(condition.a) != before) continue;
        for (const Condition& other : rule_.conditions)
            if (other.kind == Condition::Kind::Compare && other.text && context_.symbols[other.text] == "<" &&
                literal(other.a) == b && sum(other.b) == with)
                return Rule::Place{term, *b, false};
    }
    return std::nullopt;
}

void Places::in_list(std::span<const TermId> list) {
    Sum before;
    for (TermId term : list) {
        const auto own = width(term);
        Sum with = before;
        if (own) with.insert(std::ranges::upper_bound(with, *own), *own);
        if (!rule_[term].sequence && !before.empty())
            if (const auto found = place(term, before, with)) rule_.places.push_back(*found);
        if (!own) return;
        before = std::move(with);
    }
}

void Places::find() {
    std::vector<TermId> stack = rule_.left;
    for (const Condition& condition : rule_.conditions)
        if (condition.kind == Condition::Kind::Match) stack.push_back(condition.b);
    while (!stack.empty()) {
        const TermId id = stack.back();
        stack.pop_back();
        stack.insert(stack.end(), rule_[id].operands.begin(), rule_[id].operands.end());
        for (const BlockTerm& block : rule_[id].blocks) {
            in_list(block.results);
            stack.insert(stack.end(), block.results.begin(), block.results.end());
        }
    }
}

} // namespace

void find_places(const Context& context, Rule& rule) {
    rule.places.clear();
    Places(context, rule).find();
}

} // namespace irrewrite
