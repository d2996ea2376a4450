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

// The one value that the name means; none: that is reported.
std::optional<NamedValue> value_named(const Pipeline& pipeline, Module& module, const std::string& name);

// A line of the program, by its number; one that it does not have is empty, and without a source.
Span line_of_program(const Context& context, const Module& module, const std::string& input, std::string_view number);
inline bool stands_in(Span place, Span line) {
    return line.source && place.source == line.source && line.begin <= place.begin && place.begin <= line.end;
}

// `@f:`, or nothing, and what follows.
struct QualifiedName {
    std::optional<std::string_view> function;
    std::string_view value;
};
QualifiedName qualified_name(std::string_view name);

} // namespace irrewrite
