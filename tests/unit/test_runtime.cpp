// The helpers of emitted C++ as the headers that they are: all of them compile together, in the order of their tables.
#ifdef _OPENMP
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <omp.h>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif
#if __has_include(<sys/resource.h>)
#include <csignal>
#include <sys/resource.h>
#include <unistd.h>
#endif

#include <catch2/catch.hpp>

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"

namespace emitted {
// clang-format off
#include "printers/cpp/runtime/scalars.h"
#include "printers/cpp/runtime/arrays.h"
#include "printers/cpp/runtime/orders.h"
#include "printers/cpp/runtime/loops.h"
#include "printers/cpp/runtime/groups.h"
#include "printers/cpp/runtime/text.h"
// clang-format on
} // namespace emitted

TEST_CASE("helpers of emitted C++: arithmetic that wraps, and faults", "[runtime]") {
    using namespace emitted;
    CHECK(wrap_add(INT64_MAX, std::int64_t{1}) == INT64_MIN);
    CHECK(is_within(0, 1));
    CHECK_FALSE(is_within(1, 1));
    CHECK_FALSE(is_within(-1, 1));
    CHECK(checked(2, 3, 7) == 2);
    CHECK_THROWS_AS(checked(3, 3, 7), fault);
}

TEST_CASE("helpers of emitted C++: NaNs are equal, and behind all numbers", "[runtime]") {
    using namespace emitted;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(compared(nan, nan) == 0);
    CHECK(compared(1.0, nan) < 0);
    CHECK(compared(0.0, -0.0) == 0);
    CHECK(key_hash(0.0) == key_hash(-0.0));
}

TEST_CASE("helpers of emitted C++: an array owns its elements", "[runtime]") {
    using namespace emitted;
    array<double> list(3, 0.5);
    list[1] = 2.0;
    const array<double> copy = list;
    list[1] = 3.0;
    CHECK(copy[1] == 2.0);
    CHECK(std::ssize(copy) == 3);
}
#endif
