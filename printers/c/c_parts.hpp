// The vocabulary of the parts of the printer of one function: texts of values, variables and their ends, lines of blocks.
#pragma once

#include "printers/c/c_model.hpp"

namespace irrewrite::printers {

class CFunction;

class CParts {
  public:
    explicit CParts(CFunction& function);
    CParts(const CParts&) = delete;

  protected:
    using Region = std::uint32_t;

    void define(NodeId node, Binding value);
    void define(NodeId node, std::vector<Binding> results) { env_.define(node, std::move(results)); }
    Binding binding(NodeId node);
    Text text(NodeId node) { return binding(node).text; }
    std::string type_of(TypeId type) { return module_.types.value(type); }
    std::string name_of(NodeId node, std::string_view otherwise = "t");
    std::string result_name(NodeId node, std::size_t k, std::string_view otherwise);
    static bool is_atomic(const Text& text);
    Text literal(TypeKind kind, std::uint64_t bits) const;

    // `T name = value;`, ended with the block if it counts uses. `value` is the variable's own.
    void declare(TypeId type, const std::string& name, const std::string& value, bool unread = false);
    bool is_unread(NodeId node, std::size_t k) const; // nobody asks for that result
    void define_variable(NodeId node, TypeId type, const std::string& name, const std::string& value);
    void define_value(NodeId node, Text text, Region region);
    Binding as_variable(const Binding& value, std::string_view name);
    std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types);
    void bind_results(NodeId node, std::span<const std::string> names, std::span<const TypeId> types);
    // A value of its own: moved out of its variable at its last use, or one use more.
    std::string stored(NodeId node, TypeId type, Region region, std::uint32_t position = UINT32_MAX);
    std::string stored(const Binding& value, TypeId type, bool movable, NodeId node);
    Binding as_type(const Binding& value, TypeId type, NodeId node); // its arrays laid out so
    // All at once.
    void assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                Region region);
    void set(TypeId type, const std::string& target, const std::string& value);

    void open(std::string_view line); // a block of C
    void close(std::string_view line = "}");
    void otherwise(); // ends the block of an `if`, and begins that of its `else`
    void release_block();

    void refuse(NodeId node, std::string text); // an error, with its place
    bool check_type(NodeId node, TypeId type);  // refuses what C has no type for
    std::string line_number(NodeId node) const;
    std::string dimension_text(SymbolId name);
    std::string extent_text(const Binding& array, TypeId type, std::size_t k);
    std::string index_text(NodeId index, NodeId array, TypeId type, std::size_t level, const std::string& length,
                           NodeId node);
    std::string checked_length(NodeId length, NodeId node);
    std::string index_of(BlockId block, std::string_view otherwise);

    CFunction& f_;
    CState& state_;
    CModule& module_;
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
};

} // namespace irrewrite::printers
