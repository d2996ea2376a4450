#include "printers/cpp/function_state.hpp"

namespace irrewrite::printers {

FunctionState::FunctionState(CppModule& module, const Function& function)
    : FunctionText(module, function, module.names_within(function)), rows(*this), module(module),
      bytes(find_byte_tables(module, function, schedule, uses)) {}

} // namespace irrewrite::printers
