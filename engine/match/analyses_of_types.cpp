// Values of results of an operation whose type leaves no choice (analyses.hpp).
#include "engine/match/analyses.hpp"

#include <algorithm>

namespace irrewrite {

namespace {

bool mentions(const TypeTerm& term, std::uint32_t variable) {
    if (term.kind == TypeTerm::Kind::Variable && term.variable == variable) return true;
    return std::ranges::any_of(term.parts, [&](const TypeTerm& part) { return mentions(part, variable); });
}

bool is_variable(const TypeTerm& term, std::uint32_t variable) {
    return term.kind == TypeTerm::Kind::Variable && term.variable == variable;
}

// The number of operands, parameters or results that each term of a signature stands for.
class Spread {
  public:
    Spread(const Graph& graph, NodeId node) : inference_(graph.context(), graph.op(node), graph[node].attrs) {
        std::vector<OperandInfo> infos;
        for (const NodeId operand : graph.operands(node)) infos.push_back(operand_info(graph, operand));
        std::vector<BlockShape> shapes;
        for (const BlockId block : graph.blocks(node)) shapes.push_back(block_shape(graph, block));
        is_known_ = inference_.operands(infos, shapes);
    }

    bool is_known() const { return is_known_; }
    std::size_t operator()(const TypeTerm& term) const { return inference_.length(term); }

  private:
    Inference inference_;
    bool is_known_;
};

} // namespace

// The values of a type variable, `count` side by side: where they come from.
struct Analyses::Flowing {
    std::uint32_t analysis = 0;
    std::size_t count = 0;                               // results
    std::vector<std::pair<std::size_t, NodeId>> given{}; // operands: which result each may be
    struct Body {
        std::uint32_t number;
        std::vector<std::pair<std::size_t, NodeId>> params{}, results{};
    };
    std::vector<Body> bodies{};
};

// One round: false where it added nothing.
bool Analyses::flow_into(const Flowing& flow, Nodes& values, std::vector<bool>& reached) {
    bool changed = false;
    const auto add = [&](std::size_t k, NodeId value) {
        const NodeId before = values[k];
        if (!reached[k])
            values[k] = value;
        else if (before)
            values[k] = value ? join(flow.analysis, before, value) : NodeId{};
        changed |= !reached[k] || values[k] != before;
        reached[k] = true;
    };
    for (const auto& [k, operand] : flow.given) add(k, value(flow.analysis, operand));
    for (const Flowing::Body& body : flow.bodies) {
        Scope scope{.number = body.number, .params = {}, .values = {}};
        for (const auto& [k, param] : body.params) scope.params.emplace_back(param, values[k]);
        scopes_.push_back(std::move(scope));
        Nodes results;
        for (const auto& [k, result] : body.results) results.push_back(value(flow.analysis, result));
        scopes_.pop_back();
        for (std::size_t i = 0; i < results.size(); ++i) add(body.results[i].first, results[i]);
    }
    return changed;
}

std::optional<NodeId> Analyses::of_types(std::uint32_t analysis, NodeId whole, std::size_t result) {
    const Operation& operation = graph_.operation(whole);
    const Signature& signature = operation.signature;
    const bool is_told_by_text = operation.primitive < 0 && (!operation.cpp.empty() || !operation.cuda.empty());
    if (is_told_by_text) return {};
    if (signature.results.size() != 1 || signature.results[0].kind != TypeTerm::Kind::Variable) return {};
    const TypeTerm& due = signature.results[0];
    if (due.variable >= signature.type_variables.size() || signature.type_variables[due.variable] != TypeClass::Any)
        return {};
    const Spread spread(graph_, whole);
    if (!spread.is_known()) return {};
    Flowing flow{.analysis = analysis, .count = due.sequence ? graph_.result_count(whole) : 1};
    // Nodes from `nodes[at]` on that a list of terms stands for, by result; false: values of the type come in another way.
    const auto gather = [&](std::span<const TypeTerm> terms, std::span<const NodeId> nodes, auto& out, bool all) {
        std::size_t at = 0;
        for (const TypeTerm& term : terms) {
            const bool is_due = is_variable(term, due.variable) && term.sequence == due.sequence;
            const std::size_t length = is_due ? flow.count : spread(term);
            if (at + length > nodes.size()) return false;
            if (is_due)
                for (std::size_t k = 0; k < length; ++k) out.emplace_back(due.sequence ? k : 0, nodes[at + k]);
            else if (all && mentions(term, due.variable))
                return false;
            at += length;
        }
        return at == nodes.size();
    };
    if (!gather(signature.operands, graph_.operands(whole), flow.given, true)) return {};
    const std::span<const BlockId> blocks = graph_.blocks(whole);
    if (blocks.size() != signature.blocks.size()) return {};
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        Flowing::Body body{.number = graph_[blocks[i]].number};
        if (!gather(signature.blocks[i].params, graph_.params(blocks[i]), body.params, false)) return {};
        if (!gather(signature.blocks[i].results, graph_.results(blocks[i]), body.results, true)) return {};
        flow.bodies.push_back(std::move(body));
    }
    // Within a loop that is looked at again: from where the last time ended, so that rounds of nested loops add up.
    Found& found = found_[std::uint64_t{analysis} << 32 | whole.index];
    if (found.values.size() != flow.count) found = {Nodes(flow.count), std::vector<bool>(flow.count)};
    Nodes values = found.values;
    std::vector<bool> reached = found.reached;
    for (unsigned round = 0;; ++round) {
        const Nodes before = values;
        if (!flow_into(flow, values, reached)) break;
        if (round < most_rounds) continue;
        for (std::size_t k = 0; k < flow.count; ++k)
            if (values[k] != before[k] || round > 2 * most_rounds) values[k] = {};
    }
    found_[std::uint64_t{analysis} << 32 | whole.index] = {values, reached};
    const bool holds_everywhere = !known || !scopes_.empty();
    for (std::size_t k = 0; due.sequence && holds_everywhere && k < flow.count; ++k) {
        const NodeId part = graph_.result(whole, k);
        memory_of(part)[std::uint64_t{analysis} << 32 | part.index] = values[k];
    }
    return reached[result] ? values[result] : NodeId{};
}

} // namespace irrewrite
