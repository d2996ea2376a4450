// The `main` that `-driver` adds to emitted C++, with readers and writers of structs.
#pragma once

#include "printers/cpp/cpp_model.hpp"

namespace irrewrite::printers {

bool can_be_called(const CppModule& module, const Function& function);
std::string struct_text(const CppModule& module, TypeId structure); // `write` and `read`
std::string driver_text(const CppModule& module);                   // `run`, inside the namespace
std::string main_text(const CppModule& module);                     // behind it

} // namespace irrewrite::printers
