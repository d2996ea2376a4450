// Rewrites that wait for a later phase: those of `delay(p, s)`, and, where they are counted, those of rules marked `at
// p`.
//
// An entry is a strategy or a rule for one node. It follows the node while only the node's inputs change: each node
// that stands for it is a Place. At its phase the entry is tried again at every Place that is still in the program, and
// its outcome is recorded.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/rules/closures.hpp"

#include <array>
#include <map>

namespace irrewrite {

class Journal;

// `changed`: a rule replaced the node; `unmatched`: the node is there, and what waited does not apply to it.
struct WaitingCounts {
    std::uint64_t registered = 0, fired = 0, dead = 0, changed = 0, unmatched = 0, never_ran = 0;
};

class PendingRewrites {
  public:
    using Place = std::uint32_t;
    struct Entry {
        SymbolId phase;
        RuleId rule;     // or
        Closure closure; // with an environment of `environments`
        bool closed = false;
    };

    Environments environments;
    Journal* journal = nullptr; // while the function is being rewritten
    bool counts_rules = false;

    bool empty() const { return entries_.empty(); }
    // Adds such an entry at the node and returns its Place; the entry is new unless the node has one already.
    Place place(SymbolId phase, Closure closure, NodeId node);
    Place place(SymbolId phase, RuleId rule, NodeId node);
    // Places of strategies that wait at the node for the phase.
    std::vector<Place> at(NodeId node, SymbolId phase) const;
    bool waits(NodeId node, RuleId rule) const;
    const Entry& entry(Place place) const { return entries_[places_[place].entry]; }

    void count(Place place, bool forward);   // waits there, or does so no more
    void release(Place place, bool forward); // has fired there
    void rebuilt(NodeId from, NodeId to);
    void replaced(NodeId node); // by a rule
    void fired(RuleId rule, SymbolId phase, NodeId node);
    // The phase is over; `present` says which nodes are in the program.
    void close(SymbolId phase, const std::function<bool(NodeId)>& present);
    bool any_open(SymbolId phase) const;
    std::size_t open_strategies(SymbolId phase) const; // of a phase that did not run, or had run before

    // By phase and by what waits; entries that are open still are those whose phase never ran.
    using Table = std::map<std::tuple<SymbolId, RuleId, StrategyId>, WaitingCounts>;
    void add_to(Table& table) const;

  private:
    enum class Became : std::uint8_t { Open, Fired, Dead, Changed, Unmatched };
    struct Spot {
        std::uint32_t entry;
        NodeId node;
        std::int32_t waits = 0, fired = 0;
    };
    Place place(Entry entry, NodeId node);
    Place spot(std::uint32_t entry, NodeId node);

    std::vector<Entry> entries_;
    std::vector<Became> became_; // by entry
    std::vector<bool> replaced_; // by entry
    std::vector<Spot> places_;
    std::unordered_map<NodeId, std::vector<Place>> by_node_;
};

} // namespace irrewrite
