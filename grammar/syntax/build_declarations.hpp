// Actions for the productions of declarations, of rules and facts.
#pragma once

#include "grammar/syntax/build_blocks.hpp"
#include "grammar/syntax/declarations.hpp"

namespace irrewrite::grammar {

// Behind the first words of a declaration.
inline std::string_view behind_words(std::string_view text, std::size_t words) {
    const char *at = text.data(), *const end = at + text.size();
    for (; words > 0; --words) at = past_blanks(past_word(at, end), end);
    return {at, static_cast<std::size_t>(end - at)};
}

template <Kind Declaration, class Name> struct build_declared : build_node<build_declared<Declaration, Name>> {
    static void begin(TreeBuilder& builder, const char*, const Place&) { builder.marks = 0; }
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Declaration, text, leading<Name>(behind_words(text, 1)), first, builder.marks);
    }
};
template <std::uint8_t Mark> struct build_mark : peg::maybe_nothing {
    static void apply0(const Place&, TreeBuilder& builder) { builder.marks |= Mark; }
};
// The types of a list, from the first one on; a node of its own where there are none, too.
template <Kind Types> struct build_types : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const std::size_t first = builder.pending.size();
        if (!peg::match<Production, A, M, Action, Control>(input, place, builder)) return false;
        const bool empty = builder.pending.size() == first;
        const std::uint32_t end = builder.offset(input.current());
        const std::string_view text =
            builder.from(empty ? end : builder.tree.nodes[builder.pending[first]].begin, input.current());
        builder.node(Types, text, text.substr(0, 0), first);
        return true;
    }
};

// -- files and functions --------------------------------------------------------------------------

template <> struct build<read_declaration> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const bool import = past<keyword<"import">>(input.current(), input.end()) != input.current();
        if (!import) builder.imports_over = true;
        return peg::match<Production, A, M, Action, Control>(input, place, builder);
    }
};
template <> struct build<import_declaration> : build_node<build<import_declaration>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::uint32_t begin = builder.offset(text.data());
        if (builder.imports_over) builder.faults.report(begin, begin + 6, message::late_import);
        builder.node(Kind::Import, text, leading<string_literal>(behind_words(text, 1)), first);
    }
};
template <> struct build<misplaced_function> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const char* const at = past_blanks(input.current(), input.end());
        const std::uint32_t begin = builder.offset(at);
        if (past<keyword<"func">>(at, input.end()) != at)
            builder.faults.report(begin, begin + 4, message::func_in_rules, message::func_in_rules_help);
        return peg::match<Production, A, M, Action, Control>(input, place, builder);
    }
};

struct build_function : build_node<build_function> {
    static void begin(TreeBuilder& builder, const char*, const Place&) {
        builder.marks = 0;
        builder.header = builder.pending.size();
    }
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::uint8_t kind = text[0] == 'l' ? Local : text[0] == 'e' ? Extern : 0;
        builder.node(Kind::Func, text, builder.declared, first, builder.marks | kind);
    }
};
template <> struct build<local_function> : build_function {};
template <> struct build<entry_function> : build_function {};
template <> struct build<external_function> : build_function {};
template <> struct build<declared_function> : build_node<build<declared_function>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) { builder.declared = text.substr(1); }
};
template <> struct build<pure_mark> : build_mark<Pure> {};

// The body may have been read already.
template <> struct build<function_block> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const char* const at = past_blanks(input.current(), input.end());
        if (builder.read_body && at != input.end() && *at == '{') {
            const auto header = std::span<const SyntaxId>(builder.pending).subspan(builder.header);
            if (const auto end = (*builder.read_body)(builder.tree, header, builder.offset(at))) {
                input.bump(static_cast<std::size_t>(builder.tree.text.data() + *end - input.current()));
                builder.leaf(Kind::ReadBody, builder.from(builder.offset(at), input.current()));
                return true;
            }
        }
        return build_block::match<Production, A, M, Action, Control>(input, place, builder);
    }
};

template <> struct build<structure> : build_declared<Kind::StructDecl, dotted_name> {};
template <> struct build<typed_field> : build_named<Kind::Field, dotted_name> {};

// -- types and operations -------------------------------------------------------------------------

template <> struct build<type_declaration> : build_declared<Kind::TypeDecl, dotted_name> {};
template <> struct build<name_of_size> : build_leaf<Kind::DimName> {};
template <> struct build<variable_in_type> : build_leaf<Kind::TypeVar, 1> {};
template <> struct build<element_in_type> : build_mark<OfElement> {};
template <> struct build<class_declaration> : build_declared<Kind::ClassDecl, dotted_name> {};
template <> struct build<named_phase> : build_leaf<Kind::Ident> {};
template <> struct build<at_phase> : build_node<build<at_phase>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Kind::AtPhase, text, leading<dashed_name>(behind_words(text, 1)), first);
    }
};

template <> struct build<operation_declaration> : build_declared<Kind::OpDecl, dotted_name> {};
template <> struct build<attribute_type> : build_node<build<attribute_type>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Kind::AttrDecl, text, leading<dotted_name>(text), first);
    }
};
template <> struct build<operand_types> : build_parent<Kind::Operands> {};
template <> struct build<no_operands> : build_types<Kind::Operands> {};
template <> struct build<no_results> : build_types<Kind::Signature> {};
template <> struct build<types_of_results> : build_types<Kind::Signature> {};
template <> struct build<types_of_block> : build_types<Kind::Operands> {};
template <> struct build<results_of_block> : build_types<Kind::Signature> {};
template <> struct build<block_trait> : build_leaf<Kind::Trait> {};
template <> struct build<block_type> : build_node<build<block_type>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view label = leading<word>(text);
        builder.node(Kind::BlockType, text, text.substr(0, 0), first);
        if (label.empty()) return;
        builder.last().label_begin = builder.offset(label.data());
        builder.last().label_end = builder.offset(label.data() + label.size());
    }
};
template <> struct build<text_or_trait> : build_named<Kind::Trait, dotted_name> {};

template <> struct build<target_mark> : build_leaf<Kind::Ident> {};
template <> struct build<target_declaration> : build_declared<Kind::TargetDecl, dotted_name> {};
template <> struct build<model> : build_node<build<model>> {
    static void begin(TreeBuilder& builder, const char*, const Place&) { builder.marks = 0; }
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const bool of_type = !leading<keyword<"type">>(behind_words(text, 1)).empty();
        builder.node(of_type ? Kind::ModelType : Kind::Model, text,
                     leading<dotted_name>(behind_words(text, of_type ? 2 : 1)), first, builder.marks);
    }
};
template <> struct build<costing_operation> : build_leaf<Kind::Ident> {};
template <> struct build<cost> : build_node<build<cost>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const Kind leads = builder.tree.nodes[builder.pending[first]].kind;
        const bool alone = builder.pending.size() == first + 1;
        const Kind kind = leads == Kind::Ident ? Kind::CostOps : alone ? Kind::CostIterations : Kind::Cost;
        builder.node(kind, text, text.substr(0, 0), first);
    }
};

// An analysis names its rules.
template <> struct build<analysis> : build_declared<Kind::Analysis, dotted_name> {};
template <> struct build<analysis_name> : build_node<build<analysis_name>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) { builder.declared = text; }
};
template <> struct build<finite_mark> : build_mark<Finite> {};
template <> struct build<analysis_block> : build_label<block> {};
template <> struct build<analysis_rules> : build_node<build<analysis_rules>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Kind::RuleSet, text, builder.declared, first);
    }
};

// -- rules and facts ------------------------------------------------------------------------------

template <> struct build<rule_set> : build_declared<Kind::RuleSet, dashed_name> {};
template <> struct build<name_of_set> : build_leaf<Kind::Ident> {};
template <> struct build<inexact_mark> : build_mark<Inexact> {};
template <> struct build<ordered_mark> : build_leaf<Kind::Trait> {};
template <> struct build<why_it_ends> : build_leaf<Kind::String> {};
template <> struct build<why_it_costs> : build_leaf<Kind::Costs> {};
template <> struct build<why_it_prints> : build_leaf<Kind::Prints> {};

// A mark that no set has is one fault: the rules behind it are read all the same.
template <> struct build<rules_of_set> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const char* const at = builder.past_wrong_marks(input.current());
        input.bump(static_cast<std::size_t>(at - input.current()));
        return peg::match<Production, A, M, Action, Control>(input, place, builder);
    }
};
template <> struct build<rules> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        builder.brace = past_blanks(input.current(), input.end());
        return peg::match<Production, A, M, Action, Control>(input, place, builder);
    }
};

template <> struct build<rule> : build_named<Kind::Rule, dashed_name> {};
template <> struct build<whole_function> : build_node<build<whole_function>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view name = leading<function_name>(behind_words(text, 1));
        builder.node(Kind::WholeFunction, text, name.empty() ? text.substr(0, 0) : name.substr(1), first);
    }
};
template <> struct build<operands_of_calls> : build_parent<Kind::Operands> {};
template <> struct build<roots> : build_parent<Kind::Pattern> {};
template <> struct build<terms> : build_parent<Kind::Terms> {};
template <> struct build<fact> : build_node<build<fact>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view label = leading<dotted_name>(behind_words(text, 2));
        const bool inside = behind_words(text, 1).starts_with("in");
        builder.node(inside ? Kind::FactIn : Kind::FactAfter, text, inside ? label : text.substr(0, 0), first);
    }
};

template <> struct build<definition> : build_node<build<definition>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(Kind::CondBuild, text, leading<meta_name>(text).substr(1), first);
    }
};
// `=` stands behind a metavariable alone, and `=>` behind a strategy that is applied.
template <> struct build<condition_expression> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const std::uint32_t begin = builder.offset(past_blanks(input.current(), input.end()));
        if (!peg::match<Production, A, M, Action, Control>(input, place, builder)) return false;
        const char* const at = past_blanks(input.current(), input.end());
        if (past<sign<"=">>(at, input.end()) != at) builder.say(at, message::condition_name);
        const bool applied = builder.last().kind == Kind::StrategyTerm && builder.last().begin == begin;
        if (!applied && past<sign<"=>">>(at, input.end()) != at) builder.say(at, message::condition_strategy);
        return true;
    }
};
template <> struct build<applied> : build_node<build<applied>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) {
        const SyntaxId result = builder.pending.back();
        builder.pending.pop_back();
        const SyntaxNode term = builder.last();
        builder.pending.pop_back();
        const std::size_t first = builder.pending.size();
        for (std::uint32_t i = 0; i < term.count; ++i) builder.pending.push_back(builder.tree.children[term.first + i]);
        builder.pending.push_back(result);
        const std::string_view whole = builder.from(term.begin, text.data() + text.size());
        builder.node(Kind::CondStrategy, whole, whole.substr(0, 0), first);
    }
};

// -- strategies and phases ------------------------------------------------------------------------

template <> struct build<normalize> : build_parent<Kind::Normalize> {};
template <> struct build<normalizing_set> : build_leaf<Kind::Ident> {};
template <> struct build<phase> : build_declared<Kind::Phase, dashed_name> {};
template <> struct build<phase_strategy> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        if (peg::match<Production, A, peg::rewind_mode::required, Action, Control>(input, place, builder)) return true;
        // Declared all the same, so that what refers to it is not wrong as well.
        const char* const at = past_blanks(input.current(), input.end());
        builder.faults.report_expected(builder.faults.scanner.next(builder.offset(at)), message::phase_equal);
        return true;
    }
};
template <> struct build<strategy_declaration> : build_declared<Kind::Strategy, dashed_name> {};
template <> struct build<test> : build_declared<Kind::Test, dashed_name> {};

} // namespace irrewrite::grammar
