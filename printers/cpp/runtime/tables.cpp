// The helpers of emitted C++ as tables: their sources, embedded by the build.
#include "printers/cpp/runtime/runtime.hpp"

namespace irrewrite::printers::detail {

constexpr RuntimeHelper array_helpers_table[] = {
#include "embedded/printers/cpp/runtime/memory.h.inc"

#include "embedded/printers/cpp/runtime/arrays.h.inc"
};
constinit const RuntimeHelpers array_helpers = array_helpers_table;

constexpr RuntimeHelper loop_helpers_table[] = {
#include "embedded/printers/cpp/runtime/loops.h.inc"
};
constinit const RuntimeHelpers loop_helpers = loop_helpers_table;

constexpr RuntimeHelper group_helpers_table[] = {
#include "embedded/printers/cpp/runtime/groups.h.inc"
};
constinit const RuntimeHelpers group_helpers = group_helpers_table;

constexpr RuntimeHelper order_helpers_table[] = {
#include "embedded/printers/cpp/runtime/orders.h.inc"
};
constinit const RuntimeHelpers order_helpers = order_helpers_table;

constexpr RuntimeHelper scalar_helpers_table[] = {
#include "embedded/printers/cpp/runtime/scalars.h.inc"
};
constinit const RuntimeHelpers scalar_helpers = scalar_helpers_table;

constexpr RuntimeHelper text_helpers_table[] = {
#include "embedded/printers/cpp/runtime/text.h.inc"
};
constinit const RuntimeHelpers text_helpers = text_helpers_table;

const std::string_view row_members = R"(
    auto operator[](std::int64_t i) const { return view<const T, Rank>(*this)[i]; }
    template <class Row> void set_row(std::int64_t i, const Row& row) { std::copy_n(row.data(), width(), data() + i * width()); }
)";

} // namespace irrewrite::printers::detail
