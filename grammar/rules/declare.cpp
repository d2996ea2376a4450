#include "grammar/rules/declare.hpp"

#include "engine/ir/scalars.hpp"
#include "grammar/program/elaborate.hpp"
#include "grammar/program/expression_facts.hpp"
#include "grammar/program/signature.hpp"
#include "grammar/program/type_classes.hpp"
#include "grammar/rules/rule_targets.hpp"
#include "grammar/rules/trait_contradictions.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>

namespace irrewrite::grammar {

namespace {
// -- traits ----------------------------------------------------------------------------------------

struct FlagTrait {
    std::string_view name;
    Trait trait;
};
constexpr FlagTrait flag_traits[] = {
    {"pure", Trait::Pure},
    {"commutative", Trait::Commutative},
    {"associative", Trait::Associative},
    {"idempotent", Trait::Idempotent},
    {"total", Trait::Total},
    {"partial", Trait::Partial},
    {"approximate", Trait::Approximate},
    {"io", Trait::Io},
    {"allocates", Trait::Allocates},
    {"indexes", Trait::Indexes},
    {"counts", Trait::Counts},
    {"length", Trait::Length},
    {"invariant", Trait::Invariant},
    {"agrees", Trait::Agrees},
};

struct OperandTrait { // `writes(0)`
    std::string_view name;
    std::uint64_t Operation::*operands;
};
constexpr OperandTrait operand_traits[] = {
    {"reads", &Operation::reads},       {"writes", &Operation::writes},   {"overwrites", &Operation::overwrites},
    {"element", &Operation::element},   {"aliases", &Operation::aliases}, {"contains", &Operation::contains},
    {"extracts", &Operation::extracts}, {"copies", &Operation::copies},
};

struct TextTrait { // `infix "+"`
    std::string_view name;
    std::string Operation::*text;
};
constexpr TextTrait text_traits[] = {
    {"infix", &Operation::infix}, {"prefix", &Operation::prefix},
    {"cpp", &Operation::cpp},     {"cpp.int", &Operation::cpp_int},
    {"cuda", &Operation::cuda},   {"cuda.int", &Operation::cuda_int},
    {"c", &Operation::c},         {"c.int", &Operation::c_int},
};

template <class Table> auto find_trait(const Table& table, std::string_view name) {
    const auto it = std::ranges::find_if(table, [&](const auto& entry) { return entry.name == name; });
    return it == std::end(table) ? nullptr : &*it;
}

class Declarer {
  public:
    Declarer(Context& context, const SyntaxTree& tree, Module& functions, Diagnostics& diagnostics)
        : context_(context), tree_(tree), functions_(functions), diagnostics_(diagnostics) {}

    void declare_type(SyntaxId id) {
        const SymbolId name = context_.symbols.add(tree_.name(id));
        if (tree_.name(id) == "unit" || scalar_type(context_, tree_.name(id))) {
            error(id, "'" + std::string(tree_.name(id)) + "' is a type of the IR");
            return;
        }
        std::vector<SymbolId> dims = declared_dimensions(context_, tree_, id);
        const SymbolId sequence = declared_sequence(context_, tree_, id);
        const auto element = declared_element(tree_, id);
        check_dimensions(context_, tree_, id, diagnostics_);
        if (sequence) dims = {sequence};
        const bool for_good = tree_[id].count == dims.size() + element.has_value(); // else until a phase
        context_.opaque_places.emplace(name, tree_.name_span(id));
        if (!context_.opaque_types.emplace(name, for_good).second || context_.types.find_struct(name))
            error(id, "type '" + std::string(tree_.name(id)) + "' is declared already");
        context_.types.declare_opaque(name, dims, element ? element_symbol(context_, tree_, *element) : SymbolId{},
                                      bool(sequence));
    }

    void declare_class(SyntaxId id) {
        const std::string_view name = tree_.name(id);
        const SymbolId symbol = context_.symbols.add(name);
        if (find_class(context_, name) || scalar_type(context_, name) || context_.opaque_types.contains(symbol)) {
            error(id, "'" + std::string(name) + "' is a type, or a class of types, already");
            return;
        }
        if (const std::uint16_t kinds = listed_kinds(context_, tree_, tree_.children_of(id), diagnostics_))
            context_.classes.emplace(symbol, kinds);
    }

    void declare_operation(SyntaxId id) {
        Operation operation;
        operation.name = context_.symbols.add(tree_.name(id));
        operation.where = tree_.name_span(id);
        SyntaxId expansion = UINT32_MAX;
        read_attributes(id, operation);
        read_signature(id, operation);
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind == Kind::Trait) read_trait(child, operation);
            if (tree_[child].kind == Kind::Block) expansion = child;
            if (tree_[child].kind == Kind::Ident) operation.expansion_phase = context_.symbols.add(tree_.name(child));
        }
        operation.is_flat = is_flat(operation);
        for (const char* wrong : contradictions(context_.types, operation)) error(id, wrong);
        if (is_duplicate(id, operation)) return;
        operation.built_in = expansion == UINT32_MAX && !context_.operations.overloads_built_in(operation);
        if (operation.built_in)
            operation.primitive = find_primitive(tree_.name(id));
        else if (expansion != UINT32_MAX && !is_generic_expansion(context_, tree_, expansion, operation))
            declare_expansion(expansion, operation);
        context_.operations.add(std::move(operation));
    }

  private:
    Diagnostic& error(SyntaxId id, std::string text, std::string help = {}) {
        return diagnostics_.error(tree_.name_span(id), std::move(text), std::move(help));
    }
    // -- operands and results ----------------------------------------------------------------------

    void read_attributes(SyntaxId id, Operation& operation) {
        static constexpr std::pair<std::string_view, AttrKind> kinds[] = {
            {"i64", AttrKind::Int},   {"int", AttrKind::Int},   {"f64", AttrKind::Float}, {"float", AttrKind::Float},
            {"bool", AttrKind::Bool}, {"text", AttrKind::Text}, {"type", AttrKind::Type}};
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind != Kind::AttrDecl || tree_[child].count == 0) continue;
            const SyntaxId type = tree_.children_of(child)[0];
            const auto it = std::ranges::find(kinds, tree_.name(type), &std::pair<std::string_view, AttrKind>::first);
            if (it == std::end(kinds))
                diagnostics_.error(tree_.span(type), "an attribute is 'i64', 'f64', 'bool', 'text' or 'type'");
            else if (const SymbolId name = context_.symbols.add(tree_.name(child));
                     name &&
                     std::ranges::find(operation.attributes, name, &AttrDecl::name) != operation.attributes.end())
                diagnostics_.error(tree_.name_span(child),
                                   "this operation has two attributes '" + std::string(tree_.name(child)) + "'");
            else
                operation.attributes.push_back({context_.symbols.add(tree_.name(child)), it->second});
        }
    }

    void read_signature(SyntaxId id, Operation& operation) {
        const auto children = tree_.children_of(id);
        const auto list = [&](SyntaxId of, Kind kind) -> std::span<const SyntaxId> {
            for (SyntaxId child : tree_.children_of(of))
                if (tree_[child].kind == kind) return tree_.children_of(child);
            return {};
        };
        const auto operands = list(id, Kind::Operands);
        SignatureReader reader(context_, tree_, operation.attributes, operands.size(), diagnostics_);
        Signature& signature = operation.signature;
        signature.operands = reader.read_list(operands);
        for (SyntaxId child : children) {
            if (tree_[child].kind != Kind::BlockType) continue;
            BlockSignature block;
            if (!tree_.label(child).empty()) block.label = context_.symbols.add(tree_.label(child));
            block.params = reader.read_list(list(child, Kind::Operands));
            block.results = reader.read_list(list(child, Kind::Signature));
            read_block_traits(child, block);
            check_label(id, block.label, signature.blocks);
            signature.blocks.push_back(std::move(block));
        }
        signature.results = reader.read_list(list(id, Kind::Signature));
        std::move(reader).finish(signature);
        check_results(id, signature);
    }

    static void variables_of(std::span<const TypeTerm> terms, std::vector<bool>& out) {
        for (const TypeTerm& term : terms) {
            if (term.kind == TypeTerm::Kind::Variable) out[term.variable] = true;
            variables_of(term.parts, out);
        }
    }

    // Nothing but operands and blocks tells what a variable stands for.
    void check_results(SyntaxId id, const Signature& signature) {
        std::vector<bool> given(signature.type_names.size()), wanted(given.size());
        variables_of(signature.operands, given);
        for (const BlockSignature& block : signature.blocks) {
            variables_of(block.params, given);
            variables_of(block.results, given);
        }
        variables_of(signature.results, wanted);
        for (std::size_t v = 0; v < wanted.size(); ++v)
            if (wanted[v] && !given[v])
                error(id,
                      "no operand or block determines '?" + std::string(context_.symbols[signature.type_names[v]]) +
                          "'",
                      "an attribute can determine it: 'op cast[to: type](?T: scalar) -> to'");
    }

    // Blocks after the first are told apart by their labels.
    void check_label(SyntaxId id, SymbolId label, std::span<const BlockSignature> before) {
        if (before.empty()) {
            if (label)
                error(id, "the first block of an operation has no label",
                      "only later blocks have one: 'op choose(bool) {-> ?T} otherwise {-> ?T} -> ?T'");
        } else if (!label) {
            error(id, "a block after the first one needs a label", "'op choose(bool) {-> ?T} otherwise {-> ?T} -> ?T'");
        } else if (std::ranges::find(before, label, &BlockSignature::label) != before.end()) {
            error(id, "two blocks of one operation have the label '" + std::string(context_.symbols[label]) + "'");
        }
    }

    void read_block_traits(SyntaxId id, BlockSignature& block) {
        for (SyntaxId child : tree_.children_of(id)) {
            if (tree_[child].kind != Kind::Trait) continue;
            const std::string_view name = tree_.name(child);
            if (name == "hot")
                block.frequency = Frequency::Hot;
            else if (name == "cold")
                block.frequency = Frequency::Cold;
            else if (name == "optional")
                block.optional = true;
            else if (name == "combines")
                block.combines = true;
            else if (name == "tests")
                block.tests = true;
            else if (name == "carries")
                block.carries = true;
            else
                error(child, "unknown trait '" + std::string(name) + "' of a block");
        }
    }

    // Every number of operands that one signature takes, an earlier one takes, too: then no application means the later one.
    static bool covers(const Signature& earlier, const Signature& later) {
        const auto repeated = [](const Signature& one) {
            return static_cast<std::size_t>(std::ranges::count_if(one.operands, &TypeTerm::sequence));
        };
        const std::size_t of_earlier = earlier.operands.size() - repeated(earlier),
                          of_later = later.operands.size() - repeated(later);
        return repeated(earlier) ? of_later >= of_earlier : !repeated(later) && of_later == of_earlier;
    }

    bool is_duplicate(SyntaxId id, const Operation& operation) {
        const auto same_blocks = [](const BlockSignature& a, const BlockSignature& b) { return a.label == b.label; };
        for (OpId other : context_.operations.find(operation.name)) {
            const Signature &a = context_.operations[other].signature, &b = operation.signature;
            if (!covers(a, b)) continue;
            if (!std::ranges::equal(a.blocks, b.blocks, same_blocks)) continue;
            error(id,
                  "operation '" + std::string(tree_.name(id)) + "' with these operands and blocks is declared already",
                  "write another name; several operations may have one notation, as in 'infix \"+\"'")
                .notes.push_back({context_.operations[other].where, "declared first here"});
            return true;
        }
        return false;
    }

    // -- traits -----------------------------------------------------------------------------------

    void read_trait(SyntaxId id, Operation& operation) {
        const std::string_view name = tree_.name(id);
        const auto arguments = tree_.children_of(id);
        if (const auto* flag = find_trait(flag_traits, name)) {
            if (name == "associative" && !arguments.empty()) return restrict_associative(id, operation);
            operation.traits |= static_cast<std::uint32_t>(flag->trait);
            if (!arguments.empty()) error(id, "trait '" + std::string(name) + "' takes no argument");
        } else if (const auto* effect = find_trait(operand_traits, name)) {
            for (SyntaxId argument : arguments)
                if (const auto i = operand_number(argument, operation)) operation.*effect->operands |= 1ull << *i;
            if (arguments.empty())
                error(id, "trait '" + std::string(name) + "' needs the number of an operand",
                      "write '" + std::string(name) + "(0)'");
        } else if (const auto* text = find_trait(text_traits, name)) {
            if (arguments.size() == 1 && tree_[arguments[0]].kind == Kind::String)
                check_notation(id, operation.*text->text = unescape(tree_.name(arguments[0])));
            else
                error(id, "trait '" + std::string(name) + "' needs a string");
        } else if (name == "guards" && arguments.size() == 1) {
            if (const auto i = operand_number(arguments[0], operation))
                operation.guards = static_cast<std::int32_t>(*i);
        } else if (name == "identity" && arguments.size() == 1) {
            read_identity(arguments[0], operation);
        } else {
            if (!is_text_of_target(id)) unknown_trait(id);
        }
    }

    // `sql "…"`, `prec(6)`: read with the targets (grammar/rules/rule_targets.hpp).
    bool is_text_of_target(SyntaxId id) const {
        return declares_target(tree_, tree_.name(id)) || (tree_.name(id) == "prec" && tree_[id].count == 1);
    }

    void check_notation(SyntaxId id, const std::string& text) {
        static constexpr std::string_view infix[] = {
            "*", "/", "%", "+", "++", "-", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
        static constexpr std::string_view prefix[] = {"-", "!"};
        if (tree_.name(id) == "infix" && std::ranges::find(infix, text) == std::end(infix))
            error(id, "no infix operator '" + text + "'", "the operators are * / % + ++ - == != < <= > >= && ||");
        if (tree_.name(id) == "prefix" && std::ranges::find(prefix, text) == std::end(prefix))
            error(id, "no prefix operator '" + text + "'", "the operators are - and !");
    }

    // `associative(int)`: on integers alone.
    void restrict_associative(SyntaxId id, Operation& operation) {
        const auto arguments = tree_.children_of(id);
        if (arguments.size() == 1 && tree_.name(arguments[0]) == "int")
            operation.associative_int = true;
        else
            error(id, "'associative' stands alone or with '(int)'");
    }

    void read_identity(SyntaxId argument, Operation& operation) {
        const auto bits = tree_[argument].kind == Kind::Number
                              ? parse_scalar(TypeKind::I64, split_number(tree_.name(argument)).digits)
                              : std::nullopt;
        if (bits)
            operation.identity = static_cast<std::int64_t>(*bits);
        else
            diagnostics_.error(tree_.span(argument), "the identity is an integer literal");
    }

    std::optional<std::uint64_t> operand_number(SyntaxId argument, const Operation& operation) {
        constexpr std::size_t most = 64;
        const auto bits =
            tree_[argument].kind == Kind::Number ? parse_scalar(TypeKind::I64, tree_.name(argument)) : std::nullopt;
        if (bits && *bits < std::min(most, operation.signature.operands.size())) return bits;
        diagnostics_.error(tree_.span(argument), "this is not the number of an operand",
                           "operands are numbered from 0");
        return std::nullopt;
    }

    void unknown_trait(SyntaxId id) {
        std::vector<std::string_view> known{"guards", "identity"};
        for (const auto& trait : flag_traits) known.push_back(trait.name);
        for (const auto& trait : operand_traits) known.push_back(trait.name);
        for (const auto& trait : text_traits) known.push_back(trait.name);
        error(id, "unknown trait '" + std::string(tree_.name(id)) + "'",
              help_on_text(tree_, id, suggestion(tree_.name(id), known)));
    }

    // -- expansions -------------------------------------------------------------------------------

    // The function that an operation means; its body is built by `elaborate`.
    void declare_expansion(SyntaxId block, Operation& operation) {
        const Signature& signature = operation.signature;
        Function& function = functions_.add(context_, expansion_name(operation.name));
        function.local = true;
        function.where = tree_.span(block);
        for (SyntaxId child : tree_.children_of(block))
            if (tree_[child].kind == Kind::Param && function.params.size() < signature.operands.size())
                add_parameter(function, context_.symbols.add(tree_.name(child)),
                              signature.operands[function.params.size()].type);
        const auto parameters = static_cast<std::size_t>(std::ranges::count_if(
            tree_.children_of(block), [&](SyntaxId child) { return tree_[child].kind == Kind::Param; }));
        if (parameters != signature.operands.size())
            diagnostics_.error(tree_.span(block),
                               "this block does not have as many parameters as the operation has operands");
        for (const TypeTerm& term : signature.results) function.result_types.push_back(term.type);
        operation.expansion = function.name;
        if (!operation.takes_token()) return; // its effects are those that it declares
        function.pure = false;
        context_.impure_functions[function.name] = true;
    }

    void add_parameter(Function& function, SymbolId name, TypeId type) {
        const auto index = static_cast<std::uint32_t>(function.params.size());
        const NodeId node = function.graph.param(number::function, index, type);
        function.graph.set_name(node, name);
        function.params.push_back({name, type, node, false});
    }

    SymbolId expansion_name(SymbolId operation) {
        const std::string plain = "op." + std::string(context_.symbols[operation]);
        SymbolId name = context_.symbols.add(plain);
        for (int i = 2; functions_.find(name); ++i) name = context_.symbols.add(plain + "_" + std::to_string(i));
        return name;
    }

    Context& context_;
    const SyntaxTree& tree_;
    Module& functions_;
    Diagnostics& diagnostics_;
};

} // namespace

bool declare(Context& context, const SyntaxTree& tree, Module& rule_functions, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.errors();
    Declarer declarer(context, tree, rule_functions, diagnostics);
    for (SyntaxId child : tree.children_of(tree.root))
        if (tree[child].kind == Kind::TypeDecl) declarer.declare_type(child);
    for (SyntaxId child : tree.children_of(tree.root))
        if (tree[child].kind == Kind::ClassDecl) declarer.declare_class(child);
    for (SyntaxId child : tree.children_of(tree.root))
        if (tree[child].kind == Kind::OpDecl) declarer.declare_operation(child);
    return diagnostics.errors() == errors;
}

} // namespace irrewrite::grammar
