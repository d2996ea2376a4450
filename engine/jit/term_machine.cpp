#include "engine/jit/term_machine.hpp"

#include <tsl/robin_set.h>

namespace irrewrite::term {

std::unique_ptr<Machine> Machine::make(const Context& context, const RuleBase& base, std::span<const RuleId> rules,
                                       bool machine_code) {
    if (rules.empty()) return nullptr;
    auto program = compile(context, base, rules);
    if (!program) return nullptr;
    std::unique_ptr<Machine> machine(new Machine(std::move(*program), rules.size()));
    for (const Definition& definition : machine->program_.definitions)
        for (const Rule& rule : definition.rules) {
            machine->rules_.push_back(rule.id);
            for (const Computation& computation : rule.computations) machine->computations_.push_back(&computation);
        }
    machine->heap_.fields.machine = &machine->computations_;
    if (!machine->heap_.start()) return nullptr;
    machine->code_ = Code::make(machine->program_, machine->heap_, machine_code);
    return machine->code_ ? std::move(machine) : nullptr;
}

bool Machines::first_order(Key key, std::span<const RuleId> rules) {
    Entry& entry = entries_[key];
    if (!entry.first_order) entry.first_order = !rules.empty() && compile(context_, base_, rules).has_value();
    return *entry.first_order;
}

Machine* Machines::get(Key key, std::span<const RuleId> rules) {
    if (!first_order(key, rules)) return nullptr;
    Entry& entry = entries_[key];
    if (!entry.machine) entry.machine = Machine::make(context_, base_, rules, machine_code_);
    entry.first_order = entry.machine != nullptr; // no use trying again
    return entry.machine.get();
}

namespace {
bool is_term(const Graph& graph, NodeId node) {
    const Node& n = graph[node];
    return !n.token && n.blocks == 0 && n.operands <= max_parts && is_plain(graph.context(), n.op);
}
} // namespace

bool Machine::takes(const Graph& graph, std::span<const NodeId> roots) const {
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    tsl::robin_map<OpId, bool, std::hash<OpId>> plain;
    std::vector<NodeId> stack(roots.begin(), roots.end());
    bool any = false;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (graph.is_param(node) || graph.is_number(node)) continue;
        if (!seen.insert(node).second) continue;
        if (!is_term(graph, node)) return false;
        if (auto it = program_.symbols.find(graph.op(node)); it != program_.symbols.end())
            any = any || program_.definition(it->second) >= 0;
        for (NodeId operand : graph.operands(node)) stack.push_back(operand);
    }
    return any;
}

std::vector<std::pair<RuleId, std::uint64_t>> Machine::fired() const {
    std::vector<std::pair<RuleId, std::uint64_t>> fired;
    for (std::size_t i = 0; i < rules_.size(); ++i)
        if (std::uint64_t times = heap_.fields.fired[i]) fired.emplace_back(rules_[i], times);
    return fired;
}

Machine::Outcome Machine::run(Graph& graph, std::span<const NodeId> roots, std::uint64_t fuel, std::uint64_t memory) {
    Outcome outcome;
    heap_.start_run(fuel, memory, rules_.size());
    Import import(graph, program_, heap_, *code_);
    bool done = import.run(roots);
    outcome.status = heap_.fields.status;
    outcome.fired = fired();
    for (const auto& [rule, times] : outcome.fired) outcome.rewrites += times;
    if (!done) return outcome;
    if (checked) {
        std::vector<Ref> held = import.roots;
        for (const Import::Named& named : import.named) held.push_back(named.ref);
        outcome.sound = heap_.counts_agree(held);
    }
    graph.reserve(graph.size() +
                  std::min<std::uint64_t>(2 * heap_.most_cells(), 1 << 20)); // some may be gone, or the same
    Export to_graph(graph, program_, heap_);
    for (const Import::Named& named : import.named) {
        NodeId made = to_graph(named.ref);
        if (made != named.node && !graph.is_literal(made) && !graph.is_param(made))
            graph.set_name(made, graph.name(named.node));
    }
    for (Ref ref : import.roots) outcome.results.push_back(to_graph(ref));
    for (const Import::Named& named : import.named) heap_.release(named.ref);
    for (Ref ref : import.roots) heap_.release(ref);
    return outcome;
}

} // namespace irrewrite::term
