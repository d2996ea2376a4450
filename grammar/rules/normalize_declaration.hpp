// `normalize s, t`: sets whose rules apply to every node that is built.
#pragma once

#include "grammar/rules/rule_loading.hpp"

namespace irrewrite::grammar {

void read_normalize(Loading& loading, const RuleFile& file, SyntaxId id);

} // namespace irrewrite::grammar
