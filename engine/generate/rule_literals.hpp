// The numbers that a rule mentions.
#pragma once

#include "engine/rules/rule.hpp"

namespace irrewrite {

// As every scalar that they fit, and one more and less.
std::vector<AttrValue> literals_of(const Context& context, const Rule& rule);
// As they are.
std::vector<std::uint64_t> numbers_of(const Context& context, const Rule& rule);

} // namespace irrewrite
