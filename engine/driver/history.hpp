// The history of a run, for `-emit html`: the program at many points of its rewriting, each rewrite, and which rules do not
// apply in the end, and why not.
//
// Rewriting can stop after any number of rewrites with a valid program. So the program at a point is what a run over a
// fresh copy makes that stops there; no pass knows about the history. Such runs are made as long as their work, counted in
// rewrites and nodes, stays within a limit: the history does not depend on time.
#pragma once

#include "engine/driver/pipeline.hpp"

#include <nlohmann/json.hpp>

namespace irrewrite {

// `before`: the program as it was read. `after`: the result of the phases, with `log`, before the pass `settle`.
// The data of the page are described in printers/html/README.md.
nlohmann::ordered_json history(const Pipeline& pipeline, const Module& before, const Module& after,
                               const RewriteOptions& how, const RewriteLog& log);

} // namespace irrewrite
