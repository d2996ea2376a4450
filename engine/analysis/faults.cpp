#include "engine/analysis/faults.hpp"

#include "engine/analysis/index_offset.hpp"
#include "engine/ir/infer_types.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

bool not_negative(const Graph& graph, NodeId node) {
    if (graph.is_number(node)) return static_cast<std::int64_t>(graph.bits(node)) >= 0;
    if (graph.is_param(node)) return graph.param_number(node) == number::dims;
    return graph.operation(node).has(Trait::Length);
}

namespace {
constexpr std::size_t most_reads = 16;
constexpr std::size_t most_around = 16;

// The parameter of a block, an emission, with which the node emits something; none if there is no such parameter.
NodeId emits_with(const Graph& graph, NodeId node) {
    const Types& types = graph.context().types;
    while (!graph.is_param(node)) {
        // `bind` whose block emits once for each value that it gets
        if (graph.operands(node).size() != 1 || graph.blocks(node).size() != 1) return {};
        const NodeId source = graph.operand(node, 0), result = graph.results(graph.blocks(node)[0])[0];
        if (graph.kind(source) != TypeKind::Emission || !types.once(graph.type(result))) return {};
        node = source;
    }
    return node;
}

// A block that takes an emission is run for groups, none of which is empty.
bool has_groups(const Graph& graph, NodeId owner) {
    return graph.kind(owner) == TypeKind::Generator && !graph.operation(owner).expansion;
}

// True if the generator puts an element into each of its arrays for each emission: `gen([each]?V...)`.
bool collects(const Graph& graph, NodeId generator) {
    if (graph.is_param(generator)) return false;
    const std::vector<TypeTerm>& results = graph.operation(generator).signature.results;
    return results.size() == 1 && results[0].kind == TypeTerm::Kind::Generator &&
           std::ranges::all_of(results[0].parts, [](const TypeTerm& part) {
               return part.kind == TypeTerm::Kind::Array && part.length == TypeTerm::Length::Each;
           });
}

// True if both arrays are collected by one generator of a loop: they have one length, whatever it is.
bool have_one_length(const Graph& graph, NodeId a, NodeId b) {
    if (graph.core(a) != Core::Project || graph.core(b) != Core::Project) return false;
    const NodeId loop = graph.operand(a, 0);
    if (graph.operand(b, 0) != loop || !graph.operation(loop).has(Trait::Counts)) return false;
    const auto [first, last] = std::minmax({graph.position(a), graph.position(b)}); // a pair of values
    std::size_t begin = 0;                                                          // results of the generators before
    for (NodeId generator : graph.results(graph.blocks(loop)[0])) {
        const std::size_t end = begin + graph.context().types.elements(graph.type(generator)).size();
        if (first < end) return begin <= first && last < end && collects(graph, generator);
        begin = end;
    }
    return false;
}

// The length of an array as a dimension, from its type.
Dim value_dim(const Graph& graph, NodeId node) { return operand_info(graph, node).value; }
} // namespace

NodeId Faults::extent(NodeId owner) const {
    if (!graph_.operation(owner).has(Trait::Counts)) return {};
    return graph_.operand(owner, 0);
}

bool Faults::is_same_length(NodeId a, NodeId b) const {
    if (a == b) return true;
    const Dim of_a = value_dim(graph_, a);
    return of_a.kind == DimKind::Named && of_a == value_dim(graph_, b);
}

bool Faults::in_range(NodeId array, NodeId extent) const {
    if (!extent) return false;
    const Types& types = graph_.context().types;
    if (graph_.operation(extent).has(Trait::Length)) {
        const NodeId other = graph_.operand(extent, 0);
        if (other == array || have_one_length(graph_, other, array)) return true;
    }
    if (graph_.kind(array) != TypeKind::Array && graph_.kind(array) != TypeKind::Mut) return false;
    Dim length = types.dim(graph_.type(array)), bound = value_dim(graph_, extent);
    if (length.kind == DimKind::Constant && bound.kind == DimKind::Constant) return bound.value <= length.value;
    return length.kind == DimKind::Named && length == bound;
}

const Faults::Summary& Faults::of(NodeId node) {
    if (auto it = known_.find(node); it != known_.end()) return it->second;
    know(node);
    return known_.at(node);
}

// Inputs are older than their users: in the order of ages, all that a summary asks for is there.
void Faults::know(NodeId node) {
    std::vector<NodeId> unknown{node}, stack{node};
    tsl::robin_set<NodeId, std::hash<NodeId>> seen{node};
    while (!stack.empty()) {
        const NodeId user = stack.back();
        stack.pop_back();
        for_each_part(graph_, user, [&](NodeId part) {
            if (!graph_.has(part, DeepFault) || known_.contains(part) || !seen.insert(part).second) return;
            unknown.push_back(part), stack.push_back(part);
        });
    }
    std::ranges::sort(unknown);
    for (NodeId next : unknown) {
        Summary own = graph_.has(next, MayFault) ? summarize(next) : Summary{};
        with_inputs_.insert({next, with_inputs(next, own)});
        known_.insert({next, std::move(own)});
    }
}

// A node that may fault is one reason, whatever it needs.
Faults::Summary Faults::with_inputs(NodeId node, const Summary& own) const {
    if (own.faults) return {true, {}, true, {node}};
    Summary out = own;
    const auto need = [&](NodeId input) {
        if (const auto it = with_inputs_.find(input); it != with_inputs_.end()) join(out, it->second);
    };
    for (NodeId operand : graph_.operands(node)) need(operand);
    if (graph_.has(node, Advances)) need(graph_.token(node));
    return out;
}

Faults::Summary Faults::summarize(NodeId node) {
    const Operation& operation = graph_.operation(node);
    if (operation.has(Trait::Indexes)) {
        NodeId array = graph_.operand(node, 0), index = graph_.operand(node, 1);
        const auto [param, offset] = split_offset(graph_, index);
        if (graph_.is_param(param) && graph_.param_index(param) == 0 && graph_.param_number(param) < number::dims)
            return {false, {{array, param, offset}}};
        const std::optional<Mirrored> back = split_mirrored(graph_, index);
        if (back && graph_.is_param(back->index) && graph_.param_index(back->index) == 0 &&
            graph_.param_number(back->index) < number::dims)
            return {false, {{.array = array, .index = back->index, .offset = back->offset, .end = back->end}}};
        const Types& types = graph_.context().types;
        Dim length = types.dim(graph_.type(array));
        const std::optional<std::int64_t> position = small_number(graph_, index);
        if (!position || *position < 0) return {true, {}};
        if (length.kind != DimKind::Constant)
            return {false, {{.array = array, .index = index, .offset = *position, .begun = true}}};
        return {*position >= length.value, {}};
    }
    bool counts = operation.has(Trait::Counts);
    if (operation.has(Trait::Partial) && !counts && graph_.kind(node) == TypeKind::Generator) return first(node);
    if (operation.has(Trait::Partial) && !(counts && not_negative(graph_, graph_.operand(node, 0)))) return {true, {}};
    if (!operation.has(Trait::Total) && !operation.has(Trait::Partial) && !operation.blocks_decide()) return {true, {}};
    Summary out;
    for (BlockId block : graph_.blocks(node)) body(node, block, out);
    return out;
}

Faults::Summary Faults::first(NodeId generator) const {
    if (graph_.operation(generator).expansion || graph_.operands(generator).size() != 1) return {true, {}};
    const NodeId emission = emits_with(graph_, graph_.operand(generator, 0));
    if (!emission) return {true, {}}; // also where each iteration emits: a loop may have none
    return {false, {{{}, emission}}};
}

void Faults::body(NodeId owner, BlockId block, Summary& out) {
    if (!(graph_[block].flags & DeepFault)) return;
    const std::uint64_t bound = graph_[block].params ? Graph::free_bit(graph_[block].number) : 0;
    std::vector<NodeId> stack(graph_.results(block).begin(), graph_.results(block).end());
    if (graph_[block].exit) stack.push_back(graph_[block].exit);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty() && (!out.faults || out.outside)) {
        NodeId node = stack.back();
        stack.pop_back();
        if (graph_.is_param(node) || !graph_.has(node, DeepFault) || !seen.insert(node).second) continue;
        if ((graph_.free(node) & bound) == 0) { // it may be computed around the block as well
            add(out, with_inputs_.at(node), owner, block);
            continue;
        }
        add(out, known_.at(node), owner, block);
        for (NodeId operand : graph_.operands(node)) stack.push_back(operand);
        if (graph_.has(node, Advances)) stack.push_back(graph_.token(node));
    }
}

bool Faults::cannot_fault(const Read& read, NodeId owner) const {
    if (!read.array) return has_groups(graph_, owner);
    const NodeId end = extent(owner);
    if (read.end) return end && is_same_length(read.end, end) && read.offset == -1 && in_range(read.array, end);
    const std::int64_t most = end && read.not_last == end ? 1 : 0; // what the index may be added to, and is within
    return end && (read.begun || read.offset >= 0) &&
           (read.ended || (read.offset <= most && in_range(read.array, end)));
}

// Reads at this block's own index are in range or fault; others wait for the block they belong to, or, at a position that is
// a number, for one that says how long the array is. What faults may do so only for nodes that depend on nothing of the block.
void Faults::add(Summary& out, const Summary& part, NodeId owner, BlockId block) const {
    const bool has_params = graph_[block].params != 0;
    const std::uint32_t number = has_params ? graph_[block].number : UINT32_MAX;
    const std::uint64_t bound = has_params ? Graph::free_bit(number) : 0;
    Summary left{.faults = part.faults, .outside = part.outside, .around = part.around};
    const auto is_outside = [&](NodeId needed) { return (graph_.free(needed) & bound) == 0; };
    left.outside = left.outside && std::ranges::all_of(left.around, is_outside);
    for (Read read : part.reads) {
        learn(read, owner, block);
        if (read.ended && !graph_.is_param(read.index)) continue;
        if (!graph_.is_param(read.index) || graph_.param_number(read.index) != number)
            left.reads.push_back(read);
        else if (!cannot_fault(read, owner))
            left.faults = true, left.outside = false;
    }
    join(out, left);
}

void Faults::join(Summary& out, const Summary& part) {
    const auto add_new = [](auto& list, const auto& more) {
        for (const auto& item : more)
            if (std::ranges::find(list, item) == list.end()) list.push_back(item);
    };
    add_new(out.reads, part.reads);
    if (part.faults) {
        out.outside = (!out.faults || out.outside) && part.outside;
        out.faults = true;
        add_new(out.around, part.around);
    }
    if (out.reads.size() > most_reads) out.faults = true, out.outside = false, out.reads.clear();
    if (out.around.size() > most_around) out.outside = false;
    if (!out.outside) out.around.clear();
}

bool faults_when_empty(const Graph& graph, NodeId generator) {
    if (graph.is_param(generator) || graph.kind(generator) != TypeKind::Generator) return false;
    const Operation& operation = graph.operation(generator);
    if (operation.has(Trait::Partial) &&
        !(operation.has(Trait::Counts) && not_negative(graph, graph.operand(generator, 0))))
        return true;
    const auto is_emission = [&](NodeId param) { return graph.kind(param) == TypeKind::Emission; };
    return std::ranges::any_of(graph.blocks(generator), [&](BlockId block) {
        if (std::ranges::any_of(graph.params(block), is_emission)) return false;
        return std::ranges::any_of(graph.results(block),
                                   [&](NodeId result) { return faults_when_empty(graph, result); });
    });
}

} // namespace irrewrite
