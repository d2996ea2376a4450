// Linking of functions that call each other: adds those of rule files to a program, inlines local ones, and drops
// uncalled ones.
#pragma once

#include "engine/ir/module.hpp"
#include "engine/ir/substitute.hpp"
#include "engine/passes/expand_operations.hpp"

namespace irrewrite {

// Copies into `module` the functions of `library` that it calls, and those these call. How many came.
std::size_t join_called(Module& module, const Module& library);
// The same for the expansions of the operations that it uses.
std::size_t join_expansions(Module& module, const Module& library);
// The call of the function that an operation expands to, with the operation's effects.
Replacement call_expansion(Graph& graph, NodeId node);
// Operations with an expansion that `plain` does not take as they are become what they mean: calls of the
// expansion, and those of generic ones the expansion itself.
std::optional<ExpansionFault> expand_operations(const RuleBase& base, Module& module, const Module& library,
                                                const std::function<bool(const Operation&)>& plain);
// A function without effects may have memory of its own, which has a place only inside a call or a `region`.
enum class OwnMemory : std::uint8_t { InCalls, InRegions };
// Inlines calls of local functions where that does not make the program larger: those called once,
// and those whose body is no larger than the call, or by no more than `room` where it has no effects.
// Recursive functions stay.
bool inline_calls(Module& module, std::size_t room = 0, OwnMemory memory = OwnMemory::InCalls);
// The body of a callee in the caller's graph: its results, and the token after its effects. Empty if the call must
// stay.
struct Inlined {
    std::vector<NodeId> results;
    NodeId exit; // none: there are no effects
};
std::optional<Inlined> inlined(Function& caller, NodeId call, const Function& callee,
                               OwnMemory memory = OwnMemory::InCalls);
// The type of a call with operands of these types; none if the function does not take them.
TypeId results_of(Types& types, const Function& function, std::span<const TypeId> operands);
// True if the function is recursive, directly or through others.
bool calls_itself(const Module& module, const Function& function);
// The nodes of a function and of the functions that it calls, each as often as it is called, counted up to a little more
// than `most`. A function that calls itself is never counted.
struct FunctionSize {
    std::size_t nodes = 0;
    bool traverses = false; // a block of an operation in it runs many times
};
FunctionSize size_with_callees(const Module& module, const Function& function, std::size_t most);
// Drops local functions that nobody calls any more, nor may call again.
bool drop_uncalled(Module& module);

} // namespace irrewrite
