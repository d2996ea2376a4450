#include "engine/state/journal.hpp"

#include "engine/state/rewrite_log.hpp"

#include <algorithm>

namespace irrewrite {

void Journal::open() {
    if (depth_++ == 0) graph_.newly_named = &named_;
}

// Bundles that are in use have happened for good: nothing can take them back any more.
void Journal::close() {
    if (--depth_ > 0) return;
    graph_.newly_named = nullptr;
    std::erase_if(fresh_, [&](Bundle bundle) { return entries_.at(bundle).uses == 0; });
    for (Bundle bundle : fresh_) entries_.erase(bundle);
    fresh_.clear(), events_.clear(), named_.clear(), messages_.clear();
    barrier_ = 0;
    if (entries_.empty()) steps_.clear();
}

void Journal::flush() {
    for (NodeId node : named_) events_.push_back({Kind::Named, node.index, graph_.name(node).index});
    named_.clear();
}

void Journal::add(Event event) {
    if (depth_ == 0) return;
    flush();
    bool counts = event.kind == Kind::Fired || event.kind == Kind::Normalized;
    bool again =
        counts && events_.size() > barrier_ && events_.back().kind == event.kind && events_.back().index == event.index;
    if (again)
        events_.back().extra += event.extra;
    else
        events_.push_back(event);
}

void Journal::fired(RuleId rule, bool normalizing, std::uint64_t times) {
    Event event{normalizing ? Kind::Normalized : Kind::Fired, rule.index, times};
    apply(event, true);
    add(event);
}

void Journal::step(Step step) {
    log_.steps.push_back(step);
    if (depth_ == 0) return;
    steps_.push_back(std::move(step));
    add({Kind::Step, static_cast<std::uint32_t>(steps_.size() - 1)});
}

void Journal::message(Step step) {
    if (depth_ > 0) messages_.push_back(log_.steps.size());
    log_.steps.push_back(std::move(step));
}

void Journal::renamed(SymbolId name) {
    Event event{Kind::Renamed, name.index};
    apply(event, true);
    add(event);
}

void Journal::changed(std::uint32_t change) {
    Event event{Kind::Changed, change, change_};
    apply(event, true);
    add(event);
}

void Journal::waits(PendingRewrites::Place place) {
    Event event{Kind::Waits, place};
    apply(event, true);
    add(event);
}

void Journal::released(PendingRewrites::Place place) {
    Event event{Kind::Released, place};
    apply(event, true);
    add(event);
}

// One event that is no bundle, forward or back. Steps go back all at once, in `roll_back`.
void Journal::apply(const Event& event, bool forward) {
    switch (event.kind) {
    case Kind::Fired:
    case Kind::Normalized: {
        std::uint64_t by = forward ? event.extra : -event.extra;
        if (event.kind == Kind::Normalized) log_.normalizing += by;
        log_.fired[event.index] += by;
        log_.rewrites += by;
        if (!log_.phases.empty()) log_.phases.back().rewrites += by;
        break;
    }
    case Kind::Step:
        if (forward) log_.steps.push_back(steps_[event.index]);
        break;
    case Kind::Named: {
        SymbolId name{static_cast<std::uint32_t>(event.extra)};
        if (forward)
            graph_.set_name({event.index}, name);
        else if (graph_.name({event.index}) == name)
            graph_.forget_name({event.index});
        break;
    }
    case Kind::Renamed: new_name_ = forward ? SymbolId{event.index} : SymbolId{}; break;
    case Kind::Changed: change_ = forward ? event.index : static_cast<std::uint32_t>(event.extra); break;
    case Kind::Waits: waiting_.count(event.index, forward); break;
    case Kind::Released: waiting_.release(event.index, forward); break;
    case Kind::Bundled: break;
    }
}

// A bundle happens with its first use and is taken back with its last.
void Journal::turn(const Event& event, bool forward) {
    std::vector<Event> stack{event};
    while (!stack.empty()) {
        Event e = stack.back();
        stack.pop_back();
        auto it = e.kind == Kind::Bundled ? entries_.find(e.index) : entries_.end();
        if (e.kind != Kind::Bundled) apply(e, forward);
        if (it == entries_.end()) continue;
        Entry& entry = it->second;
        bool turns = forward ? entry.uses++ == 0 : --entry.uses == 0;
        if (turns && forward) stack.insert(stack.end(), entry.events.rbegin(), entry.events.rend());
        if (turns && !forward) stack.insert(stack.end(), entry.events.begin(), entry.events.end());
    }
}

Journal::Mark Journal::mark() {
    flush();
    barrier_ = events_.size();
    return {events_.size(), log_.steps.size()};
}

void Journal::roll_back(Mark mark) {
    flush();
    if (events_.size() == mark.events && log_.steps.size() == mark.steps) return;
    while (events_.size() > mark.events) {
        Event event = events_.back();
        events_.pop_back();
        turn(event, false);
    }
    std::vector<Step> kept;
    auto first = std::ranges::lower_bound(messages_, mark.steps);
    for (auto it = first; it != messages_.end(); ++it) kept.push_back(std::move(log_.steps[*it]));
    messages_.erase(first, messages_.end());
    log_.steps.erase(log_.steps.begin() + static_cast<std::ptrdiff_t>(mark.steps), log_.steps.end());
    for (Step& step : kept) message(std::move(step));
    named_.clear();
}

void Journal::roll_back_but_waiting(Mark mark) {
    flush();
    std::vector<Event> put_off, stack(events_.begin() + static_cast<std::ptrdiff_t>(mark.events), events_.end());
    std::ranges::reverse(stack);
    while (!stack.empty()) {
        Event event = stack.back();
        stack.pop_back();
        if (event.kind == Kind::Waits || event.kind == Kind::Released) put_off.push_back(event);
        if (event.kind != Kind::Bundled) continue;
        if (auto it = entries_.find(event.index); it != entries_.end())
            stack.insert(stack.end(), it->second.events.rbegin(), it->second.events.rend());
    }
    roll_back(mark);
    for (const Event& event : put_off) apply(event, true), add(event);
}

Journal::Bundle Journal::bundle(Mark since) {
    flush();
    if (events_.size() == since.events) return 0;
    auto first = events_.begin() + static_cast<std::ptrdiff_t>(since.events);
    if (events_.size() == since.events + 1 && first->kind == Kind::Bundled) return first->index;
    Bundle bundle = next_++;
    entries_[bundle] = {{first, events_.end()}, 1};
    fresh_.push_back(bundle);
    events_.erase(first, events_.end());
    events_.push_back({Kind::Bundled, bundle});
    return bundle;
}

void Journal::repeat(Bundle bundle) {
    if (!bundle || !entries_.contains(bundle)) return;
    Event event{Kind::Bundled, bundle};
    turn(event, true);
    add(event);
    fresh_.push_back(bundle);
}

} // namespace irrewrite
