// Actions for the productions of expressions, of patterns and terms.
#pragma once

#include "grammar/syntax/build_strategies.hpp"
#include "grammar/syntax/build_types.hpp"
#include "grammar/syntax/malformed.hpp"

namespace irrewrite::grammar {

// -- literals -------------------------------------------------------------------------------------

// A malformed one is told, and read all the same.
template <class Malformed, Kind Leaf> struct build_literal : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const char* begin = past_blanks(input.current(), input.end());
        if (!peg::match<Production, A, peg::rewind_mode::required, Action, Control>(input, place, builder)) {
            const char* const end = past<Malformed>(begin, input.end());
            if (end == begin || A == peg::apply_mode::nothing) return false;
            builder.faults.scanner.next(builder.offset(begin)); // tells it
            input.bump(static_cast<std::size_t>(end - input.current()));
        }
        if (A == peg::apply_mode::action) builder.leaf(Leaf, builder.from(builder.offset(begin), input.current()));
        return true;
    }
};
struct malformed_numeral : peg::sor<malformed_byte, malformed_number> {};
template <> struct build<numeral> : build_literal<malformed_numeral, Kind::Number> {};
template <> struct build<text_literal> : build_literal<malformed_string, Kind::String> {};
template <> struct build<literal_word> : build_node<build<literal_word>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) {
        builder.leaf(text[0] == 't' || text[0] == 'f' ? Kind::Bool : Kind::Number, text);
    }
};

// -- operators ------------------------------------------------------------------------------------

// A sign directly before a numeral belongs to it.
template <> struct build<prefixed> : build_node<build<prefixed>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const SyntaxNode& operand = builder.last();
        const char next = text.size() > 1 ? text[1] : ' ';
        const bool signs = text[0] == '-' && operand.kind == Kind::Number && next != '-' && next != '\'' &&
                           operand.begin == builder.offset(text.data()) + 1;
        if (signs) {
            builder.last().begin = builder.last().name_begin = operand.begin - 1;
            return;
        }
        builder.node(Kind::Prefix, builder.from(builder.offset(text.data()), builder.tree.text.data() + operand.end),
                     text.substr(0, 1), first);
    }
};
template <> struct build<negation> : build_node<build<negation>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const char* const end = builder.tree.text.data() + builder.last().end;
        builder.node(Kind::Prefix, builder.from(builder.offset(text.data()), end), text.substr(0, 3), first);
    }
};
template <> struct build<strategy_term> : build_node<build<strategy_term>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const char* const end = builder.tree.text.data() + builder.last().end;
        builder.node(Kind::StrategyTerm, builder.from(builder.offset(text.data()), end), text.substr(0, 0), first);
    }
};
template <> struct build<projected> : build_node<build<projected>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t) {
        builder.around(Kind::Project, 1, text.data() + text.size(), text.substr(1));
    }
};

// `...`, or a `.` without a place behind it.
template <> struct build<misplaced> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        if (A == peg::apply_mode::action) builder.raise_suffix(input.current(), place);
        return false;
    }
};

// -- operands -------------------------------------------------------------------------------------

template <> struct build<value> : build_leaf<Kind::Value, 1> {};
template <> struct build<call> : build_named<Kind::Call, function_name, 1> {};
template <> struct build<named_call> : build_parent<Kind::NamedCall> {};
template <> struct build<function_variable> : build_leaf<Kind::MetaLiteral, 2> {};
template <> struct build<computed_function> : build_parent<Kind::Compute> {};
template <> struct build<array> : build_parent<Kind::Array> {};
template <> struct build<operation> : build_named<Kind::Op, dotted_name> {};
template <> struct build<struct_literal> : build_named<Kind::Struct, dotted_name> {};
template <> struct build<initialized_field> : build_named<Kind::FieldInit, dotted_name> {};
template <> struct build<update> : build_parent<Kind::Update> {};
template <> struct build<updated_part> : build_named<Kind::FieldInit, path> {};
template <> struct build<attribute> : build_node<build<attribute>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view name = leading<attribute_name>(text).empty() ? text.substr(0, 0) : leading<word>(text);
        builder.node(Kind::Attr, text, name, first);
    }
};
// A parenthesis around one expression is that expression; around a sequence it is a tuple.
template <> struct build<tuple> : build_node<build<tuple>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        if (builder.pending.size() != first + 1 || builder.last().kind == Kind::Seq)
            builder.node(Kind::Tuple, text, text.substr(0, 0), first);
    }
};

// -- patterns and terms ---------------------------------------------------------------------------

template <> struct build<metavariable> : build_node<build<metavariable>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view name = leading<meta_name>(text);
        const char* const behind = past_blanks(name.data() + name.size(), text.data() + text.size());
        const bool applied = behind != text.data() + text.size() && *behind == '(';
        builder.node(applied ? Kind::Apply : Kind::Meta, text, name.substr(1), first);
    }
};
template <> struct build<constant> : build_named<Kind::MetaLiteral, meta_literal, 1> {};
template <> struct build<computed> : build_parent<Kind::Compute> {};
template <> struct build<wildcard> : build_leaf<Kind::Wildcard> {};
template <> struct build<named_term> : build_node<build<named_term>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const char* const end = text.data() + text.size();
        const char* const name = past_blanks(text.data() + 1, end); // behind `(`
        builder.node(Kind::Named, text, leading<meta_name>(builder.from(builder.offset(name), end)).substr(1), first);
    }
};
template <> struct build<constant_place> : build_leaf<Kind::MetaLiteral, 1> {};
template <> struct build<computed_place> : build_node<build<computed_place>> {
    static void node(TreeBuilder& builder, std::string_view, std::size_t) { builder.combine(Kind::Project, 2); }
};
template <> struct build<sequence_suffix> : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.around(Kind::Seq, 1, in.end());
    }
};

} // namespace irrewrite::grammar
