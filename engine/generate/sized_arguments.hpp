// Arguments of a size: arrays of so many elements, or of few, and counts that are as large. At another size they are
// the same otherwise, so that what a program does at sizes that double can be compared.
#pragma once

#include "engine/generate/choices.hpp"
#include "engine/interpret/evaluate.hpp"

namespace irrewrite {

// Requires can_be_drawn() of all parameters. `shape`: which lengths and counts are the size, and which of a few stay as
// they are; `contents`: of arrays. None: they would have too many elements.
std::optional<std::vector<Value>> sized_arguments(const Context& context, const Function& function, std::uint64_t shape,
                                                  std::uint64_t contents, std::uint64_t size);

} // namespace irrewrite
