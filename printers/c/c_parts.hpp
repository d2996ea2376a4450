// The vocabulary of the parts of the printer of one function: texts of values, variables and their ends, lines of blocks.
#pragma once

#include "printers/c/c_model.hpp"

namespace irrewrite::printers {

class CFunction;

class CParts : public FunctionParts {
  public:
    explicit CParts(CFunction& function);

  protected:
    using FunctionParts::stored;

    Binding binding(NodeId node) override;
    Text literal(TypeKind kind, std::uint64_t bits) const override;
    void define_value(NodeId node, Text text, Region region) override;
    // A value of its own: moved out of its variable at its last use, or one use more.
    std::string stored(const Binding& value, TypeId type, bool movable, NodeId node) override;
    std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types) override;
    bool is_owned(TypeId type) const override { return module_.types.holds(type); }
    void assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                Region region) override;
    void print_nodes(Region region) override;
    void open(std::string_view line) override;
    void close() override;
    void otherwise() override;

    std::string type_of(TypeId type) { return module_.types.value(type); }

    // `T name = value;`, ended with the block if it counts uses. `value` is the variable's own.
    void declare(TypeId type, const std::string& name, const std::string& value, bool unread = false);
    bool is_unread(NodeId node, std::size_t k) const; // nobody asks for that result
    void define_variable(NodeId node, TypeId type, const std::string& name, const std::string& value);
    Binding as_variable(const Binding& value, std::string_view name);
    Binding as_type(const Binding& value, TypeId type, NodeId node); // its arrays laid out so
    void set(TypeId type, const std::string& target, const std::string& value);

    void release_block();

    void refuse(NodeId node, std::string text); // an error, with its place
    bool check_type(NodeId node, TypeId type);  // refuses what C has no type for
    std::string extent_text(const Binding& array, TypeId type, std::size_t k);
    std::string index_text(NodeId index, NodeId array, TypeId type, std::size_t level, const std::string& length,
                           NodeId node);
    std::string checked_length(NodeId length, NodeId node);

    CFunction& f_;
    CState& state_;
    CModule& module_;
};

} // namespace irrewrite::printers
