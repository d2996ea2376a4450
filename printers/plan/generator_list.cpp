#include "printers/plan/generator_list.hpp"

#include <utility>

namespace irrewrite::printers {
namespace {

class Paths {
  public:
    Paths(std::span<const OpKind> shapes, const Graph& graph) : shapes_(shapes), g_(graph) {}

    std::vector<Generator> from(NodeId node, bool in_group) const {
        const OpKind shape = shapes_[g_.op(node).index];
        if (shape == OpKind::Feed || (shape == OpKind::Running && in_group)) {
            std::vector<Generator> list = of(g_.blocks(node).back(), in_group);
            for (Generator& fed : list) {
                fed.through.insert(fed.through.begin(), node);
                fed.emission = g_.operands(node).back();
            }
            return list;
        }
        if (shape == OpKind::Reversed) {
            std::vector<Generator> list = from(g_.operand(node, 0), in_group);
            for (Generator& generator : list) generator.reversed = !generator.reversed;
            return list;
        }
        if (shape != OpKind::Bucket) return {end(node)};
        std::vector<Generator> list;
        for (const Generator& inner : of(g_.blocks(node)[0], true)) list.emplace_back(end(node)).inner.push_back(inner);
        return list;
    }

  private:
    std::vector<Generator> of(BlockId block, bool in_group) const {
        std::vector<Generator> list;
        for (NodeId result : g_.results(block))
            for (Generator& generator : from(result, in_group)) list.push_back(std::move(generator));
        return list;
    }
    Generator end(NodeId node) const {
        Generator generator{};
        generator.shape = shapes_[g_.op(node).index];
        generator.node = node;
        generator.emission = g_.operands(node).back();
        generator.seeds.assign(g_.operands(node).begin(), g_.operands(node).end() - 1);
        if (!g_.blocks(node).empty()) generator.block = g_.blocks(node)[0];
        if (g_.blocks(node).size() > 1) generator.then = g_.blocks(node)[1];
        return generator;
    }

    std::span<const OpKind> shapes_;
    const Graph& g_;
};

} // namespace

std::vector<Generator> generators_at(std::span<const OpKind> shapes, const Graph& graph, NodeId node) {
    return Paths(shapes, graph).from(node, false);
}

std::vector<LoopGenerator> find_generators(const FunctionFacts& facts, const CodeAnalysis& code,
                                           const ScheduledNode& loop) {
    const Graph& g = facts.graph;
    const OperationKinds& shapes = facts.plan_module.shapes;
    std::vector<LoopGenerator> list;
    const auto add = [&](const auto& self, NodeId node, std::optional<std::size_t> fed_by, std::uint32_t region,
                         bool whole) -> void {
        for (const Generator& made : generators_at(shapes, g, node)) {
            const std::size_t place = list.size();
            auto& [generator, exact] = list.emplace_back(made, whole && made.through.empty());
            generator.fed_by = fed_by, generator.home = region;
            for (NodeId feed : made.through)
                generator.home = facts.uses.nested_region(generator.home, g.blocks(feed).back());
            generator.within = made.shape == OpKind::Histogram && code.has_every_bin(made);
            if (made.shape != OpKind::Running) continue;
            const std::uint32_t inner = facts.uses.nested_region(generator.home, made.then);
            const bool is_exact = exact; // the list moves
            for (NodeId each : g.results(made.then)) self(self, each, place, inner, is_exact);
        }
    };
    for (NodeId node : g.results(g.blocks(loop.node)[0])) add(add, node, {}, loop.blocks[0], true);
    return list;
}

void place_elements(Generator& generator, const Graph& g, const Types& types, bool exact) {
    generator.turned = std::exchange(generator.reversed, false);
    const auto once = [&](NodeId emission) { return types.once(g.type(emission)); };
    bool one = false;
    switch (generator.shape) {
    case OpKind::Running: one = true; break; // nothing of its own: nothing to join
    case OpKind::Collect: one = exact && once(generator.emission); break;
    case OpKind::Scan:
        one = exact && once(generator.emission) && (!generator.then || once(g.results(generator.then)[0]));
        break;
    default: break;
    }
    generator.index = one ? "?" : "";
    if (one) std::swap(generator.turned, generator.reversed);
}

void set_feeds(std::vector<Generator>& list) {
    for (Generator& generator : list) generator.feeds.clear();
    for (Generator& generator : list)
        if (generator.fed_by) list[*generator.fed_by].feeds.push_back(&generator);
}

} // namespace irrewrite::printers
