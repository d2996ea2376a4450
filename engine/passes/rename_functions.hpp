// Functions get other names, by which all calls of them go from then on.
#pragma once

#include "engine/ir/module.hpp"

#include <map>

namespace irrewrite {

// By its name of now, the new one, which no function of the program has.
using NewNames = std::map<SymbolId, SymbolId>;
void rename_functions(Context& context, Module& module, const NewNames& names);

} // namespace irrewrite
