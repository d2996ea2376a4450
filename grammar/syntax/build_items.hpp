// Actions for the productions of input languages.
#pragma once

#include "grammar/syntax/build_declarations.hpp"

namespace irrewrite::grammar {

template <> struct build<syntax> : build_declared<Kind::SyntaxDecl, dotted_name> {};
template <> struct build<syntax_mark> : build_leaf<Kind::Ident> {};
template <> struct build<production> : build_node<build<production>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const bool lexical = !leading<peg::seq<keyword<"token">, token<dotted_name>>>(text).empty();
        const std::string_view name = leading<dotted_name>(behind_words(text, lexical ? 1 : 0));
        builder.node(Kind::Production, text, name, first, lexical ? Lexical : 0);
    }
};
// From the `=` or `|` before it on.
template <> struct build<alternative> : peg::maybe_nothing {
    template <class Production, peg::apply_mode A, peg::rewind_mode M, template <class...> class Action,
              template <class...> class Control, class Input>
    static bool match(Input& input, const Place& place, TreeBuilder& builder) {
        const std::uint32_t begin = builder.offset(input.current()) - 1;
        const std::size_t first = builder.pending.size();
        if (!peg::match<Production, A, M, Action, Control>(input, place, builder)) return false;
        const std::string_view text = builder.from(begin, input.current());
        builder.node(Kind::Alternative, text, text.substr(0, 0), first);
        return true;
    }
};
template <> struct build<precedence> : build_node<build<precedence>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view rest = behind_words(text, 1).substr(1); // behind `(`
        const char* const end = text.data() + text.size();
        const char* const number = past_blanks(rest.data(), end);
        const char* const number_end = past<precedence_number>(number, end);
        builder.node(Kind::PegPrec, text, {number, static_cast<std::size_t>(number_end - number)}, first);
        const char* const side = past_blanks(past<precedence_end>(number_end, end), end);
        if (side == end) return;
        builder.last().label_begin = builder.offset(side);
        builder.last().label_end = builder.offset(end);
    }
};
template <> struct build<template_text> : build_parent<Kind::Template> {};
template <> struct build<template_type> : build_parent<Kind::TypeTemplate> {};

// -- items ----------------------------------------------------------------------------------------

template <> struct build<item_class> : build_leaf<Kind::PegClass> {};
template <> struct build<any_character> : build_leaf<Kind::PegAny> {};
template <> struct build<production_reference> : build_leaf<Kind::PegRef> {};

template <> struct build<item_literal> : build_node<build<item_literal>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        const std::string_view quoted = text.substr(0, text.rfind('"') + 1);
        builder.node(Kind::PegLiteral, text, quoted, first, quoted.size() < text.size() ? Caseless : 0);
    }
};

template <> struct build<labelled_item> : build_named<Kind::PegLabel, word> {};

template <> struct build<item_ahead> : build_node<build<item_ahead>> {
    static void node(TreeBuilder& builder, std::string_view text, std::size_t first) {
        builder.node(text[0] == '&' ? Kind::PegAnd : Kind::PegNot, text, text.substr(0, 1), first);
    }
};

// A repetition goes around the node before it.
template <std::size_t Children, std::size_t Sign> struct build_repetition : peg::maybe_nothing {
    template <class Matched> static void apply(const Matched& in, const Place&, TreeBuilder& builder) {
        builder.around(Kind::PegRepeat, Children, in.end(), builder.text(in).substr(0, Sign));
    }
};
template <> struct build<repetition> : build_repetition<1, 1> {};
template <> struct build<separated_items> : build_repetition<2, 2> {};

template <> struct build<group_alternative> : build_parent<Kind::Alternative> {};
template <> struct build<group_items> : build_parent<Kind::PegGroup> {};

} // namespace irrewrite::grammar
