// The undo log of rewriting: counts and notes that a failing branch takes back.
//
// While a scope is open every event is kept in order: a rule that fired, its step of the trace, a node that got a name,
// a rewrite that was delayed. Rolling back to a mark undoes the events after it. Results that a strategy remembers keep
// the events that made them as a bundle; a bundle happens once, however often the result is used, and happens again
// when the branch that it first happened in was taken back.
#pragma once

#include "engine/ir/graph.hpp"
#include "engine/state/pending_rewrites.hpp"
#include "engine/state/trace.hpp"

namespace irrewrite {

struct RewriteLog;

class Journal {
  public:
    using Bundle = std::uint32_t; // events of a remembered result; 0: none
    struct Mark {
        std::size_t events = 0, steps = 0;
    };

    Journal(RewriteLog& log, Graph& graph, PendingRewrites& waiting) : log_(log), graph_(graph), waiting_(waiting) {}

    // The name that the function gets behind the phase; none: its own.
    SymbolId new_name() const { return new_name_; }
    void renamed(SymbolId name);
    // Which change of its parameters holds, by its number; 0: none.
    std::uint32_t change() const { return change_; }
    void changed(std::uint32_t change);

    // Events are kept while one is alive; when the last one goes, what has happened stays.
    class Scope {
      public:
        explicit Scope(Journal& journal) : journal_(journal) { journal_.open(); }
        Scope(const Scope&) = delete;
        ~Scope() { journal_.close(); }

      private:
        Journal& journal_;
    };

    void fired(RuleId rule, bool normalizing, std::uint64_t times = 1);
    void step(Step step);    // of the trace
    void message(Step step); // likewise, and stays whatever fails
    void waits(PendingRewrites::Place place);
    void released(PendingRewrites::Place place);

    Mark mark();
    void roll_back(Mark mark);
    // The same, but delayed rewrites stay delayed.
    void roll_back_but_waiting(Mark mark);
    Bundle bundle(Mark since);
    void repeat(Bundle bundle);

  private:
    enum class Kind : std::uint8_t { Fired, Normalized, Step, Named, Renamed, Changed, Waits, Released, Bundled };
    struct Event {
        Kind kind;
        std::uint32_t index;     // rule, step, node, name of the function, entry of PendingRewrites, bundle
        std::uint64_t extra = 0; // Fired, Normalized: how often; Named: the name; Changed: the change before
    };
    struct Entry {
        std::vector<Event> events;
        std::uint32_t uses = 0;
    };

    void open();
    void close();
    void flush();
    void add(Event event);
    void apply(const Event& event, bool forward);
    void turn(const Event& event, bool forward);

    RewriteLog& log_;
    Graph& graph_;
    PendingRewrites& waiting_;
    SymbolId new_name_;
    std::uint32_t change_ = 0;
    unsigned depth_ = 0;
    std::vector<Event> events_;
    std::size_t barrier_ = 0;   // the latest mark: events do not merge across it
    std::vector<NodeId> named_; // since the events were looked at last
    std::vector<Step> steps_;
    std::vector<std::size_t> messages_; // their indices among the steps of the log
    std::unordered_map<Bundle, Entry> entries_;
    std::vector<Bundle> fresh_; // made in this scope
    Bundle next_ = 1;
};

} // namespace irrewrite
