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
#include "printers/cpp/runtime/memory.h"
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

TEST_CASE("helpers of emitted C++: much memory keeps what is there, and begins at lines of its own", "[runtime]") {
    using namespace emitted;
    array<std::int64_t> grown, beside(std::int64_t{1} << 20);
    for (std::int64_t i = 0; i < 100000; ++i) grown.push_back(i); // past all limits, step by step
    bool same = true;
    for (std::int64_t i = 0; i < 100000; ++i) same = same && grown[i] == i;
    CHECK(same);
    array<std::int64_t> other(std::int64_t{1} << 20);
    const auto line = [](const array<std::int64_t>& a) {
        return reinterpret_cast<std::uintptr_t>(a.data()) % 4096 / 64;
    };
    CHECK(line(beside) != line(other));
    array<std::int64_t> moved = std::move(grown);
    moved.append(array<std::int64_t>(200000, 7));
    CHECK((std::ssize(moved) == 300000 && moved[99999] == 99999 && moved[299999] == 7 && std::ssize(grown) == 0));
    moved = array<std::int64_t>();
    CHECK_THROWS_AS(other.reserve(INT64_MAX / 8), std::bad_alloc);
    other[0] = 3, other.truncate(1);
    CHECK(other[0] == 3); // it is there still
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
