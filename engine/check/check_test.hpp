// Runs the `test` lines of a rule file, for engine/check/check.cpp.
#pragma once

#include "engine/check/check.hpp"

namespace irrewrite {

// The world is not to be used for other tests: opaque types are lowered in it.
Verdict run_test(RuleWorld& world, const CheckTools& tools, const RuleTest& test, std::string_view until);

} // namespace irrewrite
