// IR programs in tests: text in, module out.
#pragma once

#include "grammar/program/read_module.hpp"
#include "grammar/rules/load_core.hpp"

#include <cstdlib>
#include <sstream>

namespace irrewrite {

inline std::filesystem::path rules_folder() {
    const char* chosen = std::getenv("IRREWRITE_RULES");
    return chosen && *chosen ? chosen : "rules";
}

// Stays where it is: its functions refer to its context.
struct Program {
    Context context;
    Module module;
    Diagnostics diagnostics;
    bool ok = false;

    explicit Program(std::string text) {
        ok = grammar::load_core(context, rules_folder() / "core.rules", diagnostics) &&
             grammar::read_module(context, "test.ir", std::move(text), module, diagnostics);
    }
    Program(const Program&) = delete;

    const Function& function(std::string_view name) { return *module.find(context.symbols.add(name)); }
    // `line:col: text` of each error, in the order found.
    std::string errors() const {
        std::ostringstream out;
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            const auto place = line_column(context.sources[diagnostic.where.source], diagnostic.where.begin);
            out << place.line << ':' << place.column << ": " << diagnostic.text << '\n';
        }
        return out.str();
    }
};

// Reads IR text after rules/core.rules.
inline Program read(std::string text) { return Program(std::move(text)); }

} // namespace irrewrite
