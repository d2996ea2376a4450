#include "grammar/program/visible_effects.hpp"

#include "grammar/program/expression_facts.hpp"

#include <algorithm>

namespace irrewrite::grammar {

// -- functions
// --------------------------------------------------------------------------------------

namespace {

struct Summary {
    SymbolId name;
    bool io = false, memory = false; // does such things itself, or calls who does
    bool shows_memory = false;       // in its signature
    bool endless = false;            // a loop with a condition, in it or in who is called
    std::vector<SymbolId> callees;
};

class Summaries {
  public:
    Summaries(Context& context, const SyntaxTree& tree) : context_(context), tree_(tree) {}

    Summary summarize(SyntaxId node, const Function& function) {
        Summary summary{.name = function.name, .callees = {}};
        const auto holds = [&](TypeId type) { return type && holds_memory(context_.types, type); };
        for (const Parameter& param : function.params) summary.shows_memory |= holds(param.type);
        for (TypeId type : function.result_types) summary.shows_memory |= holds(type);
        if (function.external) {
            summary.io = !(tree_[node].flags & Pure);
            return summary;
        }
        for (SyntaxId id = first_of_subtree(tree_, node); id < node; ++id) visit(id, summary);
        return summary;
    }

  private:
    void visit(SyntaxId id, Summary& summary) {
        switch (tree_[id].kind) {
        case Kind::Call: summary.callees.push_back(context_.symbols.add(tree_.name(id))); break;
        case Kind::OperatorBlock: visit_operator(tree_.name(id), summary); break;
        case Kind::Op: visit_operation(tree_.name(id), summary); break;
        default: break;
        }
    }
    void visit_operator(std::string_view name, Summary& summary) {
        if (name.starts_with('@'))
            summary.callees.push_back(context_.symbols.add(name.substr(1)));
        else
            visit_operation(name, summary);
    }
    void visit_operation(std::string_view name, Summary& summary) {
        const auto overloads = context_.operations.find(context_.symbols.add(name));
        if (overloads.empty()) return;
        const Operation& operation = context_.operations[overloads[0]];
        summary.io |= operation.has(Trait::Io);
        summary.memory |= operation.takes_token() && !operation.has(Trait::Io);
        summary.endless |= operation.signature.tests();
    }

    Context& context_;
    const SyntaxTree& tree_;
};

// Carries what callees do to their callers until nothing changes.
void close_over_calls(const Context& context, std::vector<Summary>& summaries) {
    std::unordered_map<SymbolId, std::vector<std::uint32_t>> callers;
    for (std::uint32_t i = 0; i < summaries.size(); ++i)
        for (SymbolId callee : summaries[i].callees) callers[callee].push_back(i);
    for (const auto& [name, users] : callers)
        for (std::uint32_t user : users) {
            if (context.impure_functions.contains(name)) summaries[user].io = true;
            if (context.endless_functions.contains(name)) summaries[user].endless = true;
        }
    std::vector<std::uint32_t> work;
    for (std::uint32_t i = 0; i < summaries.size(); ++i) work.push_back(i);
    while (!work.empty()) {
        const Summary& callee = summaries[work.back()];
        work.pop_back();
        const bool memory = callee.memory && callee.shows_memory;
        for (std::uint32_t user : callers[callee.name]) {
            Summary& caller = summaries[user];
            if (caller.io >= callee.io && caller.memory >= memory && caller.endless >= callee.endless) continue;
            caller.io |= callee.io;
            caller.endless |= callee.endless;
            caller.memory |= memory;
            work.push_back(user);
        }
    }
}

} // namespace

void find_impure_functions(Context& context, const SyntaxTree& tree, std::span<const SyntaxId> nodes, Module& module) {
    std::vector<Summary> summaries;
    for (SyntaxId node : nodes)
        if (const Function* function = module.find(context.symbols.add(tree.name(node))))
            summaries.push_back(Summaries(context, tree).summarize(node, *function));
    close_over_calls(context, summaries);
    for (const Summary& summary : summaries) {
        if (summary.endless) context.endless_functions[summary.name] = true;
        if (!summary.io && !(summary.memory && summary.shows_memory)) continue;
        context.impure_functions[summary.name] = true;
        module.find(summary.name)->pure = false;
    }
}

// -- blocks of pure operations
// -----------------------------------------------------------------------

std::uint32_t MemoryLevels::of(NodeId node) const {
    const Core core = graph_.core(node);
    const bool part = core == Core::Project || core == Core::Element || core == Core::Field;
    const auto it = levels_.find(part ? graph_.operand(node, 0) : node);
    return it == levels_.end() ? 0 : it->second;
}

void MemoryLevels::set(NodeId node, std::uint32_t level) {
    if (level && holds_memory(graph_.context().types, graph_.type(node))) levels_[node] = level;
}

std::uint32_t MemoryLevels::lowest(std::span<const NodeId> nodes) const {
    std::uint32_t level = current;
    for (NodeId node : nodes)
        if (holds_memory(graph_.context().types, graph_.type(node))) level = std::min(level, of(node));
    return level;
}

bool MemoryLevels::apply(OpId op, AttrId attrs, NodeId node, std::span<const NodeId> operands,
                         std::span<const BlockId> blocks) {
    if (current == 0) return true;
    const Operation& operation = graph_.context().operations[op];
    if (holds_memory(graph_.context().types, graph_.type(node))) {
        std::uint32_t level = operation.extracts ? 0 : lowest(operands);
        for (BlockId block : blocks) level = std::min(level, lowest(graph_.results(block)));
        set(node, level);
    }
    return !is_visible(op, attrs, operands);
}

bool MemoryLevels::is_visible(OpId op, AttrId attrs, std::span<const NodeId> operands) const {
    const Context& context = graph_.context();
    const Operation& operation = context.operations[op];
    if (operation.has(Trait::Io)) return true;
    if (operation.core == Core::Call) {
        const bool impure = context.impure_functions.contains(context.attributes[attrs][0].text());
        const auto holds = [&](NodeId n) { return holds_memory(graph_.context().types, graph_.type(n)); };
        // An impure callee that gets none of our memory has output as its effect.
        return impure && (std::ranges::none_of(operands, holds) || lowest(operands) < current);
    }
    for (std::size_t i = 0; i < operands.size() && i < 64; ++i)
        if (((operation.reads | operation.writes) >> i & 1) && of(operands[i]) < current) return true;
    return false;
}

} // namespace irrewrite::grammar
