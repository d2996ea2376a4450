// Names of values in printed IR: the user's where there is one, with a number behind it where two
// values that are visible together would share it, and `%0`, `%1`, … for values without a name.
#pragma once

#include "engine/module.hpp"

#include <string>
#include <string_view>
#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace irrewrite::printers {

class IrNames {
  public:
    // Knows every name in the function beforehand, so that none that it makes up hides another.
    explicit IrNames(const Context& context, const Function& function);

    // A name not taken yet: `wanted` if possible. Without one, or with one that the text could not
    // have, a number.
    std::string take(SymbolId wanted);
    void release(const std::string& name); // its number can be had again
    bool is_usable(SymbolId name) const;

  private:
    std::string numbered(const std::string& base);

    const Context& context_;
    tsl::robin_set<std::string> known_, taken_;
    tsl::robin_map<std::string, std::size_t> next_; // the number to try behind a base
    tsl::robin_map<std::string, std::pair<std::string, std::size_t>> made_; // base and number
};

} // namespace irrewrite::printers
