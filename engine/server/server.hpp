// `irrewrite -lsp`: the language server, on standard input and output. (Language Server Protocol 3.17.)
//
// One thread: requests are answered in their order. Diagnostics are published when no message waits, so that fast typing
// costs one analysis and not one for each key.
#pragma once

#include "engine/server/workspace.hpp"

namespace irrewrite::server {

// The exit code: 0 where the client said `shutdown` before its end.
int serve(Settings settings, int in, int out);

} // namespace irrewrite::server
