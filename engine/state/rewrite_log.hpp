// The limits of a run of rewriting, and its log.
#pragma once

#include "engine/ir/collect_garbage.hpp"
#include "engine/state/pending_rewrites.hpp"
#include "engine/state/trace.hpp"

namespace irrewrite {

struct RewriteOptions {
    std::uint64_t fuel = 1'000'000'000;
    std::uint64_t graph_fuel = UINT64_MAX;   // of this, on the graph: see default_graph_fuel
    std::uint64_t term_memory = 1ull << 30;  // bytes that terms may take on the term machine
    std::uint64_t max_rewrites = UINT64_MAX; // stop after so many: the output is valid at any stop
    std::optional<SymbolId> until;           // stop after this phase
    bool trace = false;                      // keep every step
    bool profile = false;                    // count what is tried and matched, rule by rule
    bool timed = false;                      // and how long it takes
    bool tells_progress = false;             // their number, to whoever shows that the run goes on
    bool counts_waiting = false;             // and what becomes of rules that wait
    // First-order rules run on the graph for so many rewrites, and on the term machine from then on.
    std::uint64_t warm_up = 256;
    bool machine_code = true;                    // as which their rules run there; else they are interpreted
    std::size_t compact_from = worth_compacting; // nodes of a function
    bool models = false;                         // runs the phase of models, too: checks alone do
    const Stage* stage = nullptr;                // runs the phases of a later stage; else those of the rule base
    RuleId once{}; // stop when this rule has fired; what strategies in it rewrote before does not count
};

// Rewrites on the graph without -fuel: they grow with the program, and take seconds.
inline constexpr std::uint64_t default_graph_fuel = 1'000'000, default_graph_fuel_of_a_node = 1000;

struct PhaseReport {
    SymbolId name;
    std::uint64_t rewrites = 0;
    double seconds = 0;      // of CPU
    std::uint64_t nodes = 0; // created
    std::size_t skipped = 0; // functions in which none of its rules finds a root
};

// The test of a rule with several roots that nodes came to: those before it they passed.
enum class RootsTest : std::uint8_t {
    Match,      // nodes of one block match all roots
    Meet,       // their effects can be brought together
    Conditions, // hold
    RightSide,  // can be built
    Effects,    // of the right side have a program point: a root changes something
    Types,      // of the right side are those of the roots
    Change,     // the right side is something else
    Work,       // no root is computed elsewhere without the others, and would be computed again there
    Order,      // the right side depends on nothing that it replaces
};
std::string_view failure(RootsTest test); // in words

// The log of a run, over all functions.
struct RewriteLog {
    std::vector<std::uint64_t> fired; // by rule
    std::vector<PhaseReport> phases;
    std::uint64_t rewrites = 0;
    std::uint64_t normalizing = 0; // of these, by normalizing sets
    std::uint64_t spent = 0;       // fuel: with the rewrites that failing branches took back
    std::uint64_t nodes_created = 0;
    std::uint64_t term_rewrites = 0;  // of them, on the term machine (engine/jit/term_machine.hpp)
    std::uint64_t passes = 0;         // fuel of passes that are repeated, by the nodes that they look at
    std::vector<RuleProfile> profile; // by rule
    Watch* watch = nullptr;           // of the rule being tried
    std::vector<Step> steps;          // every rewrite when they are kept; and what strategies have to say
    std::vector<Step> recent;         // the last rewrites before a limit
    StrategyPaths strategies;         // at work in each other, of steps
    unsigned last_words = 0;          // rewrites since the run was interrupted
    PendingRewrites::Table waiting;   // what became of rewrites that were put off
    std::vector<std::string>
        warnings;         // delayed rules whose phase never ran; strategies and rules that were not applied
    std::string error;    // out of fuel, or a strategy that comes back to itself
    std::string broken;   // a rule that built an ill-typed term
    std::string misfit;   // a rule that would have built other lengths than stood there, both known
    bool stopped = false; // -max-rewrites was reached
    RootsTest roots_test = RootsTest::Match; // the last one that roots of a rule came to
};

} // namespace irrewrite
