// Homogeneous linear inequalities with integer solutions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace irrewrite {

// Returns natural numbers x with w·x >= 0 for all `wholes` and `parts`, and w·x > 0 for as many of `wholes` as can hold
// at once. None: the search gave up. (The simplex method with Bland's rule, in floating point; the integers are
// checked.)
std::optional<std::vector<std::int64_t>> solve(const std::vector<std::vector<int>>& wholes,
                                               const std::vector<std::vector<int>>& parts, std::size_t variables);

} // namespace irrewrite
