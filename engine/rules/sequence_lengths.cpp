#include "engine/rules/sequence_lengths.hpp"

#include "engine/ir/infer_types.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

// The terms of a list that stand for a sequence of the signature.
struct Run {
    std::uint32_t sequence; // of the signature
    std::size_t first;
    std::vector<bool> shape; // by term: whether it stands under `...`
    Correspondence::List* list;
};

// A list of a pattern, and what the signature has there.
struct Listing {
    std::vector<bool> repeated; // by term: whether it stands under `...`
    std::span<const TypeTerm> due;
    Correspondence::List* list;
    std::size_t sequences() const { return static_cast<std::size_t>(std::ranges::count_if(due, &TypeTerm::sequence)); }
};

std::optional<std::uint32_t> sequence_at(const TypeTerm& term, const std::vector<bool>& sequences) {
    const TypeTerm& element = term.kind == TypeTerm::Kind::Array ? term.parts[0] : term;
    if (element.kind != TypeTerm::Kind::Variable || !sequences[element.variable]) return std::nullopt;
    return element.variable;
}

// None where the signature has no sequence there or several, or the pattern has a `...` outside of it.
std::optional<Run> run(const Listing& given, const std::vector<bool>& sequences) {
    const auto& [repeated, due, list] = given;
    if (given.sequences() != 1) return std::nullopt;
    auto at = std::ranges::find_if(due, &TypeTerm::sequence);
    const auto sequence = sequence_at(*at, sequences);
    if (!sequence) return std::nullopt;
    const auto before = at - due.begin(), after = due.end() - at - 1;
    if (repeated.size() < static_cast<std::size_t>(before + after)) return std::nullopt;
    const auto is_single = [](bool repeats) { return !repeats; };
    if (!std::all_of(repeated.begin(), repeated.begin() + before, is_single) ||
        !std::all_of(repeated.end() - after, repeated.end(), is_single))
        return std::nullopt;
    std::vector<bool> shape(repeated.begin() + before, repeated.end() - after);
    if (std::ranges::find(shape, true) == shape.end()) return std::nullopt;
    return Run{*sequence, static_cast<std::size_t>(before), std::move(shape), list};
}

// Several sequences side by side, `{?A..., ?A... -> …}`: those that have a shape elsewhere, from the left on and then from
// the right on; the rest is another one's.
void split(const Listing& given, const std::vector<bool>& sequences, std::size_t known, std::vector<Run>& runs) {
    const auto shape_of = [&](const TypeTerm& term) -> const std::vector<bool>* {
        static const std::vector<bool> single = {false};
        if (!term.sequence) return &single;
        const auto sequence = sequence_at(term, sequences);
        for (std::size_t r = 0; r < known && sequence; ++r)
            if (runs[r].sequence == *sequence) return &runs[r].shape;
        return nullptr;
    };
    std::vector<Run> found;
    const auto take = [&](const TypeTerm& term, const std::vector<bool>& shape, std::size_t at) {
        if (!std::equal(shape.begin(), shape.end(), given.repeated.begin() + static_cast<std::ptrdiff_t>(at)))
            return false;
        if (term.sequence) found.push_back({*sequence_at(term, sequences), at, shape, given.list});
        return true;
    };
    std::size_t left = 0, right = given.repeated.size(), first = 0, last = given.due.size();
    for (; first < last; ++first) {
        const std::vector<bool>* shape = shape_of(given.due[first]);
        if (!shape) break;
        if (right - left < shape->size() || !take(given.due[first], *shape, left)) return;
        left += shape->size();
    }
    for (; last > first + 1; --last) {
        const std::vector<bool>* shape = shape_of(given.due[last - 1]);
        if (!shape || right - left < shape->size() || !take(given.due[last - 1], *shape, right - shape->size())) return;
        right -= shape->size();
    }
    if (first == last && left != right) return;
    runs.insert(runs.end(), found.begin(), found.end());
}

} // namespace

Correspondence correspondence(const Rule& rule, const Term& node, const Operation& operation) {
    const Signature& signature = operation.signature;
    Correspondence found;
    found.params.resize(node.blocks.size()), found.results.resize(node.blocks.size());
    const std::vector<bool> sequences = sequence_variables(signature);
    std::vector<Listing> lists;
    const auto look = [&](const auto& items, std::span<const TypeTerm> due, Correspondence::List& list) {
        std::vector<bool> repeated;
        for (auto item : items) repeated.push_back(rule[item].sequence);
        list.assign(repeated.size(), Correspondence::none);
        lists.push_back({std::move(repeated), due, &list});
    };
    look(node.operands, signature.operands, found.operands);
    for (std::size_t b = 0; b < node.blocks.size() && b < signature.blocks.size(); ++b) {
        look(node.blocks[b].params, signature.blocks[b].params, found.params[b]);
        look(node.blocks[b].results, signature.blocks[b].results, found.results[b]);
    }
    std::vector<Run> runs;
    for (const Listing& list : lists)
        if (auto made = run(list, sequences)) runs.push_back(std::move(*made));
    const std::size_t whole = runs.size();
    for (std::size_t i = 1; i < lists.size(); ++i) // of blocks
        if (lists[i].sequences() > 1) split(lists[i], sequences, whole, runs);
    // The number of the others says how long a single `...` is, unless sequences stand side by side.
    const auto side_by_side = [&](const Run& one) {
        return std::any_of(runs.begin() + static_cast<std::ptrdiff_t>(whole), runs.end(),
                           [&](const Run& other) { return other.sequence == one.sequence; });
    };
    std::vector<Run> kept;
    for (const Run& one : runs)
        if (std::ranges::count(one.shape, true) > 1 || side_by_side(one)) kept.push_back(one);
    runs = std::move(kept);
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
