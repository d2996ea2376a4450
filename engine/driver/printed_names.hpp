// Values by the names that they are printed with: `%sum`, and `%0` that the printer gave.
#pragma once

#include "engine/driver/pipeline.hpp"

namespace irrewrite {

struct NamedValue {
    Function* function = nullptr;
    NodeId node;
};

// Values that the name may mean, one of each function at most. `@f`: the first result of the function; `@f:%0`: of that
// function alone. The module is one that is not settled yet.
std::vector<NamedValue> values_named(const Pipeline& pipeline, Module& module, std::string_view name);

// `@f:`, or nothing, and what follows.
struct QualifiedName {
    std::optional<std::string_view> function;
    std::string_view value;
};
QualifiedName qualified_name(std::string_view name);

} // namespace irrewrite
