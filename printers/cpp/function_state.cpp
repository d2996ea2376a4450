#include "printers/cpp/function_state.hpp"

namespace irrewrite::printers {

FunctionState::FunctionState(CppModule& module, const Function& function)
    : FunctionFacts(module, function), code(*this), rows(*this), demands(*this), planner(*this), module(module),
      out(module.names_within(function)), used_dims(function.dims.size()),
      bytes(find_byte_tables(module, function, schedule, uses)) {
    at.known = &env;
}

} // namespace irrewrite::printers
