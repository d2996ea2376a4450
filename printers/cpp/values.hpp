// Texts of values, and values in variables: what every part of the printer of a function works with.
#pragma once

#include "printers/cpp/function_state.hpp"

namespace irrewrite::printers {

class CppFunction;

class Values {
  public:
    explicit Values(CppFunction& function);
    Values(const Values&) = delete;

    void define(NodeId node, Binding value);
    void define(NodeId node, std::vector<Binding> results);

  protected:
    using Region = std::uint32_t;
    using BinKey = FunctionState::BinKey;

    Binding binding(NodeId node);
    std::string name_of(NodeId node, std::string_view otherwise = "t");
    static bool is_atomic(const Text& text);
    // A line `const T name = text;` unless the text is to stand in the node's only user.
    void define_value(NodeId node, Text text, Region region);
    Binding as_variable(const Binding& value, std::string_view name);
    // A value of C++ type `type`, to be stored; moves from variables used here for the last time.
    std::string stored(NodeId node, TypeId type, Region region, std::uint32_t position = UINT32_MAX);
    std::string stored(const Binding& value, TypeId type, bool movable, NodeId node);
    void note_stored(const Binding& value, TypeId type, const Stored& stored, NodeId node);
    // The same, but it is no copy yet.
    Stored to_store(const Binding& value, TypeId type, bool movable, NodeId node);
    void note_copy(NodeId node, bool made);
    bool may_be_gone(NodeId array, Region region);
    bool reads_what_may_go(NodeId node, Region region);
    std::string result_name(NodeId node, std::size_t k, std::string_view otherwise);
    std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types, bool zero = false);
    void bind_results(NodeId node, std::span<const std::string> names, std::span<const TypeId> types);
    void error(NodeId node, std::string text);
    std::string line_number(NodeId node) const;
    std::string origins(std::span<const std::uint32_t> regions) const;
    std::string dimension_text(SymbolId name);
    std::string length_text(NodeId array);
    std::string extent_text(const Binding& array, TypeId type, std::size_t k);
    IndexText index_text(NodeId index, NodeId array, TypeId type, std::size_t k, const std::string& n, NodeId node);
    bool is_row_of_known_width(NodeId at, const Binding& matrix);
    bool may_be_on_device(const Binding& array) const;
    std::string checked_length(NodeId length, NodeId node);
    // The scalars and views that a loop reads and something before it has made, each with the variable that holds it.
    std::vector<std::pair<NodeId, std::string>> read_from_outside(const ScheduledNode& loop,
                                                                  std::span<const Region> regions) const;
    void assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                Region region);
    std::string index_of(const ScheduledNode& loop);
    Text text(NodeId node) { return binding(node).text; }
    std::string value_type(TypeId type) const { return module_.types.value(type); }
    auto& pointers() { return at_.kernel != nullptr ? env_.device_pointers : env_.pointers; }

    CppFunction& f_; // the other parts
    FunctionState& state_;
    CppModule& module_;
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
    RowAnalysis& rows_;
    DemandAnalysis& demands_;
    LoopPlanner& planner_;

  private:
    bool is_inlined(NodeId node, const Text& text, Region region) const;
    bool reads_row_of(NodeId value, std::string_view array);
    bool mentions_pointer(std::string_view text, std::string_view array);
};

} // namespace irrewrite::printers
