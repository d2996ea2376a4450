// Makes the work of an instance depend on a size: loops that run as often as a parameter says.
#include "engine/generate/instance.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
constexpr std::uint32_t repeated_functions = 50; // percent

// A loop over a count that carries what its operands are.
std::optional<OpId> find_carrying(const Context& context) {
    for (std::uint32_t i = 0; i < context.operations.size(); ++i) {
        const Operation& operation = context.operations[OpId{i}];
        const auto& blocks = operation.signature.blocks;
        if (operation.has(Trait::Counts) && operation.attributes.empty() && blocks.size() == 1 && blocks[0].carries &&
            blocks[0].params.size() == 2)
            return OpId{i};
    }
    return std::nullopt;
}
} // namespace

// Of a loop around what the rule is about.
NodeId Instance::turns(std::int64_t few) {
    if (!style_.sized) return builder_.i64(few);
    if (!size_) size_ = terms_.param(context_.types.i64(), context_.symbols.add("size"));
    return size_;
}

// The same value, and for what a function computes now and then as many turns of a loop that changes nothing.
std::optional<NodeId> Instance::repeated(TypeId type, NodeId body) {
    const auto op = find_carrying(context_);
    const TypeKind kind = context_.types.kind(type);
    if (!op || kind == TypeKind::Generator || kind == TypeKind::Emission || !choices_.rarely(repeated_functions))
        return body;
    const TypeId params[] = {context_.types.i64(), type};
    Builder::Open block = builder_.open(params);
    const BlockId turn = builder_.close(block, terms_.names(params), {&block.params[1], 1});
    const NodeId operands[] = {turns(0), body};
    return builder_.apply(*op, Attributes::none(), operands, {&turn, 1});
}

} // namespace irrewrite
