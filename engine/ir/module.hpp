// A program: functions, each with a graph of its own, and the structs they use.
#pragma once

#include "engine/ir/graph.hpp"

namespace irrewrite {

struct Parameter {
    SymbolId name;
    TypeId type;
    NodeId node;           // Param(number::function, i)
    bool consumed = false; // `*[n]f64`
};

// A dimension that parameter types name: `%n` is Param(number::dims, i), an i64. Its value is the
// length found by descending `depth` arrays into parameter `param`, its first occurrence; the dimensions of an opaque type
// count like those of as many arrays, and have a value once the type is lowered. Where the
// outer arrays are empty there is no such length: the next occurrence tells (dimension_places), or
// else it is 0.
struct Dimension {
    SymbolId name;
    NodeId node;
    std::uint32_t param;
    std::uint32_t depth;
};

struct Function {
    explicit Function(Context& context) : graph(context) {}

    SymbolId name;
    SymbolId was{}; // its name in the program as it was read, where rules have given it another
    Span where;
    bool local = false;    // inlined where that pays, gone when nobody calls it
    bool external = false; // declared, not defined
    bool pure = true;      // calls have no effect (external: as declared; others: computed)
    std::vector<Parameter> params;
    std::vector<Dimension> dims;
    std::vector<TypeId> result_types; // as declared
    Graph graph;
    NodeId entry, exit; // tokens; none when the body has no effects
    std::vector<NodeId> results;
    std::vector<SymbolId> inlined; // functions whose bodies phases have put here; they may become calls again
};

// The length found by descending `depth` arrays, as far as the type says; none if there is no such length.
std::optional<Dim> dimension_at(const Types& types, TypeId type, std::uint32_t depth);
// The positions of a dimension's name in the parameters' types, as (parameter, depth), in order.
std::vector<std::pair<std::uint32_t, std::uint32_t>> dimension_places(const Function& function, SymbolId name);

// A function as the call of its body with its parameters, `func.call["f"](%x) { |%x1| … }`: so everything that is said about
// operations and blocks holds for functions.
inline constexpr std::string_view whole_function_operation = "func.call"; // of core.rules
NodeId whole_function(Function& function, std::span<const Parameter> params, std::span<const NodeId> results,
                      NodeId exit);
bool is_whole_function(const Graph& graph, NodeId node);

struct Module {
    std::deque<Function> functions; // in the order of the text
    std::vector<TypeId> structs;    // likewise
    std::unordered_map<SymbolId, std::size_t> index;

    Function* find(SymbolId name) {
        auto it = index.find(name);
        return it == index.end() ? nullptr : &functions[it->second];
    }
    const Function* find(SymbolId name) const { return const_cast<Module*>(this)->find(name); }
    // A function of the program as it was read, by its name there.
    const Function* now(SymbolId name) const {
        for (const Function& function : functions)
            if (function.was == name) return &function;
        const Function* found = find(name);
        return found && found->was ? nullptr : found;
    }
    Function& add(Context& context, SymbolId name) {
        index.emplace(name, functions.size());
        Function& function = functions.emplace_back(context);
        function.name = name;
        return function;
    }
};

} // namespace irrewrite
