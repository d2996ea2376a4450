// Normal forms of terms under a set of first-order rules, outside the graph.
//
// Terms come from the graph, a shared node once; compiled code rewrites them, innermost first, in memory of its own;
// the normal form returns through the graph's constructor. The result is that of the graph path: at each term the first
// rule that matches applies once its operands are normal forms, so the order in which operands are visited does not
// matter.
#pragma once

#include "engine/jit/code.hpp"

#include <map>
#include <tsl/robin_map.h>

namespace irrewrite::term {

class Machine {
  public:
    // Empty when the rules are not first order, or take too much code; else see Code::make.
    static std::unique_ptr<Machine> make(const Context& context, const RuleBase& base, std::span<const RuleId> rules,
                                         bool machine_code);

    const Heap& heap() const { return heap_; }
    // True if the roots reach only terms of plain operations over parameters and literals.
    bool takes(const Graph& graph, std::span<const NodeId> roots) const;

    struct Outcome {
        Status status = Status::Running; // Running: done
        std::vector<NodeId> results;
        std::vector<std::pair<RuleId, std::uint64_t>> fired;
        std::uint64_t rewrites = 0;
        bool sound = true; // when `checked`
    };
    bool checked = false; // counts are compared with references: for tests
    // `memory`: bytes that the terms may take.
    Outcome run(Graph& graph, std::span<const NodeId> roots, std::uint64_t fuel, std::uint64_t memory = UINT64_MAX);
    // Of a run, which may go on: how often each rule has fired so far.
    std::vector<std::pair<RuleId, std::uint64_t>> fired() const;

  private:
    Machine(Program program, std::size_t rules) : program_(std::move(program)), heap_(program_, rules) {}

    Program program_;
    Heap heap_;
    std::vector<RuleId> rules_; // by number
    std::vector<const Computation*> computations_;
    std::unique_ptr<Code> code_;
};

// The machines of a run, for all its functions: made when terms are worth it, the first time.
class Machines {
  public:
    using Key = std::pair<StrategyId, SymbolId>; // the strategy that applies the rules, the phase that runs
    Machines(const Context& context, const RuleBase& base, bool machine_code)
        : context_(context), base_(base), machine_code_(machine_code) {}

    bool first_order(Key key, std::span<const RuleId> rules); // or not known to be something else
    Machine* get(Key key, std::span<const RuleId> rules);     // none: see `make`
    void drop(Key key) { entries_.erase(key); }

  private:
    struct Entry {
        std::optional<bool> first_order;
        std::unique_ptr<Machine> machine;
    };
    const Context& context_;
    const RuleBase& base_;
    bool machine_code_;
    std::map<Key, Entry> entries_;
};

// Terms of the graph as cells.
class Import {
  public:
    Import(Graph& graph, Program& program, Heap& heap, const Code& code)
        : graph_(graph), program_(program), heap_(heap), code_(code) {}

    bool run(std::span<const NodeId> roots); // false: look at the heap's status
    // The normal forms of the roots and of nodes with names, in the order of evaluation; each is held.
    struct Named {
        NodeId node;
        Ref ref;
    };
    std::vector<Named> named;
    std::vector<Ref> roots;

  private:
    struct Entry {
        Ref ref = 0;
        std::uint32_t uses = 0;
    };
    void collect(std::span<const NodeId> roots);
    Ref convert(NodeId node);
    bool is_leaf(NodeId node) const { return graph_.is_param(node) || graph_.is_literal(node); }

    Graph& graph_;
    Program& program_;
    Heap& heap_;
    const Code& code_;
    std::vector<NodeId> order_; // operands before users
    tsl::robin_map<NodeId, Entry, std::hash<NodeId>> entries_;
};

// Cells as nodes of the graph.
class Export {
  public:
    Export(Graph& graph, const Program& program, const Heap& heap) : graph_(graph), program_(program), heap_(heap) {}
    NodeId operator()(Ref ref);

  private:
    NodeId leaf(const Cell& cell) const;

    Graph& graph_;
    const Program& program_;
    const Heap& heap_;
    tsl::robin_map<Ref, NodeId> shared_;
};

} // namespace irrewrite::term
