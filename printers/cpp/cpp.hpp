// A module as one self-contained C++20 file (standard library and OpenMP only).
//
// Requires that collective operations have been lowered to `loop`s; an operation without a text is reported, never
// printed wrongly. The file's form is section 3 of the language's definition, "Emitted C++"; its meaning is that of the
// reference evaluator.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/support/source.hpp"
#include "printers/cpp/copy_counts.hpp"

namespace irrewrite::printers {

struct CppOptions {
    bool driver = false; // adds a `main` that reads one call from standard input
    bool header = false; // to be included: a guard, everything inline
    std::string name_space = "ir";
    std::string source_name; // named by the messages of faults
    bool cuda = false;       // loops as kernels, see printers/cuda/cuda.hpp
};

// Explains how a loop runs, and why.
struct LoopNote {
    SymbolId function;
    std::string text;
    bool operator==(const LoopNote&) const = default;
};

// A loop, or how iterations of it run.
struct PlanNote {
    SymbolId function;
    unsigned depth;
    std::string text;
};

struct CppText {
    std::string text;
    std::vector<Diagnostic> errors; // when there are any, the text is not to be used
    std::vector<LoopNote> notes{};
    CopyCounts copies{}; // of what copies(…) an operand
    std::vector<PlanNote> plans{};
};

CppText print_cpp(const Context& context, const Module& module, const CppOptions& options);

} // namespace irrewrite::printers
