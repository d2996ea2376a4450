// The C++ types of IR types.
//
// A value that the program owns: `array<T>`, and `array<T, 2>` where every row is known to have one length (`[n][m]T`),
// else `array<array<T>>`. A parameter, or a row of a matrix, is a view: `std::span<const T>`, `view<const T, 2>`,
// `rows<const T>`.
#pragma once

#include "engine/ir/module.hpp"
#include "printers/c_like/identifiers.hpp"
#include "printers/plan/array_types.hpp"

#include <string>
#include <unordered_map>
#include <vector>

namespace irrewrite::printers {

class CppTypes : public ArrayTypes {
  public:
    // `shared`: arrays are passed as what owns them, which knows where its elements are.
    CppTypes(const Types& types, const Symbols& symbols, bool shared = false)
        : ArrayTypes(types), symbols_(symbols), shared_(shared) {}

    std::string value(TypeId type) const;
    std::string parameter(TypeId type) const;
    std::string read(TypeId type) const; // likewise, arrays as views of memory that this side has
    // The return type of a function with these results.
    std::string returned(std::span<const TypeId> results) const;
    // The IR's names of structs and fields, where nothing else has them.
    void name_structs(std::span<const TypeId> structs, Names& taken);
    const std::string& name(TypeId structure) const { return structs_.at(structure).name; }
    const std::string& field(TypeId structure, std::size_t k) const { return structs_.at(structure).fields[k]; }

    Form parameter_form(TypeId type) const;

  private:
    std::string list(std::span<const TypeId> types) const;

    const Symbols& symbols_;
    bool shared_;
    struct StructNames {
        std::string name;
        std::vector<std::string> fields;
    };
    std::unordered_map<TypeId, StructNames> structs_;
};

} // namespace irrewrite::printers
