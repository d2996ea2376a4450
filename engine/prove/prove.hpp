// `-prove`: SMT proofs of rules over integers and booleans without loops.
//
// For each width that the rule admits: where its conditions hold and the left side has a value, the right side has the
// same. The solvers run as processes, `z3` and then `cvc5`, each for a limited time.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite {

struct ProofOptions {
    unsigned seconds = 2; // for one question
    unsigned jobs = 1;
    bool each = false; // a line for every rule
};

struct ProofReport {
    std::string text;
    bool refuted = false;
};
ProofReport prove(const CheckTools& tools, std::span<const std::string> files, const ProofOptions& options);

// Returns a solver's answer to a script that ends with `(check-sat)`: unsat, sat and a model, or neither. None: no
// solver.
std::optional<std::string> ask_solver(const std::string& script, unsigned seconds);

} // namespace irrewrite
