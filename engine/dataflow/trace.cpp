// `-trace`: for each pass over a loop's body, the facts that were assumed and those that were broken.
#include "engine/dataflow/dataflow.hpp"

#include "engine/ir/scalars.hpp"

#include <algorithm>

namespace irrewrite {

std::string Flow::text(NodeId node, unsigned depth) const {
    const Context& context = graph_.context();
    if (graph_.is_number(node))
        return context.types.text(graph_.type(node), context.symbols) == "bool"
                   ? (graph_.bits(node) ? "true" : "false")
                   : scalar_text(graph_.kind(node), graph_.bits(node));
    if (SymbolId name = graph_.name(node)) return "%" + std::string(context.symbols[name]);
    if (graph_.is_param(node)) return "a parameter";
    std::string out(context.symbols[graph_.operation(node).name]);
    if (depth == 0) return out + "(…)";
    out += '(';
    for (NodeId operand : graph_.operands(node)) out += (out.back() == '(' ? "" : ", ") + text(operand, depth - 1);
    return out + ")";
}

std::string Flow::text(FactId id) const {
    const KnownFact& fact = facts_[id];
    if (fact.closed()) return text(fact.key) + " => " + text(fact.value);
    std::string out(graph_.context().symbols[state_.base[fact.rule].full_name]);
    for (NodeId memory : fact.memory) out += " of " + text(memory);
    return out;
}

std::string Flow::carried_text(const Loop& loop, std::size_t k) const {
    const NodeId init = graph_.operand(loop.stand_in, graph_.operands(loop.stand_in).size() - loop.carried.size() + k);
    const BlockId body = graph_.blocks(loop.scheduled.node)[0];
    const std::size_t first = graph_.params(body).size() - loop.carried.size();
    SymbolId name = graph_.param_names(body)[first + k];
    return (name ? "%" + std::string(graph_.context().symbols[name]) : "result " + std::to_string(k)) + " => " +
           text(init);
}

void Flow::trace_round(const Loop& loop, unsigned round) {
    const Context& context = graph_.context();
    const std::string head = "flow: '" + std::string(context.symbols[graph_.operation(loop.scheduled.node).name]) +
                             "', round " + std::to_string(round) + ": ";
    std::string assumed, broken;
    auto list = [](std::string& out, const std::string& item) { out += (out.empty() ? "" : ", ") + item; };
    auto reads = [&](FactId fact) { return !facts_[fact].closed() || graph_.kind(facts_[fact].key) != TypeKind::Unit; };
    for (FactId fact : loop.assumed)
        if (reads(fact)) list(assumed, text(fact));
    for (FactId fact : loop.broken)
        if (reads(fact)) list(broken, text(fact));
    for (std::size_t k = 0; k < loop.carried.size(); ++k)
        if (loop.carried[k]) list(assumed, carried_text(loop, k));
    for (std::size_t k : loop.changed) list(broken, carried_text(loop, k));
    state_.note(loop.scheduled.node, head + "assumed " + (assumed.empty() ? "nothing" : assumed) + "; " +
                                         (broken.empty() ? "it holds" : "broken: " + broken));
}

} // namespace irrewrite
