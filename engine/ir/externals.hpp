// Functions of the C library that programs may declare and call: what they compute.
#pragma once

#include <cstddef>
#include <string_view>

namespace irrewrite {

// A function of the C library by its name: doubles to a double.
struct External {
    std::string_view name;
    std::size_t parameters;
    double (*evaluate)(const double*);
};
// Null: there is none of the name.
const External* find_external(std::string_view name);

} // namespace irrewrite
