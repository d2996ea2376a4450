// The helpers of emitted CUDA as tables: their sources, embedded by the build.
#include "printers/cpp/runtime/runtime.hpp"

namespace irrewrite::printers::detail {

constexpr RuntimeHelper cuda_array_helpers_table[] = {
#include "embedded/printers/cuda/runtime/arrays.cuh.inc"
};
constinit const RuntimeHelpers cuda_array_helpers = cuda_array_helpers_table;

constexpr RuntimeHelper cuda_row_helpers_table[] = {
#include "embedded/printers/cuda/runtime/rows.cuh.inc"
};
constinit const RuntimeHelpers cuda_row_helpers = cuda_row_helpers_table;

constexpr RuntimeHelper cuda_base_helpers_table[] = {
#include "embedded/printers/cuda/runtime/base.cuh.inc"
};
constinit const RuntimeHelpers cuda_base_helpers = cuda_base_helpers_table;

constexpr RuntimeHelper cuda_scalar_helpers_table[] = {
#include "embedded/printers/cuda/runtime/scalars.cuh.inc"
};
constinit const RuntimeHelpers cuda_scalar_helpers = cuda_scalar_helpers_table;

constexpr RuntimeHelper cuda_bin_helpers_table[] = {
#include "embedded/printers/cuda/runtime/bins.cuh.inc"
};
constinit const RuntimeHelpers cuda_bin_helpers = cuda_bin_helpers_table;

constexpr RuntimeHelper cuda_column_helpers_table[] = {
#include "embedded/printers/cuda/runtime/columns.cuh.inc"
};
constinit const RuntimeHelpers cuda_column_helpers = cuda_column_helpers_table;

constexpr RuntimeHelper cuda_fold_helpers_table[] = {
#include "embedded/printers/cuda/runtime/folds.cuh.inc"
};
constinit const RuntimeHelpers cuda_fold_helpers = cuda_fold_helpers_table;

constexpr RuntimeHelper cuda_group_helpers_table[] = {
#include "embedded/printers/cuda/runtime/groups.cuh.inc"
};
constinit const RuntimeHelpers cuda_group_helpers = cuda_group_helpers_table;

constexpr RuntimeHelper cuda_kernel_helpers_table[] = {
#include "embedded/printers/cuda/runtime/kernels.cuh.inc"
};
constinit const RuntimeHelpers cuda_kernel_helpers = cuda_kernel_helpers_table;

constexpr RuntimeHelper cuda_noted_helpers_table[] = {
#include "embedded/printers/cuda/runtime/noted.cuh.inc"
};
constinit const RuntimeHelpers cuda_noted_helpers = cuda_noted_helpers_table;

// These replace others of the same name, and come after them.
constexpr RuntimeHelper cuda_settling_helpers_table[] = {
#include "embedded/printers/cuda/runtime/settling.cuh.inc"
};
constinit const RuntimeHelpers cuda_settling_helpers = cuda_settling_helpers_table;

// Behind what launches a kernel.
constexpr RuntimeHelper cuda_note_helpers_table[] = {
#include "embedded/printers/cuda/runtime/notes.cuh.inc"
};
constinit const RuntimeHelpers cuda_note_helpers = cuda_note_helpers_table;

constexpr RuntimeHelper cuda_sort_helpers_table[] = {
#include "embedded/printers/cuda/runtime/sort.cuh.inc"
};
constinit const RuntimeHelpers cuda_sort_helpers = cuda_sort_helpers_table;

constexpr RuntimeHelper cuda_sorted_helpers_table[] = {
#include "embedded/printers/cuda/runtime/sorted.cuh.inc"
};
constinit const RuntimeHelpers cuda_sorted_helpers = cuda_sorted_helpers_table;

constexpr RuntimeHelper cuda_tile_helpers_table[] = {
#include "embedded/printers/cuda/runtime/tiles.cuh.inc"
};
constinit const RuntimeHelpers cuda_tile_helpers = cuda_tile_helpers_table;

const std::string_view cuda_ragged_members = R"(
    constexpr std::span<T> values() const { return values_; }
    constexpr std::span<const std::int64_t> offsets() const { return offsets_; }
)";
const std::string_view cuda_row_members = R"(
    explicit array(const array_row<T, Rank>& rows) : extents_(rows.extents()), values_(rows.elements()) {}
    auto operator[](std::int64_t i) const { return array_row<T, Rank>(values_, 0, extents_)[i]; }
    template <class Row> void set_row(std::int64_t i, const Row& row) { values_.set_part(i * width(), width(), row); }
    view<const T, Rank> device() const { return {values_.device().data(), extents_}; }
    view<T, Rank> device_to_fill() { return {values_.device_to_fill().data(), extents_}; }
    view<T, Rank> device_to_change() { return {values_.device_to_change().data(), extents_}; }
)";

std::string noting_faults(std::string_view text) {
    std::string out;
    for (bool opens = false; !text.empty();) {
        const std::string_view line = text.substr(0, text.find('\n') + 1);
        text.remove_prefix(line.size());
        out += line;
        opens = opens || line.find("__global__") != std::string_view::npos;
        const bool begins = opens && line.ends_with("{\n");
        if (begins) out += "    if (comes_after_fault()) return;\n";
        if (line.find("cudaMemcpyDeviceToHost") != std::string_view::npos)
            (out += line.substr(0, line.find_first_not_of(' '))) += "settle_faults();\n";
        opens = opens && !begins;
    }
    return out;
}

} // namespace irrewrite::printers::detail
