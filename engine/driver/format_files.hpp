// `-format`: programs and rule files in their canonical layout.
#pragma once

#include "engine/driver/options.hpp"

namespace irrewrite {

// With `-check`, prints the names of files that have another layout. The exit code.
int format_files(const Options& options);

} // namespace irrewrite
