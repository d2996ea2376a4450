// Strategies that cannot do what they say: alternatives that are never reached, parts that always fail, recursions that go
// round at one node. All strategies of the files named, those that no phase uses included.
#pragma once

namespace irrewrite {

struct Lint;

void look_at_strategies(Lint& lint);

} // namespace irrewrite
