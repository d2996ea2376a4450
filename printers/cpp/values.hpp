// Texts of values, and values in variables: what every part of the printer of a function works with.
#pragma once

#include "printers/cpp/function_state.hpp"

namespace irrewrite::printers {

class CppFunction;

class Values : public FunctionParts {
  public:
    explicit Values(CppFunction& function);

  protected:
    using BinKey = FunctionState::BinKey;

    using FunctionParts::stored;

    Binding binding(NodeId node) override;
    Text literal(TypeKind kind, std::uint64_t bits) const override { return scalar_literal(kind, bits, false); }
    void define_value(NodeId node, Text text, Region region) override;
    std::string stored(const Binding& value, TypeId type, bool movable, NodeId node) override;
    std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types) override {
        return declare_results(node, types, false);
    }
    bool is_owned(TypeId type) const override { return !types_.is_scalar(type); }
    void assign(std::span<const std::string> targets, std::span<const TypeId> types, std::span<const NodeId> values,
                Region region) override;
    void print_nodes(Region region) override;
    void open(std::string_view line) override { out_.open(line); }
    void close() override { out_.close(); }
    void otherwise() override;

    Binding as_variable(const Binding& value, std::string_view name);
    // Makes known, in an iteration of the loop, all that is put by at this place; of arrays, those that are `needed`.
    void define_put_by(const ScheduledNode& loop, const std::string& place,
                       const std::unordered_set<NodeId>* needed = nullptr);
    // A number that is kept in a wider integer.
    Binding narrowed(const std::string& wide, TypeId type) const {
        Binding value{{value_type(type) + "(" + wide + ")"}, type};
        value.wide = wide;
        return value;
    }
    void note_stored(const Binding& value, TypeId type, const Stored& stored, NodeId node);
    // The same, but it is no copy yet.
    Stored to_store(const Binding& value, TypeId type, bool movable, NodeId node);
    void note_copy(NodeId node, bool made);
    bool may_be_gone(NodeId array, Region region);
    bool reads_what_may_go(NodeId node, Region region);
    // `zero`: they have a value even if what computes them gives up.
    std::vector<std::string> declare_results(NodeId node, std::span<const TypeId> types, bool zero);
    void error(NodeId node, std::string text);
    std::string origins(std::span<const std::uint32_t> regions) const;
    std::string length_text(NodeId array);
    std::string extent_text(const Binding& array, TypeId type, std::size_t k);
    IndexText index_text(NodeId index, NodeId array, TypeId type, std::size_t k, const std::string& n, NodeId node);
    bool is_row_of_known_width(NodeId at, const Binding& matrix);
    bool may_be_on_device(const Binding& array) const;
    std::string checked_length(NodeId length, NodeId node);
    // The scalars and views that a loop reads and something before it has made, each with the variable that holds it.
    std::vector<std::pair<NodeId, std::string>> read_from_outside(const ScheduledNode& loop,
                                                                  std::span<const Region> regions) const;
    using FunctionParts::index_of;
    std::string index_of(const ScheduledNode& loop) { return index_of(g_.blocks(loop.node)[0], "i"); }
    std::string value_type(TypeId type) const { return module_.types.value(type); }
    auto& pointers() { return at_.kernel != nullptr ? env_.device_pointers : env_.pointers; }

    CppFunction& f_; // the other parts
    FunctionState& state_;
    CppModule& module_;
    RowAnalysis& rows_;

  private:
    bool is_inlined(NodeId node, const Text& text, Region region) const;
    bool reads_row_of(NodeId value, std::string_view array);
    bool mentions_pointer(std::string_view text, std::string_view array);
    std::vector<std::string> spares_of_replaced(std::span<const std::string> targets, std::span<const TypeId> types,
                                                std::span<const NodeId> values, std::span<const Stored> texts) const;
};

} // namespace irrewrite::printers
