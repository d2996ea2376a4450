#include "printers/plan/generator_list.hpp"

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

} // namespace irrewrite::printers
