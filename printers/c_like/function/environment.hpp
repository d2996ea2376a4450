// The texts that stand for the nodes of a function, as far as it has been printed, and the scopes in which they do.
#pragma once

#include "printers/c_like/expressions.hpp"
#include "printers/plan/array_types.hpp"
#include "printers/plan/program_point.hpp"
#include "printers/plan/ranges.hpp"

#include <functional>
#include <optional>
#include <unordered_map>

namespace irrewrite::printers {

// The text that stands for a node.
struct Binding {
    Text text;
    TypeId type; // what the text's type was made from
    Form form = Form::Value;
    bool owned = false;                    // a variable of this function that may be moved from
    NodeId extent{};                       // of a loop's index: it is within [0, extent), as Ranges know
    bool in_place = false;                 // made where it is to be stored
    std::optional<std::uint64_t> number{}; // of a literal: its bits
    std::string wide{};                    // the same in a wider integer, for comparisons in vector lanes; or none
};

class Environment : public KnownValues {
  public:
    void define(NodeId node, Binding value);
    void define(NodeId node, std::vector<Binding> results);
    // Runs at the end of the scope that is the innermost now.
    void on_leave(std::function<void()> undo);

    bool contains(NodeId node) const override { return bindings_.contains(node); }
    bool has_results(NodeId node) const override { return results_.contains(node); }
    // Null: there is none.
    const Binding* find(NodeId node) const;
    const std::vector<Binding>* find_results(NodeId node) const;
    const Binding& at(NodeId node) const { return bindings_.at(node); }

    std::unordered_map<NodeId, Binding> captured; // what a kernel takes along: arrays, and what the host is asked for
    std::unordered_map<NodeId, std::vector<Binding>> emitted;          // what a bucket's parameter stands for
    std::unordered_map<NodeId, std::string> pointers, device_pointers; // of arrays in hot loops

  private:
    friend class Scope;
    struct Undo {
        NodeId node;
        std::optional<Binding> value{};                // what stood for it, or
        std::optional<std::vector<Binding>> results{}; // for its results
        bool several = false;
        std::function<void()> other{}; // or something else
    };
    void undo(std::size_t begin);

    std::unordered_map<NodeId, Binding> bindings_;
    std::unordered_map<NodeId, std::vector<Binding>> results_; // of nodes with several
    std::vector<Undo> undo_;
};

// Ends the bindings made while it lives: blocks of one height share their parameters, and the nodes made from them.
class Scope {
  public:
    Scope(Environment& environment, Ranges& ranges)
        : environment_(environment), begin_(environment.undo_.size()), extents_(ranges) {}
    Scope(const Scope&) = delete;
    ~Scope() { environment_.undo(begin_); }

  private:
    Environment& environment_;
    std::size_t begin_;
    Ranges::Extents extents_;
};

} // namespace irrewrite::printers
