// Random loops in loops: products, windows, triangles, columns, rows that are read twice, arrays whose length changes from
// round to round. What an inner loop needs of an outer one, which statements of tests/random/random_program.hpp hardly ever have.
#pragma once

#include <functional>
#include <string>

namespace irrewrite {

// What a nest is made of, as text: two arrays of one element type, or a matrix of so many columns (empty where there is
// none), and an associative operator with what it starts from.
struct NestParts {
    std::string xs, ys, matrix, columns, neutral, associative;
    bool booleans; // are the elements, else numbers
};

struct Nest {
    std::string text;
    unsigned rank; // of the result
    bool counts;   // its elements are i64, not those of the arrays
    bool as_long;  // as `xs`, or as the matrix
};

// `pick(n)`: a number below n; `fresh()`: a name that nothing has.
Nest random_nest(const NestParts& parts, const std::function<unsigned(unsigned)>& pick,
                 const std::function<std::string()>& fresh);

} // namespace irrewrite
