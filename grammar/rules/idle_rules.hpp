// Rules that cannot fire where they are used: those of several roots where strategies are applied at one node, and those
// that wait for a phase whose strategy does not fire them.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

// A use, `at`, of a phase that is declared with a strategy.
void report_idle_phase_use(Loading& loading, const Loading::PhaseUse& use, const Phase& phase);

// Sets that wait for a phase, where a strategy names them.
void report_late_sets(Loading& loading);

// When all files are read. `whole`: without an error so far, so that it is known which rules the phases apply.
void report_idle_roots(Loading& loading, bool whole);

} // namespace irrewrite::grammar
