#include "engine/match/bag_match.hpp"

#include <algorithm>
#include <tuple>

namespace irrewrite {

namespace {
constexpr std::size_t most_pins = 8; // with more of them, what has failed before is of little use
}

BagMatch::BagMatch(Graph& graph, Bag& bag, const Rule& rule, const BagPlan& plan, bool all_failed)
    : graph_(graph), bag_(bag), rule_(rule), plan_(plan), matcher_(graph, rule), all_failed_(all_failed),
      places_(plan.parts.size()) {}

bool BagMatch::is_hopeless() const {
    return bag_.size() < plan_.parts.size() || std::ranges::any_of(plan_.parts, [&](const BagPlan::Part& part) {
               return !part.operations.empty() && !Bag::Walk(bag_, part.operations, nullptr).next();
           });
}

void BagMatch::forget() {
    for (Binding& binding : matcher_.bindings) binding = {};
    taken_.clear();
}

bool BagMatch::find(Conditions conditions, Rest rest) {
    if (plan_.depends_on_all) all_failed_ = false, from_.reset();
    if (all_failed_ || from_)
        if (const Found found = with_new_operands(conditions, rest); found != Found::Unknown)
            return found == Found::Yes;
    seen_ = bag_.added().size();
    pins_.clear();
    const std::optional<Bag::Place> from = from_;
    begin_ = from ? &*from : nullptr, end_ = nullptr;
    auto both = [&] { return conditions(rest); };
    if (!search(nullptr, both)) {
        all_failed_ = true, from_.reset();
        return false;
    }
    from_ = places_[0];
    return true;
}

// Of the matches with an operand that has come, and with a first operand that was asked before, the first one.
BagMatch::Found BagMatch::with_new_operands(Conditions conditions, Rest rest) {
    const std::optional<Bag::Place> end = from_;
    begin_ = nullptr, end_ = all_failed_ ? nullptr : &*end;
    note_new_operands();
    if (pins_.size() > most_pins) {
        all_failed_ = false, from_.reset();
        return Found::Unknown;
    }
    auto both = [&] { return conditions(rest); };
    auto hold = [&] {
        auto yes = [] { return true; };
        return conditions(yes);
    };
    const Pin* best = nullptr;
    std::vector<Bag::Place> places;
    if (pins_.size() == 1) {
        if (search(&pins_[0], both)) return Found::Yes;
    } else {
        for (const Pin& pin : pins_) {
            if (!search(&pin, hold)) continue;
            if (!best || places_ < places) best = &pin, places = places_;
            forget();
        }
    }
    if (!best) {
        pins_.clear();
        return all_failed_ ? Found::No : Found::Unknown;
    }
    begin_ = &places[0];
    if (search(best, both)) return Found::Yes;
    all_failed_ = false, from_.reset(); // the right side cannot be built
    return Found::Unknown;
}

// The parts that operands which have come since may match.
void BagMatch::note_new_operands() {
    const auto since = bag_.added().subspan(std::exchange(seen_, bag_.added().size()));
    for (NodeId operand : since)
        for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
            const auto& [operations, depth] = std::tie(plan_.parts[i].operations, plan_.parts[i].depth);
            if (operations.empty() || std::ranges::find(operations, graph_.op(operand)) != operations.end())
                pins_.push_back({i, operand});
            if (depth > 1 || (depth == 1 && bag_.has_nested())) pins_.push_back({i, operand, true});
        }
    std::erase_if(pins_, [&](const Pin& pin) { return !bag_.find(pin.operand); });
    std::ranges::sort(pins_, {}, [](const Pin& pin) { return std::tuple(pin.operand, pin.part, pin.several); });
    pins_.erase(std::unique(pins_.begin(), pins_.end()), pins_.end());
}

bool BagMatch::search(const Pin* pin, Rest rest) {
    pin_ = pin, rest_ = &rest;
    parts_ = pin && !pin->several ? &plan_.first[pin->part] : &plan_.parts;
    taken_.clear();
    return part(0);
}

bool BagMatch::part(std::size_t i) {
    if (i == parts_->size()) return (*rest_)();
    const BagPlan::Part& part = (*parts_)[i];
    if (part.known) return known(i);
    const bool is_pinned = pin_ && !pin_->several && i == 0;
    if (part.ground || is_pinned) {
        const NodeId operand = is_pinned ? pin_->operand : ground(part.term);
        Bag::Entry* const entry = operand ? bag_.find(operand) : nullptr;
        return entry && entry->free() >= part.equal && take(i, *entry);
    }
    Bag::Walk walk(bag_, part.operations, part.number == 0 ? begin_ : nullptr);
    while (Bag::Entry* const entry = walk.next()) {
        if (part.number == 0 && end_ && entry->place >= *end_) return false;
        if (entry->free() >= part.equal && take(i, *entry)) return true;
    }
    return false;
}

bool BagMatch::take(std::size_t i, Bag::Entry& entry) {
    const auto [term, number] = std::pair((*parts_)[i].term, (*parts_)[i].number);
    const NodeId operand = entry.place.node;
    if (!entry.free() || !matcher_.may_match(term, operand)) return false;
    if (number == 0 && ((begin_ && entry.place < *begin_) || (end_ && entry.place >= *end_))) return false;
    ++entry.taken;
    taken_.push_back(operand);
    const std::size_t count = taken_.size();
    auto others = [&] { return part(i + 1); };
    const bool found = matcher_.match(term, operand, others);
    --entry.taken;
    if (found)
        places_[number] = entry.place;
    else
        taken_.resize(count - 1);
    return found;
}

// The operand that the variable is bound to, or the operands, where it is an application of the operation itself.
bool BagMatch::known(std::size_t i) {
    const BagPlan::Part& part = (*parts_)[i];
    const Term& term = rule_[part.term];
    const NodeId value = matcher_.bindings[term.variable.index].items[0];
    const bool takes_several = pin_ && pin_->several && pin_->part == part.number;
    if (Bag::Entry* const entry = bag_.find(value)) return !takes_several && take(i, *entry);
    const auto inner = bag_.parts_of(value);
    const std::vector<NodeId> operands(inner.begin(), inner.end());
    if (operands.empty() || (takes_several && std::ranges::find(operands, pin_->operand) == operands.end()))
        return false;
    const std::size_t count = taken_.size();
    bool found = true;
    std::vector<Bag::Entry*> entries;
    for (NodeId operand : operands) {
        Bag::Entry* const entry = bag_.find(operand);
        found = entry && entry->free();
        if (!found) break;
        ++entry->taken, entries.push_back(entry), taken_.push_back(operand);
    }
    auto others = [&] { return this->part(i + 1); };
    found = found && matcher_.match(part.term, value, others);
    for (Bag::Entry* const entry : entries) --entry->taken;
    if (found)
        places_[part.number] = entries[0]->place;
    else
        taken_.resize(count);
    return found;
}

NodeId BagMatch::ground(TermId id) const {
    const Term& term = rule_[id];
    if (term.kind == TermKind::Variable) return matcher_.bindings[term.variable.index].items[0];
    std::array<NodeId, BagPlan::most_ground> operands;
    for (std::size_t i = 0; i < term.operands.size(); ++i)
        if (!(operands[i] = ground(term.operands[i]))) return {};
    const TypeTerm& result = graph_.context().operations[term.ops[0]].signature.results[0];
    return graph_.find({.op = term.ops[0],
                        .operands = std::span(operands.data(), term.operands.size()),
                        .type = graph_.context().types.lowered(result.type)});
}

} // namespace irrewrite
