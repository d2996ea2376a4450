// Functions get other parameters, and all calls of them give what those are due.
#pragma once

#include "engine/ir/module.hpp"

#include <map>

namespace irrewrite {

struct ChangedParameters {
    std::vector<Parameter> params; // whose nodes the body reads: parameters that it had, and others
    std::vector<NodeId> operands;  // terms over the parameters that it had: what a call gives for each, of what it gave
};

// By the name of the function.
void change_parameters(Context& context, Module& module, const std::map<SymbolId, ChangedParameters>& changes);

} // namespace irrewrite
