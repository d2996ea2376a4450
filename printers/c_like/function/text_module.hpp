// A module that is being written: the texts of its operations, the lines of its source, what has been written so far.
#pragma once

#include "engine/support/source.hpp"
#include "printers/c_like/text_template.hpp"
#include "printers/plan/loop_model.hpp"

namespace irrewrite::printers {

struct TextModule : PlanModule {
    TextModule(const Context& context, const Module& module, bool cuda);
    TextModule(const TextModule&) = delete;

    std::vector<TextTemplate> templates; // by OpId, two each: the text, that for integers
    std::string out;
    std::vector<Diagnostic> errors;
    std::unordered_map<SymbolId, std::string> function_names;

    // The operation's text, for its operands' type.
    // `exact`: integers as floats are written, nothing wraps.
    const TextTemplate& form(const Graph& g, NodeId node, bool exact = false) const {
        return templates[text_of(g, node, exact)];
    }
    // The line in the file of the program; none in another one.
    std::optional<std::ptrdiff_t> line_of(Span where) const;

  private:
    SourceId source_; // of the program: that of its functions, and not of those that come from rule files
    std::vector<std::uint32_t> lines_; // where they end
};

} // namespace irrewrite::printers
