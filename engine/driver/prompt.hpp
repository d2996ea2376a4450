// `irrewrite -i`: a prompt. Each command is a run over the program as it is then; what rewrites replaces it, and can be
// taken back.
#pragma once

#include "engine/driver/options.hpp"

namespace irrewrite {

// On a terminal it shows prompts, and a command that fails is the user's to see; else the exit code is that of the last
// command that failed.
int run_prompt(const Options& options);

} // namespace irrewrite
