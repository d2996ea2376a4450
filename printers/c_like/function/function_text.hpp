// A function that is being written: what is known of it, its text so far, and the texts of nodes; with what every part of
// its printer asks for, whatever the language.
//
// Parts of the printers of C and C++ derive from `FunctionParts`. Their languages differ in how a value is spelled, stored
// and given back; those are its virtual functions.
#pragma once

#include "printers/c_like/function/environment.hpp"
#include "printers/c_like/function/text_module.hpp"
#include "printers/c_like/writer.hpp"
#include "printers/plan/loop_planner.hpp"

namespace irrewrite::printers {

struct FunctionText : FunctionFacts {
    FunctionText(const TextModule& module, const Function& function, Names names);

    // Predicates, which know no text.
    CodeAnalysis code;
    DemandAnalysis demands;
    LoopPlanner planner;

    Writer out;
    Environment env;
    std::vector<bool> used_dims;
    std::vector<std::string> param_names;
};

class FunctionParts {
  public:
    FunctionParts(const TextModule& module, FunctionText& text);
    FunctionParts(const FunctionParts&) = delete;

    void define(NodeId node, Binding value);
    void define(NodeId node, std::vector<Binding> results) { env_.define(node, std::move(results)); }

  protected:
    using Region = std::uint32_t;
    ~FunctionParts() = default;

    virtual Binding binding(NodeId node) = 0;
    virtual Text literal(TypeKind kind, std::uint64_t bits) const = 0;
    // A line `const T name = text;` unless the text is to stand in the node's only user.
    virtual void define_value(NodeId node, Text text, Region region) = 0;
    // The text of a value that is kept in a variable of that type; moves from variables used here for the last time.
    virtual std::string stored(const Binding& value, TypeId type, bool movable, NodeId node) = 0;
    virtual std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types) = 0;
    virtual bool is_owned(TypeId type) const = 0; // a variable of that type may be moved from
    // All at once: a value that reads a variable assigned before it is computed first.
    virtual void assign(std::span<const std::string> targets, std::span<const TypeId> types,
                        std::span<const NodeId> values, Region region) = 0;
    virtual void print_nodes(Region region) = 0;
    virtual void open(std::string_view line) = 0; // a block
    virtual void close() = 0;
    virtual void otherwise() = 0; // ends the block of an `if`, and begins that of its `else`

    Text text(NodeId node) { return binding(node).text; }
    static bool is_atomic(const Text& text);
    std::string name_of(NodeId node, std::string_view otherwise = "t");
    std::string result_name(NodeId node, std::size_t k, std::string_view otherwise);
    std::string index_of(BlockId block, std::string_view otherwise); // the name of its first parameter
    std::string dimension_text(SymbolId name);
    std::string dimension_text(Dim dim); // of one that is named or constant
    std::string stored(NodeId node, TypeId type, Region region, std::uint32_t position = UINT32_MAX);
    void bind_results(NodeId node, std::span<const std::string> names, std::span<const TypeId> types);
    Diagnostic error_at(NodeId node, std::string text) const; // null: at the function
    std::string line_number(NodeId node) const;               // 0 for what comes from another file than the program's

    // `x - 1` rather than `x + -1`. False if it is no such sum.
    bool print_difference(NodeId node, Region region);
    // A choice or a condition that is known where the index is: nothing is left to compute.
    bool print_known(const ScheduledNode& scheduled);
    // A scalar `if` that computes nothing: `c ? a : b`.
    bool print_conditional(const ScheduledNode& scheduled, Region region);
    void print_branches(const ScheduledNode& scheduled);
    void print_region(const ScheduledNode& scheduled);
    // The start of a scan or `gen.running`. An array may be longer later than it starts.
    std::vector<Cell> running_cells(NodeId node);

    const Function& function_;
    const Graph& g_;
    const Types& types_;
    const Schedule& schedule_;
    std::vector<Lazy>& lazy_;
    const UseAnalysis& uses_;
    Ranges& ranges_;
    ProgramPoint& at_;
    Writer& out_;
    Environment& env_;
    CodeAnalysis& code_;
    DemandAnalysis& demands_;
    LoopPlanner& planner_;

  private:
    const TextModule& text_module_;
};

} // namespace irrewrite::printers
