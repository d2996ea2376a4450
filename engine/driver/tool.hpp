// The command for one program: reads it and the rule files, rewrites, prints or answers. Only engine/driver and
// engine/api know both grammar/ and printers/.
#pragma once

#include "engine/driver/files.hpp"
#include "engine/driver/options.hpp"
#include "engine/driver/pipeline.hpp"
#include "engine/driver/statistics.hpp"

#include <iostream>

namespace irrewrite {

inline std::size_t node_count(const Module& module) {
    std::size_t count = 0;
    for (const Function& function : module.functions) count += function.graph.size();
    return count;
}

class Tool {
  public:
    explicit Tool(const Options& options) : options_(options) {}
    // Over a text in the place of the input's.
    Tool(const Options& options, std::string_view text) : options_(options), text_(text) {}
    int run();

  private:
    std::optional<std::string> wrong_usage() const;
    std::optional<std::string> unknown_kind();
    // True if the printer does; a language of a rule file does not.
    bool accepts(bool printers::Printer::*option) const {
        const printers::Printer* printer = printers::find_printer(options_.emit);
        return printer != nullptr && printer->*option;
    }
    bool asks_about_rules() const { return options_.check || options_.prove || options_.lint; } // and no program
    bool shows_run() const { return accepts(&printers::Printer::shows_run); } // a page of its rewrites
    const Phase* last_phase(std::string& what) const;
    RewriteOptions rewrite_options() const;
    std::optional<int> rewrite_program(const RewriteOptions& how);
    bool is_traced(const Step& step) const;
    bool knows_traced();
    OperationCounts counted() const;
    bool read_text();
    bool read_program();
    void let_forget(SourceId source);
    bool is_lost();
    void recall_text();
    std::optional<int> run_parts(const RewriteOptions& how);
    std::optional<std::string> rewrite_parts(std::span<const std::string_view> parts, bool first,
                                             const RewriteOptions& how);
    bool rewrite_part(std::string_view part, RewriteOptions how, std::string& text, std::size_t& nodes); // behind that
    std::uint64_t graph_fuel(std::size_t nodes) const;
    int emit();
    void show_stats(const printers::Printed* printed = nullptr, const WorkCounts* work = nullptr);
    int evaluate_call();
    int show_difference(Module before);
    int explain(Module& original);
    std::optional<std::string> explain_gone(Module& original);
    std::optional<std::string> explain_place();
    std::string without_chain(const Function& function, NodeId node) const;
    std::string rule_like(std::string_view name) const;
    int explain_failure();
    void out_of_fuel();
    int check_rules();
    int report_interruption();
    void compare_functions_of_rules();
    bool can_evaluate(Module& module, std::size_t phase);
    bool verify(const Module& before, RewriteOptions how);
    std::string explain_loops(SymbolId function);
    int report(int code);
    bool write(std::span<const std::string> pieces);
    bool write(const std::string& text) { return write({&text, 1}); }
    int usage(const std::string& what) {
        std::cerr << "irrewrite: " << printable(what) << '\n';
        return Usage;
    }

    const Options& options_;
    std::optional<SourceText> text_; // of the program
    std::optional<FileStamp> stamp_; // of its file
    SourceId program_;               // the program's text, where it may be forgotten
    Context context_;
    Diagnostics diagnostics_;
    std::string until_; // the phase that `-until` means
    grammar::RuleProgram rules_;
    Pipeline pipeline_{options_, context_, diagnostics_, rules_};
    Module module_;
    RewriteLog log_;
    OperationCounts before_, after_;            // rewriting
    std::optional<nlohmann::ordered_json> run_; // html: of rewriting
    std::optional<std::string> page_;           // of statistics, in the place of the output
};
} // namespace irrewrite
