// Loads the operations of core.rules, which every program may use.
#pragma once

#include "engine/ir/graph.hpp"

#include <filesystem>

namespace irrewrite::grammar {

// Declares the operations of rules/core.rules. Comes before anything else is read.
bool load_core(Context& context, const std::filesystem::path& core_rules, Diagnostics& diagnostics);

} // namespace irrewrite::grammar
