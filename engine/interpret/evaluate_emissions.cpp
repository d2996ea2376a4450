// The meaning of emissions: the values that they emit, in order.
//
// An emission runs to its end before a consumer sees its values: consumers may use parameters of the same number, so
// they must not run inside it.

#include "engine/interpret/interpreter.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace irrewrite {

namespace {

// An emission being run. Those of one block are taken from a list, so that long chains of `both`
// need no stack.
struct Running {
    Interpreter& machine;
    Emitted& out;
    std::vector<std::pair<NodeId, std::uint32_t>> open{}; // and the region that each stands in
    NodeId node{};                                        // the one being taken
    std::uint32_t region = 0;

    NodeId operand(std::size_t i) const { return machine.graph().operand(node, i); }
    BlockId block() const { return machine.graph().blocks(node)[0]; }
    std::uint32_t block_region() const { return machine.nested_region(region, block()); }
};

bool emit(Running& r) {
    ++r.out.count;
    for (NodeId operand : r.machine.graph().operands(r.node))
        if (!r.out.values.push(r.machine.read(operand))) return false;
    return true;
}

bool when(Running& r) {
    if (!r.machine.read(r.operand(0)).bits) return true;
    std::uint32_t inner = r.machine.guarded_region(r.region, r.operand(0));
    r.open.emplace_back(r.operand(1), inner);
    return r.machine.enter_guarded(r.region, inner);
}

bool run_body(Running& r, std::span<Value> arguments) {
    std::uint32_t inner = r.block_region();
    NodeId body = r.machine.graph().results(r.block())[0];
    if (!r.machine.enter_block(inner, arguments) || !r.machine.run_emission(body, inner, r.out)) return false;
    r.machine.leave();
    return true;
}

// A count below 0 is no length: nothing is emitted.
bool each(Running& r) {
    auto n = static_cast<std::int64_t>(r.machine.read(r.operand(0)).bits);
    for (std::int64_t j = 0; j < n; ++j) {
        Value index{static_cast<std::uint64_t>(j), nullptr};
        if (!run_body(r, {&index, 1})) return false;
    }
    return true;
}

bool both(Running& r) {
    r.open.emplace_back(r.operand(1), r.region);
    r.open.emplace_back(r.operand(0), r.region);
    return true;
}

bool bind(Running& r) {
    Emitted source(r.machine);
    if (!r.machine.enter() || !r.machine.run_emission(r.operand(0), r.region, source)) return false;
    r.machine.leave();
    std::size_t width = r.machine.types().elements(r.machine.graph().type(r.operand(0))).size();
    for (std::size_t i = 0; i < source.count; ++i)
        if (!run_body(r, std::span(source.values.values()).subspan(i * width, width))) return false;
    return true;
}

bool none(Running&) { return true; }

// Those of several arrays side by side.
bool elements(Running& r) {
    std::size_t width = r.machine.graph().operands(r.node).size();
    std::vector<Value> arrays;
    for (std::size_t k = 0; k < width; ++k) arrays.push_back(r.machine.read(r.operand(k)));
    std::size_t n = arrays[0].parts->size();
    for (const Value& array : arrays)
        if (array.parts->size() != n) return r.machine.fault(r.node, "unequal lengths");
    for (std::size_t i = 0; i < n; ++i) {
        ++r.out.count;
        for (const Value& array : arrays)
            if (!r.out.values.push((*array.parts)[i])) return false;
    }
    return true;
}

struct EmissionMeaning {
    std::string_view name;
    bool (*run)(Running&);
};
constexpr EmissionMeaning emissions[] = {
    {"emit", emit}, {"when", when}, {"each", each},         {"both", both},
    {"bind", bind}, {"none", none}, {"elements", elements},
};

bool run_one(Running& r) {
    const Graph& graph = r.machine.graph();
    if (graph.is_param(r.node)) { // %e of a bucket
        const Value& emitted = r.machine.read(r.node);
        return r.out.append(*emitted.parts, emitted.bits);
    }
    std::string_view name = r.machine.context().symbols[graph.operation(r.node).name];
    auto found = std::ranges::find(emissions, name, &EmissionMeaning::name);
    return found == std::end(emissions) ? r.machine.no_meaning(r.node, name) : found->run(r);
}

} // namespace

bool is_emission(std::string_view name) {
    return std::ranges::find(emissions, name, &EmissionMeaning::name) != std::end(emissions);
}

bool Interpreter::run_emission(NodeId emission, std::uint32_t region, Emitted& out) {
    Running running{*this, out, {{emission, region}}};
    while (!running.open.empty()) {
        std::tie(running.node, running.region) = running.open.back();
        running.open.pop_back();
        if (!spend() || !run_one(running)) return false;
    }
    return true;
}

} // namespace irrewrite
