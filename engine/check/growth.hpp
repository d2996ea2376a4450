// The law of cost: what rewriting makes of a program does not grow faster than the program.
//
// The work of both is measured at sizes that double. Where one grows faster, what it does more from size to size does so
// as well, by a factor that goes on growing; factors that are due to a constant, or to a smaller power of the size, come
// to rest.
#pragma once

#include "engine/interpret/evaluate.hpp"
#include "engine/support/function_ref.hpp"

#include <span>

namespace irrewrite {

struct WorkAtSize {
    std::uint64_t size, before, after;
};
// The work of a program before and after on given arguments; none: there is nothing to compare, or too much to do.
using MeasureWork = FunctionRef<std::optional<std::pair<std::uint64_t, std::uint64_t>>(std::vector<Value>)>;

// At sizes 4, 8 and 16, and as long as the work after may grow faster at further ones. For `shape` and `contents` see
// engine/generate/sized_arguments.hpp. Empty: the first of them cannot be measured, or no arguments can be
// made.
std::vector<WorkAtSize> measure_growth(const Context& context, const Function& function, std::uint64_t shape,
                                       std::uint64_t contents, MeasureWork measure);
// True if the work after grows faster.
bool grows_faster(std::span<const WorkAtSize> measured);
// "12, 24, 48 at sizes 4, 8, 16": of the last three.
std::string growth_text(std::span<const WorkAtSize> measured, std::uint64_t WorkAtSize::*work);

} // namespace irrewrite
