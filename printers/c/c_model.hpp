// Data that all functions of a module share in emitted C, and the state of the printer of one function.
#pragma once

#include "engine/support/source.hpp"
#include "printers/c/c.hpp"
#include "printers/c/c_types.hpp"
#include "printers/c_like/text_template.hpp"
#include "printers/c_like/writer.hpp"
#include "printers/cpp/environment.hpp"
#include "printers/plan/loop_planner.hpp"

namespace irrewrite::printers {

struct CModule : PlanModule {
    CModule(const Context& context, const Module& module, const COptions& options);
    CModule(const CModule&) = delete;

    const COptions& options;
    CTypes types;
    std::vector<TextTemplate> templates; // by OpId, two each: the text, that for integers
    SourceId source;
    std::vector<std::uint32_t> lines; // where they end
    std::string out;
    std::vector<Diagnostic> errors;
    Names names, local_names = Names::within(names); // of functions; what their variables may not hide
    std::unordered_map<SymbolId, std::string> function_names;

    // `exact`: nothing wraps.
    const TextTemplate& form(const Graph& g, NodeId node, bool exact) const {
        return templates[text_of(g, node, exact)];
    }
    std::ptrdiff_t line_of(Span where) const; // in the file of the program, or 0
    std::string signature(const Function& function, const std::vector<std::string>& params);
};

struct CState : FunctionFacts {
    CState(CModule& module, const Function& function);

    CodeAnalysis code;
    DemandAnalysis demands;
    LoopPlanner planner;
    CModule& module;
    Writer out;
    Environment env;
    struct Owned {
        std::string name;
        TypeId type;
    };
    std::vector<std::vector<Owned>> blocks;        // of C: the variables that count uses of memory, released at its end
    std::unordered_map<NodeId, std::string> known; // of values on demand: whether they are there, by node
    std::vector<std::string> param_names;
    std::vector<bool> used_dims;
    unsigned printed_on_demand = 0;
};

} // namespace irrewrite::printers
