// `-why-not`: why rules do not apply where they could stand in the result: at a value, in a line, at all places of an operation, or
// wherever there is an operation of their root.
#pragma once

#include "engine/driver/pipeline.hpp"

namespace irrewrite {

// The answer; none: what is asked about does not exist, which is reported.
std::optional<std::string> why_not_text(const Pipeline& pipeline, Module& module, RewriteLog& log);

// "did you mean", of a rule by its name or the last part of it.
std::string suggested_rule(const Context& context, const RuleBase& base, std::string_view name);

} // namespace irrewrite
