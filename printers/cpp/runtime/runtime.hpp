// The helpers that emitted C++ may use: their texts, and the helpers and headers that a text needs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

namespace irrewrite::printers {

struct RuntimeHelper {
    std::string_view name; // helpers of one text have one entry each
    std::string_view text;
};
// A table that is there before any code runs: nothing is allocated for it.
using RuntimeHelpers = std::span<const RuntimeHelper>;

enum class Target : std::uint8_t { Cpp, Cuda };

// The names that the helpers declare.
const std::unordered_set<std::string_view>& runtime_names(Target target);
// An identifier beside the helpers: `rows` as `rows_`.
std::string global_identifier(std::string_view name, Target target);

// The helpers that `text` mentions and those that they need, in an order in which they compile.
std::string runtime_prelude(std::string_view text, Target target = Target::Cpp);
// `#include` lines for the names of the standard library in `text`.
std::string runtime_includes(std::string_view text);

namespace detail {
extern const RuntimeHelpers scalar_helpers, array_helpers, order_helpers, loop_helpers, group_helpers, text_helpers;
// For CUDA: helpers that replace C++'s of the same names, and further ones.
extern const RuntimeHelpers cuda_base_helpers, cuda_scalar_helpers, cuda_array_helpers, cuda_kernel_helpers,
    cuda_row_helpers, cuda_column_helpers, cuda_bin_helpers, cuda_sort_helpers, cuda_sorted_helpers, cuda_group_helpers,
    cuda_tile_helpers, cuda_fold_helpers, cuda_noted_helpers, cuda_settling_helpers, cuda_note_helpers;
extern const std::string_view row_members, cuda_row_members; // of arrays of rows, which are the same otherwise
extern const std::string_view cuda_ragged_members;           // further ones of rows
// The same helper where kernels do nothing behind one that faulted, and the host learns of it when it copies what it
// waits for.
std::string noting_faults(std::string_view text);
} // namespace detail

} // namespace irrewrite::printers
