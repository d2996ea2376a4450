// A module as one self-contained C11 file (standard library and OpenMP only).
//
// Requires that collective operations have been lowered to `loop`s. What has no text in C is refused, with its place; it is
// never printed wrongly.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/support/source.hpp"

namespace irrewrite::printers {

struct COptions {
    bool driver = false;           // adds a `main` that reads one call from standard input
    bool header = false;           // to be included: a guard, everything `static inline`
    std::string name_space = "ir"; // in front of the names of functions and structs
    std::string source_name;       // named by the messages of faults
};

struct CText {
    std::string text;
    std::vector<Diagnostic> errors; // when there are any, the text is not to be used
};

// True if the operation has a text that is C: its own, or C++ text of nothing but operators.
bool has_c(const Operation& operation);

CText print_c(const Context& context, const Module& module, const COptions& options);

} // namespace irrewrite::printers
