// The lengths that types of a caller name, in a function that is made of a part of it: `[n]f64` stays `[n]f64` there.
//
// A length of a whole parameter is that of the caller, so all types of the new function may name it, and it is a value. Of a row
// that is not so where there are no rows; the types of parameters alone name such a length.
#pragma once

#include "engine/ir/module.hpp"

namespace irrewrite {

class KeptLengths {
  public:
    // The types of the parameters, as the caller has them.
    KeptLengths(Types& types, std::span<const TypeId> params);

    struct Length {
        SymbolId name; // in the caller
        std::uint32_t param, depth;
        bool whole;   // of a parameter
        SymbolId own; // in the new function
    };
    std::vector<Length> all; // as the parameters name them

    const Length* find(SymbolId name) const;
    TypeId of_param(TypeId type) const;
    TypeId of_value(TypeId type) const;

  private:
    Types* types_;
    Dim kept(Dim dim, bool of_param) const;
};

} // namespace irrewrite
