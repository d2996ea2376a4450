// Terms between the graph and the term machine.
#include "engine/jit/term_machine.hpp"

#include <cstring>

namespace irrewrite::term {

// -- in ---------------------------------------------------------------------------------------------

// Nodes in the order of evaluation, and how often each is used.
void Import::collect(std::span<const NodeId> roots) {
    struct Visit {
        NodeId node;
        std::uint32_t next;
    };
    std::vector<Visit> stack;
    auto visit = [&](NodeId node) {
        auto [it, fresh] = entries_.try_emplace(node);
        ++it.value().uses;
        if (fresh) stack.push_back({node, 0});
    };
    for (NodeId root : roots) {
        visit(root);
        while (!stack.empty()) {
            Visit& top = stack.back();
            std::size_t count = is_leaf(top.node) ? 0 : graph_.operands(top.node).size();
            if (top.next < count) {
                visit(graph_.operand(top.node, top.next++));
                continue;
            }
            if (graph_.name(top.node) && !is_leaf(top.node)) ++entries_[top.node].uses;
            order_.push_back(top.node);
            stack.pop_back();
        }
    }
}

// The normal form of a node whose operands have theirs.
Ref Import::convert(NodeId node) {
    if (graph_.is_number(node)) return heap_.scalar({graph_.kind(node), graph_.bits(node)});
    if (is_leaf(node)) {
        Ref ref = heap_.allocate(leaf, scalar_units);
        if (ref) heap_[ref].parts[0] = node.index;
        return ref;
    }
    std::vector<Ref> parts;
    for (NodeId operand : graph_.operands(node)) parts.push_back(entries_.at(operand).ref);
    Symbol symbol = program_.add(graph_.context(), graph_.op(node));
    if (std::int32_t definition = program_.definition(symbol); definition >= 0) {
        Ref ref = code_.call(heap_, static_cast<std::size_t>(definition), parts);
        return heap_.fields.status == Status::Running ? ref : 0;
    }
    if (auto ref = heap_.find_constant(symbol)) return *ref;
    Ref ref = heap_.allocate(symbol, units(static_cast<std::uint32_t>(parts.size())));
    if (ref) std::ranges::copy(parts, heap_[ref].parts);
    return ref;
}

bool Import::run(std::span<const NodeId> given) {
    collect(given);
    for (NodeId node : order_) {
        Ref ref = convert(node);
        if (!ref) {
            if (heap_.fields.status == Status::Running) heap_.fields.status = heap_.failure();
            return false;
        }
        Entry& entry = entries_[node];
        entry.ref = ref;
        heap_.retain(ref, entry.uses - 1);
        if (graph_.name(node) && !is_leaf(node)) named.push_back({node, ref});
    }
    for (NodeId root : given) roots.push_back(entries_.at(root).ref);
    return true;
}

// -- out --------------------------------------------------------------------------------------------

NodeId Export::leaf(const Cell& cell) const {
    if (cell.symbol == term::leaf) return NodeId{cell.parts[0]};
    std::uint64_t bits;
    std::memcpy(&bits, cell.parts, 8);
    return graph_.literal(graph_.context().types.scalar(static_cast<TypeKind>(cell.symbol - first_literal)), bits);
}

// A cell that several hold becomes a node once.
NodeId Export::operator()(Ref root) {
    struct Visit {
        Ref ref;
        std::uint32_t next;
    };
    std::vector<Visit> stack{{root, 0}};
    std::vector<NodeId> made; // operands of those on the stack
    Context& context = graph_.context();
    while (!stack.empty()) {
        Visit& top = stack.back();
        const Cell& cell = heap_[top.ref];
        if (top.next == 0)
            if (auto it = shared_.find(top.ref); it != shared_.end()) {
                made.push_back(it->second);
                stack.pop_back();
                continue;
            }
        std::uint32_t count = heap_.arity(cell.symbol);
        if (top.next < count) {
            stack.push_back({cell.parts[top.next++], 0});
            continue;
        }
        NodeId node;
        if (cell.symbol < first_operation) {
            node = leaf(cell);
        } else {
            OpId op = program_.operation(cell.symbol);
            std::span<const NodeId> operands{made.data() + made.size() - count, count};
            TypeId type = context.types.lowered(context.operations[op].signature.results[0].type);
            node = graph_.make({.op = op, .operands = operands, .type = type});
            made.resize(made.size() - count);
        }
        if (cell.count > 1) shared_[top.ref] = node;
        made.push_back(node);
        stack.pop_back();
    }
    return made.back();
}

} // namespace irrewrite::term
