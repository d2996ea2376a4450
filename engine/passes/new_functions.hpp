// Functions that rules make: `@name(?x) { |%x| … }` is a call of a new local function.
//
// Values that the block uses of the place around it become further parameters (lambda lifting: Johnsson, "Lambda lifting"), so
// that the function is closed. Equal definitions under one name are one function, whichever rule asks for them, and wherever.
//
// A function that is nothing but a call of another one begins with the body of that one (unfolding: Burstall and Darlington,
// "A transformation system for developing recursive programs"): `@pow_3` that is `{ |%x| @pow(%x, 3) }` takes a step of `@pow`,
// and so may call itself where `@pow` did. Others must not come to call themselves: what they are made of would be computed
// by itself.
#pragma once

#include "engine/ir/builder.hpp"
#include "engine/ir/clone.hpp"
#include "engine/ir/module.hpp"

#include <map>
#include <set>

namespace irrewrite {

class NewFunctions {
  public:
    // `program`: which they join. `library`: the functions of rule files, whose names are taken too.
    NewFunctions(Context& context, Module& program, const Module& library)
        : context_(context), program_(program), library_(library), definitions_(context) {}

    struct Request {
        Function& caller;
        SymbolId name;
        std::span<const NodeId> operands;
        BlockId block;
        TypeId type; // of the call
    };
    struct Call {
        NodeId node;
        const Function* made; // null: there was such a function
    };
    // A call of the function, of which the builder has the effects before it. None: there can be no such function here.
    std::optional<Call> call(Builder& builder, const Request& request);

    const Function* find(SymbolId name) const;
    // Rule files have a function of this name, which rules call as it is there.
    bool is_of_rules(SymbolId name) const { return library_.find(name) != nullptr; }
    // The name that a function may get at the end of the phase: `wanted`, as far as that is a name. None: another function has it.
    SymbolId reserved(SymbolId function, SymbolId wanted);
    void renamed(const std::map<SymbolId, SymbolId>& names); // by its name before
    void forget(SymbolId name); // it takes other operands than those that asked for it know
    std::size_t count() const { return made_; }
    // Those that are not in the program yet join it; how many.
    std::size_t join();
    // At the end: each function stands behind the one that it was made in.
    void arrange();

  private:
    struct Key {
        SymbolId name;
        BlockId definition;
        std::vector<TypeId> types; // of results, since an empty list has any
        auto operator<=>(const Key&) const = default;
    };
    struct Made {
        SymbolId name;
        bool unfolds; // it begins with the body of another
    };
    struct Free;
    std::optional<Free> free_values(const Graph& graph, BlockId block) const;
    struct Signature;
    Signature signature(const Request& request, Free& free);
    void declare(Function& function, const Request& request, Signature& signature, Clone& clone);
    std::optional<Made> make(const Request& request, Signature& signature);
    bool reaches(SymbolId from, SymbolId to) const;
    SymbolId unused_name(SymbolId wanted);

    Context& context_;
    Module& program_;
    const Module& library_;
    Graph definitions_; // one block for each
    std::map<Key, Made> known_;
    std::set<SymbolId> names_;                           // of those that were made
    std::map<SymbolId, SymbolId> reserved_;              // a name, and the function that may get it
    std::deque<Function> waiting_;                       // not in the program yet
    std::vector<std::pair<SymbolId, SymbolId>> origins_; // a function, and where it was made, in order
    std::size_t made_ = 0;
};

} // namespace irrewrite
