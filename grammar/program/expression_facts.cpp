#include "grammar/program/expression_facts.hpp"

#include "grammar/program/advice.hpp"

#include "engine/ir/scalars.hpp"
#include "engine/support/rule_paths.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

std::string counted(std::size_t n, std::string_view noun) {
    return std::to_string(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

bool mentions(const TypeTerm& term, const std::vector<bool>& variables) {
    if (term.kind == TypeTerm::Kind::Variable) return variables[term.variable];
    return std::ranges::any_of(term.parts, [&](const TypeTerm& part) { return mentions(part, variables); });
}

void collect_variables(const TypeTerm& term, std::vector<bool>& variables) {
    if (term.kind == TypeTerm::Kind::Variable) variables[term.variable] = true;
    for (const TypeTerm& part : term.parts) collect_variables(part, variables);
}

} // namespace

SyntaxId first_of_subtree(const SyntaxTree& tree, SyntaxId root) {
    while (tree[root].count) root = tree.children_of(root)[0];
    return root;
}

bool is_comparison(std::string_view operator_text) {
    constexpr std::string_view comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
    return std::ranges::find(comparisons, operator_text) != std::end(comparisons);
}

const TypeTerm* operand_term(const Signature& signature, std::size_t i, std::size_t n) {
    const auto& terms = signature.operands;
    const auto sequence = std::ranges::find_if(terms, &TypeTerm::sequence);
    if (std::count_if(terms.begin(), terms.end(), [](const TypeTerm& t) { return t.sequence; }) > 1) return nullptr;
    const std::size_t before = static_cast<std::size_t>(sequence - terms.begin());
    if (i < before) return &terms[i];
    if (sequence == terms.end()) return nullptr;
    const std::size_t after = terms.size() - before - 1;
    if (i + after < n) return &*sequence;
    return &terms[terms.size() - (n - i)];
}

ExpressionFacts::ExpressionFacts(Context& context, const SyntaxTree& tree, SyntaxId root, const Module& module,
                                 Diagnostics& diagnostics)
    : context_(context), tree_(tree), module_(module), diagnostics_(diagnostics), first_(first_of_subtree(tree, root)),
      ops_(root - first_ + 1), flags_(root - first_ + 1) {
    for (SyntaxId id = first_; id <= root; ++id) visit(id);
}

void ExpressionFacts::visit(SyntaxId id) {
    std::uint8_t& flags = flags_[id - first_];
    switch (tree_[id].kind) {
    case Kind::Number:
        if (!split_number(tree_.name(id)).suffix) flags = Flexible;
        break;
    case Kind::Array:
        flags = Flexible;
        if (tree_[id].count) flags = combined(id);
        break;
    case Kind::Tuple:
    case Kind::Struct:
    case Kind::FieldInit: flags = combined(id); break;
    case Kind::Op: flags = application(id, find_operation(id)); break;
    case Kind::Infix:
    case Kind::Prefix: flags = application(id, first_overload(id)); break;
    case Kind::Call: flags = call(id); break;
    case Kind::OperatorBlock: flags = operator_block(id); break;
    case Kind::Error: flags = Wrong; break;
    default: flags = combined(id) & (Effectful | OnlyReads);
    }
}

// Effectful if any child is; flexible if some child is and none has effects.
std::uint8_t ExpressionFacts::combined(SyntaxId id) const {
    std::uint8_t flags = 0;
    for (SyntaxId child : tree_.children_of(id)) flags |= flags_[child - first_] & (Effectful | Flexible);
    if (flags & Effectful) return Effectful | (only_reads_below(id) ? OnlyReads : 0);
    return flags;
}

bool ExpressionFacts::only_reads_below(SyntaxId id) const {
    return std::ranges::all_of(tree_.children_of(id),
                               [&](SyntaxId child) { return !effectful(child) || only_reads(child); });
}

std::uint8_t ExpressionFacts::application(SyntaxId id, std::optional<OpId> op) {
    const Kind kind = tree_[id].kind;
    if (!op) {
        if (kind != Kind::Op)
            diagnostics_.error(tree_.name_span(id), "there is no operation for the operator " + quoted(tree_.name(id)));
        return Wrong;
    }
    ops_[id - first_] = *op;
    const Operation& operation = context_.operations[*op];
    bool effectful = operation.takes_token() || operation.signature.tests(); // a loop may not end
    const bool only_reads = !effectful || (!operation.advances() && operation.has(Trait::Total) && !operation.copies);
    for (SyntaxId child : tree_.children_of(id)) {
        const bool hidden = is_block(tree_[child]) && operation.has(Trait::Pure);
        if (!hidden && this->effectful(child)) effectful = true;
    }
    if (effectful) return Effectful | (only_reads && only_reads_below(id) ? OnlyReads : 0);
    if (takes_type_from_context(id, operation)) return Flexible;
    return 0;
}

// When everything that decides the result's type is flexible itself.
bool ExpressionFacts::takes_type_from_context(SyntaxId id, const Operation& operation) const {
    const Signature& signature = operation.signature;
    if (!operation.has(Trait::Pure) || !signature.blocks.empty()) return false;
    std::vector<SyntaxId> operands;
    bool attributes = false;
    for (SyntaxId child : tree_.children_of(id)) {
        if (tree_[child].kind == Kind::Attr)
            attributes = true;
        else
            operands.push_back(child);
    }
    if (signature.results.size() == 1 && signature.results[0].kind == TypeTerm::Kind::Attribute)
        return !attributes && operands.empty();
    std::vector<bool> variables(signature.type_variables.size());
    for (const TypeTerm& term : signature.results) collect_variables(term, variables);
    bool decided = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const TypeTerm* term = operand_term(signature, i, operands.size());
        if (!term) return false;
        if (!mentions(*term, variables)) continue;
        if (!flexible(operands[i])) return false;
        decided = true;
    }
    return decided;
}

// `{add}`, `{@f}`.
std::uint8_t ExpressionFacts::operator_block(SyntaxId id) {
    const std::string_view name = tree_.name(id);
    const bool function = name.starts_with('@');
    const SymbolId symbol = context_.symbols.add(function ? name.substr(1) : name);
    if (function) {
        if (!module_.find(symbol)) return report_unknown_function(id, name.substr(1));
        if (context_.impure_functions.contains(symbol)) return Effectful;
        return 0;
    }
    const auto overloads = context_.operations.find(symbol);
    if (overloads.empty()) return report_unknown(id);
    if (context_.operations[overloads[0]].takes_token()) return Effectful;
    return 0;
}

std::uint8_t ExpressionFacts::call(SyntaxId id) {
    const SymbolId name = context_.symbols.add(tree_.name(id));
    std::uint8_t flags = combined(id) & Effectful;
    if (context_.impure_functions.contains(name)) flags |= Effectful;
    const Function* callee = module_.find(name);
    if (!callee) return flags | report_unknown_function(id, tree_.name(id));
    if (callee->params.size() == tree_[id].count) return flags;
    diagnostics_
        .error(tree_.span(id), "'@" + std::string(tree_.name(id)) + "' takes " +
                                   counted(callee->params.size(), "operand") + ", not " +
                                   std::to_string(tree_[id].count))
        .notes.push_back({callee->where, "declared here"});
    return flags | Wrong;
}

std::vector<OpId> ExpressionFacts::overloads(SyntaxId id) const {
    const bool infix = tree_[id].kind == Kind::Infix;
    std::vector<OpId> found;
    for (std::uint32_t i = 0; i < context_.operations.size(); ++i) {
        const Operation& operation = context_.operations[OpId{i}];
        if ((infix ? operation.infix : operation.prefix) == tree_.name(id)) found.push_back(OpId{i});
    }
    return found;
}

std::optional<OpId> ExpressionFacts::first_overload(SyntaxId id) {
    auto& known = tree_[id].kind == Kind::Infix ? infix_ : prefix_;
    const auto [entry, added] = known.emplace(tree_.name(id), std::nullopt);
    if (added)
        if (const auto found = overloads(id); !found.empty()) entry->second = found[0];
    return entry->second;
}

std::optional<OpId> ExpressionFacts::find_operation(SyntaxId id) {
    const SymbolId name = context_.symbols.add(tree_.name(id));
    std::size_t operands = 0;
    std::vector<SymbolId> labels;
    for (SyntaxId child : tree_.children_of(id)) {
        const SyntaxNode& node = tree_[child];
        if (is_block(node))
            labels.push_back(tree_.label(child).empty() ? SymbolId{} : context_.symbols.add(tree_.label(child)));
        else if (node.kind != Kind::Attr)
            ++operands;
    }
    if (auto op = context_.operations.find(name, operands, labels)) return op;
    if (context_.operations.find(name).empty())
        report_unknown(id);
    else
        report_shape(id, operands, labels);
    return std::nullopt;
}

std::uint8_t ExpressionFacts::report_unknown(SyntaxId id) {
    std::vector<std::string_view> known;
    for (std::uint32_t i = 0; i < context_.operations.size(); ++i)
        if (context_.operations[OpId{i}].core == Core::None)
            known.push_back(context_.symbols[context_.operations[OpId{i}].name]);
    const std::string_view name = tree_.name(id);
    const auto file = shipped_file_of(name);
    std::string help = advice_on_operation(context_, name, module_.find(context_.symbols.add(name)) != nullptr);
    if (file) help = *file + " declares it: load it with '-rules " + *file + "'";
    diagnostics_.unknown(tree_.name_span(id), "operation", name, help.empty() ? suggestion(name, known) : help);
    return Wrong;
}

std::uint8_t ExpressionFacts::report_unknown_function(SyntaxId id, std::string_view name) {
    std::vector<std::string_view> known;
    for (const Function& function : module_.functions) known.push_back(context_.symbols[function.name]);
    const Span where = tree_[id].kind == Kind::Call ? tree_.sigil_span(id) : tree_.name_span(id);
    diagnostics_.unknown(where, "function", name, suggestion(name, known, "@"), "@");
    return Wrong;
}

// The name exists, with other operands or blocks.
void ExpressionFacts::report_shape(SyntaxId id, std::size_t operands, std::span<const SymbolId> labels) {
    const auto overloads = context_.operations.find(context_.symbols.add(tree_.name(id)));
    const std::string name = quoted(tree_.name(id));
    const bool counts =
        std::ranges::any_of(overloads, [&](OpId op) { return context_.operations.accepts(op, operands); });
    if (counts) {
        const auto& blocks = context_.operations[overloads[0]].signature.blocks;
        std::string help;
        for (const BlockSignature& block : blocks)
            help += block.label ? " " + std::string(context_.symbols[block.label]) + " {…}" : " {…}";
        if (!help.empty()) help = "its blocks are" + help;
        const std::string takes = blocks.empty()                  ? " takes no block"
                                  : labels.size() < blocks.size() ? " is missing a block"
                                                                  : " does not take these blocks";
        diagnostics_.error(tree_.name_span(id), name + takes, help);
        return;
    }
    const Signature& signature = context_.operations[overloads[0]].signature;
    std::string help = operands == 0 && labels.empty() ? advice_on_infix(tree_.name(id)) : "";
    if (help.empty()) help = declared_as(context_, overloads[0]);
    const bool several = overloads.size() > 1 || std::ranges::any_of(signature.operands, &TypeTerm::sequence);
    const std::string takes =
        several ? " does not take " + counted(operands, "operand")
                : " takes " + counted(signature.operands.size(), "operand") + ", not " + std::to_string(operands);
    diagnostics_.error(tree_.name_span(id), name + takes, help);
}

} // namespace irrewrite::grammar
