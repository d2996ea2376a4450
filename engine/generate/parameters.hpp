// The parameters of a function that is being generated, and the lengths of those that are arrays.
#pragma once

#include "engine/generate/choices.hpp"
#include "engine/ir/module.hpp"

namespace irrewrite {

bool can_be_param(const Types& types, TypeId type);

class Parameters {
  public:
    Parameters(Function& function, Graph& graph, Choices& choices)
        : context_(graph.context()), function_(function), graph_(graph), choices_(choices) {}

    // A new one. Its name is a hint; the lengths that the type leaves open are chosen.
    NodeId add(TypeId type, SymbolId name = {});
    NodeId dimension(SymbolId name, std::uint32_t param, std::uint32_t depth);

  private:
    TypeId with_lengths(TypeId type, unsigned depth);
    bool rectangular() const;
    SymbolId unique(SymbolId hint);

    Context& context_;
    Function& function_;
    Graph& graph_;
    Choices& choices_;
};

} // namespace irrewrite
