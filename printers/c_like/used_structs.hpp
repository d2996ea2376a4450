// The structs of a program as it is printed: those that it declares, and those of rule files that its values have.
#pragma once

#include "engine/ir/module.hpp"

#include <vector>

namespace irrewrite::printers {

// Each behind those that stand in it.
std::vector<TypeId> used_structs(const Module& module, const Types& types);

} // namespace irrewrite::printers
