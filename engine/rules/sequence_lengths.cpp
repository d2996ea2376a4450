#include "engine/rules/sequence_lengths.hpp"

#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// The terms of a list that stand for the one sequence of a list of the signature.
struct Run {
    std::uint32_t sequence; // of the signature
    std::size_t first;
    std::vector<bool> shape; // by term: whether it stands under `...`
    Correspondence::List* list;
};

// None where the signature has no sequence there or several, or the pattern has a `...` outside of it.
std::optional<Run> run(const std::vector<bool>& repeated, std::span<const TypeTerm> due,
                       const std::vector<bool>& sequences, Correspondence::List& list) {
    list.assign(repeated.size(), Correspondence::none);
    auto at = std::ranges::find_if(due, &TypeTerm::sequence);
    if (at == due.end() || std::any_of(at + 1, due.end(), [](const TypeTerm& term) { return term.sequence; }))
        return std::nullopt;
    const TypeTerm& element = at->kind == TypeTerm::Kind::Array ? at->parts[0] : *at;
    if (element.kind != TypeTerm::Kind::Variable || !sequences[element.variable]) return std::nullopt;
    const auto before = at - due.begin(), after = due.end() - at - 1;
    if (repeated.size() < static_cast<std::size_t>(before + after)) return std::nullopt;
    const auto is_single = [](bool sequence) { return !sequence; };
    if (!std::all_of(repeated.begin(), repeated.begin() + before, is_single) ||
        !std::all_of(repeated.end() - after, repeated.end(), is_single))
        return std::nullopt;
    std::vector<bool> shape(repeated.begin() + before, repeated.end() - after);
    if (std::ranges::count(shape, true) < 2) return std::nullopt; // the number of the others says how long it is
    return Run{element.variable, static_cast<std::size_t>(before), std::move(shape), &list};
}

} // namespace

Correspondence correspondence(const Rule& rule, const Term& node, const Operation& operation) {
    const Signature& signature = operation.signature;
    Correspondence found;
    found.params.resize(node.blocks.size()), found.results.resize(node.blocks.size());
    const std::vector<bool> sequences = sequence_variables(signature);
    std::vector<Run> runs;
    const auto look = [&](const auto& items, std::span<const TypeTerm> due, Correspondence::List& list) {
        std::vector<bool> repeated;
        for (auto item : items) repeated.push_back(rule[item].sequence);
        if (auto made = run(repeated, due, sequences, list)) runs.push_back(std::move(*made));
    };
    look(node.operands, signature.operands, found.operands);
    for (std::size_t b = 0; b < node.blocks.size() && b < signature.blocks.size(); ++b) {
        look(node.blocks[b].params, signature.blocks[b].params, found.params[b]);
        look(node.blocks[b].results, signature.blocks[b].results, found.results[b]);
    }
    for (auto first = runs.begin(); first != runs.end(); ++first)
        for (auto other = first + 1; other != runs.end(); ++other) {
            if (first->sequence != other->sequence || first->shape != other->shape) continue;
            for (std::size_t i = 0; i < first->shape.size(); ++i) {
                if (!first->shape[i]) continue;
                std::uint32_t& number = (*first->list)[first->first + i];
                if (number == Correspondence::none) number = found.count++;
                (*other->list)[other->first + i] = number;
            }
        }
    return found;
}

std::vector<std::size_t> common_lengths(const Correspondence* corresponding, std::span<const std::size_t> made) {
    if (!corresponding) return {};
    std::vector<std::size_t> lengths(corresponding->count, CommonLengths::unknown);
    for (std::size_t i = 0; i < made.size(); ++i)
        if (const std::uint32_t number = corresponding->operands[i]; number != Correspondence::none)
            lengths[number] = made[i];
    return lengths;
}

std::optional<std::vector<std::size_t>> share_params(const Rule& rule, const BlockTerm& block, std::size_t count,
                                                     const CommonLengths& common) {
    constexpr std::size_t unknown = CommonLengths::unknown;
    std::vector<std::size_t> counts;
    std::size_t taken = 0, open = 0;
    for (std::size_t k = 0; k < block.params.size(); ++k) {
        const std::size_t* known = common.at(k);
        counts.push_back(!rule[block.params[k]].sequence ? 1 : known ? *known : unknown);
        if (counts.back() == unknown)
            ++open;
        else
            taken += counts.back();
    }
    if (open ? taken > count || (count - taken) % open : taken != count) return std::nullopt;
    for (std::size_t& length : counts)
        if (length == unknown) length = (count - taken) / open;
    return counts;
}

void find_lengths(const Context& context, Rule& rule) {
    for (Term& term : rule.terms) {
        if (term.kind != TermKind::Node) continue;
        term.correspondences.clear();
        for (OpId op : term.ops) term.correspondences.push_back(correspondence(rule, term, context.operations[op]));
        if (std::ranges::all_of(term.correspondences, [](const Correspondence& c) { return c.count == 0; }))
            term.correspondences.clear();
    }
    rule.lengths.clear();
    for (const Condition& condition : rule.conditions) {
        if (condition.kind != Condition::Kind::Compare || !condition.text || context.symbols[condition.text] != "==")
            continue;
        const Term *a = &rule[condition.a], *b = &rule[condition.b];
        if (a->kind != TermKind::Count) std::swap(a, b);
        const bool is_length = a->kind == TermKind::Count && !a->results && b->kind == TermKind::Variable &&
                               rule[b->variable].kind == VariableKind::Literal && !rule[b->variable].sequence;
        if (is_length) rule.lengths.emplace_back(a->variable, b->variable);
    }
}

} // namespace irrewrite
