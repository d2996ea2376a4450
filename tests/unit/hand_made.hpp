// Functions built by hand, without rule files and parsers: operations are declared by their traits.
#pragma once

#include "engine/ir/builder.hpp"
#include "engine/ir/module.hpp"

#include <bit>
#include <initializer_list>
#include <string>

namespace irrewrite {

struct HandMade {
    Context context;
    Module module;
    Function& function = module.add(context, context.symbols.add("f"));
    Graph& graph = function.graph;
    Builder builder{graph};
    TypeId f64 = context.types.f64(), i64 = context.types.i64(), boolean = context.types.boolean();

    static constexpr std::uint32_t total =
        static_cast<std::uint32_t>(Trait::Pure) | static_cast<std::uint32_t>(Trait::Total);
    static constexpr std::uint32_t partial =
        static_cast<std::uint32_t>(Trait::Pure) | static_cast<std::uint32_t>(Trait::Partial);
    static constexpr std::uint32_t io =
        static_cast<std::uint32_t>(Trait::Io) | static_cast<std::uint32_t>(Trait::Total);
    static constexpr std::uint32_t depends = 0; // on what its blocks do

    struct BlockKind {
        std::string label;
        Frequency frequency;
        bool combines = false;
    };

    HandMade() {
        function.entry = graph.param(number::function, number::entry_index, context.types.token());
        builder.start(function.entry);
    }

    OpId op(const std::string& name, std::uint32_t traits, std::vector<BlockKind> blocks = {}) {
        Operation operation;
        operation.name = context.symbols.add(name);
        operation.traits = traits;
        for (const BlockKind& block : blocks) {
            BlockSignature& signature = operation.signature.blocks.emplace_back();
            if (!block.label.empty()) signature.label = context.symbols.add(block.label);
            signature.frequency = block.frequency;
            signature.combines = block.combines;
        }
        return context.operations.add(operation);
    }
    OpId reading(const std::string& name) {
        OpId id = op(name, static_cast<std::uint32_t>(Trait::Total));
        context.operations.edit(id).reads = 1;
        return id;
    }
    OpId writing(const std::string& name) {
        OpId id = op(name, static_cast<std::uint32_t>(Trait::Total));
        context.operations.edit(id).writes = 1;
        return id;
    }

    NodeId param(const std::string& name, TypeId type) {
        const auto index = static_cast<std::uint32_t>(function.params.size());
        NodeId node = graph.param(number::function, index, type);
        graph.set_name(node, context.symbols.add(name));
        function.params.push_back({.name = context.symbols.add(name), .type = type, .node = node});
        return node;
    }
    NodeId apply(OpId op, TypeId type, std::initializer_list<NodeId> operands,
                 std::initializer_list<BlockId> blocks = {}) {
        return *builder.apply(op, Attributes::none(), {operands.begin(), operands.size()},
                              {blocks.begin(), blocks.size()}, type);
    }
    // A block whose body f(parameters) computes.
    template <class F> BlockId block(std::initializer_list<TypeId> params, F&& body) {
        Builder::Open open = builder.open({params.begin(), params.size()});
        std::vector<NodeId> results = body(open.params);
        return builder.close(open, {}, results);
    }
    template <class F> BlockId block(F&& body) {
        return block({}, [&](const std::vector<NodeId>&) { return body(); });
    }
    NodeId number(double value) { return graph.literal(f64, std::bit_cast<std::uint64_t>(value)); }
    void finish(std::initializer_list<NodeId> results) {
        function.results = results;
        for (NodeId n : results) function.result_types.push_back(graph.type(n));
        function.exit = builder.token_used() ? builder.token() : NodeId{};
        if (!function.exit) function.entry = {};
    }
};

} // namespace irrewrite
