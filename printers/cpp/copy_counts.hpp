// Counts the copies that emitted C++ makes.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace irrewrite::printers {

// Of an operation that copies what it is given: how often that is done, and how often what is given is changed or handed on
// instead, since nobody reads it later.
struct CopyCount {
    std::size_t made = 0, in_place = 0;
};
using CopyCounts = std::map<std::string, CopyCount>; // by operation; `implicit`: arrays handed on without one

} // namespace irrewrite::printers
