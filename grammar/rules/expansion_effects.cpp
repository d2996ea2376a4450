#include "grammar/rules/expansion_effects.hpp"

#include "engine/analysis/aliasing.hpp"
#include "engine/ir/reachability.hpp"
#include "grammar/program/expression_facts.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace irrewrite::grammar {

namespace {

constexpr std::size_t most_operands = 64; // that traits can name

bool is_scalar(TypeClass of) { return of != TypeClass::Any && of != TypeClass::Array && of != TypeClass::Record; }

// Collects what a body does, each effect once.
class ExpansionEffects {
  public:
    explicit ExpansionEffects(const Operation& operation) : operation_(operation) {}

    void prints() {
        if (!operation_.has(Trait::Io)) say("has output or input", "io");
    }
    void allocates() {
        if (!operation_.has(Trait::Allocates)) say("returns memory that it allocates", "allocates");
    }
    // `operand`: whose memory it is; none: memory inside any of those in `memory`.
    void touches(std::optional<std::size_t> operand, std::uint64_t memory, bool write) {
        const std::uint64_t declared = write ? operation_.writes : operation_.reads;
        const std::uint64_t touched = operand ? std::uint64_t{1} << *operand : memory;
        if (!touched || (declared & touched)) return;
        std::size_t first = 0;
        while (!(touched >> first & 1)) ++first;
        const std::string position = std::to_string(first);
        say((write ? "writes memory of operand " : "reads memory of operand ") + position,
            (write ? "writes(" : "reads(") + position + ")");
    }
    std::vector<UndeclaredEffect> take() { return std::move(found_); }

    std::optional<Span> where; // of what is looked at

  private:
    void say(const std::string& does, const std::string& trait) {
        UndeclaredEffect effect{"the expansion " + does + ", but the operation is not declared '" + trait + "'",
                                operation_.has(Trait::Pure) ? "declare the operation '" + trait + "' instead of 'pure'"
                                                            : "add '" + trait + "' to the traits of the operation",
                                where};
        const auto same = [&](const UndeclaredEffect& e) { return e.message == effect.message; };
        if (std::ranges::none_of(found_, same)) found_.push_back(std::move(effect));
    }

    const Operation& operation_;
    std::vector<UndeclaredEffect> found_;
};

class FunctionEffects {
  public:
    FunctionEffects(const Operation& operation, const Function& function, const Module& functions)
        : effects_(operation), function_(function), graph_(function.graph), functions_(functions), memory_(function) {
        for (std::size_t i = 0; i < function.params.size() && i < most_operands; ++i)
            if (holds_memory(graph_.context().types, function.params[i].type)) held_ |= std::uint64_t{1} << i;
    }

    std::vector<UndeclaredEffect> run() {
        for (NodeId node : reachable(graph_, roots(function_))) visit(node);
        if (returns_new_memory()) effects_.allocates();
        return effects_.take();
    }

  private:
    // Directly, in a part, or in a result of a block.
    bool returns_new_memory() const {
        std::vector<NodeId> stack(function_.results);
        std::set<NodeId> seen;
        while (!stack.empty()) {
            const NodeId node = stack.back();
            stack.pop_back();
            if (graph_.is_param(node) || !holds_memory(graph_.context().types, graph_.type(node)) ||
                !seen.insert(node).second)
                continue;
            const Operation& operation = graph_.operation(node);
            if (operation.has(Trait::Allocates)) return true;
            const auto operands = graph_.operands(node);
            if (operation.core != Core::None && operation.core != Core::Call)
                stack.insert(stack.end(), operands.begin(), operands.end());
            for (BlockId block : graph_.blocks(node)) {
                const auto results = graph_.results(block);
                stack.insert(stack.end(), results.begin(), results.end());
            }
        }
        return false;
    }

    void visit(NodeId node) {
        const Operation& operation = graph_.operation(node);
        if (operation.core == Core::Call) return call(node);
        if (operation.has(Trait::Io)) effects_.prints();
        const auto operands = graph_.operands(node);
        for (std::size_t i = 0; i < operands.size() && i < most_operands; ++i) {
            if (operation.reads >> i & 1) touch(operands[i], false);
            if (operation.writes >> i & 1) touch(operands[i], true);
        }
    }

    void call(NodeId node) {
        const SymbolId name = graph_.attrs(node)[0].text();
        if (!graph_.context().impure_functions.contains(name)) return;
        if (may_print(name)) effects_.prints();
        for (NodeId operand : graph_.operands(node))
            if (holds_memory(graph_.context().types, graph_.type(operand))) touch(operand, false), touch(operand, true);
    }

    bool may_print(SymbolId name) {
        if (!seen_.insert(name).second) return false;
        const Function* callee = functions_.find(name);
        if (!callee || callee->external) return true;
        const Graph& graph = callee->graph;
        return std::ranges::any_of(reachable(graph, roots(*callee)), [&](NodeId node) {
            if (graph.core(node) != Core::Call) return graph.operation(node).has(Trait::Io);
            const SymbolId next = graph.attrs(node)[0].text();
            return graph.context().impure_functions.contains(next) && may_print(next);
        });
    }

    void touch(NodeId memory, bool write) {
        if (memory_.is_own(memory) || graph_.operation(memory).has(Trait::Allocates)) return;
        std::optional<std::size_t> operand;
        for (std::size_t i = 0; i < function_.params.size() && i < most_operands; ++i)
            if (function_.params[i].node == memory) operand = i;
        effects_.touches(operand, held_, write);
    }

    ExpansionEffects effects_;
    const Function& function_;
    const Graph& graph_;
    const Module& functions_;
    AliasAnalysis memory_;
    std::uint64_t held_ = 0; // the operands that hold memory
    std::set<SymbolId> seen_;
};

class RuleEffects {
  public:
    RuleEffects(const Context& context, const Operation& operation, const Rule& rule)
        : context_(context), effects_(operation), rule_(rule) {
        const std::vector<TypeTerm>& types = operation.signature.operands;
        for (std::size_t i = 0; i < types.size() && i < most_operands; ++i)
            if (may_hold_memory(types[i], operation.signature)) held_ |= std::uint64_t{1} << i;
    }

    std::vector<UndeclaredEffect> run() {
        for (std::size_t i = 0; i < rule_.terms.size(); ++i)
            if (&rule_.terms[i] != &rule_[rule_.left[0]]) visit(rule_.terms[i]);
        for (TermId result : rule_.right)
            if (gives_new_memory(context_, rule_, result)) {
                effects_.where = rule_[result].where;
                effects_.allocates();
            }
        return effects_.take();
    }

  private:
    // One operation: where a name has several, which of them is built is not known here.
    const Operation* operation_of(const Term& term) const {
        return term.kind == TermKind::Node && term.ops.size() == 1 ? &context_.operations[term.ops[0]] : nullptr;
    }
    bool allocates(const Term& term) const {
        const Operation* operation = operation_of(term);
        return operation && operation->has(Trait::Allocates);
    }

    void visit(const Term& term) {
        effects_.where = term.where;
        if (term.kind == TermKind::Call && context_.impure_functions.contains(term.text) && !touches_operand(term))
            effects_.prints();
        const Operation* operation = operation_of(term);
        if (!operation) return;
        if (operation->has(Trait::Io)) effects_.prints();
        for (std::size_t i = 0; i < term.operands.size() && i < most_operands; ++i) {
            if (rule_[term.operands[i]].sequence) break; // from here on positions are not known
            if (operation->reads >> i & 1) touch(rule_[term.operands[i]], false);
            if (operation->writes >> i & 1) touch(rule_[term.operands[i]], true);
        }
    }

    std::optional<std::size_t> operand(const Term& term) const {
        if (term.kind != TermKind::Variable) return std::nullopt;
        const std::vector<TermId>& operands = rule_[rule_.left[0]].operands;
        for (std::size_t i = 0; i < operands.size() && i < most_operands; ++i)
            if (!rule_[operands[i]].sequence && rule_[operands[i]].variable == term.variable) return i;
        return std::nullopt;
    }
    bool touches_operand(const Term& call) const {
        return std::ranges::any_of(call.operands, [&](TermId id) { return operand(rule_[id]).has_value(); });
    }
    void touch(const Term& memory, bool write) {
        if (!allocates(memory)) effects_.touches(operand(memory), held_, write);
    }

    bool may_hold_memory(const TypeTerm& type, const Signature& signature) const {
        switch (type.kind) {
        case TypeTerm::Kind::Known: return holds_memory(context_.types, type.type);
        case TypeTerm::Kind::Variable: return !is_scalar(signature.type_variables[type.variable]);
        case TypeTerm::Kind::Array:
        case TypeTerm::Kind::Tuple:
            return std::ranges::any_of(type.parts,
                                       [&](const TypeTerm& part) { return may_hold_memory(part, signature); });
        case TypeTerm::Kind::Opaque: return false;
        default: return true;
        }
    }

    const Context& context_;
    ExpansionEffects effects_;
    const Rule& rule_;
    std::uint64_t held_ = 0; // the operands that may hold memory
};

} // namespace

std::vector<UndeclaredEffect> undeclared_effects(const Operation& operation, const Function& expansion,
                                                 const Module& functions) {
    return FunctionEffects(operation, expansion, functions).run();
}

std::vector<UndeclaredEffect> undeclared_effects(const Context& context, const Operation& operation,
                                                 const Rule& expansion) {
    return RuleEffects(context, operation, expansion).run();
}

bool gives_new_memory(const Context& context, const Rule& rule, TermId id) {
    std::vector<TermId> stack{id};
    std::set<TermId> seen;
    const auto push = [&](const std::vector<TermId>& terms) { stack.insert(stack.end(), terms.begin(), terms.end()); };
    while (!stack.empty()) {
        const TermId next = stack.back();
        stack.pop_back();
        if (!seen.insert(next).second) continue;
        const Term& term = rule[next];
        const bool is_part_or_whole = term.kind == TermKind::Project || term.kind == TermKind::Field ||
                                      term.kind == TermKind::Struct || term.kind == TermKind::Record;
        if (is_part_or_whole) push(term.operands);
        if (term.kind != TermKind::Node || term.ops.size() != 1) continue;
        const Operation& operation = context.operations[term.ops[0]];
        if (operation.has(Trait::Allocates)) return true;
        if (operation.core != Core::None) push(term.operands); // a tuple, an element of one
        for (const BlockTerm& block : term.blocks) push(block.results);
    }
    return false;
}

void find_own_memory(Context& context, const SyntaxTree& tree) {
    const auto may_write = [&](SyntaxId id) {
        if (tree[id].kind == Kind::Call || (tree[id].kind == Kind::OperatorBlock && tree.name(id).starts_with('@')))
            return true;
        if (tree[id].kind != Kind::Op && tree[id].kind != Kind::OperatorBlock) return false;
        return std::ranges::any_of(context.operations.find(context.symbols.add(tree.name(id))),
                                   [&](OpId op) { return context.operations[op].advances(); });
    };
    const auto has_own_memory = [&](SyntaxId block) {
        for (SyntaxId id = first_of_subtree(tree, block); id < block; ++id)
            if (may_write(id)) return true;
        return false;
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (SyntaxId declaration : tree.children_of(tree.root))
            for (SyntaxId block : tree.children_of(declaration)) {
                if (tree[declaration].kind != Kind::OpDecl || tree[block].kind != Kind::Block) continue;
                for (OpId op : context.operations.find(context.symbols.add(tree.name(declaration)))) {
                    const Operation& operation = context.operations[op];
                    if (!operation.reads || operation.advances() || !has_own_memory(block)) continue;
                    context.operations.edit(op).writes_own_memory = changed = true;
                }
            }
    }
}

void report(Diagnostics& diagnostics, Span where, std::span<const UndeclaredEffect> effects) {
    for (const UndeclaredEffect& effect : effects)
        diagnostics.error(effect.where.value_or(where), effect.message, effect.help);
}

} // namespace irrewrite::grammar
