// Data that all functions of a module share in emitted C, and the state of the printer of one function.
#pragma once

#include "printers/c/c.hpp"
#include "printers/c/c_types.hpp"
#include "printers/c_like/function/function_text.hpp"

namespace irrewrite::printers {

struct CModule : TextModule {
    CModule(const Context& context, const Module& module, const COptions& options);

    const COptions& options;
    Names names, local_names = Names::within(names); // of functions and types; what variables may not hide
    CTypes types;
    std::string fresh_name(const Function& function);
    std::string signature(const Function& function, const std::vector<std::string>& params);
};

struct CState : FunctionText {
    CState(CModule& module, const Function& function);

    CModule& module;
    struct Owned {
        std::string name;
        TypeId type;
    };
    std::vector<std::vector<Owned>> blocks; // of C: the variables that count uses of memory, released at its end
    unsigned printed_on_demand = 0;
};

} // namespace irrewrite::printers
