// Arrays as the printed program lays them out: how many dimensions of a type lie in one piece of memory, and the form in
// which a parameter comes.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite::printers {

// The form of an array's expression. All are read alike: `x[i]`, `std::ssize(x)`, `x.data()`.
enum class Form : std::uint8_t {
    Value, // owned, or a reference to what is
    View,  // a span, or a view of several dimensions
    Rows,  // `rows<const T>`
};

class ArrayTypes {
  public:
    explicit ArrayTypes(const Types& types) : types_(types) {}

    bool is_array(TypeId type) const { return types_.kind(type) == TypeKind::Array; }
    // Number of dimensions that lie row by row in one piece of memory.
    std::size_t rank(TypeId array) const;
    TypeId element(TypeId array, std::size_t depth) const; // behind so many dimensions
    // True if the type is or contains an array.
    bool holds_array(TypeId type) const;
    // True if the types differ at most in the lengths of arrays that have the same layout.
    bool is_same(TypeId a, TypeId b) const;
    bool is_rows(TypeId type) const; // that may differ in length, of elements that are no arrays

  protected:
    const Types& types_;
};

// A length at some depth of an array, and the dimension that says what it is.
struct Extent {
    std::size_t depth;
    TypeId type; // of that dimension on
};
// The lengths that one type says and the other one, of the same array, does not.
std::vector<Extent> new_extents(const Types& types, TypeId known, TypeId promised);

struct ParameterExtent {
    std::size_t param, depth;
    Dim dim;
};
// The lengths of parameters that are to be checked: `%n` is taken from its first occurrence; further ones, and what no layout
// of arrays promises, may differ.
std::vector<ParameterExtent> extents_to_check(const ArrayTypes& arrays, const Types& types, const Function& function);

} // namespace irrewrite::printers
